"""Combine several scores into one ranking (SPEC B20).

Each part is scaled first: divided by its highest value among the ranked pages, so that the best
page has 1; negative values count as 0. The score is the weighted mean of the parts, from 0 to 1.
docs/search.md has the measurements that the default weights were chosen by.
"""

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.records import UsageError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BM25, COSINE, TOPIC, CONFIDENCE, AUTHORITY = "bm25", "cosine", "topic", "confidence", "authority"
SCORE_PARTS = (BM25, COSINE, TOPIC, CONFIDENCE, AUTHORITY)
_MARGIN = "margin"  # as users name CONFIDENCE, which is its older name
DEFAULT_RANKING = "bm25=1,cosine=1,topic=1,authority=0.5"
VOTING_PAGES = 50  # the best by BM25, which decide the topics of a query
MAX_WEIGHT = 1_000_000  # so that no sum of weights overflows


class ScorePart(Struct, frozen=True):
    """One part of a page's score: its raw value, its value scaled to 0..1, and its weight."""

    name: str
    value: float
    scaled: float
    weight: float

    @property
    def contribution(self) -> float:
        return self.scaled * self.weight

    @property
    def label(self) -> str:
        return part_label(self.name)


def part_label(name: str) -> str:
    """Return the name of a score part as users read it."""
    return _MARGIN if name == CONFIDENCE else name


def part_named(label: str) -> str:
    """Return the score part that a user names; the name `confidence` is understood, too."""
    return CONFIDENCE if label == _MARGIN else label


RANKING_NAMES = ", ".join(map(part_label, SCORE_PARTS))  # for messages


def parse_weights(text: str) -> dict[str, float]:
    """Parse `cosine=1,margin=0.5`, or one name; return weights with sum 1.

    Raises `UsageError`.
    """
    weights: dict[str, float] = {}
    for piece in text.split(","):
        label, equals, number = (token.strip() for token in piece.partition("="))
        name = part_named(label)
        if name not in SCORE_PARTS:
            raise UsageError(f"There is no ranking '{label}'; there are {RANKING_NAMES}.")
        if name in weights:
            raise UsageError(f"The ranking '{label}' is given twice.")
        weights[name] = _parse_weight(label, number) if equals else 1.0
    total = sum(weights.values())
    if not total:
        raise UsageError("At least one weight of a ranking must be above 0.")
    return {name: weight / total for name, weight in weights.items() if weight}


def _parse_weight(name: str, number: str) -> float:
    try:
        weight = float(number)
    except ValueError:
        weight = -1.0
    if not (math.isfinite(weight) and 0 <= weight <= MAX_WEIGHT):
        allowed = f"a number from 0 to {MAX_WEIGHT:,}"
        raise UsageError(f"The weight of '{name}' must be {allowed}, not '{number}'.")
    return weight


def scale_scores(values: Floats) -> Floats:
    """Scale to 0..1 with the best at 1; all are 0 if none is above 0."""
    positive = np.maximum(np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0), 0.0)
    highest = float(positive.max(initial=0.0))
    return positive / highest if highest > 0 else positive


def topic_scores(confidences: Floats, topics: Ints, scores: Floats) -> Floats:
    """Return each page's confidence times its topic's share of the pages that match best.

    The best matches vote for their topics, weighted by their scores; the topic with most votes has
    share 1. A page on no topic (0) does not vote, and has score 0.
    """
    voters = rank_order(scores, np.arange(len(scores)))[:VOTING_PAGES]
    votes = np.zeros(int(topics.max(initial=0)) + 1)
    np.add.at(votes, topics[voters], np.maximum(scores[voters], 0.0))
    votes[0] = 0.0
    shares: Floats = scale_scores(votes)[topics]
    return np.maximum(confidences, 0.0) * shares


def rank_order(scores: Floats, pages: Ints) -> Ints:
    """Return positions by descending score; ties by ascending page id."""
    return np.lexsort((pages, -scores))


def combine_scores(
    values: Mapping[str, Floats], weights: Mapping[str, float]
) -> tuple[Floats, dict[str, Floats]]:
    """Return the score of each page, and its scaled parts.

    Of authority the square root is scaled, because a few pages have nearly all of it.
    """
    parts = {name: scale_scores(values[name]) for name in weights}
    if AUTHORITY in weights:
        parts[AUTHORITY] = scale_scores(np.sqrt(np.maximum(values[AUTHORITY], 0.0)))
    scores: Floats = sum((parts[name] * weight for name, weight in weights.items()), np.zeros(1))
    return scores, parts


def fold_duplicates(
    ranked: Ints, fingerprints: npt.NDArray[np.uint64], max_distance: int, limit: int
) -> tuple[list[tuple[int, tuple[int, ...]]], bool]:
    """Return the best positions, each with its near duplicates, and whether there are more.

    Near duplicates rank lower, and their fingerprints differ in at most `max_distance` bits. A page
    without a fingerprint has none.
    """
    prints = fingerprints[ranked]
    is_open = np.ones(len(ranked), np.bool_)
    folded: list[tuple[int, tuple[int, ...]]] = []
    for rank, position in enumerate(ranked.tolist()):
        if not is_open[rank]:
            continue
        if len(folded) == limit:
            return folded, True
        duplicates: tuple[int, ...] = ()
        if prints[rank]:
            is_near = np.bitwise_count(prints ^ prints[rank]) <= max_distance
            is_near &= (prints != 0) & is_open
            is_near[: rank + 1] = False
            is_open[is_near] = False
            duplicates = tuple(ranked[is_near].tolist())
        folded.append((position, duplicates))
    return folded, False
