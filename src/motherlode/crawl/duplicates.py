"""Two ways to one page are one page, also while the first of them is not kept yet (SPEC B25)."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from motherlode.crawl.decisions import Catch, unmodified
from motherlode.fetch.fetching import Fetched
from motherlode.records import Outcome
from motherlode.records.digests import is_older, older_digest_of
from motherlode.store import Store
from motherlode.store.pages import all_digests, copies_of, page_at

if TYPE_CHECKING:
    from motherlode.records import UrlKey

_PLACE_BITS = 26  # of a digest tell the place of its bit
_LAST_PLACE = (1 << _PLACE_BITS) - 1
_TELLING = 4  # bytes of a digest that have them


class InHand:
    """A page that is being read or kept. Whoever has fetched the same waits for what becomes of it: to say
    that it is there before it is would lose it, should the process die in between."""

    __slots__ = ("fetched", "is_kept", "settled")

    def __init__(self, fetched: Fetched) -> None:
        self.fetched = fetched
        self.is_kept = False
        self.settled = asyncio.Event()


class Suspicion:
    """Which contents may be there already: one bit stands for each that is, and, of a million pages, for one
    in sixty that is not. It saves a question to the database for nearly every page.

    Where an older version has kept pages, contents are looked for by its kind of digest as well, so that what
    is there is found whoever has kept it.
    """

    def __init__(self) -> None:
        self._bits = bytearray(1 << _PLACE_BITS - 3)
        self._older = False

    def add(self, digests: Iterable[bytes]) -> None:
        """These are there."""
        for digest in digests:
            place = int.from_bytes(digest[:_TELLING], "big") & _LAST_PLACE
            self._bits[place >> 3] |= 1 << (place & 7)
            self._older = self._older or is_older(digest)

    def of(self, one: Fetched) -> list[bytes]:
        """The digests of what was fetched that a page may have which is there."""
        digests = [one.digest] if one.digest else []
        if self._older and one.digest and one.response is not None:
            digests.append(older_digest_of(one.response.body))
        return [digest for digest in digests if digest in self]

    def __contains__(self, digest: bytes) -> bool:
        place = int.from_bytes(digest[:_TELLING], "big") & _LAST_PLACE
        return bool(self._bits[place >> 3] >> (place & 7) & 1)


class Copies:
    """The pages in hand, by their content and by their URLs; and which contents may be kept already.
    `again`: pages are fetched again on purpose."""

    def __init__(self, *, again: bool) -> None:
        self._again = again
        self._in_hand: dict[bytes | UrlKey, InHand] = {}
        self._suspicion = Suspicion()

    def recall(self, store: Store) -> None:
        """Everything that is kept may be met again."""
        with store.reading() as session:
            self._suspicion.add(all_digests(session))

    def tell(self, catches: Sequence[Catch], store: Store) -> list[tuple[Catch, InHand | None]]:
        """The same, with what is known of their content. Where the first of two is not kept yet, it is given
        as well."""
        if self._again:  # all that is read comes first: claims are made once, also if the database goes away
            catches = [replace(catch, fetched=_still_empty(catch.fetched, store)) for catch in catches]
        suspected = [self._suspicion.of(catch.fetched) for catch in catches]
        copies: dict[bytes, str] = {}
        if any(suspected):
            with store.reading() as session:
                sought = {digest for digests in suspected for digest in digests}
                copies = copies_of(session, sought, readable=self._again)
        known = [next((copies[one] for one in digests if one in copies), "") for digests in suspected]
        told = [self._claim(catch.fetched, url) for catch, url in zip(catches, known, strict=True)]
        return [
            (replace(catch, fetched=one), first) for catch, (one, first) in zip(catches, told, strict=True)
        ]

    def _claim(self, one: Fetched, known: str) -> tuple[Fetched, InHand | None]:
        """What was fetched, with the page that is `known` to have the same content; or the same page in
        another hand."""
        if not one.digest:
            return one, None
        if known == one.final.url and self._again and one.directives.index:
            return unmodified(one), None  # its host does not know, or does not say
        if known:
            return replace(one, copy_of=known), None
        first = self._in_hand.get(one.final.key) or self._in_hand.get(one.digest)
        if first is None and has_document(one):
            self._in_hand[one.digest] = self._in_hand[one.final.key] = InHand(one)
        return one, first

    def put_down(self, catches: Iterable[Catch], outcomes: Iterable[Outcome]) -> None:
        """What became of these is committed: whoever waits for one of them may go on."""
        pages = [outcome.page for outcome in outcomes if outcome.page is not None]
        self._suspicion.add(page.digest for page in pages if page.digest)
        kept = {page.key for page in pages}
        for catch in catches:
            fetched = catch.fetched
            first = self._in_hand.get(fetched.final.key)
            if first is not None and first.fetched is fetched:
                del self._in_hand[fetched.final.key]
                del self._in_hand[fetched.digest]
                first.is_kept = fetched.final.key in kept
                first.settled.set()


def _still_empty(fetched: Fetched, store: Store) -> Fetched:
    """A page that was empty and is empty again has not changed."""
    if fetched.digest or not fetched.directives.index or not has_document(fetched):
        return fetched
    with store.reading() as session:
        page = page_at(session, fetched.final.key)
    return fetched if page is None or page.page.size else unmodified(fetched)


def has_document(fetched: Fetched) -> bool:
    response = fetched.response
    return response is not None and response.ok and fetched.failure is None and not fetched.copy_of
