"""The crawl loop."""

from motherlode.engine.rounds import Limits, Progress, crawl

__all__ = ["Limits", "Progress", "crawl"]
