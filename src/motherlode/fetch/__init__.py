"""Getting pages. `Web` is the seam: real HTTP (`fetch.http`), the replay of an archive, later a browser.

What every command loads stays light here: the HTTP client is imported from its own module.
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
