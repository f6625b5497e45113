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

MIN_PAGES = 200  # fewer gave weights that did not hold later (docs/quality.md)
PRIOR_STRENGTH = 20.0  # as strong as 20 undecided pages (p = 1/2) with evidence of 2
_INTERCEPT_STRENGTH = 0.01  # nearly free: the share of pages on the topic differs by crawl
_MAX_WEIGHT = 5.0
_MAX_NEWTON_STEPS = 50
_MAX_HALVINGS = 30
_LOSS_TOLERANCE = 1e-6  # relative

_Mask = npt.NDArray[np.bool_]


class LinkWeights(Struct, frozen=True):
    """The factor for each kind of link evidence."""

    share: float = 1.0  # of the linking pages and of the host's pages that are on the topic
    words: float = 1.0  # the words of anchor text and URL
    mentions: float = 1.0  # pages on the topic that mention these words
    near: float = 1.0  # the outcomes of links near by

    def is_valid(self) -> bool:
        """Return whether all weights are in their range; models are read from files."""
        return all(0.0 <= weight <= _MAX_WEIGHT for weight in structs.astuple(self))


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
        weights = _minimise_loss(rows, outcomes, weights, free)
        outside = free & ((weights < 0.0) | (weights > _MAX_WEIGHT))
        outside[0] = False
        if not outside.any():
            return LinkWeights(*weights[1:].tolist())
        # Fix these weights at their bounds and fit the others again.
        weights[outside] = np.clip(weights[outside], 0.0, _MAX_WEIGHT)
        free &= ~outside


def _minimise_loss(rows: Floats, outcomes: Floats, weights: Floats, free: _Mask) -> Floats:
    """Return the weights of least loss; only the weights marked as free are changed."""
    objective = _PenalisedLoss(rows, outcomes)
    loss = objective.loss(weights)
    for _ in range(_MAX_NEWTON_STEPS):
        step = objective.newton_step(weights, free)
        for _ in range(_MAX_HALVINGS):
            next_loss = objective.loss(weights - step)
            if next_loss <= loss:
                break
            step /= 2.0
        else:
            break  # no further improvement within floating-point precision
        weights = weights - step
        if loss - next_loss <= _LOSS_TOLERANCE * max(abs(loss), 1.0):
            break
        loss = next_loss
    return weights


class _PenalisedLoss:
    """The logistic loss with its penalty, and Newton's step."""

    def __init__(self, rows: Floats, outcomes: Floats) -> None:
        self._rows, self._outcomes = rows, outcomes
        kinds = rows.shape[1] - 1
        self._prior = np.r_[0.0, np.ones(kinds)]
        self._strength = np.r_[_INTERCEPT_STRENGTH, np.full(kinds, PRIOR_STRENGTH)]

    def loss(self, weights: Floats) -> float:
        log_odds = self._rows @ weights
        penalty = self._strength @ (weights - self._prior) ** 2 / 2.0
        return float((np.logaddexp(0.0, log_odds) - self._outcomes * log_odds).sum() + penalty)

    def newton_step(self, weights: Floats, free: _Mask) -> Floats:
        """Return the step to subtract; it is 0 for weights that are not free."""
        rows, strength = self._rows, self._strength
        p = expit(rows @ weights)
        gradient = rows.T @ (p - self._outcomes) + strength * (weights - self._prior)
        hessian = (rows * (p * (1.0 - p))[:, None]).T @ rows + np.diag(strength)
        step = np.zeros(len(weights))
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        return step
