"""Distances of documents from planes, and the decisions that several feature spaces make of
them.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.meta import combined_confidence, decide
from motherlode.learning.options import VotingRule

UNKNOWN_CONFIDENCE = -1.0  # of a topic whose planes know no term of the document
Mask = npt.NDArray[np.bool_]


class PlaneDistances(Struct, frozen=True):
    """Distances of documents from the planes of the topics below one parent, in each space.

    The axes of `distances` are space, document and topic. A value is NaN where a space has no
    known term of the document, or no plane for the topic.
    """

    spaces: tuple[str, ...]
    topics: Ints
    distances: Floats
    precisions: Floats  # by space and topic, as estimated
    offsets: Floats  # by space and topic, for the probability

    def in_spaces(self, spaces: Sequence[str]) -> "PlaneDistances":
        """Return the distances in the given spaces only."""
        rows = [row for row, space in enumerate(self.spaces) if space in spaces]
        names = tuple(self.spaces[row] for row in rows)
        return PlaneDistances(
            names, self.topics, self.distances[rows], self.precisions[rows], self.offsets[rows]
        )

    def mean_offsets(self) -> Floats:
        """Return the offset of each topic: the mean of its spaces."""
        means: Floats = np.nanmean(self.offsets, axis=0)
        return means


def combine_spaces(plane_distances: PlaneDistances, rule: VotingRule) -> tuple[Mask, Floats]:
    """Return the decisions and confidences of all spaces by document and topic (SPEC B19)."""
    if len(plane_distances.spaces) == 1:
        confidences = np.nan_to_num(plane_distances.distances[0], nan=UNKNOWN_CONFIDENCE)
        return confidences > 0, confidences
    positive = np.zeros(plane_distances.distances.shape[1:], bool)
    confidences = np.zeros(plane_distances.distances.shape[1:])
    for column in range(len(plane_distances.topics)):
        distances = plane_distances.distances[:, :, column]
        votes = np.where(np.isfinite(distances), np.where(distances > 0, 1, -1), 0)
        precisions = plane_distances.precisions[:, column].tolist()
        positive[:, column] = decide(votes, rule, precisions) > 0
        confidences[:, column] = combined_confidence(distances, precisions, rule)
    return positive, np.nan_to_num(confidences, nan=UNKNOWN_CONFIDENCE)
