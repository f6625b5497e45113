"""Several classifiers, one decision (BINGO!, section 3.5; SPEC B19).

+1 if sum w_i res_i > t_1, -1 if it is < t_2, else 0: it abstains. `res_i` is the verdict of one classifier.
"""

from collections.abc import Sequence

import numpy as np

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.options import VotingRule


def decide(verdicts: Ints, rule: VotingRule, precisions: Sequence[float] = ()) -> Ints:
    """The decision for each document (columns) from the verdicts of classifiers (rows): +1, -1, or 0.

    A verdict of 0 is that of a classifier that knows nothing of the document: it has no say, and
    unanimous are those that have.

    >>> decide(np.array([[1, 1, -1], [1, -1, -1]]), VotingRule.UNANIMOUS).tolist()
    [1, 0, -1]
    """
    weights = _weights(rule, precisions, verdicts.shape[0])
    heads = np.maximum((verdicts != 0).sum(axis=0), 1)
    bound = heads - 0.5 if rule is VotingRule.UNANIMOUS else 0.0
    total: Floats = weights @ verdicts
    decided: Ints = np.where(total > bound, 1, np.where(total < -bound, -1, 0))
    return decided


def combined_confidence(
    confidences: Floats, precisions: Sequence[float], rule: VotingRule = VotingRule.WEIGHTED
) -> Floats:
    """One confidence for each document: the average of the classifiers', by their estimated precision.

    What is no number stands for a classifier that knows nothing of the document; so does the result, where
    none of those asked does.
    """
    heads = confidences.shape[0]
    weights = _weights(VotingRule.BEST if rule is VotingRule.BEST else VotingRule.WEIGHTED, precisions, heads)
    known = np.isfinite(confidences)
    total = weights @ known
    summed = weights @ np.where(known, confidences, 0.0)
    averaged: Floats = np.divide(summed, total, out=np.full_like(summed, np.nan), where=total > 0)
    return averaged


def _weights(rule: VotingRule, precisions: Sequence[float], heads: int) -> Floats:
    match rule:
        case VotingRule.WEIGHTED if any(precisions):  # where nothing is expected of any, they count the same
            return np.asarray(precisions, float)
        case VotingRule.BEST:
            best: Floats = (np.arange(heads) == int(np.argmax(precisions))).astype(np.float64)
            return best
        case _:
            return np.ones(heads)
