"""The cookies of one session: kept and sent by domain, path and security (RFC 6265)."""

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from time import time
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from motherlode.fetch.web import Headers, Request, Response, Web
from motherlode.urls import registrable_domain

MAX_COOKIES = 100
MAX_PER_HOST = 20  # set by one response or one host
MAX_COOKIE_BYTES = 4096
MAX_HEADER_BYTES = 8192
_MAX_SECONDS = 400 * 86_400.0
_DIGITS = 10
_FOREVER = float("inf")


class Cookie(Struct, frozen=True):
    """A cookie and where it may be sent; `host_only`: to that host alone."""

    name: str
    value: str
    domain: str
    path: str = "/"
    host_only: bool = True
    secure: bool = False
    expires_at: float = _FOREVER

    def fits(self, scheme: str, host: str, path: str) -> bool:
        """Return whether the cookie may be sent to a place."""
        here = host == self.domain or (not self.host_only and host.endswith(f".{self.domain}"))
        below = path == self.path or path.startswith(self.path.rstrip("/") + "/")
        return here and below and (scheme == "https" or not self.secure)


class CookieJar:
    """Cookies of one session, bounded in number and size; they end with the object."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._cookies: dict[tuple[str, str, str], Cookie] = {}  # by domain, path and name

    def __len__(self) -> int:
        return len(self._cookies)

    def learn(self, response: Response) -> None:
        """Keep what a response sets; the oldest cookies give way to new ones."""
        now, is_secure = self._clock(), response.url.startswith("https:")
        for line in response.all_headers("set-cookie")[:MAX_PER_HOST]:
            cookie = parse_cookie(line, response.url, now)
            if cookie is None:
                continue
            key = (cookie.domain, cookie.path, cookie.name)
            kept = self._cookies.get(key)
            if kept is not None and kept.secure and not is_secure:
                continue  # what came over TLS is not overwritten in plain
            self._cookies.pop(key, None)
            if cookie.expires_at > now:
                self._cookies[key] = cookie
                self._make_room(cookie.domain)

    def headers_for(self, url: str) -> Headers:
        """Return the Cookie header for a URL; nothing, if there is none to send."""
        parts = urlsplit(url)
        now = self._clock()
        fitting = [
            cookie
            for cookie in self._cookies.values()
            if cookie.expires_at > now
            and cookie.fits(parts.scheme, parts.hostname or "", parts.path or "/")
        ]
        fitting.sort(key=lambda cookie: -len(cookie.path))  # RFC 6265, 5.4: longer paths first
        pairs: list[str] = []
        size = 0
        for cookie in fitting:
            size += len(cookie.name) + len(cookie.value) + len("=; ")
            if size <= MAX_HEADER_BYTES:
                pairs.append(f"{cookie.name}={cookie.value}")
        return (("Cookie", "; ".join(pairs)),) if pairs else ()

    def _make_room(self, domain: str) -> None:
        of_domain = [key for key in self._cookies if key[0] == domain]
        if len(of_domain) > MAX_PER_HOST:
            del self._cookies[of_domain[0]]
        if len(self._cookies) > MAX_COOKIES:
            del self._cookies[next(iter(self._cookies))]


class CookieWeb:
    """A web to which each request brings the cookies that a session has for it."""

    def __init__(self, web: Web, jar: CookieJar) -> None:
        self._web = web
        self._jar = jar

    async def fetch(self, request: Request) -> Response:
        cookies = self._jar.headers_for(request.url)
        if cookies:
            request = replace(request, headers=(*request.headers, *cookies))
        response = await self._web.fetch(request)
        self._jar.learn(response)
        return response

    def expect(self, host: str) -> None:
        self._web.expect(host)


def parse_cookie(line: str, url: str, now: float) -> Cookie | None:
    """Return the cookie that a Set-Cookie line sets for the host of a URL; None: not a valid one.

    >>> parse_cookie("id=7; Path=/find; Secure", "https://a.test/", 0.0).path
    '/find'
    >>> parse_cookie("id=7; Domain=b.test", "https://a.test/", 0.0) is None
    True
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    pair, _, rest = line.partition(";")
    name, equals, value = (word.strip() for word in pair.partition("="))
    if not equals or not name or len(line) > MAX_COOKIE_BYTES or not _is_sendable(name + value):
        return None
    attributes = _attributes(rest)
    domain = attributes.get("domain", "").lower().removeprefix(".")
    path = attributes.get("path", "")
    secure = "secure" in attributes
    if domain and not _may_set(domain, host):
        return None
    if secure and parts.scheme != "https":
        return None
    if name.startswith("__Secure-") and not secure:
        return None
    if name.startswith("__Host-") and (not secure or domain or path != "/"):
        return None
    return Cookie(
        name=name,
        value=value,
        domain=domain or host,
        path=path if path.startswith("/") else _default_path(parts.path),
        host_only=not domain or _is_registry(domain),
        secure=secure,
        expires_at=_end(attributes, now),
    )


def _attributes(text: str) -> dict[str, str]:
    """Return the attributes of a cookie by their names in lower case; the last of each counts."""
    pairs = (part.partition("=") for part in text.split(";")[:MAX_PER_HOST])
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _may_set(domain: str, host: str) -> bool:
    """Return whether a host may set cookies for a domain: its own or one above, no registry."""
    own = registrable_domain(host)
    inside = domain == own or domain.endswith(f".{own}")
    return domain == host or (inside and host.endswith(f".{domain}"))


def _is_registry(domain: str) -> bool:
    """Return whether what lies below a domain belongs to others, as below co.uk."""
    return registrable_domain(f"x.{domain}") == f"x.{domain}"


def _default_path(path: str) -> str:
    """Return the folder of a request's path (RFC 6265, section 5.1.4)."""
    return path.rpartition("/")[0] or "/"


def _end(attributes: dict[str, str], now: float) -> float:
    """Return when a cookie ends; Max-Age counts before Expires."""
    age = attributes.get("max-age", "")
    digits = age.removeprefix("-")
    if digits.isdecimal() and digits.isascii():
        seconds = min(float(digits[:_DIGITS]), _MAX_SECONDS)
        return now + seconds if age == digits else 0.0
    try:
        return parsedate_to_datetime(attributes["expires"].replace("-", " ")).timestamp()
    except (KeyError, ValueError, IndexError, TypeError, OverflowError):
        return _FOREVER


def _is_sendable(text: str) -> bool:
    """Return whether a text may stand in a header as it is."""
    return text.isprintable() and text.isascii()
