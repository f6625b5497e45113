"""Which portals are asked for an object: those whose forms fit it best (SPEC D5).

Daffodil 2004, section 5.2, sums the similarities of attributes and fields, and takes the top k.
"""

from collections.abc import Mapping
from heapq import nlargest

from motherlode.sources.wrappers.attributes import (
    IDENTIFIERS,
    NAMES,
    YEARS,
    Attribute,
    PortalQuery,
)
from motherlode.sources.wrappers.matching import Matching

PORTALS = 3  # the paper's k
MIN_SIMILARITY = 0.5  # summed; a portal with less is a weak match, and is not asked

# Attributes that say the same of an object count once: the best of each group.
_GROUPS = (NAMES, YEARS, IDENTIFIERS)


def similarity_to(matching: Matching, subject: PortalQuery) -> float:
    """Return the summed similarity of an object's attributes and the fields of a form.

    A form with a field for free words can at least be asked for the object's title.
    """
    scores = {attribute: matching.score_of(attribute) for attribute in subject.attributes}
    groups = [[scores[key] for key in group & scores.keys()] for group in _GROUPS]
    single = [scores[key] for key in scores if not any(key in group for group in _GROUPS)]
    summed = sum(max(group, default=0.0) for group in groups) + sum(single)
    return max(summed, matching.score_of(Attribute.ANY) if subject.attributes else 0.0)


def best_portals(
    matchings: Mapping[str, Matching], subject: PortalQuery, wanted: int = PORTALS
) -> list[tuple[str, float]]:
    """Return the names of the best portals for an object with their similarities, best first."""
    scores = {name: similarity_to(matching, subject) for name, matching in matchings.items()}
    able = [(name, score) for name, score in scores.items() if score >= MIN_SIMILARITY]
    return nlargest(wanted, able, key=lambda pair: pair[1])
