"""How near a document is to what a topic is about (SPEC X2): Rocchio's centroid (1971) of word meanings.

To the distance from a topic's plane is added   w (cos(d - c, t) - h):   d is the document's vector of
length one (`motherlode.documents.meanings`), c the mean of OTHERS, so that what all documents have in common
does not count, t the mean of the topic's documents, h the cosine that its documents have if they are left out
of that mean. So a document that is as near as those adds nothing, and the plane stays where it was put.

w = 0.2 s / (1 + n / 20) with n examples; s is the share of OTHERS in what the topic is told from. A plane
knows the words that it was shown; the fewer those are, the more is told by others that mean the same.
Siblings teach it what tells them apart, where nearness has little to say: they are often about much the same.
The figures are in docs/learning.md.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct, field

from motherlode.documents.meanings import Vectors
from motherlode.learning.matrix import Floats

Rows = TypeVar("Rows", Vectors, Floats)

_FADING = 20.0  # examples that halve what nearness has to say
_ALONE = 0.4  # how near other documents are to a single example, as a rule (0.36 to 0.41 on real pages)
_MOSTLY = 0.9  # of a topic's documents must have a vector


class TopicCentroid(Struct, frozen=True):
    """What a topic is about, how much that counts, and how near documents of it are."""

    direction: bytes  # float32, of length one
    weight: float
    typical_cosine: float = field(name="typical")


def mean_vector(others: Vectors) -> Vectors | None:
    """The mean of those documents of OTHERS that have a vector; None, if there are none."""
    known = others[others.any(axis=1)]
    return known.mean(axis=0, dtype=np.float64).astype(np.float32) if len(known) else None


def fit_centroid(own: Vectors, centre: Vectors, strangers: float, weight: float) -> TopicCentroid | None:
    """What some documents are about; None, where too many of them have no vector, as in another language."""
    known = own[own.any(axis=1)]
    if not len(known) or len(known) < _MOSTLY * len(own):
        return None
    rows = _unit((known - centre).astype(np.float64))
    total = rows.sum(axis=0)
    return TopicCentroid(
        _unit(total[None])[0].astype(np.float32).tobytes(),
        weight * strangers / (1.0 + len(own) / _FADING),
        float((_unit(total - rows) * rows).sum(axis=1).mean()) if len(rows) > 1 else _ALONE,
    )


class SemanticScorer:
    """What topics with one centre are about, ready to be asked. One without a sense adds nothing."""

    def __init__(self, centre: bytes, senses: Sequence[TopicCentroid | None]) -> None:
        self._centre = np.frombuffer(centre, np.float32)
        silent = TopicCentroid(bytes(len(centre)), 0.0, 0.0)
        told = [sense or silent for sense in senses]
        self._directions = np.stack([np.frombuffer(one.direction, np.float32) for one in told], axis=1)
        self._weights = np.array([one.weight for one in told])
        self._typical = np.array([one.typical_cosine for one in told])

    def parts(self, vectors: Vectors) -> Floats:
        """What is added to the distances of documents from each plane; without a vector it is near none."""
        told = vectors.any(axis=1)
        cosines = _unit(vectors - self._centre) @ self._directions
        cosines[~told] = 0.0
        parts: Floats = self._weights * (cosines - self._typical)
        return parts


def widths_match(centre: bytes, senses: Sequence[TopicCentroid | None]) -> bool:
    """Whether all directions are of the centre's width."""
    told = [sense for sense in senses if sense is not None]
    return len(centre) % 4 == 0 and all(len(one.direction) == len(centre) > 0 for one in told)


def _unit(rows: Rows) -> Rows:
    """Rows of length one; those of 0 stay."""
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    unit: Rows = rows / np.where(lengths > 0, lengths, lengths.dtype.type(1))
    return unit
