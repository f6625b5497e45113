"""The profiles of topics, learned from the pages of a crawl, and their evidence on all pages."""

from collections.abc import Collection, Sequence

import numpy as np

from motherlode.documents.features.spaces import TERMS
from motherlode.learning.links.profiles import ProfileEvidence, Profiles, learn_profiles
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.scorer import BagBatch
from motherlode.policies.bingo.kernels import HOST_SHIFT
from motherlode.records import PageId
from motherlode.training.corpus import PageCorpus


class PageEvidence:
    """Evidence on pages, by their numbers."""

    def __init__(self, pages: Ints, log_odds: Floats) -> None:
        """`pages` are in ascending order."""
        self._pages, self._log_odds = pages, log_odds

    def of_page(self, page: PageId) -> float:
        """Return the evidence on one page; 0 for a page without words."""
        return float(self.of_pages(np.array([page], np.int64))[0])

    def of_pages(self, pages: Ints) -> Floats:
        """Return the evidence on each of these pages; 0 for a page without words."""
        if not len(self._pages):
            return np.zeros(len(pages))
        nearest = np.minimum(self._pages.searchsorted(pages), len(self._pages) - 1)
        return np.where(self._pages[nearest] == pages, self._log_odds[nearest], 0.0)


def profiles_of_crawl(
    corpus: PageCorpus, max_pages: int, examples: Sequence[Collection[PageId]]
) -> Profiles:
    """Return the profiles of topics with these example pages, by a sample of the crawl's pages."""
    wanted = np.array(sorted({page for pages in examples for page in pages}), np.int64)
    linked_pages, hosts_of_linked = _hosts_of_pages(corpus)
    pages, parts = [], []
    for batch in corpus.batches((TERMS,), corpus.sampling_step(max_pages)):
        is_wanted = np.isin(batch.pages, wanted)
        is_wanted[batch.selected] = True
        rows = np.flatnonzero(is_wanted & np.isin(batch.pages, linked_pages))
        pages.append(batch.pages[rows])
        parts.append(_rows_of(batch.batches[TERMS], rows))
    if not pages:
        return Profiles()
    numbers = np.concatenate(pages)
    hosts = hosts_of_linked[linked_pages.searchsorted(numbers)]
    rows_of_topics = [np.flatnonzero(np.isin(numbers, list(pages))) for pages in examples]
    return learn_profiles(_joined(parts), hosts, rows_of_topics)


def evidence_on_pages(
    corpus: PageCorpus, profiles: Profiles, only: Sequence[PageId] | None = None
) -> PageEvidence:
    """Return the evidence of profiles on all pages of the crawl, or on the pages in `only`."""
    evidence = ProfileEvidence(profiles)
    if not evidence.has_say:
        return PageEvidence(np.zeros(0, np.int64), np.zeros(0))
    pages, log_odds = [np.zeros(0, np.int64)], [np.zeros(0)]
    for batch in corpus.batches((TERMS,), only=only):
        pages.append(batch.pages[batch.selected])
        log_odds.append(evidence.log_odds(batch.batches[TERMS], batch.selected))
    numbers = np.concatenate(pages)
    order = numbers.argsort()
    return PageEvidence(numbers[order], np.concatenate(log_odds)[order])


def _hosts_of_pages(corpus: PageCorpus) -> tuple[Ints, Ints]:
    """Return all pages, in ascending order, and the host part of their keys."""
    pages, hosts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for linked in corpus.linked_pages():
        pages.append(linked.pages)
        hosts.append(linked.keys >> HOST_SHIFT)
    numbers = np.concatenate(pages)
    order = numbers.argsort()
    return numbers[order], np.concatenate(hosts)[order]


def _rows_of(batch: BagBatch, rows: Ints) -> BagBatch:
    lengths = np.diff(batch.starts)[rows]
    starts = np.concatenate([[0], lengths.cumsum()]).astype(np.int64)
    positions = np.repeat(batch.starts[rows] - starts[:-1], lengths) + np.arange(starts[-1])
    return BagBatch(starts, batch.terms[positions], batch.counts[positions])


def _joined(parts: Sequence[BagBatch]) -> BagBatch:
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    return BagBatch(
        np.concatenate([[0], lengths.cumsum()]).astype(np.int64),
        np.concatenate([part.terms for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )
