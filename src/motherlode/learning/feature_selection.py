"""Which terms tell a topic from its siblings: mutual information (BINGO!, section 2.3, equation 1; SPEC B6).

MI(X, V) = P[X and V] log(P[X and V] / (P[X] P[V])), for a term X and a topic V, by shares of documents.
"""

import numpy as np

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.options import MAX_PRESELECTED_TERMS, MAX_SELECTED_TERMS


def mutual_information(having: Ints, having_in_topic: Ints, documents: int, in_topic: int) -> Floats:
    """The mutual information of each term and the topic.

    `having` counts the documents that have the term, `having_in_topic` those of them that are on the topic.
    """
    together = having_in_topic / documents
    expected = (having / documents) * (in_topic / documents)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = together * np.log(together / expected)
    informative: Floats = np.where(together > 0, found, 0.0)
    return informative


def select_terms(
    frequencies: Floats,
    information: Floats,
    *,
    preselected: int = MAX_PRESELECTED_TERMS,
    selected: int = MAX_SELECTED_TERMS,
) -> Ints:
    """The places of the best terms, in rising order. Of equals, the first are taken, so that it is stable.

    `frequencies` says how often each occurs in the topic's documents; what never does tells nothing.
    """
    frequent = np.argsort(-frequencies, kind="stable")[:preselected]
    frequent = frequent[frequencies[frequent] > 0]
    frequent.sort()
    best = frequent[np.argsort(-information[frequent], kind="stable")[:selected]]
    best.sort()
    return best.astype(np.int64)
