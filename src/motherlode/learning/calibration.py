"""The probability that a document is on a topic, from its distance to the topic's plane.

A sigmoid of the distance (Platt, 1999). Platt fits it to labelled documents that were held out; a
topic with five examples has none. So the slope is the same for all topics, and the offset depends
on two figures that every plane has: how far inside the documents lie that were held out of its
training (the topic is coherent if they lie far inside), and how many documents it was trained on.

    P = 1 / (1 + exp(-(SLOPE distance + HELD_OUT_WEIGHT max(0, held out)
                       + EXAMPLES_WEIGHT ln n + OFFSET)))

The four numbers were fitted to the accepted pages of crawls of `schools` and `rsites` from 2 to 50
examples, both webs with the same weight (docs/quality.md, "Probabilities"). Rejected pages have no
probability. On `schools` few of them are right and on `rsites` most, at the same distance, because
a page of `rsites` has the label of its site.
"""

from typing import Literal

import numpy as np

from motherlode.learning.matrix import Floats

SLOPE = 15.0
HELD_OUT_WEIGHT = 5.4
EXAMPLES_WEIGHT = 0.38
OFFSET = -1.61

MIN_SURE = 0.85
MIN_LIKELY = 0.5

Certainty = Literal["sure", "likely", "doubtful"]


def plane_offset(held_out: float, examples: int) -> float:
    """Return the log-odds that a document on the plane itself belongs to the topic."""
    return float(
        HELD_OUT_WEIGHT * max(0.0, held_out) + EXAMPLES_WEIGHT * np.log(max(examples, 1)) + OFFSET
    )


def probabilities(distances: Floats, offsets: Floats | float) -> Floats:
    """Return the probability for each distance, given the offset of its plane.

    >>> probabilities(np.array([0.0, 0.1, 0.2]), plane_offset(0.1, 20)).round(2).tolist()
    [0.52, 0.83, 0.96]
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
