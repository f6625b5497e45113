"""How much each kind of evidence is worth in a crawl: the apprentice (Chakrabarti, Punera and Subramanyam
2002, "Accelerated focused crawling through online relevance feedback"; SPEC X1).

In one web addresses say everything, in another they are numbers; here a host is about one thing, there about
all. So a crawl learns from the links that it has followed:

    ln (p / (1 - p)) = b + sum over i of w_i x_i,

p is how likely the page behind a link is on the topic, x_i the log-odds that one kind of evidence gave for
it. Fitted by logistic regression on how likely each page turned out to be on the topic, by Newton's method,
with PULL / 2 sum (w_i - 1)^2 as a penalty: without experience every kind of evidence counts as it is.

What came of it, and what else was tried, is in docs/quality.md, "An apprentice".
"""

from math import isfinite

import numpy as np
from msgspec import Struct, structs

from motherlode.learning.matrix import Floats

LEAST = 40  # pages; fewer teach nothing
PULL = 5.0  # towards 1, as so many pages that are as likely on the topic as not, with evidence of 2
_FREE = 0.01  # the pull of b towards 0: how much of a crawl is on the topic is for the crawl to say
_MOST = 5.0  # nothing is believed more often than so many times
_STEPS = 20
_CLOSE = 1e-4
_WIDEST = 30.0  # log-odds; beyond, no number tells the difference


class Weights(Struct, frozen=True):
    """How many times each kind of evidence counts, and the log-odds of a link that nothing is known of."""

    base: float = 0.0
    share: float = 1.0  # of the parents, and of the host, that are on the topic
    words: float = 1.0  # what its names mean
    mentions: float = 1.0  # who else has the words of its names
    near: float = 1.0  # what became of the links near by

    def is_sound(self) -> bool:
        """Whether links can be weighed by it: models come out of files."""
        return all(map(isfinite, structs.astuple(self)))


def learn_weights(evidence: Floats, outcomes: Floats) -> Weights:
    """By the evidence of pages, a column for each kind in the order of `Weights`, and how likely each of them
    turned out to be on the topic.

    >>> learn_weights(np.zeros((0, 4)), np.zeros(0))
    Weights(base=0.0, share=1.0, words=1.0, mentions=1.0, near=1.0)
    """
    pages, kinds = evidence.shape
    if pages < LEAST:
        return Weights()
    rows = np.column_stack([np.ones(pages), evidence])
    start = np.r_[0.0, np.ones(kinds)]
    pull = np.r_[_FREE, np.full(kinds, PULL)]
    weights = start.copy()
    for _ in range(_STEPS):
        sure = 1.0 / (1.0 + np.exp(-np.clip(rows @ weights, -_WIDEST, _WIDEST)))
        slope = rows.T @ (sure - outcomes) + pull * (weights - start)
        bend = (rows * (sure * (1.0 - sure))[:, None]).T @ rows + np.diag(pull)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < _CLOSE:
            break
    if not np.isfinite(weights).all():  # it went astray
        return Weights()
    return Weights(float(weights[0]), *np.clip(weights[1:], 0.0, _MOST).tolist())
