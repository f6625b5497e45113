"""When a site that is decided has given enough links to other sites (SPEC W5).

Ester, Kriegel and Schubert (VLDB 2004), section 4.3.4:

    LinkRank = sum over the pages p read of (Pr[p|target] |transversal links of p| + c)
               / Pr[target|site],   c >= 1

It grows faster for irrelevant sites, which so end sooner.
"""

from collections.abc import Sequence

_MIN_PROBABILITY = 1e-9


def page_link_weight(confidence: float, transversal_links: int, constant: float) -> float:
    """Return how much a page adds to the links found: its linkWeight."""
    return confidence * transversal_links + constant


def link_rank(page_weights: Sequence[float], probability: float) -> float:
    """Return the LinkRank of a site that is relevant with this probability.

    >>> round(link_rank([page_link_weight(0.8, 5, 1.0), page_link_weight(0.5, 0, 1.0)], 0.6), 6)
    10.0
    """
    return sum(page_weights) / max(probability, _MIN_PROBABILITY)
