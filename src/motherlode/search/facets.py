"""How many of the pages that were found are on which topic, of which site, type, language and age (SPEC B20).

It is counted among the pages that are ranked, the first of them: so it costs next to nothing.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from motherlode.records import ROOT, PageId, TopicId
from motherlode.search.indexer import type_names
from motherlode.search.query_terms import NO_LANGUAGE
from motherlode.store.judged import judgements_of
from motherlode.store.pages import Traits, traits_of
from motherlode.store.session import Session
from motherlode.topics import TopicTree, show_path
from motherlode.urls import host_of

_DAY = 86_400
# How long ago, as one says it after `--since`.
AGES = (("1d", 1), ("7d", 7), ("30d", 30), ("365d", 365))
MAX_FACET_VALUES = 12  # values of a facet
MAX_COUNTED_PAGES = 5_000  # pages that are looked at


class FacetValue(Struct, frozen=True):
    """A value that results can be narrowed down to, as the filter of that name takes it."""

    value: str
    pages: int


class Facets(Struct, frozen=True):
    """The values of each filter, those with most pages first; topics and ages in their own order.

    `of`: among how many pages they were counted.
    """

    of: int = 0
    topic: tuple[FacetValue, ...] = ()
    site: tuple[FacetValue, ...] = ()
    type: tuple[FacetValue, ...] = ()
    language: tuple[FacetValue, ...] = ()
    since: tuple[FacetValue, ...] = ()


def count_facets(session: Session, tree: TopicTree, found: Sequence[PageId], now: float) -> Facets:
    """The facets of pages that were found."""
    found = found[:MAX_COUNTED_PAGES]
    pages = list(traits_of(session, found))
    return Facets(
        of=len(pages),
        topic=_topics(session, tree, found),
        site=_most_common(host_of(one.url) for one in pages),
        type=_most_common(type_names(one.mime)[-1] for one in pages if one.mime),
        language=_most_common(one.language or NO_LANGUAGE for one in pages),
        since=tuple(_ages(pages, now)),
    )


def _topics(session: Session, tree: TopicTree, found: Sequence[PageId]) -> tuple[FacetValue, ...]:
    """Each topic with all that is on it or below it, in the order of the tree."""
    counts: Counter[TopicId] = Counter()
    known = {topic.id for topic in tree}
    for said in judgements_of(session, found).values():
        here: TopicId | None = said.topic if said.confidence > 0 and said.topic in known else None
        while here is not None and here != ROOT:
            counts[here] += 1
            here = tree[here].parent
    return tuple(
        FacetValue(show_path(tree.path(topic.id)), counts[topic.id]) for topic in tree if counts[topic.id]
    )


def _most_common(values: Iterable[str]) -> tuple[FacetValue, ...]:
    counts = Counter(value for value in values if value)
    best = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return tuple(FacetValue(value, pages) for value, pages in best[:MAX_FACET_VALUES])


def _ages(pages: Sequence[Traits], now: float) -> Iterable[FacetValue]:
    """Ages that tell some of the pages from the others."""
    for value, days in AGES:
        young = sum(one.fetched_at >= now - days * _DAY for one in pages)
        if 0 < young < len(pages):
            yield FacetValue(value, young)
