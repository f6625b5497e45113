"""Canonical form: the WHATWG rules, done by `url-py`, then the crawler's own."""

import re
from functools import lru_cache

import url as whatwg
from msgspec import Struct

from motherlode.records import LodeError, UrlKey
from motherlode.urls.keys import url_key
from motherlode.urls.rules import DEFAULT_RULES, UrlRules, droppable, session_remover

_SCHEMES = frozenset({"http", "https"})
_TRIPLE_SLASH = re.compile(r"^[\x00-\x20]*[/\\][\t\n\r]*[/\\][\t\n\r]*(?:[/\\][\t\n\r]*)+")
_BEFORE_SLASHES = frozenset("/\\" + "".join(map(chr, range(0x21))))
_PLAIN = re.compile("[^%;?(]*")  # what none of our own rules can touch; most URLs are
# What is canonical as it stands, but for a fragment; most links are. No host that may be a number
# or another name's spelling, no port, no segment that begins with a dot, nothing that our own rules
# can touch.
_HOST = r"(?:[a-z0-9]++(?:-[a-z0-9]++)*+\.)+[a-z]++"
_SEGMENT = r"/(?:[A-Za-z0-9_~][A-Za-z0-9_.~,=+-]*+)?+"
_CANONICAL = re.compile(rf"(https?://({_HOST})(?:{_SEGMENT})++)(?:#[!-~]*+)?+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# What is thrown away (fragment, tracking, credentials) may make a reference this much longer than a
# URL.
_SLACK = 8


class UrlError(LodeError):
    """A reference that is no URL for a crawler; `kind` is a word or two for reports."""

    exit_code = 2

    def __init__(self, kind: str, reference: str) -> None:
        super().__init__(f"{reference[:200]!r} cannot be crawled: {kind}.")
        self.kind = kind


class Address(Struct, frozen=True, gc=False):
    """A canonical URL with its key and its host."""

    url: str
    key: UrlKey
    host: str


def canonical(reference: str, base: str | None = None, rules: UrlRules = DEFAULT_RULES) -> str:
    """The canonical spelling of a URL, or of a reference found in the page at `base`.

    >>> canonical("../b/./c.html?utm_source=x#top", "HTTP://Example.ORG:80/a/")
    'http://example.org/b/c.html'
    """
    return address(reference, base, rules).url


def address(reference: str, base: str | None = None, rules: UrlRules = DEFAULT_RULES) -> Address:
    """The address that a reference means. Raises `UrlError`, and nothing else, if it means none.

    The result is a fixed point: `address(address(x).url) == address(x)`.
    """
    if len(reference) > rules.max_url * _SLACK:
        raise UrlError("URL too long", reference)
    found = _CANONICAL.fullmatch(reference) if base is None else None
    url, host = found.groups() if found else _spelled(reference, base, rules)
    if len(host) > rules.max_host:
        raise UrlError("host name too long", reference)
    if len(url) > rules.max_url:
        raise UrlError("URL too long", reference)
    return Address(url, url_key(url, host), host)


def _spelled(reference: str, base: str | None, rules: UrlRules) -> tuple[str, str]:
    """The canonical spelling of a URL, and its host."""
    parsed = _parse(reference, base)
    if parsed.scheme not in _SCHEMES:
        raise UrlError(f"scheme '{parsed.scheme[:20]}'", reference)
    host = parsed.host_str or ""
    url = str(parsed)
    if "#" in url:
        url = url.partition("#")[0]
    if "@" in url:
        url = _without_credentials(url)
    if host.endswith("."):
        url, host = url.replace(host, host[:-1], 1), host[:-1]
    if not host or host.endswith("."):
        raise UrlError("no host name", reference)
    if not _PLAIN.fullmatch(url):
        url = _tidy(url, rules)
    return url, host


def _parse(reference: str, base: str | None) -> whatwg.URL:
    try:
        if base is None:
            return whatwg.URL.parse(reference)
        if reference[:1] in _BEFORE_SLASHES:
            # url-py reads "///host" as an empty host; WHATWG ignores the surplus slashes.
            reference = _TRIPLE_SLASH.sub("//", reference)
        return _parsed_base(base).join(reference)
    except whatwg.URLError as error:
        raise UrlError("not a URL", reference) from error
    except UnicodeEncodeError as error:
        raise UrlError("not text", reference) from error


@lru_cache(maxsize=256)
def _parsed_base(base: str) -> whatwg.URL:
    return whatwg.URL.parse(base)


def _without_credentials(url: str) -> str:
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def _tidy(url: str, rules: UrlRules) -> str:
    """The crawler's own rules."""
    if "%" in url:
        url = _unescape(url)
    if ";" in url or "/(" in url:
        url = _without_session(url, rules)
    if "?" in url:
        path, _, query = url.partition("?")
        query = _tidy_query(query, rules)
        url = f"{path}?{query}" if query else path
    return url


def _unescape(url: str) -> str:
    """RFC 3986, 6.2.2: upper-case escapes, none for unreserved characters, to a fixed point.

    Dots stay escaped: setting them free could make new dot segments.
    """
    while True:
        unescaped = _ESCAPE.sub(_plain, url)
        if unescaped == url:
            return url
        url = unescaped


def _plain(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED and character != "." else escape[0].upper()


def _without_session(url: str, rules: UrlRules) -> str:
    """The URL without a session in its path; parsed anew, for what it stood between may now be
    `..`.
    """
    before, mark, query = url.partition("?")
    start = before.find("/", len("https://"))
    stripped = session_remover(rules)(before[start:])
    if stripped == before[start:]:
        return url
    return _without_session(
        str(whatwg.URL.parse(f"{before[:start]}/{stripped[1:]}{mark}{query}")), rules
    )


def _tidy_query(query: str, rules: UrlRules) -> str:
    drop = droppable(rules)
    kept = [part for part in query.split("&") if part and not drop(part)]
    if rules.sort_query:
        kept.sort(key=lambda part: part.partition("=")[0])
    return "&".join(kept)
