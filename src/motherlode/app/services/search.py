"""Searching a portal from any front door: the index brought up to date first, as far as that is possible."""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from motherlode.portal import Portal
from motherlode.records import BadInputError, LockedError, LodeError, ReadOnlyError
from motherlode.search.facets import Facets, count_facets
from motherlode.search.index import PageIndex, has_other_format
from motherlode.search.indexer import (
    IndexUpdate,
    ProgressCallback,
    index_directory,
    pending_changes,
    update_index,
)
from motherlode.search.results import SearchResult
from motherlode.search.service import SearchEngine, SearchRequest, SearchResults
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree


class Ready(Struct, frozen=True):
    """What became of bringing an index up to date: it is `behind` by so many changes, and why."""

    behind: int = 0
    reason: str = ""
    renewal: IndexUpdate | None = None


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
    results: tuple[SearchResult, ...]
    facets: Facets


def told(asked: SearchRequest, results: SearchResults, facets: Facets, behind: int) -> Found:
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

    def search(self, asked: SearchRequest) -> SearchResults:
        with self._portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            return SearchEngine(self._portal, session, self._index, tree).search(asked)

    def faceted(self, asked: SearchRequest, now: float) -> tuple[SearchResults, Facets]:
        """What is found, and what it can be narrowed down to."""
        with self._portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            engine = SearchEngine(self._portal, session, self._index, tree)
            scored = engine.score(asked)
            facets = count_facets(session, tree, scored.matches.pages(), now)
            return engine.rank(asked, scored), facets

    def renewed(self) -> None:
        """See what was written to the index meanwhile."""
        self._index.reload()


def made_ready(portal: Portal, told: ProgressCallback) -> Ready:
    """Bring the index up to date; where another process does so, or nothing can be written, say so."""
    index = PageIndex.open(index_directory(portal))
    if index is not None:
        with portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            behind = pending_changes(session, tree, index.contents()).change_count
        if not behind:
            return Ready()
    try:
        return Ready(renewal=update_index(portal, on_progress=told))
    except (LockedError, ReadOnlyError) as error:
        if index is None:
            raise
        return Ready(behind, str(error))


@contextmanager
def desk_at(portal: Portal) -> Iterator[Desk]:
    """Raises `LodeError` where there is no index that could be asked."""
    index = PageIndex.open(index_directory(portal))
    if index is None and has_other_format(index_directory(portal)):
        remedy = f"'lode index {portal.path}' makes it anew"
        raise LodeError(f"The index of {portal.path} was made by another version; {remedy}.")
    if index is None:
        raise LodeError(f"{portal.path} has no index yet; 'lode index {portal.path}' makes one.")
    if not index.page_count:
        raise BadInputError(f"{portal.path} has no pages yet; 'lode crawl {portal.path}' fetches some.")
    yield Desk(portal, index)
