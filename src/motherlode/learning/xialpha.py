"""How good a classifier is, told from its own training (Joachims, ICML 2000; BINGO!, section 2.4; SPEC B9).

A document would be misjudged if left out of the training only if   rho alpha_i R^2 + xi_i >= 1.   So counting
those estimates the errors of leaving one out, without leaving anything out. With rho = 2 that is a bound, and
on text a useless one: from ten examples of real pages against 128 others it expects no precision at all,
where leaving one out shows 0.61. With rho = 1 it expects 0.48, and with twenty examples 0.91 of 0.93: near,
and still on the safe side.
"""

from typing import Self

import numpy as np

from motherlode.learning.matrix import Floats, Ints

RHO = 1.0
RADIUS = 1.0  # documents have length one and no negative weights, so none is farther from another (R^2)


class XiAlpha:
    """Estimates of error, precision and recall; each between 0 and 1."""

    def __init__(self, rho: float = RHO, radius: float = RADIUS) -> None:
        self.rho = rho
        self.radius = radius

    def fit(self, labels: Ints, duals: Floats, slacks: Floats) -> Self:
        positive = np.asarray(labels) > 0
        doubtful = self.rho * duals * self.radius + slacks >= 1.0
        missed = int((doubtful & positive).sum())
        mistaken = int((doubtful & ~positive).sum())
        count, wanted = len(positive), int(positive.sum())
        found = wanted - missed
        self.error_ = (missed + mistaken) / count if count else 1.0
        self.recall_ = found / wanted if wanted else 0.0
        self.precision_ = found / (found + mistaken) if found + mistaken else 0.0
        return self
