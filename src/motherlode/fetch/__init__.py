"""Getting pages. `Web` is the seam: real HTTP, the replay of an archive, later a browser."""

from motherlode.fetch.decoding import TooLargeError, decoded
from motherlode.fetch.http import HttpWeb, NetworkOptions
from motherlode.fetch.web import FetchError, Request, Response, Web

__all__ = [
    "FetchError",
    "HttpWeb",
    "NetworkOptions",
    "Request",
    "Response",
    "TooLargeError",
    "Web",
    "decoded",
]
