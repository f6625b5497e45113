"""The pages of a store, as lessons want them: many at once, and kept in memory from one to the next.

A lesson goes over all pages several times, and the next one over the same and as many again. What was read of
a portion of pages is as good as new while none of them came, went or was fetched again.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from msgspec import Struct

from motherlode.documents.spaces import TERMS
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.scorer import BagBatch
from motherlode.learning.tree import UNKNOWN_CONFIDENCE, Sample, TreeClassifier, make_batches
from motherlode.records import ROOT, Judgement, PageId, TopicId
from motherlode.store.leads import targets_from
from motherlode.store.portions import Linked, Signature, links_of_portion, portions_of, vectors_of_portion
from motherlode.store.session import Session
from motherlode.training.marks import Marks
from motherlode.training.samples import samples_in

MOST = 192 * 2**20  # bytes, of some 60,000 pages
_MEANING = 1_024  # bytes, of what a page means: found out when it is first judged

T = TypeVar("T")


class Read(Struct, frozen=True):
    """Pages in the order of their numbers, ready to be judged; and the places of those that are asked for."""

    pages: Ints
    batches: dict[str, BagBatch]
    asked: Ints

    def sample(self, place: int) -> Sample:
        return {space: batch.bag(place) for space, batch in self.batches.items()}


class _Kept(Struct, Generic[T], frozen=True):
    signature: Signature
    what: T
    size: int


class Board(Generic[T]):
    """What was read of portions of pages."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept[T]] = {}

    @property
    def size(self) -> int:
        return sum(kept.size for kept in self._kept.values())

    def get(self, number: int) -> T | None:
        kept = self._kept.get(number)
        return None if kept is None else kept.what

    def put(self, number: int, signature: Signature, what: T, size: int) -> None:
        self._kept[number] = _Kept(signature, what, size)

    def sort_out(self, now: Mapping[int, Signature]) -> None:
        """Drop the portions that are not as they were."""
        self._kept = {at: kept for at, kept in self._kept.items() if kept.signature == now.get(at)}


class Shelf:
    """The terms and the links of pages, up to so many bytes. The rest is read whenever it is wanted."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self.terms: Board[tuple[Ints, BagBatch]] = Board()
        self.links: Board[Linked] = Board()

    def has_room(self) -> bool:
        return self.terms.size + self.links.size < self._most

    def sort_out(self, now: Mapping[int, Signature]) -> None:
        self.terms.sort_out(now)
        self.links.sort_out(now)


class Library:
    """The pages of a store at one moment. `shelf`: what is left of moments before."""

    def __init__(self, session: Session, shelf: Shelf | None = None) -> None:
        self._session = session
        self._shelf = shelf or Shelf()

    @cached_property
    def portions(self) -> dict[int, Signature]:
        """Looked up once: whoever reads sees one moment."""
        found = portions_of(self._session)
        self._shelf.sort_out(found)
        return found

    @property
    def size(self) -> int:
        """How many pages there are."""
        return sum(signature.pages for signature in self.portions.values())

    def every_so_many(self, wanted: int) -> int:
        """At which even distances pages are looked at, so that they are no more than wanted."""
        return max(1, -(-self.size // wanted))

    def read(
        self, spaces: Collection[str], every: int = 1, only: Sequence[PageId] | None = None
    ) -> Iterator[Read]:
        """All pages that have words, those at even distances, or these, in each of these spaces; some at a
        time, in the order of their numbers."""
        if only is None and tuple(spaces) == (TERMS,):
            for number in self.portions:
                pages, batch = self._terms(number, every)
                yield Read(pages, {TERMS: batch}, np.flatnonzero(pages % every == 0))
            return
        for found in samples_in(self._session, spaces, every, only):
            pages = np.array([page for page, _ in found], np.int64)
            yield Read(pages, make_batches([sample for _, sample in found], spaces), np.arange(len(pages)))

    def linked(self) -> Iterator[Linked]:
        """All pages with their links, some at a time, the latest portion first."""
        for number in reversed(self.portions):
            found = self._shelf.links.get(number)
            if found is None:
                found = links_of_portion(self._session, number)
                if self._shelf.has_room():
                    self._shelf.links.put(number, self.portions[number], found, found.size)
            yield found

    def targets_from(self, of: Sequence[int]) -> Iterator[tuple[Ints, Ints]]:
        """The links of these pages, some at a time: the pages, and the URLs that they lead to. Out of memory,
        if all links are there."""
        if any(self._shelf.links.get(number) is None for number in self.portions):
            yield from targets_from(self._session, of)
            return
        wanted = np.array(of, np.int64)
        for some in reversed([*self.linked()]):
            rows = np.flatnonzero(np.isin(some.pages, wanted, assume_unique=True))
            lengths = some.starts[rows + 1] - some.starts[rows]
            firsts = some.starts[rows] - (lengths.cumsum() - lengths)
            places = firsts.repeat(lengths) + np.arange(lengths.sum())
            yield some.pages[rows].repeat(lengths), some.targets[places].astype(np.int64)

    def _terms(self, number: int, every: int) -> tuple[Ints, BagBatch]:
        """The pages of a portion that have words, and those; or of some, if there is no room for all."""
        kept = self._shelf.terms.get(number)
        if kept is not None:
            return kept
        has_room = self._shelf.has_room()
        numbers, packed = vectors_of_portion(self._session, TERMS, number, 1 if has_room else every)
        pages, batch = np.array(numbers, np.int64), BagBatch.from_packed(packed)
        if has_room:
            size = batch.starts.nbytes + 2 * batch.terms.nbytes + _MEANING * len(batch)
            self._shelf.terms.put(number, self.portions[number], (pages, batch), size)
        return pages, batch


class Judged(Struct, frozen=True):
    """What is thought of pages that were asked for."""

    read: Read
    topics: Ints
    confidences: Floats

    @property
    def pages(self) -> Ints:
        return self.read.pages[self.read.asked]

    def refused(self) -> Iterator[tuple[PageId, Sample, float]]:
        """The pages that no topic wants, of those that anything is known of."""
        for at in np.flatnonzero((self.topics == ROOT) & (self.confidences != UNKNOWN_CONFIDENCE)).tolist():
            place = int(self.read.asked[at])
            yield PageId(int(self.read.pages[place])), self.read.sample(place), float(self.confidences[at])


def judged(session: Session, reads: Iterable[Read], classifier: TreeClassifier) -> Iterator[Judged]:
    """What is thought of these pages. Where a person has marked a page, that is what is thought of it."""
    marks = Marks.of(session)
    for read in reads:
        said = classifier.judge_rows(read.batches, read.asked)
        found = Judged(read, said.topics, said.confidences)
        for place in np.flatnonzero(np.isin(found.pages, marks.pages)).tolist():
            before = Judgement(TopicId(int(said.topics[place])), float(said.confidences[place]))
            now = marks.overrule(PageId(int(found.pages[place])), before)
            if now.topic != before.topic:
                said.topics[place], said.confidences[place] = now.topic, now.confidence
        yield found
