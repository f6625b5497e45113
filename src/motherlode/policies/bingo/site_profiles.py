"""The site profiles of topics, learned from the pages of a crawl."""

from collections.abc import Collection, Sequence

import numpy as np

from motherlode.documents.features.spaces import TERMS
from motherlode.learning.matrix import Ints
from motherlode.learning.scorer import BagBatch
from motherlode.learning.site_profiles import Profiles, learn_profiles
from motherlode.policies.bingo.kernels import HOST_SHIFT
from motherlode.records import PageId
from motherlode.training.corpus import PageCorpus


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
