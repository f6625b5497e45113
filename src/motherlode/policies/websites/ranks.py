"""How waiting sites are ranked: as published in 2004, and ours (SPEC W6).

Ours takes the paper's mean of edge weights, and what the site is called: the words of its host name
and of the links to it, by their contrast in the model.

    rank = sigmoid(logit(mean of edge weights) + 2.5 contrast of its names / separation)

The weight was chosen on one web (docs/websites.md); links or names alone are both worse.
"""

import re
from math import exp, log

from motherlode.documents.features.spaces import SILENT_PARTS
from motherlode.documents.text.terms import bag_of
from motherlode.learning.sites.contrast import MIN_SEPARATION, SiteContrast
from motherlode.learning.sites.edge_weights import (
    EdgeWeighting,
    edge_weight,
    site_rank,
)
from motherlode.policies.websites.site_graph import WaitingSite

NAME_WEIGHT = 2.5
MAX_NAME_SEPARATIONS = 1.0  # a name says no more than a page between the classes would
_CERTAIN = 0.01
_WORD = re.compile(r"[^\W\d_]+")
_LANGUAGE = "en"  # of names; most have words of no language


class EdgeRank:
    """The paper's: the mean weight of the edges to a site."""

    def __init__(self, weighting: EdgeWeighting) -> None:
        self._weighting = weighting

    def __call__(self, waiting: WaitingSite, known: dict[str, float]) -> float:
        return site_rank(edge_weights(waiting, known, self._weighting))


class NamedEdgeRank:
    """Ours: shrunk edge weights and names. `contrast` is replaced when a new model is adopted."""

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
        mean = min(max(mean, _CERTAIN), 1.0 - _CERTAIN)
        odds = log(mean / (1.0 - mean)) + NAME_WEIGHT * self.name_part(waiting)
        return 1.0 / (1.0 + exp(-odds))

    def name_part(self, waiting: WaitingSite) -> float:
        """Return how much the names of a site are like those of relevant sites, from -1 to 1."""
        number, part = self._names.get(waiting.site, (-1, 0.0))
        if number != len(waiting.names):
            part = self._name_part(waiting)
            self._names[waiting.site] = (len(waiting.names), part)
        return part

    def _name_part(self, waiting: WaitingSite) -> float:
        scale = self.contrast.scale
        separation = max(scale.relevant_mean - scale.other_mean, MIN_SEPARATION)
        words = f"{site_words(waiting.site)} {' '.join(waiting.names)}"
        part = self.contrast.contrast_of_name(bag_of(words, _LANGUAGE).terms) / separation
        return max(-MAX_NAME_SEPARATIONS, min(MAX_NAME_SEPARATIONS, part))


def edge_weights(
    waiting: WaitingSite, known: dict[str, float], weighting: EdgeWeighting
) -> list[float]:
    """Return the weight of each edge to a site from a site that is known."""
    return [
        edge_weight(weighting, known[source], probabilities)
        for source, probabilities in waiting.edges.items()
        if source in known
    ]


def site_words(site: str) -> str:
    """Return the words in the name of a site.

    >>> site_words("www.bird-watching.example.org/~anna/")
    'bird watching example anna'
    """
    return " ".join(word for word in _WORD.findall(site) if word.lower() not in SILENT_PARTS)
