"""Searching a portal from any front door: the index brought up to date first, as far as that is possible."""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from motherlode.portal import Portal
from motherlode.records import BadInputError, LockedError, LodeError, PageId, ReadOnlyError
from motherlode.search.facets import Facets, facets_of
from motherlode.search.index import PageIndex, is_of_another_form
from motherlode.search.indexer import Renewal, Telling, lacking, place_of, renew
from motherlode.search.results import Result
from motherlode.search.service import Asked, Results, results_of, search, weigh
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree


class Ready(Struct, frozen=True):
    """What became of bringing an index up to date: it is `behind` by so many changes, and why."""

    behind: int = 0
    reason: str = ""
    renewal: Renewal | None = None


class Found(Struct, frozen=True):
    """What a search finds, and what it can be narrowed down to; the index is `behind` by so many changes."""

    query: str
    like: str
    rank: dict[str, float]
    total: int
    ranked: int
    page: int
    more: bool
    behind: int
    results: tuple[Result, ...]
    facets: Facets


def told(asked: Asked, results: Results, facets: Facets, behind: int) -> Found:
    """What a search found, as programs are told it."""
    return Found(
        asked.text,
        asked.like.url if asked.like else "",
        results.weights,
        results.total,
        results.ranked,
        results.page,
        results.more,
        behind,
        results.results,
        facets,
    )


class Desk:
    """An index and a portal's store, to be asked again and again."""

    def __init__(self, portal: Portal, index: PageIndex) -> None:
        self._portal = portal
        self._index = index

    def search(self, asked: Asked) -> Results:
        with self._portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            return search(self._portal, session, self._index, tree, asked)

    def faceted(self, asked: Asked, now: float) -> tuple[Results, Facets]:
        """What is found, and what it can be narrowed down to."""
        with self._portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            weighed = weigh(self._portal, session, self._index, tree, asked)
            pages = [PageId(page) for page in weighed.sought.hits.pages.tolist()]
            results = results_of(session, self._index, tree, asked, weighed)
            return results, facets_of(session, tree, pages, now)

    def renewed(self) -> None:
        """See what was written to the index meanwhile."""
        self._index.renewed()


def made_ready(portal: Portal, told: Telling) -> Ready:
    """Bring the index up to date; where another process does so, or nothing can be written, say so."""
    index = PageIndex.open(place_of(portal))
    if index is not None:
        with portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            behind = lacking(session, tree, index.known()).changes
        if not behind:
            return Ready()
    try:
        return Ready(renewal=renew(portal, told=told))
    except (LockedError, ReadOnlyError) as error:
        if index is None:
            raise
        return Ready(behind, str(error))


@contextmanager
def desk_at(portal: Portal) -> Iterator[Desk]:
    """Raises `LodeError` where there is no index that could be asked."""
    index = PageIndex.open(place_of(portal))
    if index is None and is_of_another_form(place_of(portal)):
        remedy = f"'lode index {portal.path}' makes it anew"
        raise LodeError(f"The index of {portal.path} was made by another version; {remedy}.")
    if index is None:
        raise LodeError(f"{portal.path} has no index yet; 'lode index {portal.path}' makes one.")
    if not index.size:
        raise BadInputError(f"{portal.path} has no pages yet; 'lode crawl {portal.path}' fetches some.")
    yield Desk(portal, index)
