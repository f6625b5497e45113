"""The meta classifier: several classifiers, one decision (BINGO!, section 3.5; SPEC B19).

+1 if sum w_i res_i > t_1, -1 if it is < t_2, else 0: it abstains. `res_i` is the vote of one
classifier.
"""

from collections.abc import Sequence

import numpy as np

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.options import VotingRule


def decide(votes: Ints, rule: VotingRule, precisions: Sequence[float] = ()) -> Ints:
    """Return +1, -1 or 0 for each document (columns) from the votes of classifiers (rows).

    A classifier that knows no term of the document votes 0. It does not count, and the decision is
    unanimous if all others agree.

    >>> decide(np.array([[1, 1, -1], [1, -1, -1]]), VotingRule.UNANIMOUS).tolist()
    [1, 0, -1]
    """
    weights = _weights(rule, precisions, votes.shape[0])
    voters = np.maximum((votes != 0).sum(axis=0), 1)
    threshold = voters - 0.5 if rule is VotingRule.UNANIMOUS else 0.0
    total: Floats = weights @ votes
    decisions: Ints = np.where(total > threshold, 1, np.where(total < -threshold, -1, 0))
    return decisions


def combined_confidence(
    confidences: Floats, precisions: Sequence[float], rule: VotingRule = VotingRule.WEIGHTED
) -> Floats:
    """Return the mean confidence of each document, weighted by the estimated precisions.

    NaN stands for a classifier that knows no term of the document. If all are NaN, the result is.
    """
    rule = VotingRule.BEST if rule is VotingRule.BEST else VotingRule.WEIGHTED
    weights = _weights(rule, precisions, confidences.shape[0])
    is_known = np.isfinite(confidences)
    total = weights @ is_known
    summed = weights @ np.where(is_known, confidences, 0.0)
    averaged: Floats = np.divide(summed, total, out=np.full_like(summed, np.nan), where=total > 0)
    return averaged


def _weights(rule: VotingRule, precisions: Sequence[float], classifiers: int) -> Floats:
    match rule:
        case VotingRule.WEIGHTED if any(precisions):  # if all estimates are 0, all count alike
            return np.asarray(precisions, float)
        case VotingRule.BEST:
            best: Floats = (np.arange(classifiers) == int(np.argmax(precisions))).astype(np.float64)
            return best
        case _:
            return np.ones(classifiers)
