"""Archetypes: the pages of a crawl that join a topic's training documents (BINGO!, section 3.1;
SPEC B13)."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from msgspec import Struct

MAX_AUTHORITIES = 20  # N_auth in the paper
MAX_CONFIDENT_PAGES = 20  # N_conf in the paper


class ArchetypeChange(Struct, frozen=True):
    """The pages that join and leave a topic's training documents."""

    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    mean: float = 0.0  # the confidence that new archetypes had to exceed


def choose_archetypes(
    training: Mapping[str, float],
    confidences: Mapping[str, float],
    authorities: Mapping[str, float],
    user_pages: AbstractSet[str] = frozenset(),
    *,
    limits: tuple[int, int] = (MAX_AUTHORITIES, MAX_CONFIDENT_PAGES),
    bar: float | None = None,
) -> ArchetypeChange:
    """Return the pages to add to and to drop from a topic's training documents.

    `training` has the confidence of each training document; `confidences` and `authorities` have
    the scores of the pages that were judged to be on the topic. The best by either score are
    candidates. They must exceed the mean confidence of the training documents, or `bar` if it is
    given, and at most min(N_auth, N_conf) are taken. Training documents below the mean of the new
    set are dropped, but never the user's own (`user_pages`).
    """
    max_authorities, max_confident = limits
    candidates = {*_best(authorities, max_authorities), *_best(confidences, max_confident)}
    candidates -= training.keys()
    mean = bar
    if mean is None:
        mean = sum(training.values()) / len(training) if training else 0.0
    eligible = {page: confidences[page] for page in candidates if confidences.get(page, 0.0) > mean}
    added = tuple(_best(eligible, min(limits)))
    if not added:
        return ArchetypeChange(mean=mean)
    joined = {**training, **{page: eligible[page] for page in added}}
    new_mean = sum(joined.values()) / len(joined)
    below_mean = {page for page, confidence in training.items() if confidence < new_mean}
    return ArchetypeChange(added, tuple(sorted(below_mean - user_pages)), mean)


def choose_near_examples(
    archetypes: Mapping[str, float], candidates: Mapping[str, float], bar: float, limit: int
) -> ArchetypeChange:
    """Return the change to archetypes that stay near the user's examples.

    All scores come from the examples alone, so that no chain of archetypes leads away from them.
    The best candidates with a score above `bar` join, at most `limit`. Earlier archetypes that are
    no longer above it are dropped.
    """
    eligible = {
        page: confidence
        for page, confidence in candidates.items()
        if confidence > bar and page not in archetypes
    }
    dropped = sorted(page for page, confidence in archetypes.items() if confidence <= bar)
    return ArchetypeChange(tuple(_best(eligible, limit)), tuple(dropped), bar)


def _best(scores: Mapping[str, float], count: int) -> list[str]:
    """Return the pages of highest score; equal scores are ordered by name."""
    return sorted(scores, key=lambda page: (-scores[page], page))[:count]
