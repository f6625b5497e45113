"""What a site is called says what it is about (ours, for SPEC W4 and W6).

The words of its host name and of the links to it are compared with both centroids of a contrast of
sites, and move the log-odds that it is relevant:

    logit p' = logit p + 2.5 contrast of its names / separation of the classes

Of a waiting site p is the mean of its edge weights, of an examined one the probability by its
pages. Before, p is kept between 0.01 and 0.99, so that names can correct what is wrongly certain.
The weight was chosen on one web, and serves on generated ones as well (docs/websites.md).
"""

import re
from collections.abc import Sequence
from math import exp, log

from motherlode.documents.features.spaces import SILENT_PARTS
from motherlode.documents.text.terms import bag_of
from motherlode.learning.sites.contrast import MIN_SEPARATION, SiteContrast

NAME_WEIGHT = 2.5
MAX_NAME_SEPARATIONS = 1.0  # a name says no more than a page between the classes would
_CERTAIN = 0.01
_WORD = re.compile(r"[^\W\d_]+")
_LANGUAGE = "en"  # of names; most have words of no language


def name_part(contrast: SiteContrast, site: str, names: Sequence[str]) -> float:
    """Return how much a site is called like relevant ones, from -1 to 1.

    `names` are the texts of links to it.
    """
    scale = contrast.scale
    separation = max(scale.relevant_mean - scale.other_mean, MIN_SEPARATION)
    words = bag_of(f"{host_words(site)} {' '.join(names)}", _LANGUAGE)
    part = contrast.contrast_of_name(words.terms) / separation
    return max(-MAX_NAME_SEPARATIONS, min(MAX_NAME_SEPARATIONS, part))


def with_name(probability: float, part: float) -> float:
    """Return the probability of a site by its pages or links, and by its names.

    >>> [round(with_name(0.5, part), 2) for part in (-1.0, 0.0, 1.0)]
    [0.08, 0.5, 0.92]
    """
    kept = min(max(probability, _CERTAIN), 1.0 - _CERTAIN)
    return 1.0 / (1.0 + exp(-log(kept / (1.0 - kept)) - NAME_WEIGHT * part))


def host_words(site: str) -> str:
    """Return the words in the name of a site.

    >>> host_words("www.bird-watching.example.org/~anna/")
    'bird watching example anna'
    """
    return " ".join(word for word in _WORD.findall(site) if word.lower() not in SILENT_PARTS)
