"""In which order the pages of a site are read (SPEC W3).

Ester, Kriegel and Schubert (VLDB 2004), section 4.3.2. A link weighs as much as its page tells the
classes apart, whichever class that speaks for: the variance of the page's class confidences. A page
ranks by the mean weight of the links to it.
"""

from collections.abc import Sequence
from statistics import fmean, pvariance


def link_weight(confidences: Sequence[float]) -> float:
    """Return the weight of a page's links, by its confidence for each class.

    >>> round(link_weight([0.9, 0.1]), 4), link_weight([0.5, 0.5])
    (0.16, 0.0)
    """
    return pvariance(confidences)


def page_rank_in_site(weights: Sequence[float]) -> float:
    """Return the rank of a page by the weights of the links to it from pages read so far."""
    return fmean(weights) if weights else 0.0
