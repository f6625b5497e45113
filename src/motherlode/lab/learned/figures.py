"""How well pages were judged: precision, recall, and average precision."""

from collections.abc import Iterable, Mapping
from statistics import fmean

import numpy as np
from msgspec import Struct

from motherlode.lab.learned.pages import Mask
from motherlode.learning.matrix import Floats


class MethodScores(Struct, frozen=True):
    """By topic: how sure of each page a method is, and whether it takes it."""

    scores: dict[str, Floats]
    accepted: dict[str, Mask]


class Figures(Struct, frozen=True):
    """Of one topic, or the means of several. A topic that takes nothing has no precision to speak
    of: 0.
    """

    precision: float
    recall: float
    average_precision: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def measured(judged: MethodScores, relevant: Mapping[str, Mask]) -> dict[str, Figures]:
    """The figures of each topic that has relevant pages."""
    return {
        topic: Figures(
            precision=_share(judged.accepted[topic] & wanted, judged.accepted[topic]),
            recall=_share(judged.accepted[topic] & wanted, wanted),
            average_precision=average_precision(judged.scores[topic], wanted),
        )
        for topic, wanted in relevant.items()
        if wanted.any()
    }


def mean(figures: Iterable[Figures]) -> Figures:
    """Every topic of every portal counts the same."""
    found = list(figures)
    return Figures(
        fmean(one.precision for one in found),
        fmean(one.recall for one in found),
        fmean(one.average_precision for one in found),
    )


def average_precision(scores: Floats, relevant: Mask) -> float:
    """The mean precision at each relevant page, by falling score; pages of one score come at once.

    >>> average_precision(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]))
    0.8333333333333333
    """
    order = np.argsort(-scores, kind="stable")
    ranked, wanted = scores[order], relevant[order]
    ends = np.flatnonzero(np.append(np.diff(ranked) != 0, True))  # the last ends a run as well
    found = np.cumsum(wanted)[ends]
    fresh = np.diff(found, prepend=0)
    return float((fresh * found / (ends + 1)).sum() / found[-1])


def _share(part: Mask, whole: Mask) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else 0.0
