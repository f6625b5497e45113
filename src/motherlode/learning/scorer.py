"""Distances of documents from planes: many documents and all topics of a parent in one pass.

Compiled: a page takes microseconds, however many topics there are.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from numba import njit

from motherlode.documents.features.meanings import Meanings, Vectors
from motherlode.documents.text.terms import Bag
from motherlode.learning.calibration import plane_offset
from motherlode.learning.matrix import Floats, Ints, Terms
from motherlode.learning.planes import PlaneGroup
from motherlode.learning.semantic import SemanticScorer
from motherlode.learning.site_profiles import ProfileScorer

_TERM_BITS = 32
_PAIR_BYTES = 8  # a term and its count
# 1 + log(count) for counts up to 4095: nearly all terms of a document occur less often.
_LOG_DAMPED: Floats = 1.0 + np.log(np.maximum(np.arange(1 << 12), 1))


class BagBatch(Struct, frozen=True):
    """The terms and counts of many documents in three arrays; row i begins at `starts[i]`."""

    starts: Ints
    terms: Terms
    counts: Terms
    vectors_by_table: dict[str, Vectors] = {}  # a cache, by the digest of the table

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def from_bags(cls, bags: Sequence[Bag]) -> "BagBatch":
        starts = _starts(np.array([len(bag) for bag in bags], np.int64))
        if not bags:
            return cls(starts, np.array([], np.uint32), np.array([], np.uint32))
        counts = np.concatenate([bag.counts for bag in bags])
        return cls(starts, np.concatenate([bag.terms for bag in bags]), counts)

    @classmethod
    def from_packed(cls, packed: Sequence[bytes]) -> "BagBatch":
        """Return the batch of packed bags; unpacking a bag alone takes longer than judging it."""
        lengths = np.array([len(bag) // _PAIR_BYTES for bag in packed], np.int64)
        pairs = np.frombuffer(b"".join(packed), np.uint32)
        is_term = np.tile([True, False], len(packed)).repeat(lengths.repeat(2))
        return cls(_starts(lengths), pairs[is_term], pairs[~is_term])

    def bag(self, row: int) -> Bag:
        start, end = self.starts[row : row + 2].tolist()
        return Bag(self.terms[start:end], self.counts[start:end])

    def terms_of(self, rows: Ints) -> Terms:
        """Return the terms of the given rows in one array."""
        lengths = np.diff(self.starts)[rows]
        firsts = self.starts[rows] - (lengths.cumsum() - lengths)
        terms: Terms = self.terms[firsts.repeat(lengths) + np.arange(lengths.sum())]
        return terms

    def vectors(self, meanings: Meanings) -> Vectors:
        """Return the meaning vector of each document, computed once for each table."""
        if meanings.digest not in self.vectors_by_table:
            vectors = meanings.vectors(self.starts, self.terms, self.counts)
            self.vectors_by_table[meanings.digest] = vectors
        return self.vectors_by_table[meanings.digest]


def _starts(lengths: Ints) -> Ints:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


class Scorer:
    """A group of planes, arranged by feature so that one pass over a document scores all topics."""

    def __init__(self, group: PlaneGroup) -> None:
        self.topics = np.array([plane.topic for plane in group.planes])
        self.precisions = [plane.precision for plane in group.planes]
        self.offsets = [
            plane_offset(plane.held_out, plane.examples, plane.surroundings)
            for plane in group.planes
        ]
        self._features = np.frombuffer(group.features, np.uint32)
        self._idf = np.frombuffer(group.idf, np.float32)
        self._unseen_idf = group.unseen_idf
        # The high bits of a term choose its bucket, the range of features in which it can be.
        self._shift = max(_TERM_BITS - len(self._features).bit_length(), 0)
        bounds = np.arange((1 << (_TERM_BITS - self._shift)) + 1, dtype=np.int64) << self._shift
        # 32 bits are enough, and the table stays in the processor's cache.
        self._buckets = np.searchsorted(self._features, bounds).astype(np.int32)
        self._biases = np.array([plane.bias for plane in group.planes])
        indices = [np.frombuffer(plane.feature_indices, np.uint32) for plane in group.planes]
        order = np.argsort(np.concatenate(indices), kind="stable")
        per_feature = np.bincount(np.concatenate(indices), minlength=len(self._features))
        self._starts = np.concatenate([[0], np.cumsum(per_feature)]).astype(np.int64)
        owners = np.repeat(np.arange(len(indices)), [len(part) for part in indices])
        self._owners = owners[order].astype(np.int64)
        weights = [np.frombuffer(plane.weights, np.float32) for plane in group.planes]
        self._weights = np.concatenate(weights)[order]
        self._semantic = (
            SemanticScorer(group.others_mean, [plane.centroid for plane in group.planes])
            if group.others_mean
            else None
        )
        self._sites = ProfileScorer(group.profiles)

    def distances(self, batch: BagBatch, rows: Ints, meanings: Meanings | None = None) -> Floats:
        """Return the distances of the given rows by topic; NaN where a document has no known term.

        With `meanings`, nearness to the meaning of a topic is added for the topics that have one;
        so is nearness to the sites of its examples, where they are homogeneous.
        """
        distances = self._from_planes(batch, rows)
        if self._semantic is not None and meanings is not None:
            distances = distances + self._semantic.contributions(batch.vectors(meanings)[rows])
        if self._sites.has_say:
            distances = distances + self._sites.contributions(batch, rows)
        return distances

    def _from_planes(self, batch: BagBatch, rows: Ints) -> Floats:
        return _distances(
            rows,
            (batch.starts, batch.terms, batch.counts, _LOG_DAMPED),
            (self._shift, self._buckets, self._features, self._idf, self._unseen_idf),
            (self._starts, self._owners, self._weights, self._biases),
        )


@njit(cache=True)
def _distances(
    rows: Ints,
    batch: tuple[Ints, Terms, Terms, Floats],
    features: tuple[int, npt.NDArray[np.int32], Terms, npt.NDArray[np.float32], float],
    planes: tuple[Ints, Ints, npt.NDArray[np.float32], Floats],
) -> Floats:
    documents, terms, counts, log_damped = batch
    shift, buckets, feature_terms, idf, unseen_idf = features
    starts, owners, weights, biases = planes
    distances = np.zeros((len(rows), len(biases)))
    for row in range(len(rows)):
        square = 0.0
        has_feature = False
        for position in range(documents[rows[row]], documents[rows[row] + 1]):
            term, count = terms[position], counts[position]
            damped = log_damped[count] if count < len(log_damped) else 1.0 + np.log(count)
            bucket = term >> shift
            low, high = buckets[bucket], buckets[bucket + 1]
            while low < high and feature_terms[low] < term:
                low += 1
            if low < high and feature_terms[low] == term:
                value = damped * idf[low]
                has_feature = True
                for entry in range(starts[low], starts[low + 1]):
                    distances[row, owners[entry]] += value * weights[entry]
            else:
                value = damped * unseen_idf
            square += value * value
        for topic in range(len(biases)):
            if has_feature:
                distances[row, topic] = distances[row, topic] / np.sqrt(square) + biases[topic]
            else:
                distances[row, topic] = np.nan
    return distances
