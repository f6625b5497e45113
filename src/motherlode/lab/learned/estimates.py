"""What the training itself says of how well it went, beside how well it went (SPEC B9, B19)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from motherlode.lab.learned.figures import Figures, MethodScores, measured
from motherlode.lab.learned.pages import Mask
from motherlode.lab.learned.portals import SampledPortal
from motherlode.learning.plane_distances import PlaneDistances
from motherlode.learning.tree import ROOT, TreeClassifier


class Estimate(Struct, frozen=True):
    """Of one topic's plane in one space: what xi-alpha expects, and what unseen pages show."""

    topic: str
    space: str
    expected_precision: float
    expected_recall: float
    found: Figures


def estimates(
    tree: TreeClassifier,
    portal: SampledPortal,
    apart: Mapping[int, PlaneDistances],
    relevant: Mapping[str, Mask],
) -> Iterator[Estimate]:
    """For each topic that stands right below the root: every unseen page comes before its plane."""
    told = apart.get(ROOT)
    for topic in portal.topics:
        number = portal.numbers[topic]
        if told is None or portal.parents[number] != ROOT or not relevant[topic].any():
            continue
        for space, plane in tree.planes(number).items():
            column = int(np.searchsorted(told.topics, number))
            distances = told.distances[told.spaces.index(space), :, column]
            sure = np.nan_to_num(distances, nan=-1.0)
            found = measured(
                MethodScores({topic: sure}, {topic: sure > 0}), {topic: relevant[topic]}
            )[topic]
            yield Estimate(topic, space, plane.precision, plane.recall, found)


class Choice(Struct, frozen=True):
    """Of one topic: the space of the highest expected precision, the one that is best, and the first."""

    chosen: str
    chosen_average_precision: float
    best_average_precision: float
    first_average_precision: float


def choices(found: Sequence[Estimate]) -> Iterator[Choice]:
    """What choosing one space for each topic by xi-alpha comes to; of equals, the first is chosen."""
    for topic in dict.fromkeys(one.topic for one in found):
        of_topic = [one for one in found if one.topic == topic]
        chosen = max(of_topic, key=lambda one: one.expected_precision)
        yield Choice(
            chosen.space,
            chosen.found.average_precision,
            max(one.found.average_precision for one in of_topic),
            of_topic[0].found.average_precision,
        )
