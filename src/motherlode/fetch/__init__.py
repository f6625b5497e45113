"""Fetching pages: a `Web` answers requests, by real HTTP (`fetch.http`) or by a replay in the lab.

Pages are parsed in `documents`, not here, and this file imports nothing heavy.
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
