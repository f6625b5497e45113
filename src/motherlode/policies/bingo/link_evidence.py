"""The evidence of all links of a crawl, computed at each retraining.

For URLs that wait, it gives new ranks; for URLs that were fetched, the crawl learns from it which
kinds of evidence to trust.
"""

from collections.abc import Iterable, Sequence
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from motherlode.policies.bingo import kernels
from motherlode.policies.bingo.kernels import Floats, Keys, Singles
from motherlode.policies.bingo.link_text import LinkTextEvidence, TextEvidence, mean_evidence
from motherlode.policies.bingo.prospects import Prospects, logit, nearby_evidence

_BATCH_ANCHORS = 10_000
_TEXT_KINDS = 2  # by the words of the text, and by the pages that mention them


class LinkSums:
    """Sums over the links to URLs, as `Prospects` has them page by page, but computed much faster.

    Pages are added from the latest to the earliest. So the first link to a URL that is added is the
    last one that was found, and only its anchor text has to be read.
    """

    def __init__(
        self,
        numbers: Keys,
        keys: Keys,
        outcomes: Singles,
        own_pages: Keys | None = None,
    ) -> None:
        """`numbers` identify the URLs in links, in ascending order. This takes 4 bytes for each
        number up to the last, and 56 for each URL.

        `outcomes`, by number: the probability that the page at a URL is on the topic, NaN if there
        is none; for larger numbers the last value holds. `own_pages` are the pages at these URLs,
        if there are any: their links to themselves do not count.
        """
        self.keys = keys
        self._rows = np.full(int(numbers[-1]) + 2 if len(numbers) else 1, -1, np.int32)
        self._rows[numbers] = np.arange(len(numbers))
        self._outcomes = outcomes
        self._own_pages = np.zeros(len(numbers), np.int64) if own_pages is None else own_pages
        self.parents, self.probability_sums = np.zeros((2, len(numbers)), np.float32)
        self.nearby = np.zeros((2, len(numbers)), np.float32)  # sum and number of outcomes
        self._last = np.zeros((2, len(numbers)), np.int64)  # the last page, and its link's position
        self._seen = np.zeros(len(numbers), np.int64)  # the page that was added last

    def add_pages(
        self,
        pages: Keys,
        probabilities: Floats,
        starts: Keys,
        targets: npt.NDArray[Any],
    ) -> None:
        """Add the links of pages, in ascending order of page numbers.

        Each page has the targets from its start to the next. A page counts with the probability
        that it is on the topic, and not at all where that is NaN.
        """
        sums = (
            self._rows,
            self._own_pages,
            self.parents,
            self.probability_sums,
            self._seen,
            self._last,
        )
        kernels.sum_links(
            pages,
            probabilities,
            (starts, targets),
            sums,
            self._outcomes,
            self.nearby,
        )

    def last_links(self) -> tuple[Keys, Keys, Keys]:
        """Return the rows of URLs with links, and page and position of the last link to each."""
        rows = np.flatnonzero(self.parents)
        return rows, self._last[0, rows], self._last[1, rows]

    def linked_rows(self, numbers: Keys) -> tuple[Keys, Keys]:
        """Return the indices of the URL numbers that have links, and their rows."""
        rows = self._rows.take(numbers, mode="clip")  # the last entry belongs to no URL
        indices = np.flatnonzero(rows >= 0)
        indices = indices[self.parents[rows[indices]] > 0]
        return indices, rows[indices].astype(np.int64)


class ProspectsWriter:
    """Writes the sums of links, and the evidence of their texts, into a table of prospects."""

    def __init__(self, prospects: Prospects, sums: LinkSums) -> None:
        self._prospects, self._sums = prospects, sums
        self._anchor_evidence = np.full(len(sums.keys), nan)  # of the last link

    def add_anchors(self, rows: Keys, anchors: Sequence[str], language: str) -> None:
        """Add the anchor texts of the last links to the URLs in these rows, in one language."""
        for start in range(0, len(rows), _BATCH_ANCHORS):
            batch = slice(start, start + _BATCH_ANCHORS)
            evidence = self._prospects.link_text.of_anchors(anchors[batch], language or "en")
            self._anchor_evidence[rows[batch]] = evidence

    def write(self, numbered_urls: Iterable[tuple[Keys, Sequence[str]]]) -> None:
        """Write all URLs, whose addresses come in batches with their numbers.

        Of URLs that share a slot, the last one keeps it.
        """
        sums, prospects = self._sums, self._prospects
        text = mean_evidence(self._anchor_evidence, np.full(len(self._anchor_evidence), nan))
        for numbers, urls in numbered_urls:
            indices, rows = sums.linked_rows(numbers)
            linked_urls = [urls[index] for index in indices.tolist()]
            by_url = prospects.link_text.of_urls(sums.keys[rows], linked_urls.__getitem__)
            text[rows] = mean_evidence(self._anchor_evidence[rows], by_url)
        linked = sums.parents > 0
        keys, parents = sums.keys[linked], sums.parents[linked]
        probability_sums = sums.probability_sums[linked]
        shares = prospects.shares(keys, parents, probability_sums)
        nearby = prospects.weights.near * nearby_evidence(sums.nearby[:, linked], shares)
        prospects.set_urls(keys, parents, probability_sums, text[linked], nearby)


def evidence_before_fetch(
    prospects: Prospects,
    sums: LinkSums,
    outcomes: Floats,
    kinds: Sequence[TextEvidence],
    anchors: Sequence[tuple[str, str]],
    urls: Sequence[str],
) -> Floats:
    """Return the evidence on fetched pages as it was before: a row per page, a column per weight.

    The columns are those of `learning.links.weights.LinkWeights`; `outcomes` are the probabilities
    that the pages are on the topic. Their own mentions of words are not taken out: that makes no
    difference (docs/quality.md). `anchors` are the texts of the last links, with their languages.
    """
    rows = sums.last_links()[0]
    keys = sums.keys[rows]
    shares = prospects.shares(keys, sums.parents[rows], sums.probability_sums[rows], outcomes)
    texts = [_text_evidence(LinkTextEvidence(kind), keys, anchors, urls) for kind in kinds]
    missing = [np.zeros(len(rows))] * (_TEXT_KINDS - len(kinds))
    nearby = nearby_evidence(sums.nearby[:, rows], shares)
    return np.column_stack([logit(shares), *texts, *missing, nearby])


def _text_evidence(
    link_text: LinkTextEvidence,
    keys: Keys,
    anchors: Sequence[tuple[str, str]],
    urls: Sequence[str],
) -> Floats:
    evidence = np.full(len(keys), nan)
    by_language: dict[str, list[int]] = {}
    for index, (_, language) in enumerate(anchors):
        by_language.setdefault(language or "en", []).append(index)
    for language, indices in by_language.items():
        evidence[indices] = link_text.of_anchors([anchors[index][0] for index in indices], language)
    return mean_evidence(evidence, link_text.of_urls(keys, urls.__getitem__))
