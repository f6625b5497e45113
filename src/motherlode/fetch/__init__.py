"""Fetching pages: a `Web` answers requests, by real HTTP (`fetch.http`) or a replay.

Every command loads this package, so it imports nothing heavy; `documents` parses the pages.
"""

from motherlode.fetch.options import DnsOptions, NetworkOptions, PolitenessOptions, RobotsOptions
from motherlode.fetch.types import TypeOptions
from motherlode.fetch.web import FetchError, Request, Response, Web

__all__ = [
    "DnsOptions",
    "FetchError",
    "NetworkOptions",
    "PolitenessOptions",
    "Request",
    "Response",
    "RobotsOptions",
    "TypeOptions",
    "Web",
]
