"""How promising an unexamined site is, by the sites that link to it (SPEC W6).

Ester, Kriegel and Schubert (VLDB 2004), section 4.2. There is one edge from a site to another,
however many links it stands for. Its weight is

    global    the confidence of the site with the links
    local     the mean confidence of the pages with the links
    combined  the mean of both

and a site ranks by the mean weight of the known edges to it.
"""

from collections.abc import Sequence
from enum import StrEnum
from statistics import fmean


class EdgeWeighting(StrEnum):
    """Whose confidence an edge between sites weighs: the site's, its pages', or both."""

    GLOBAL = "global"
    LOCAL = "local"
    COMBINED = "combined"


def edge_weight(
    weighting: EdgeWeighting, site_confidence: float, page_confidences: Sequence[float]
) -> float:
    """Return the weight of an edge from a site whose pages with links have these confidences.

    Figure 3 of the paper: a site of confidence 0.6, with links on pages of 0.9 and 0.5.

    >>> [round(edge_weight(kind, 0.6, [0.9, 0.5]), 2) for kind in EdgeWeighting]
    [0.6, 0.7, 0.65]
    """
    local = fmean(page_confidences)
    if weighting is EdgeWeighting.GLOBAL:
        return site_confidence
    if weighting is EdgeWeighting.LOCAL:
        return local
    return (site_confidence + local) / 2


def site_rank(weights: Sequence[float]) -> float:
    """Return the rank of an unexamined site by the weights of the edges to it."""
    return fmean(weights)
