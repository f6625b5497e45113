"""Several classifiers, one decision (BINGO!, section 3.5; SPEC B19).

+1 if sum w_i res_i > t_1, -1 if it is < t_2, else 0: it abstains. `res_i` is the verdict of one classifier.
"""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from motherlode.learning.matrix import Floats, Ints


class Rule(StrEnum):
    """How verdicts are put together."""

    UNANIMOUS = "unanimous"  # all must agree: w = 1, t_1 = h - 0.5 = -t_2
    MAJORITY = "majority"  # w = 1, t = 0
    WEIGHTED = "weighted"  # w = the estimated precision of each, t = 0


def decide(verdicts: Ints, rule: Rule, precisions: Sequence[float] = ()) -> Ints:
    """The decision for each document (columns) from the verdicts of classifiers (rows): +1, -1, or 0.

    >>> decide(np.array([[1, 1, -1], [1, -1, -1]]), Rule.UNANIMOUS).tolist()
    [1, 0, -1]
    """
    heads = verdicts.shape[0]
    weights = np.asarray(precisions, float) if rule is Rule.WEIGHTED else np.ones(heads)
    bound = heads - 0.5 if rule is Rule.UNANIMOUS else 0.0
    total: Floats = weights @ verdicts
    decided: Ints = np.where(total > bound, 1, np.where(total < -bound, -1, 0))
    return decided


def combined_confidence(confidences: Floats, precisions: Sequence[float]) -> Floats:
    """One confidence for each document: the average of the classifiers', by their estimated precision."""
    weights = np.asarray(precisions, float)
    total = float(weights.sum())
    averaged: Floats = (weights @ confidences) / total if total else confidences.mean(axis=0)
    return averaged
