"""The pages of a store as training needs them: in large batches, cached from one run to the next.

A retraining goes over all pages several times, and the next one over the same pages and as many
again. A cached portion of pages is valid until one of its pages is added, removed or fetched again.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from msgspec import Struct

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.plane_distances import UNKNOWN_CONFIDENCE
from motherlode.learning.scorer import BagBatch
from motherlode.learning.tree import TreeClassifier, make_batches
from motherlode.records import ROOT, Feedback, Judgement, PageId, TopicId
from motherlode.store.queries.link_targets import targets_from
from motherlode.store.queries.page_batches import (
    Linked,
    Signature,
    links_of_portion,
    portions_of,
    vectors_of_portion,
)
from motherlode.store.session import Session
from motherlode.training.feedback.marks import PortalMarks
from motherlode.training.samples import samples_in

MAX_CACHE_BYTES = 192 * 2**20  # about 60,000 pages
_MEANING_BYTES = 1_024  # of a page; computed and kept when it is first judged

T = TypeVar("T")


class PageBatch(Struct, frozen=True):
    """Pages in ascending order, ready to be judged, and the rows of those that were selected."""

    pages: Ints
    batches: dict[str, BagBatch]
    selected: Ints

    def sample(self, row: int) -> Sample:
        return {space: batch.bag(row) for space, batch in self.batches.items()}


class _CachedPortion(Struct, Generic[T], frozen=True):
    signature: Signature
    value: T
    size: int


class PortionCache(Generic[T]):
    """Values read from portions of pages, by the number of the portion."""

    def __init__(self) -> None:
        self._cached: dict[int, _CachedPortion[T]] = {}

    @property
    def size(self) -> int:
        return sum(portion.size for portion in self._cached.values())

    def get(self, number: int) -> T | None:
        portion = self._cached.get(number)
        return None if portion is None else portion.value

    def put(self, number: int, signature: Signature, value: T, size: int) -> None:
        self._cached[number] = _CachedPortion(signature, value, size)

    def drop_changed(self, signatures: Mapping[int, Signature]) -> None:
        """Drop the portions that no longer have these signatures."""
        self._cached = {
            number: portion
            for number, portion in self._cached.items()
            if portion.signature == signatures.get(number)
        }


class CorpusCache:
    """The terms and links of pages, up to so many bytes. Other pages are read when needed."""

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self.terms: PortionCache[tuple[Ints, BagBatch]] = PortionCache()
        self.links: PortionCache[Linked] = PortionCache()

    def has_room(self) -> bool:
        return self.terms.size + self.links.size < self._max_bytes

    def drop_changed(self, signatures: Mapping[int, Signature]) -> None:
        self.terms.drop_changed(signatures)
        self.links.drop_changed(signatures)


class PageCorpus:
    """The pages of a store in one transaction; `cache` may hold pages read in earlier ones."""

    def __init__(self, session: Session, cache: CorpusCache | None = None) -> None:
        self._session = session
        self._cache = cache or CorpusCache()

    @cached_property
    def portions(self) -> dict[int, Signature]:
        """The signature of each portion; read once, because a transaction sees one state."""
        signatures = portions_of(self._session)
        self._cache.drop_changed(signatures)
        return signatures

    @property
    def page_count(self) -> int:
        return sum(signature.pages for signature in self.portions.values())

    def sampling_step(self, max_pages: int) -> int:
        """Return the step between page numbers with which at most this many pages are sampled."""
        return max(1, -(-self.page_count // max_pages))

    def batches(
        self, spaces: Collection[str], step: int = 1, only: Sequence[PageId] | None = None
    ) -> Iterator[PageBatch]:
        """Yield the pages that have words, in ascending order, in each of these feature spaces.

        Only page numbers that `step` divides are selected, or the pages in `only`.
        """
        if only is None and tuple(spaces) == (TERMS,):
            for number in self.portions:
                pages, batch = self._terms(number, step)
                yield PageBatch(pages, {TERMS: batch}, np.flatnonzero(pages % step == 0))
            return
        for samples in samples_in(self._session, spaces, step, only):
            pages = np.array([page for page, _ in samples], np.int64)
            batches = make_batches([sample for _, sample in samples], spaces)
            yield PageBatch(pages, batches, np.arange(len(pages)))

    def linked_pages(self) -> Iterator[Linked]:
        """Yield all pages with their links in batches, the latest portion first."""
        for number in reversed(self.portions):
            linked = self._cache.links.get(number)
            if linked is None:
                linked = links_of_portion(self._session, number)
                if self._cache.has_room():
                    self._cache.links.put(number, self.portions[number], linked, linked.size)
            yield linked

    def targets_from(self, pages: Sequence[int]) -> Iterator[tuple[Ints, Ints]]:
        """Yield the links of these pages in batches: the pages, and the URLs they lead to.

        They come from the cache if it holds all links.
        """
        if any(self._cache.links.get(number) is None for number in self.portions):
            yield from targets_from(self._session, pages)
            return
        wanted = np.array(pages, np.int64)
        for linked in reversed([*self.linked_pages()]):
            rows = np.flatnonzero(np.isin(linked.pages, wanted, assume_unique=True))
            lengths = linked.starts[rows + 1] - linked.starts[rows]
            firsts = linked.starts[rows] - (lengths.cumsum() - lengths)
            positions = firsts.repeat(lengths) + np.arange(lengths.sum())
            yield linked.pages[rows].repeat(lengths), linked.targets[positions].astype(np.int64)

    def _terms(self, number: int, step: int) -> tuple[Ints, BagBatch]:
        """Return the pages of a portion that have words, and their terms.

        Without room in the cache, only the pages that `step` selects are read.
        """
        cached = self._cache.terms.get(number)
        if cached is not None:
            return cached
        has_room = self._cache.has_room()
        numbers, packed = vectors_of_portion(self._session, TERMS, number, 1 if has_room else step)
        pages, batch = np.array(numbers, np.int64), BagBatch.from_packed(packed)
        if has_room:
            size = batch.starts.nbytes + 2 * batch.terms.nbytes + _MEANING_BYTES * len(batch)
            self._cache.terms.put(number, self.portions[number], (pages, batch), size)
        return pages, batch


class JudgedBatch(Struct, frozen=True):
    """The topics, confidences and probabilities of the selected pages of a batch."""

    batch: PageBatch
    topics: Ints
    confidences: Floats
    probabilities: Floats

    @property
    def pages(self) -> Ints:
        return self.batch.pages[self.batch.selected]

    def rejected_pages(self) -> Iterator[tuple[PageId, Sample, float]]:
        """Yield the pages that no topic accepts, with a confidence that is known."""
        rejected = (self.topics == ROOT) & (self.confidences != UNKNOWN_CONFIDENCE)
        for index in np.flatnonzero(rejected).tolist():
            row = int(self.batch.selected[index])
            page = PageId(int(self.batch.pages[row]))
            yield page, self.batch.sample(row), float(self.confidences[index])


def judge_batches(
    session: Session,
    batches: Iterable[PageBatch],
    classifier: TreeClassifier,
    rejected: Iterable[Feedback] | None = None,
) -> Iterator[JudgedBatch]:
    """Yield the judgements of pages. Marks and rejections of users overrule the classifier.

    `rejected` are archetypes; by default, all that users rejected.
    """
    marks = PortalMarks.of(session, rejected)
    for batch in batches:
        verdicts = classifier.judge_rows(batch.batches, batch.selected)
        judged = JudgedBatch(batch, verdicts.topics, verdicts.confidences, verdicts.probabilities)
        for index in np.flatnonzero(np.isin(judged.pages, marks.pages)).tolist():
            topic = TopicId(int(verdicts.topics[index]))
            judgement = Judgement(
                topic,
                float(verdicts.confidences[index]),
                probability=float(verdicts.probabilities[index]),
            )
            marked = marks.overrule(PageId(int(judged.pages[index])), judgement)
            if marked.topic != judgement.topic:
                verdicts.topics[index] = marked.topic
                verdicts.confidences[index] = marked.confidence
                is_known = marked.probability is not None
                verdicts.probabilities[index] = marked.probability if is_known else np.nan
        yield judged
