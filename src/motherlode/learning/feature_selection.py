"""The terms that separate a topic from its siblings, by mutual information (BINGO!, section 2.3,
equation 1; SPEC B6).

MI(X, V) = P[X and V] log(P[X and V] / (P[X] P[V])), for a term X and a topic V. The probabilities
are shares of documents.
"""

import numpy as np

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.options import MAX_PRESELECTED_TERMS, MAX_SELECTED_TERMS


def mutual_information(
    with_term: Ints,
    in_topic_with_term: Ints,
    documents: int,
    in_topic: int,
) -> Floats:
    """Return the mutual information of each term and the topic.

    `with_term` counts the documents that have the term, `in_topic_with_term` only the documents on
    the topic that have it.
    """
    joint = in_topic_with_term / documents
    expected = (with_term / documents) * (in_topic / documents)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = joint * np.log(joint / expected)
    information: Floats = np.where(joint > 0, values, 0.0)
    return information


def select_terms(
    frequencies: Floats,
    information: Floats,
    *,
    preselected: int = MAX_PRESELECTED_TERMS,
    selected: int = MAX_SELECTED_TERMS,
) -> Ints:
    """Return the indices of the best terms, ascending; of equally good terms, the first.

    `frequencies` says how often each term occurs in the topic's documents. Terms that do not occur
    there are left out.
    """
    frequent = np.argsort(-frequencies, kind="stable")[:preselected]
    frequent = frequent[frequencies[frequent] > 0]
    frequent.sort()
    best = frequent[np.argsort(-information[frequent], kind="stable")[:selected]]
    best.sort()
    return best.astype(np.int64)
