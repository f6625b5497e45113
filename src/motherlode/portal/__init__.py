"""A portal: the directory of one crawl, with its configuration, its lock and its store.

What crawls, trains or searches it stands in later rooms.
"""

from motherlode.portal.config import Config, CrawlerOptions, PortalOptions
from motherlode.portal.directory import Portal, create_portal
from motherlode.portal.lock import PortalLock

__all__ = [
    "Config",
    "CrawlerOptions",
    "Portal",
    "PortalLock",
    "PortalOptions",
    "create_portal",
]
