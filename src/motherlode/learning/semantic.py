"""Nearness of documents to the meaning of a topic: Rocchio's centroid (1971; SPEC X2).

The distance from a topic's plane grows by   w (cos(d - c, t) - h):

- d is the document's vector of length one (`motherlode.documents.features.meanings`);
- c is the mean of OTHERS, so that what all documents have in common does not count;
- t is the mean of the topic's documents;
- h is the mean cosine of its documents to t, each of them left out of t.

So nothing is added for a document that is as near as the topic's own, and the plane stays where
training put it.

w = 0.2 s / (1 + n / 20) with n examples, where s is the share of OTHERS among the documents that
the topic is separated from. A plane knows only the words of its examples. The fewer they are, the
more other words of the same meaning help. Siblings teach a plane what separates them from the
topic, and nearness adds little there: their subjects are often much the same. The figures are in
docs/learning.md.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct, field

from motherlode.documents.features.meanings import Vectors
from motherlode.learning.matrix import Floats

Rows = TypeVar("Rows", Vectors, Floats)

_HALVING_EXAMPLES = 20.0  # with this number, the weight of nearness is halved
_SINGLE_EXAMPLE_COSINE = 0.4  # of other documents to a single example (0.36 to 0.41 measured)
_MIN_KNOWN_SHARE = 0.9  # of a topic's documents that must have a vector


class TopicCentroid(Struct, frozen=True):
    """The direction of a topic's documents, its weight, and their typical cosine to it."""

    direction: bytes  # float32, of length one
    weight: float
    typical_cosine: float = field(name="typical")


def mean_vector(others: Vectors) -> Vectors | None:
    """Return the mean of the documents that have a vector; None if there are none."""
    vectors = others[others.any(axis=1)]
    return vectors.mean(axis=0, dtype=np.float64).astype(np.float32) if len(vectors) else None


def fit_centroid(
    own: Vectors, others_mean: Vectors, others_share: float, weight: float
) -> TopicCentroid | None:
    """Return the centroid of a topic's documents; None if too many of them have no vector.

    Documents in another language have none.
    """
    vectors = own[own.any(axis=1)]
    if not len(vectors) or len(vectors) < _MIN_KNOWN_SHARE * len(own):
        return None
    rows = _unit((vectors - others_mean).astype(np.float64))
    total = rows.sum(axis=0)
    left_out = (_unit(total - rows) * rows).sum(axis=1)
    return TopicCentroid(
        _unit(total[None])[0].astype(np.float32).tobytes(),
        weight * others_share / (1.0 + len(own) / _HALVING_EXAMPLES),
        float(left_out.mean()) if len(rows) > 1 else _SINGLE_EXAMPLE_COSINE,
    )


class SemanticScorer:
    """Scores documents by the centroids of topics that share one mean of OTHERS.

    A topic without a centroid adds nothing.
    """

    def __init__(self, others_mean: bytes, centroids: Sequence[TopicCentroid | None]) -> None:
        self._others_mean = np.frombuffer(others_mean, np.float32)
        neutral = TopicCentroid(bytes(len(others_mean)), 0.0, 0.0)
        used = [centroid or neutral for centroid in centroids]
        directions = [np.frombuffer(centroid.direction, np.float32) for centroid in used]
        self._directions = np.stack(directions, axis=1)
        self._weights = np.array([centroid.weight for centroid in used])
        self._typical = np.array([centroid.typical_cosine for centroid in used])

    def contributions(self, vectors: Vectors) -> Floats:
        """Return the amount to add to the distance of each document from each plane.

        A document without a vector has cosine 0 to every topic.
        """
        has_vector = vectors.any(axis=1)
        cosines = _unit(vectors - self._others_mean) @ self._directions
        cosines[~has_vector] = 0.0
        parts: Floats = self._weights * (cosines - self._typical)
        return parts


def widths_match(others_mean: bytes, centroids: Sequence[TopicCentroid | None]) -> bool:
    """Return whether all directions have as many dimensions as the mean of OTHERS."""
    directions = [centroid.direction for centroid in centroids if centroid is not None]
    return len(others_mean) % 4 == 0 and all(
        len(direction) == len(others_mean) > 0 for direction in directions
    )


def _unit(rows: Rows) -> Rows:
    """Return rows of length one; rows of zeros stay."""
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    unit: Rows = rows / np.where(lengths > 0, lengths, lengths.dtype.type(1))
    return unit
