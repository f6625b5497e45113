"""How similar two concepts are: Lin's measure on intrinsic information content.

D. Lin, "An Information-Theoretic Definition of Similarity", ICML 1998, section 5. The information
content of a concept follows from how many are narrower, so that no corpus is needed: N. Seco,
T. Veale, J. Hayes, "An Intrinsic Information Content Metric for Semantic Similarity in WordNet",
ECAI 2004, equation (1).
"""

from collections.abc import Iterable
from math import log

from motherlode.lexicon.concepts import Concepts


def information_content(concepts: Concepts, concept: int) -> float:
    """Return 0 for the broadest concept, up to 1 for one with nothing below it."""
    return 1 - log(concepts.narrower_count(concept) + 1) / log(len(concepts))


def similarity(concepts: Concepts, first: int, second: int) -> float:
    """Return 1 for the same concept, down to 0 for two that have nothing in common.

    2 max IC(c) / (IC(a) + IC(b)), over the concepts c that are broader than both.
    """
    if first == second:
        return 1.0
    common = concepts.ancestors(first) & concepts.ancestors(second)
    shared = max((information_content(concepts, concept) for concept in common), default=0.0)
    own = information_content(concepts, first) + information_content(concepts, second)
    return 2 * shared / own if own else 0.0


def noun_similarity(concepts: Concepts, anchors: Iterable[int], noun: str) -> float:
    """Return how similar the nearest meaning of a noun is to the nearest of some concepts.

    0 for a word that is no noun of WordNet.
    """
    meanings = concepts.meanings(noun)
    pairs = ((anchor, meaning) for anchor in anchors for meaning in meanings)
    return max((similarity(concepts, *pair) for pair in pairs), default=0.0)
