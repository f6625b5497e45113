"""The probability that a document is on a topic, from its distance to the topic's plane.

A sigmoid of the distance (Platt, 1999). Platt fits it to labelled documents that were held out; a
topic with five examples has none. So the slope is the same for all topics, and the offset depends
on figures that every plane has:

- how far inside the documents lie that were held out of its training: the topic is coherent if they
  lie far inside;
- how many documents it was trained on;
- how far outside the pages lie that the plane rejects. If they lie far away, the topic stands apart
  on this web, and few of the accepted pages are wrong;
- how many rejected pages lie close to the plane, for each accepted page. A plane in a crowd accepts
  many wrong pages. From few examples this says little, as the plane itself may be anywhere;
- how many pages were fetched. Once a crawl has the pages of the topic, it goes on to others: these
  lie ever farther away, and some of them are accepted.

    P = 1 / (1 + exp(-(SLOPE distance + HELD_OUT_WEIGHT max(0, held out) + EXAMPLES_WEIGHT ln n
                       + REMOTENESS_WEIGHT ln(0.02 + remoteness)
                       + CROWDING_WEIGHT n / (n + 10) crowding
                       + PAGES_WEIGHT ln(pages) + OFFSET)))

`pages` counts from 450 to 2,500: on shorter crawls it says too much, longer ones were not measured.

The numbers were fitted to the accepted pages of crawls of `schools`, `rsites` and generated webs,
from 2 to 50 examples, all webs with the same weight (docs/quality.md, "Probabilities"). Rejected
pages have no probability. On `schools` few of them are right and on `rsites` most, at the same
distance, because a page of `rsites` has the label of its site.
"""

from typing import Literal

import numpy as np
from msgspec import Struct

from motherlode.learning.matrix import Floats
from motherlode.learning.plane_distances import UNKNOWN_CONFIDENCE

SLOPE = 14.2
HELD_OUT_WEIGHT = 5.4
EXAMPLES_WEIGHT = 0.24
REMOTENESS_WEIGHT = 1.47
CROWDING_WEIGHT = -0.58
PAGES_WEIGHT = -0.99
OFFSET = 8.95

TYPICAL_REMOTENESS = 0.1
TYPICAL_CROWDING = 0.0
TYPICAL_PAGES = 500
_MIN_REMOTENESS = 0.02
_MIN_PAGES, _MAX_PAGES = 450, 2_500  # below, the same form says too much on `schools`
_TRUST_PRIOR = 10  # with n examples, crowding and reach count by n / (n + 10)
MIN_SURROUNDING_PAGES = 50  # of a crawl; fewer say nothing
_CLOSE = 0.1  # a distance
_REACH_SHARE = 0.75
_REACH_MARGIN = 0.05  # a distance: log-odds of 0.7, about two to one
_MAX_REACH = 0.08

MIN_SURE = 0.85
MIN_LIKELY = 0.5

Certainty = Literal["sure", "likely", "doubtful"]


class PlaneSurroundings(Struct, frozen=True):
    """Where the pages of a crawl lie that a plane rejects; without a crawl, typical figures.

    `remoteness` is their mean distance from the plane. `crowding` is the logarithm of the number of
    those close to the plane for each accepted page. `moved` is how far outwards the plane was moved
    after both were taken; that changes which pages are accepted, and no probability. `pages` is the
    number of all pages, or of the sample that was taken.
    """

    remoteness: float = TYPICAL_REMOTENESS
    crowding: float = TYPICAL_CROWDING
    moved: float = 0.0
    pages: int = TYPICAL_PAGES


TYPICAL_SURROUNDINGS = PlaneSurroundings()


def surroundings_of(distances: Floats) -> PlaneSurroundings:
    """Return the surroundings of a plane, given the distances of all pages of a crawl.

    >>> surroundings_of(np.repeat([0.2, -0.05, -0.3], [59, 9, 40]))
    PlaneSurroundings(remoteness=0.254, crowding=-1.792, moved=0.0, pages=108)
    """
    known = distances[distances > UNKNOWN_CONFIDENCE]
    rejected = known[known <= 0]
    if len(known) < MIN_SURROUNDING_PAGES or not len(rejected):
        return TYPICAL_SURROUNDINGS
    close = int((rejected > -_CLOSE).sum())
    accepted = len(known) - len(rejected)
    return PlaneSurroundings(
        remoteness=round(-float(rejected.mean()), 3),
        crowding=round(float(np.log((close + 1) / (accepted + 1))), 3),
        pages=len(known),
    )


def plane_offset(
    held_out: float, examples: int, surroundings: PlaneSurroundings = TYPICAL_SURROUNDINGS
) -> float:
    """Return the log-odds that a document on the plane itself belongs to the topic."""
    trust = examples / (examples + _TRUST_PRIOR)
    pages = min(max(surroundings.pages, _MIN_PAGES), _MAX_PAGES)
    return float(
        HELD_OUT_WEIGHT * max(0.0, held_out)
        + EXAMPLES_WEIGHT * np.log(max(examples, 1))
        + REMOTENESS_WEIGHT * np.log(_MIN_REMOTENESS + surroundings.remoteness)
        + CROWDING_WEIGHT * trust * surroundings.crowding
        + PAGES_WEIGHT * np.log(pages)
        + OFFSET
        - SLOPE * surroundings.moved
    )


def reach_beyond(offset: float, examples: int) -> float:
    """Return how far to move a plane outwards, given the log-odds of a document on it.

    Where even documents on the plane are probable, those just outside are on the topic, too. The
    plane moves a part of the way to where a document would be as likely as two to one; from few
    examples, which say little, a small part.

    >>> [round(reach_beyond(offset, 30), 3) for offset in (-1.0, 0.6, 1.5, 5.0)]
    [0.0, 0.0, 0.031, 0.08]
    """
    share = _REACH_SHARE * examples / (examples + _TRUST_PRIOR)
    return min(_MAX_REACH, share * max(0.0, offset / SLOPE - _REACH_MARGIN))


def probabilities(distances: Floats, offsets: Floats | float) -> Floats:
    """Return the probability for each distance, given the offset of its plane.

    >>> probabilities(np.array([0.0, 0.1, 0.2]), plane_offset(0.1, 20)).round(2).tolist()
    [0.72, 0.91, 0.98]
    """
    log_odds = np.clip(SLOPE * distances + offsets, -30.0, 30.0)
    result: Floats = 1.0 / (1.0 + np.exp(-log_odds))
    return result


def certainty(probability: float) -> Certainty:
    """Return a probability in a word.

    >>> certainty(0.97), certainty(0.6), certainty(0.3)
    ('sure', 'likely', 'doubtful')
    """
    if probability >= MIN_SURE:
        return "sure"
    return "likely" if probability >= MIN_LIKELY else "doubtful"
