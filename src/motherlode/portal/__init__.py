"""A portal: the directory that holds one undertaking, its configuration and its lock."""

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
