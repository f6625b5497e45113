"""One order out of several scores (SPEC B20).

Each part is brought to one scale first: divided by its greatest value among the pages that are ranked, so
that the best has 1; what is below 0 counts 0. The score is the mean of the parts, weighted: from 0 to 1. What
was measured, and what the weights were chosen by, is in docs/search.md.
"""

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.records import UsageError

Floats = npt.NDArray[np.float64]

BM25, COSINE, TOPIC, CONFIDENCE, AUTHORITY = "bm25", "cosine", "topic", "confidence", "authority"
SCORE_PARTS = (BM25, COSINE, TOPIC, CONFIDENCE, AUTHORITY)
DEFAULT_RANKING = "bm25=1,cosine=1,topic=1,authority=0.5"
_VOICES = 50  # pages, the best by BM25, that say what a query is about


class ScorePart(Struct, frozen=True):
    """What a part adds to a page's score: its value as it is, on the scale from 0 to 1, and its weight."""

    name: str
    value: float
    scaled: float
    weight: float

    @property
    def contribution(self) -> float:
        return self.scaled * self.weight


def parse_weights(text: str) -> dict[str, float]:
    """`cosine=1,confidence=0.5`, or a single name. Raises `UsageError`; weights sum up to 1."""
    given: dict[str, float] = {}
    for piece in text.split(","):
        name, equals, number = (one.strip() for one in piece.partition("="))
        if name not in SCORE_PARTS:
            raise UsageError(f"There is no ranking '{name}'; there are {', '.join(SCORE_PARTS)}.")
        if name in given:
            raise UsageError(f"The ranking '{name}' is named twice.")
        given[name] = _weight(name, number) if equals else 1.0
    total = sum(given.values())
    if not total:
        raise UsageError("Of the weights of a ranking, one at least is above 0.")
    return {name: weight / total for name, weight in given.items() if weight}


def _weight(name: str, number: str) -> float:
    try:
        weight = float(number)
    except ValueError:
        weight = -1.0
    if not (math.isfinite(weight) and 0 <= weight <= 1e6):  # noqa: PLR2004 - so that no sum overflows
        raise UsageError(f"The weight of '{name}' is a number from 0 to 1,000,000, not '{number}'.")
    return weight


def scale_scores(values: Floats) -> Floats:
    """From 0 to 1, the best at 1; all 0 where none is above 0."""
    above = np.maximum(np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0), 0.0)
    top = float(above.max(initial=0.0))
    return above / top if top > 0 else above


def topic_scores(confidences: Floats, topics: npt.NDArray[np.int64], scores: Floats) -> Floats:
    """How sure the topic of each page is of it, times what that topic has of the pages that match best.

    Those pages speak for their topics, each as loudly as it matches; the topic that most is said for has 1.
    A page on no topic (0) has no voice, and nothing of this.
    """
    best = rank_order(scores, np.arange(len(scores)))[:_VOICES]
    said = np.zeros(int(topics.max(initial=0)) + 1)
    np.add.at(said, topics[best], np.maximum(scores[best], 0.0))
    said[0] = 0.0
    shares: Floats = scale_scores(said)[topics]
    return np.maximum(confidences, 0.0) * shares


def rank_order(scores: Floats, pages: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The places of the pages from the best down; of equals, the page that came first."""
    return np.lexsort((pages, -scores))


def combine_scores(
    values: Mapping[str, Floats], weights: Mapping[str, float]
) -> tuple[Floats, dict[str, Floats]]:
    """The score of each page, and the parts on their common scale.

    Of authority, a few pages have nearly all there is: it is its square root that is scaled.
    """
    parts = {
        name: scale_scores(np.sqrt(np.maximum(values[name], 0.0)) if name == AUTHORITY else values[name])
        for name in weights
    }
    total: Floats = sum((parts[name] * weight for name, weight in weights.items()), np.zeros(1))
    return total, parts


def fold_duplicates(
    ranked: npt.NDArray[np.int64], fingerprints: npt.NDArray[np.uint64], distance: int, most: int
) -> tuple[list[tuple[int, tuple[int, ...]]], bool]:
    """The best places, each with those after it whose fingerprints are nearly the same and are left out.

    At most so many; and whether there are more. A page without a fingerprint is like no other.
    """
    prints = fingerprints[ranked]
    open_ = np.ones(len(ranked), np.bool_)
    found: list[tuple[int, tuple[int, ...]]] = []
    for at, place in enumerate(ranked.tolist()):
        if not open_[at]:
            continue
        if len(found) == most:
            return found, True
        alike: tuple[int, ...] = ()
        if prints[at]:
            near = (np.bitwise_count(prints ^ prints[at]) <= distance) & (prints != 0) & open_
            near[: at + 1] = False
            open_[near] = False
            alike = tuple(ranked[near].tolist())
        found.append((place, alike))
    return found, False
