"""Sitemaps: XML, indexes of them, feeds, and plain lists, packed or not (sitemaps.org, protocol
0.9).

Of a file that is broken, what stands before the break counts: half a list is better than none.
"""

import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from xml.parsers import expat

from msgspec import Struct

from motherlode.fetch.content_codings import decoded
from motherlode.urls import UrlError, address, registrable_domain

MAX_BYTES = 50 * 2**20  # the protocol's own limit, unpacked
LATEST_S = 4_102_444_800.0  # the year 2100
MAX_URLS = 50_000
MAX_FILES = 100  # sitemaps of one host that are read
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_XML = re.compile(rb"\s*<")
_PAGES, _SITEMAPS = frozenset({"url", "item", "entry"}), frozenset({"sitemap"})
_DATES = frozenset({"lastmod", "pubdate", "updated", "published", "publication_date"})


Fetch = Callable[[str], Awaitable[bytes | None]]


class Listed(Struct, frozen=True):
    """A page of a site, and when it was last changed, if that is known."""

    url: str
    changed_at: float | None = None


class Sitemap(Struct, frozen=True):
    """What a sitemap lists: pages, and other sitemaps. URLs are as they are written."""

    pages: tuple[Listed, ...] = ()
    sitemaps: tuple[str, ...] = ()


def parse_sitemap(body: bytes) -> Sitemap:
    """What a file lists, whichever of the forms it has; nothing, if it is none of them."""
    if body.startswith(_GZIP):
        try:
            body = decoded(body, "gzip", MAX_BYTES)
        except ValueError:
            return Sitemap()
    body = body.removeprefix(_BOM)[:MAX_BYTES]
    return _parse_xml(body) if _XML.match(body) else _parse_lines(body)


async def read_sitemaps(fetch: Fetch, begin: Sequence[str], most: int = MAX_URLS) -> list[Listed]:
    """The pages that sitemaps list, those of indexes included; only pages of the domain that names
    them.

    `fetch` gives the body of a URL, or None; it is asked for so many files and no more.
    """
    waiting, asked, pages = deque(begin), set[str](), dict[str, Listed]()
    while waiting and len(asked) < MAX_FILES and len(pages) < most:
        url = waiting.popleft()
        if url in asked:
            continue
        asked.add(url)
        body = await fetch(url)
        if body is None:
            continue
        found, domain = parse_sitemap(body), _domain(url)
        pages |= {page.url: page for page in found.pages if _domain(page.url) == domain}
        waiting += [name for name in found.sitemaps if _domain(name) == domain]
    return list(pages.values())[:most]


def _domain(url: str) -> str:
    try:
        return registrable_domain(address(url).host)
    except UrlError:
        return ""


def _parse_lines(body: bytes) -> Sitemap:
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines())
    urls = [line for line in lines if line.startswith(("http://", "https://"))]
    return Sitemap(tuple(Listed(url) for url in dict.fromkeys(urls[:MAX_URLS])))


def _parse_xml(body: bytes) -> Sitemap:
    reader = _SitemapReader()
    with suppress(expat.ExpatError, _EnoughError):  # what was read before it counts
        reader.parser.Parse(body.lstrip(), True)  # noqa: FBT003 - expat's own
    return Sitemap(tuple(dict.fromkeys(reader.pages)), tuple(dict.fromkeys(reader.sitemaps)))


class _EnoughError(Exception):
    """There is nothing more to read here."""


class _SitemapReader:
    """Element by element, by local names: many sitemaps get the namespace wrong."""

    def __init__(self) -> None:
        self.pages: list[Listed] = []
        self.sitemaps: list[str] = []
        self._inside: list[str] = []
        self._text: list[str] = []
        self._own = ""  # text that stands in a <sitemap> itself
        self._url = ""
        self._changed: float | None = None
        self.parser: Any = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text.append
        self.parser.EntityDeclHandler = self._no_entities

    def _no_entities(self, *_: object) -> None:
        raise _EnoughError  # no sitemap needs them, and bombs are made of them

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = _local(tag)
        self._inside.append(name)
        self._text.clear()
        if name in _PAGES | _SITEMAPS:
            self._url, self._changed = "", None
        elif (
            name == "link"
            and self._parent() == "entry"
            and attributes.get("rel", "alternate") == "alternate"
        ):
            self._url = self._url or attributes.get("href", "").strip()

    def _end(self, tag: str) -> None:
        name, text = _local(tag), "".join(self._text).strip()
        parent = self._parent()
        self._inside.pop()
        self._text.clear()
        if name in _PAGES | _SITEMAPS:
            self._list(name, self._url or (text if name in _SITEMAPS else ""))
        elif (name == "loc" and parent in _PAGES | _SITEMAPS) or (
            name == "link" and parent == "item"
        ):
            self._url = text
        elif name in _DATES and self._changed is None:
            self._changed = _moment(text)

    def _list(self, name: str, url: str) -> None:
        if url and name in _SITEMAPS:
            self.sitemaps.append(url)
        elif url:
            self.pages.append(Listed(url, self._changed))
        if len(self.pages) + len(self.sitemaps) >= MAX_URLS:
            raise _EnoughError

    def _parent(self) -> str:
        return self._inside[-2] if len(self._inside) > 1 else ""


def _local(tag: str) -> str:
    return tag.rpartition(":")[2].lower()


def _moment(text: str) -> float | None:
    """Return a date as ISO 8601 or as in mail; None if it is neither, or far from our time."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
            seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return seconds if 0.0 <= seconds <= LATEST_S else None
    return None
