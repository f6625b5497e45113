"""The crawl loop."""

from motherlode.engine.crawling import Company, Control, crawl
from motherlode.engine.progress import Limits, Progress

__all__ = ["Company", "Control", "Limits", "Progress", "crawl"]
