"""Count the results of a search by topic, site, type, language and age (SPEC B20).

Only the first of the ranked pages are counted, which costs next to nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from motherlode.records import ROOT, PageId, TopicId
from motherlode.search.indexer import type_names
from motherlode.search.query_terms import NO_LANGUAGE
from motherlode.store.session import Session
from motherlode.store.tables.judgements import judgements_of
from motherlode.store.tables.pages import Traits, traits_of
from motherlode.topics import TopicTree, show_path
from motherlode.urls import host_of

_DAY_S = 86_400
# Values of `--since`, each with its days.
AGES = (("1d", 1), ("7d", 7), ("30d", 30), ("365d", 365))
MAX_FACET_VALUES = 12
MAX_COUNTED_PAGES = 5_000


class FacetValue(Struct, frozen=True):
    """A value to which results can be narrowed down, as the filter of that name takes it."""

    value: str
    pages: int


class Facets(Struct, frozen=True):
    """The values of each filter, the most frequent first; topics and ages in their own order.

    `of` is the number of pages that were counted.
    """

    of: int = 0
    topic: tuple[FacetValue, ...] = ()
    site: tuple[FacetValue, ...] = ()
    type: tuple[FacetValue, ...] = ()
    language: tuple[FacetValue, ...] = ()
    since: tuple[FacetValue, ...] = ()


def count_facets(session: Session, tree: TopicTree, ranked: Sequence[PageId], now: float) -> Facets:
    """Return the facets of the first of the ranked pages."""
    page_ids = ranked[:MAX_COUNTED_PAGES]
    pages = list(traits_of(session, page_ids))
    return Facets(
        of=len(pages),
        topic=_topics(session, tree, page_ids),
        site=_most_frequent(host_of(page.url) for page in pages),
        type=_most_frequent(type_names(page.mime)[-1] for page in pages if page.mime),
        language=_most_frequent(page.language or NO_LANGUAGE for page in pages),
        since=tuple(_ages(pages, now)),
    )


def _topics(
    session: Session,
    tree: TopicTree,
    page_ids: Sequence[PageId],
) -> tuple[FacetValue, ...]:
    """Count the pages on each topic and below it, in the order of the tree."""
    counts: Counter[TopicId] = Counter()
    tree_topics = {topic.id for topic in tree}
    for judgement in judgements_of(session, page_ids).values():
        is_on_topic = judgement.is_accepted and judgement.topic in tree_topics
        topic: TopicId | None = judgement.topic if is_on_topic else None
        while topic is not None and topic != ROOT:
            counts[topic] += 1
            topic = tree[topic].parent
    counted = [node.id for node in tree if counts[node.id]]
    return tuple(FacetValue(show_path(tree.path(topic)), counts[topic]) for topic in counted)


def _most_frequent(values: Iterable[str]) -> tuple[FacetValue, ...]:
    counts = Counter(value for value in values if value)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(FacetValue(value, pages) for value, pages in ranked[:MAX_FACET_VALUES])


def _ages(pages: Sequence[Traits], now: float) -> Iterator[FacetValue]:
    """Count recent pages, for the ages that only some of the pages have."""
    for value, days in AGES:
        recent = sum(page.fetched_at >= now - days * _DAY_S for page in pages)
        if 0 < recent < len(pages):
            yield FacetValue(value, recent)
