"""Where topics and links come from, other than pages: bookmarks, sitemaps, search engines.

A source reads bytes or answers a query; what is done with the result is up to `topics` and `crawl`.
"""
