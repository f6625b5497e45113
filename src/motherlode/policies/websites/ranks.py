"""How waiting sites are ranked: as published in 2004, and ours (SPEC W6).

Ours takes the paper's mean of edge weights, and what the site is called
(`learning.sites.site_names`). Links or names alone are both worse (docs/websites.md).
"""

from motherlode.learning.sites.contrast import SiteContrast
from motherlode.learning.sites.edge_weights import (
    EdgeWeighting,
    edge_weight,
    site_rank,
)
from motherlode.learning.sites.site_names import name_part, with_name
from motherlode.policies.websites.site_graph import WaitingSite


class EdgeRank:
    """The paper's: the mean weight of the edges to a site."""

    def __init__(self, weighting: EdgeWeighting) -> None:
        self._weighting = weighting

    def __call__(self, waiting: WaitingSite, known: dict[str, float]) -> float:
        return site_rank(edge_weights(waiting, known, self._weighting))


class NamedEdgeRank:
    """Ours: edge weights and names. `contrast` is replaced when a new model is adopted."""

    def __init__(self, weighting: EdgeWeighting, contrast: SiteContrast) -> None:
        self._weighting = weighting
        self.contrast = contrast
        self._names: dict[str, tuple[int, float]] = {}  # by site: how many names, and their part

    def adopt(self, contrast: SiteContrast) -> None:
        """Go on with a new model."""
        self.contrast = contrast
        self._names.clear()

    def __call__(self, waiting: WaitingSite, known: dict[str, float]) -> float:
        mean = site_rank(edge_weights(waiting, known, self._weighting))
        return with_name(mean, self.name_part(waiting))

    def name_part(self, waiting: WaitingSite) -> float:
        """Return how much the names of a site are like those of relevant sites, from -1 to 1."""
        number, part = self._names.get(waiting.site, (-1, 0.0))
        if number != len(waiting.names):
            part = name_part(self.contrast, waiting.site, waiting.names)
            self._names[waiting.site] = (len(waiting.names), part)
        return part


def edge_weights(
    waiting: WaitingSite, known: dict[str, float], weighting: EdgeWeighting
) -> list[float]:
    """Return the weight of each edge to a site from a site that is known."""
    return [
        edge_weight(weighting, known[source], probabilities)
        for source, probabilities in waiting.edges.items()
        if source in known
    ]
