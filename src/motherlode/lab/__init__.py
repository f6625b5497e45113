"""The proving ground: webs whose truth is known, and what a crawl of them is worth."""
