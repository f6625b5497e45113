"""How far documents are from the planes of topics: many documents and all topics of a parent in one pass.

Compiled: a page takes microseconds, however many topics there are to ask.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from numba import njit

from motherlode.documents.meanings import Meanings, Vectors
from motherlode.documents.terms import Bag
from motherlode.learning.matrix import Floats, Ints, Terms
from motherlode.learning.planes import PlaneGroup
from motherlode.learning.semantic import SemanticScorer

_BITS = 32  # of a term's number
_PAIR = 8  # bytes of a term and how often it is there
_DAMPED: Floats = 1.0 + np.log(np.maximum(np.arange(1 << 12), 1))  # nearly all terms are there less often


class BagBatch(Struct, frozen=True):
    """Documents one after the other: the terms of each, and how often it has them."""

    starts: Ints
    terms: Terms
    counts: Terms
    vectors_by_table: dict[str, Vectors] = {}  # what they mean, by the table that tells it

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
        """Of bags that were packed; all at once, for each alone takes longer than to judge it."""
        lengths = np.array([len(one) // _PAIR for one in packed], np.int64)
        both = np.frombuffer(b"".join(packed), np.uint32)
        is_term = np.tile([True, False], len(packed)).repeat(lengths.repeat(2))
        return cls(_starts(lengths), both[is_term], both[~is_term])

    def bag(self, row: int) -> Bag:
        start, end = self.starts[row : row + 2].tolist()
        return Bag(self.terms[start:end], self.counts[start:end])

    def terms_of(self, rows: Ints) -> Terms:
        """The terms of some documents, one after the other."""
        lengths = np.diff(self.starts)[rows]
        firsts = self.starts[rows] - (lengths.cumsum() - lengths)
        found: Terms = self.terms[firsts.repeat(lengths) + np.arange(lengths.sum())]
        return found

    def vectors(self, meanings: Meanings) -> Vectors:
        """What each document means; found out once, however many parents ask."""
        if meanings.digest not in self.vectors_by_table:
            self.vectors_by_table[meanings.digest] = meanings.vectors(self.starts, self.terms, self.counts)
        return self.vectors_by_table[meanings.digest]


def _starts(lengths: Ints) -> Ints:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


class Scorer:
    """A group of topics that share their features, ready to be asked."""

    def __init__(self, group: PlaneGroup) -> None:
        self.topics = np.array([plane.topic for plane in group.planes])
        self.precisions = [plane.precision for plane in group.planes]
        self._features = np.frombuffer(group.features, np.uint32)
        self._idf = np.frombuffer(group.idf, np.float32)
        self._rare = group.unseen_idf
        self._shift = max(_BITS - len(self._features).bit_length(), 0)  # what is left tells where to look
        bounds = np.arange((1 << (_BITS - self._shift)) + 1, dtype=np.int64) << self._shift
        # Small, for it has to stay at hand.
        self._drawers = np.searchsorted(self._features, bounds).astype(np.int32)
        self._biases = np.array([plane.bias for plane in group.planes])
        places = [np.frombuffer(plane.feature_indices, np.uint32) for plane in group.planes]
        order = np.argsort(np.concatenate(places), kind="stable")
        by_feature = np.bincount(np.concatenate(places), minlength=len(self._features))
        self._starts = np.concatenate([[0], np.cumsum(by_feature)]).astype(np.int64)
        owners = np.repeat(np.arange(len(places)), [len(one) for one in places])
        self._owners = owners[order].astype(np.int64)
        weights = np.concatenate([np.frombuffer(plane.weights, np.float32) for plane in group.planes])
        self._weights = weights[order]
        self._nearness = (
            SemanticScorer(group.others_mean, [plane.centroid for plane in group.planes])
            if group.others_mean
            else None
        )

    def distances(self, batch: BagBatch, rows: Ints, meanings: Meanings | None = None) -> Floats:
        """How far these documents are on the side of each topic; no number where nothing is known.

        With `meanings`, what a document is about counts as well, where the topics know what they are about.
        """
        planes = self._from_planes(batch, rows)
        if self._nearness is None or meanings is None:
            return planes
        return planes + self._nearness.parts(batch.vectors(meanings)[rows])

    def _from_planes(self, batch: BagBatch, rows: Ints) -> Floats:
        return _distances(
            rows,
            (batch.starts, batch.terms, batch.counts, _DAMPED),
            (self._shift, self._drawers, self._features, self._idf, self._rare),
            (self._starts, self._owners, self._weights, self._biases),
        )


@njit(cache=True)
def _distances(
    rows: Ints,
    batch: tuple[Ints, Terms, Terms, Floats],
    features: tuple[int, npt.NDArray[np.int32], Terms, npt.NDArray[np.float32], float],
    planes: tuple[Ints, Ints, npt.NDArray[np.float32], Floats],
) -> Floats:
    documents, terms, counts, known_damped = batch
    shift, drawers, known, idf, rare = features
    starts, owners, weights, biases = planes
    found = np.zeros((len(rows), len(biases)))
    for row in range(len(rows)):
        square = 0.0
        met = False
        for place in range(documents[rows[row]], documents[rows[row] + 1]):
            term, count = terms[place], counts[place]
            damped = known_damped[count] if count < len(known_damped) else 1.0 + np.log(count)
            drawer = term >> shift
            low, high = drawers[drawer], drawers[drawer + 1]
            while low < high and known[low] < term:
                low += 1
            if low < high and known[low] == term:
                value = damped * idf[low]
                met = True
                for entry in range(starts[low], starts[low + 1]):
                    found[row, owners[entry]] += value * weights[entry]
            else:
                value = damped * rare
            square += value * value
        for topic in range(len(biases)):
            found[row, topic] = found[row, topic] / np.sqrt(square) + biases[topic] if met else np.nan
    return found
