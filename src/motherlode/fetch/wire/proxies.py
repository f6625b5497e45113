"""Proxies, as a portal or the environment names them."""

from base64 import b64encode
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from msgspec import Struct

from motherlode.records import BadInputError

_SCHEMES = ("http", "https")
_PORT = 80


class Proxy(Struct, frozen=True):
    """Where a proxy is, and how one introduces oneself to it (a header's value, if at all)."""

    host: str
    port: int
    authorization: str = ""


class Proxies:
    """Which proxy leads to which host."""

    def __init__(self, told: str) -> None:
        self._one = parse_proxy(told) if told not in ("", "none") else None
        named = getproxies() if not told else {}
        self._named = {
            scheme: parse_proxy(url) for scheme, url in named.items() if scheme in _SCHEMES and url
        }

    def lead_to(self, scheme: str, host: str) -> Proxy | None:
        """The proxy for a host; None: it is reached directly."""
        if self._one is not None:
            return self._one
        found = self._named.get(scheme)
        return None if found is None or proxy_bypass(host) else found


def parse_proxy(url: str) -> Proxy:
    """A proxy from its URL. Raises `BadInputError` if it is none.

    >>> parse_proxy("http://me:secret@proxy.test:3128").authorization
    'Basic bWU6c2VjcmV0'
    """
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        scheme, host, port = parts.scheme, parts.hostname, parts.port or _PORT
    except ValueError:
        scheme, host, port = url.partition("://")[0], None, 0
    if not host or scheme != "http":  # nobody speaks TLS to the proxy itself here
        shown = f"{scheme}://{host or ''}"
        raise BadInputError(f"The proxy {shown!r} cannot be used; name one as http://HOST:PORT.")
    authorization = ""
    if parts.username is not None:
        secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + b64encode(secret.encode()).decode()
    return Proxy(host, port, authorization)
