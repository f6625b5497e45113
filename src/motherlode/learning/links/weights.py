"""The weight of each kind of link evidence in a crawl: the apprentice (Chakrabarti, Punera and
Subramanyam 2002, "Accelerated focused crawling through online relevance feedback"; SPEC X1).

On one web, URLs say everything; on another they are numbers. Some hosts have one subject, others
have many. So a crawl learns from the links that it has followed:

    ln (p / (1 - p)) = b + sum over i of w_i x_i,

where p is the probability that the page behind a link is on the topic, and x_i the log-odds that
one kind of evidence gave for it. The fit is a logistic regression on the probability of each page
after it was fetched, by Newton's method. Steps are halved until the loss falls. The penalty is
PRIOR_STRENGTH / 2 sum (w_i - 1)^2, so without experience every weight is 1. The intercept b is
dropped afterwards: it does not change the order of links.

The results, and what else was tried, are in docs/quality.md, "An apprentice".
"""

import numpy as np
import numpy.typing as npt
from msgspec import Struct, structs
from scipy.special import expit

from motherlode.learning.matrix import Floats

MIN_PAGES = 200  # pages; from fewer it learned what did not hold (docs/quality.md)
PRIOR_STRENGTH = 20.0  # towards 1, as strong as so many pages of which nobody knows, with evidence of 2
_FREE = 0.01  # the pull of b towards 0: how much of a crawl is on the topic is for the crawl to say
_MOST = 5.0  # nothing is believed more often than so many times
_STEPS = 50
_HALVES = 30
_CLOSE = 1e-6


class LinkWeights(Struct, frozen=True):
    """How many times each kind of evidence counts."""

    share: float = 1.0  # of the parents, and of the host, that are on the topic
    words: float = 1.0  # what its names mean
    mentions: float = 1.0  # who else has the words of its names
    near: float = 1.0  # what became of the links near by

    def is_valid(self) -> bool:
        """Whether links can be weighed by it: models come out of files."""
        return all(0.0 <= weight <= _MOST for weight in structs.astuple(self))


def learn_link_weights(evidence: Floats, outcomes: Floats) -> LinkWeights:
    """Return the weights fitted to the evidence and the outcomes of fetched pages.

    `evidence` has a column for each field of `LinkWeights`. An outcome is the probability that the
    page is on the topic, after it was fetched.

    >>> learn_link_weights(np.zeros((0, 4)), np.zeros(0))
    LinkWeights(share=1.0, words=1.0, mentions=1.0, near=1.0)
    """
    pages, kinds = evidence.shape
    if pages < MIN_PAGES:
        return LinkWeights()
    rows = np.column_stack([np.ones(pages), evidence])
    free = np.ones(kinds + 1, bool)
    weights = np.r_[0.0, np.ones(kinds)]
    while True:
        weights = _fitted(rows, outcomes, weights, free)
        beyond = free & ((weights < 0.0) | (weights > _MOST))
        beyond[0] = False
        if not beyond.any():
            return LinkWeights(*weights[1:].tolist())
        weights[beyond] = np.clip(weights[beyond], 0.0, _MOST)  # and the others make the best of it
        free &= ~beyond


def _fitted(rows: Floats, outcomes: Floats, weights: Floats, free: npt.NDArray[np.bool_]) -> Floats:
    """The weights with those that are free where the loss is least."""
    fit = _Fit(rows, outcomes)
    loss = fit.loss(weights)
    for _ in range(_STEPS):
        step = fit.step(weights, free)
        for _ in range(_HALVES):
            ahead = fit.loss(weights - step)
            if ahead <= loss:
                break
            step /= 2.0
        else:
            break  # nothing is better than this, as far as numbers tell
        weights = weights - step
        if loss - ahead <= _CLOSE * max(abs(loss), 1.0):
            break
        loss = ahead
    return weights


class _Fit:
    """The penalised loss, and Newton's step downwards."""

    def __init__(self, rows: Floats, outcomes: Floats) -> None:
        self._rows, self._outcomes = rows, outcomes
        kinds = rows.shape[1] - 1
        self._start = np.r_[0.0, np.ones(kinds)]
        self._pull = np.r_[_FREE, np.full(kinds, PRIOR_STRENGTH)]

    def loss(self, weights: Floats) -> float:
        odds = self._rows @ weights
        penalty = self._pull @ (weights - self._start) ** 2 / 2.0
        return float((np.logaddexp(0.0, odds) - self._outcomes * odds).sum() + penalty)

    def step(self, weights: Floats, free: npt.NDArray[np.bool_]) -> Floats:
        """Zero where a weight is not free."""
        sure = expit(self._rows @ weights)
        slope = self._rows.T @ (sure - self._outcomes) + self._pull * (weights - self._start)
        bend = (self._rows * (sure * (1.0 - sure))[:, None]).T @ self._rows + np.diag(self._pull)
        found = np.zeros(len(weights))
        found[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        return found
