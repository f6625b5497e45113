"""Detect duplicates, including pages that are still in flight (SPEC B25)."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from motherlode.crawl.decisions import FetchedEntry, as_not_modified
from motherlode.fetch.fetcher import Fetched
from motherlode.records import Outcome
from motherlode.records.digests import is_older, older_digest_of
from motherlode.store import Store
from motherlode.store.tables.pages import all_digests, copies_of, page_at

if TYPE_CHECKING:
    from motherlode.records import UrlKey

_INDEX_BITS = 26  # bits of a digest that give the position of its bit in the filter
_INDEX_MASK = (1 << _INDEX_BITS) - 1
_INDEX_BYTES = 4  # leading bytes of a digest that hold those bits


class PendingPage:
    """A page that is being read or written.

    Copies of it wait until it is committed. If a copy were recorded earlier and the process died in
    between, the page would be lost.
    """

    __slots__ = ("committed", "fetched", "is_stored")

    def __init__(self, fetched: Fetched) -> None:
        self.fetched = fetched
        self.is_stored = False  # valid once `committed` is set
        self.committed = asyncio.Event()


class DigestFilter:
    """A Bloom filter of the digests of all stored pages: never a false no, seldom a false yes.

    With a million pages, one unknown digest in sixty is a false yes. The filter saves a database
    query for nearly every page. Where an older version has stored pages, its kind of digest is
    checked as well, so that its pages are recognized.
    """

    def __init__(self) -> None:
        self._bits = bytearray(1 << _INDEX_BITS - 3)
        self._has_older = False

    def add(self, digests: Iterable[bytes]) -> None:
        """Add the digests of stored pages."""
        for digest in digests:
            index = int.from_bytes(digest[:_INDEX_BYTES], "big") & _INDEX_MASK
            self._bits[index >> 3] |= 1 << (index & 7)
            self._has_older = self._has_older or is_older(digest)

    def matching_digests(self, fetched: Fetched) -> list[bytes]:
        """Return the digests of the fetched content that a stored page may have."""
        digests = [fetched.digest] if fetched.digest else []
        if self._has_older and fetched.digest and fetched.response is not None:
            digests.append(older_digest_of(fetched.response.body))
        return [digest for digest in digests if digest in self]

    def __contains__(self, digest: bytes) -> bool:
        index = int.from_bytes(digest[:_INDEX_BYTES], "big") & _INDEX_MASK
        return bool(self._bits[index >> 3] >> (index & 7) & 1)


class DuplicateDetector:
    """Finds copies of stored pages and of pending ones, by content and by URL.

    `is_refresh`: pages are fetched again on purpose.
    """

    def __init__(self, *, is_refresh: bool) -> None:
        self._is_refresh = is_refresh
        self._pending: dict[bytes | UrlKey, PendingPage] = {}  # by digest and by URL key
        self._stored = DigestFilter()

    def load_digests(self, store: Store) -> None:
        """Load the digests of all stored pages."""
        with store.reading() as session:
            self._stored.add(all_digests(session))

    def check(
        self, pages: Sequence[FetchedEntry], store: Store
    ) -> list[tuple[FetchedEntry, PendingPage | None]]:
        """Return each page, marked if it copies a stored page, with the pending page it copies.

        All database reads come first: pages become pending once, even if an outage repeats them.
        """
        if self._is_refresh:
            pages = [replace(page, fetched=_check_empty(page.fetched, store)) for page in pages]
        originals = self._stored_originals(pages, store)
        checked: list[tuple[FetchedEntry, PendingPage | None]] = []
        for page, original in zip(pages, originals, strict=True):
            fetched, pending = self._check(page.fetched, original)
            checked.append((replace(page, fetched=fetched), pending))
        return checked

    def _stored_originals(self, pages: Sequence[FetchedEntry], store: Store) -> list[str]:
        """Return for each page the URL of a stored page with the same content, or ""."""
        candidates = [self._stored.matching_digests(page.fetched) for page in pages]
        urls: dict[bytes, str] = {}
        if any(candidates):
            with store.reading() as session:
                digests = {digest for matching in candidates for digest in matching}
                urls = copies_of(session, digests, readable=self._is_refresh)
        return [
            next((urls[digest] for digest in matching if digest in urls), "")
            for matching in candidates  # a page has two digests where an older version stored pages
        ]

    def _check(self, fetched: Fetched, original: str) -> tuple[Fetched, PendingPage | None]:
        """Mark a copy of the stored page `original`; else return the pending page it copies.

        A page that is neither becomes pending itself.
        """
        if not fetched.digest:
            return fetched, None
        if original == fetched.final.url and self._is_refresh and fetched.directives.index:
            return as_not_modified(fetched), None  # the host sent it although nothing changed
        if original:
            return replace(fetched, copy_of=original), None
        pending = self._pending.get(fetched.final.key) or self._pending.get(fetched.digest)
        if pending is None and has_document(fetched):
            new = PendingPage(fetched)
            self._pending[fetched.digest] = self._pending[fetched.final.key] = new
        return fetched, pending

    def release(self, fetched_pages: Iterable[FetchedEntry], outcomes: Iterable[Outcome]) -> None:
        """Wake the copies that wait for these pages: their outcomes are committed."""
        pages = [outcome.page for outcome in outcomes if outcome.page is not None]
        self._stored.add(page.digest for page in pages if page.digest)
        stored_keys = {page.key for page in pages}
        for fetched_page in fetched_pages:
            fetched = fetched_page.fetched
            pending = self._pending.get(fetched.final.key)
            if pending is not None and pending.fetched is fetched:
                del self._pending[fetched.final.key]
                del self._pending[fetched.digest]
                pending.is_stored = fetched.final.key in stored_keys
                pending.committed.set()


def _check_empty(fetched: Fetched, store: Store) -> Fetched:
    """Mark a page as not modified if it was empty and is empty again; it has no digest."""
    if fetched.digest or not fetched.directives.index or not has_document(fetched):
        return fetched
    with store.reading() as session:
        page = page_at(session, fetched.final.key)
    return fetched if page is None or page.page.size else as_not_modified(fetched)


def has_document(fetched: Fetched) -> bool:
    response = fetched.response
    return response is not None and response.ok and fetched.failure is None and not fetched.copy_of
