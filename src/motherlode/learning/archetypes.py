"""Archetypes: which pages of the crawl join a topic's training documents (BINGO!, section 3.1; SPEC B13)."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from msgspec import Struct

N_AUTH = 20
N_CONF = 20


class ArchetypeChange(Struct, frozen=True):
    """What becomes of a topic's training documents."""

    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    mean: float = 0.0  # the confidence that had to be beaten


def choose_archetypes(
    training: Mapping[str, float],
    confidences: Mapping[str, float],
    authorities: Mapping[str, float],
    kept: AbstractSet[str] = frozenset(),
    *,
    limits: tuple[int, int] = (N_AUTH, N_CONF),
    bar: float | None = None,
) -> ArchetypeChange:
    """Pages to add to and to drop from a topic's training documents.

    `training` has the confidence of each training document, `confidences` and `authorities` those of the
    pages that were judged to be on the topic. Candidates are the best by either; they must beat the mean
    confidence of the training documents, or `bar` where one is given, and at most min(N_auth, N_conf) are
    taken. Training documents below the mean of the new set are dropped, never the person's own (`kept`).
    """
    most_authorities, most_confident = limits
    candidates = {*_best(authorities, most_authorities), *_best(confidences, most_confident)} - set(training)
    mean = bar
    if mean is None:
        mean = sum(training.values()) / len(training) if training else 0.0
    worthy = {page: confidences[page] for page in candidates if confidences.get(page, 0.0) > mean}
    added = tuple(_best(worthy, min(limits)))
    if not added:
        return ArchetypeChange(mean=mean)
    joined = {**training, **{page: worthy[page] for page in added}}
    level = sum(joined.values()) / len(joined)
    dropped = tuple(sorted(page for page, value in training.items() if value < level and page not in kept))
    return ArchetypeChange(added, dropped, mean)


def choose_near_examples(
    archetypes: Mapping[str, float], candidates: Mapping[str, float], bar: float, most: int
) -> ArchetypeChange:
    """Archetypes that stay near a person's examples: all scores are by those alone, so no chain leads away.

    The best candidates beyond the bar join, so many at most; archetypes of before that are no longer beyond
    it are dropped.
    """
    worthy = {page: sure for page, sure in candidates.items() if sure > bar and page not in archetypes}
    dropped = tuple(sorted(page for page, sure in archetypes.items() if sure <= bar))
    return ArchetypeChange(tuple(_best(worthy, most)), dropped, bar)


def _best(scores: Mapping[str, float], count: int) -> list[str]:
    """The pages of highest score; of equals, by their names."""
    return sorted(scores, key=lambda page: (-scores[page], page))[:count]
