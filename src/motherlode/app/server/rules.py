"""Who may ask for what: decisions on a request's head, each a sentence if the answer is no."""

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from msgspec import Struct

from motherlode.app.server.settings import is_loopback

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# What a person without a token sees: the way to say it, and what that page is made of.
OPEN_PATHS = frozenset({"/login", "/favicon.ico"})
OPEN_FOLDER = "/static/"


class Head(Struct, frozen=True):
    """What is known of a request before its body. Header names are lower case."""

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
    status: int
    why: str
    headers: dict[str, str] = {}


def is_api(path: str) -> bool:
    return path.startswith("/api/")


def wrong_host(head: Head, bound: str, names: Collection[str]) -> Refusal | None:
    """DNS rebinding: a site's own name may lead here, so only names that are ours are answered to."""
    host = host_in(head.headers.get("host", ""))
    if host and (is_loopback(host) or host in names or host == bound.lower() or _reached_by(host, bound)):
        return None
    return Refusal(400, "This server is not called that; use its address, or start it with --name.")


def _reached_by(host: str, bound: str) -> bool:
    """Whether an address is right where the server listens on all of them: no site's name is an address."""
    try:
        return not is_loopback(bound) and bool(ip_address(host.strip("[]")))
    except ValueError:
        return False


def host_in(header: str) -> str:
    """The host of a Host header, without its port; empty: it is none."""
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port  # raises where it is no number
    except ValueError:
        return ""
    plain = parts.netloc == header and parts.username is None and not parts.path and not parts.query
    return (parts.hostname or "").lower() if plain else ""


def foreign(head: Head) -> Refusal | None:
    """Cross-site request forgery: what changes something must come from our own pages, or from no page."""
    if head.is_safe:
        return None
    site = head.headers.get("sec-fetch-site", "same-origin")
    origin = head.headers.get("origin")
    ours = origin is None or _place_of(origin) == head.headers.get("host", "").lower()
    if site in ("same-origin", "none") and ours:
        return None
    return Refusal(403, "Another site sent this request; open the page here and try again.")


def _place_of(origin: str) -> str | None:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None


def is_open(path: str) -> bool:
    """Whether a path may be seen without the token."""
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)
