"""Access rules: each decides on the head of a request, and returns a refusal or None."""

import re
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from msgspec import Struct

from motherlode.app.server.settings import is_loopback

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# A visitor without a token sees the login page and its static files.
OPEN_PATHS = frozenset({"/login", "/favicon.ico"})
OPEN_FOLDER = "/static/"
OAI_PATH = re.compile(r"/portals/[^/]+/oai")  # of harvesters


class RequestHead(Struct, frozen=True):
    """A request without its body. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    visitor: str = ""

    @property
    def is_safe(self) -> bool:
        return self.method in SAFE

    @property
    def is_api(self) -> bool:
        return is_api(self.path)


class Refusal(Struct, frozen=True):
    """Why a request is refused, in one sentence, with the status and headers of the response."""

    status: int
    why: str
    headers: dict[str, str] = {}


def is_api(path: str) -> bool:
    """Return whether programs ask at a path, which get errors as JSON and no login page."""
    return path.startswith("/api/") or OAI_PATH.fullmatch(path) is not None


def host_refusal(head: RequestHead, bound: str, names: Collection[str]) -> Refusal | None:
    """Refuse a Host header that does not name this server.

    Otherwise DNS rebinding could reach it: a site may let its own name resolve to this machine.
    """
    host = host_in(head.headers.get("host", ""))
    if host and (
        is_loopback(host) or host in names or host == bound.lower() or _is_address(host, bound)
    ):
        return None
    return Refusal(400, "This server has another name; use its address, or start it with --name.")


def _is_address(host: str, bound: str) -> bool:
    """Return whether a host is an IP address, and the server listens on all of its addresses."""
    try:
        return not is_loopback(bound) and bool(ip_address(host.strip("[]")))
    except ValueError:
        return False


def host_in(header: str) -> str:
    """Return the host of a Host header without its port, or an empty string if there is none."""
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port  # raises if it is no number
    except ValueError:
        return ""
    is_plain = (
        parts.netloc == header and parts.username is None and not parts.path and not parts.query
    )
    return (parts.hostname or "").lower() if is_plain else ""


def cross_site_refusal(head: RequestHead) -> Refusal | None:
    """Refuse a change that another site's page asks for (cross-site request forgery)."""
    if head.is_safe:
        return None
    site = head.headers.get("sec-fetch-site", "same-origin")
    origin = head.headers.get("origin")
    is_own = origin is None or _netloc(origin) == head.headers.get("host", "").lower()
    if site in ("same-origin", "none") and is_own:
        return None
    return Refusal(403, "Another site sent this request; open the page here and try again.")


def _netloc(origin: str) -> str | None:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None


def is_open(path: str) -> bool:
    """Return whether a path can be seen without the token."""
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)
