"""How telling a term is: the fewer documents of the portal have it, the more (tf-idf; SPEC B4)."""

from collections.abc import Iterable
from math import log

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.text.terms import Bag

GROWTH = 0.2  # a corpus that has grown by this share is counted anew


class Weighted(Struct, frozen=True):
    """A sparse vector of length one: term numbers in rising order, and their weights."""

    terms: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float32]

    def dot(self, other: "Weighted") -> float:
        """The cosine of two vectors."""
        _, mine, others = np.intersect1d(
            self.terms, other.terms, assume_unique=True, return_indices=True
        )
        return float(self.weights[mine] @ other.weights[others])


class Corpus:
    """In how many documents each term occurs. Weights are worked out again when enough
    has come in.
    """

    def __init__(self) -> None:
        self._terms = np.array([], np.uint32)
        self._counts = np.array([], np.int64)
        self._fresh: list[npt.NDArray[np.uint32]] = []
        self._counted = 0
        self.documents = 0

    def add(self, bags: Iterable[Bag]) -> None:
        """Take in more documents."""
        for bag in bags:
            self._fresh.append(bag.terms)
            self.documents += 1

    def weigh(self, bag: Bag) -> Weighted:
        """The tf-idf vector of a document: (1 + log tf) log(1 + N / df), of length one."""
        self._count_if_grown()
        found = np.searchsorted(self._terms, bag.terms)
        found[found == len(self._terms)] = 0
        known = len(self._terms) > 0 and self._terms[found] == bag.terms
        occurring = np.where(known, self._counts[found] if len(self._counts) else 1, 1)
        idf = np.log1p(max(self._counted, 1) / occurring)
        weights = (1.0 + np.log(bag.counts)) * idf
        length = float(np.linalg.norm(weights))
        return Weighted(bag.terms, (weights / length if length else weights).astype(np.float32))

    def idf(self, term: int) -> float:
        """How telling one term is."""
        self._count_if_grown()
        place = int(np.searchsorted(self._terms, term))
        there = place < len(self._terms) and self._terms[place] == term
        return log(1.0 + max(self._counted, 1) / (int(self._counts[place]) if there else 1))

    def _count_if_grown(self) -> None:
        if self._fresh and self.documents > self._counted * (1.0 + GROWTH):
            fresh, counts = np.unique(np.concatenate(self._fresh), return_counts=True)
            merged = np.concatenate([self._terms, fresh])
            self._terms, place = np.unique(merged, return_inverse=True)
            weights = np.concatenate([self._counts, counts])
            self._counts = np.bincount(place, weights, len(self._terms)).astype(np.int64)
            self._fresh, self._counted = [], self.documents
