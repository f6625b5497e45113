"""Hits made uniform: canonical URLs, each page once, plain texts of bounded length."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest

from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.source import Hit
from motherlode.urls import UrlError, UrlRules, address

MAX_TITLE_CHARS = 300
MAX_SNIPPET_CHARS = 500
MAX_RAW_CHARS = 20_000  # of a title or snippet, before its markup is removed
MAX_PAGES = 10  # of results that are fetched for one query
_MARKUP = re.compile(r"[<&]")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")

FetchHits = Callable[[int, int], Awaitable[Sequence[Hit]]]


def tidy_text(text: str, limit: int) -> str:
    """Return a text on one line, cut to at most `limit` characters.

    >>> tidy_text(" barn\\n owls ", 20), tidy_text("barn owls", 6)
    ('barn owls', 'barn …')
    """
    text = _SPACES.sub(" ", text[:MAX_RAW_CHARS]).strip()
    text = text.encode("utf-8", "replace").decode()  # JSON may hold half a character
    if len(text) <= limit:
        return text
    cut = text[: limit - 2]
    return f"{cut.rpartition(' ')[0] or cut} …"


def without_markup(text: str) -> str:
    """Return the text of a piece of HTML, such as a title with `<i>` in it."""
    if not _MARKUP.search(text):
        return text
    from motherlode.documents.formats.collector import (  # noqa: PLC0415 - loads the parser of HTML
        DocumentBuilder,
    )
    from motherlode.documents.formats.fragments import gather_html  # noqa: PLC0415

    builder = DocumentBuilder()
    gather_html(text[:MAX_RAW_CHARS], builder)
    return builder.extract().text


def uniform_hits(hits: Iterable[Hit], rules: UrlRules) -> Iterator[Hit]:
    """Yield the hits that can be crawled, with canonical URLs, each page once."""
    keys = set()
    for hit in hits:
        try:
            page = address(hit.url.strip(), rules=rules)
        except UrlError:
            continue
        if page.key in keys:
            continue
        keys.add(page.key)
        yield Hit(
            page.url,
            tidy_text(hit.title, MAX_TITLE_CHARS),
            tidy_text(hit.snippet, MAX_SNIPPET_CHARS),
        )


def merge_hits(lists: Sequence[Sequence[Hit]], wanted: int) -> tuple[Hit, ...]:
    """Return the best hits of all lists in turn, each page once.

    >>> [hit.url for hit in merge_hits([[Hit("a"), Hit("b")], [Hit("a"), Hit("c")]], 3)]
    ['a', 'b', 'c']
    """
    in_turn = (hit for hit in chain.from_iterable(zip_longest(*lists)) if hit is not None)
    by_url: dict[str, Hit] = {}
    for hit in in_turn:
        by_url.setdefault(hit.url, hit)
    return tuple(by_url.values())[:wanted]


async def hits_of_pages(fetch: FetchHits, wanted: int) -> list[Hit]:
    """Return the hits of as many pages of results as are needed; each call of `fetch` is one.

    `fetch` takes the number of the page, from 0, and how many hits came before it. A page
    without a new hit is the last one, and so is one that fails after others did not.
    """
    by_url: dict[str, Hit] = {}
    received = 0
    for page in range(MAX_PAGES):
        try:
            hits = await fetch(page, received)
        except SourceError:
            if not by_url:
                raise
            break
        received += len(hits)
        new = [hit for hit in hits if hit.url not in by_url]
        by_url.update((hit.url, hit) for hit in new)
        if not new or len(by_url) >= wanted:
            break
    return list(by_url.values())[:wanted]
