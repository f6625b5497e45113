"""Search a portal, after its index was brought up to date as far as that is possible."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from motherlode.app.requests.training import IndexRequest
from motherlode.app.services.portals.hints import advice_to_fetch
from motherlode.portal import Portal
from motherlode.records import BadInputError, LockedError, LodeError, ReadOnlyError
from motherlode.records.errors import WORK_ON_A_COPY
from motherlode.records.shell_words import shell_word
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
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree


class IndexProgress(Protocol):
    """Shows how an index is brought up to date."""

    def announce_rebuild(self) -> None:
        """Say that the index has to be rebuilt, which takes longer than an update."""
        ...

    def update(self, done: int, total: int, /) -> object:
        """Show how many pages are indexed."""
        ...


class IndexReadiness(Struct, frozen=True):
    """The number of changes that an index lacks after its update, and the reason."""

    behind: int = 0
    reason: str = ""
    renewal: IndexUpdate | None = None


class SearchAnswer(Struct, frozen=True):
    """The results of a search and their facets; the index lacks `behind` changes."""

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


def answer_of(
    request: SearchRequest, results: SearchResults, facets: Facets, behind: int
) -> SearchAnswer:
    """Return the results of a search as JSON shows them."""
    return SearchAnswer(
        query=request.text,
        like=request.like.url if request.like else "",
        rank=results.weights,
        total=results.total,
        ranked=results.ranked,
        page=results.page,
        more=results.more,
        behind=behind,
        results=results.results,
        facets=facets,
    )


class Searcher:
    """Searches one portal, by its index and its store."""

    def __init__(self, portal: Portal, index: PageIndex) -> None:
        self._portal = portal
        self._index = index

    def search(self, request: SearchRequest) -> SearchResults:
        with self._portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            return SearchEngine(self._portal, session, self._index, tree).search(request)

    def search_with_facets(
        self, request: SearchRequest, now: float
    ) -> tuple[SearchResults, Facets]:
        """Return results, and the facets that they can be narrowed down to."""
        with self._portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            engine = SearchEngine(self._portal, session, self._index, tree)
            scored = engine.score(request)
            facets = count_facets(session, tree, scored.matches.pages(), now)
            return engine.rank(request, scored), facets

    def reload(self) -> None:
        """Include changes that were written to the index meanwhile."""
        self._index.reload()


def prepare_index(portal: Portal, on_progress: ProgressCallback) -> IndexReadiness:
    """Bring the index up to date, unless another process does so or it cannot be written."""
    index = PageIndex.open(index_directory(portal))
    if index is not None:
        with portal.store.reading() as session:
            tree = TopicTree(topic_rows.all_topics(session))
            behind = pending_changes(session, tree, index.contents()).change_count
        if not behind:
            return IndexReadiness()
    try:
        return IndexReadiness(renewal=update_index(portal, on_progress=on_progress))
    except (LockedError, ReadOnlyError) as error:
        if index is None:
            raise type(error)(f"{portal.path} has no index to search, and {error}") from error
        return IndexReadiness(behind, str(error))


def _advice_to_index(portal: Portal, result: str) -> str:
    if not Portal.is_writable(portal.path):
        return WORK_ON_A_COPY
    return f"'lode index {shell_word(str(portal.path))}' {result}"


def update_index_in(directory: Path, request: IndexRequest, progress: IndexProgress) -> IndexUpdate:
    """Bring the index of the portal in a directory up to date, or rebuild it."""
    with Portal.reading(directory, request.settings) as portal:
        announce_rebuild(portal, progress)
        return update_index(portal, rebuild=request.rebuild, on_progress=progress.update)


def announce_rebuild(portal: Portal, progress: IndexProgress) -> None:
    """Say so if the index was made by another version, and has to be rebuilt."""
    if has_other_format(index_directory(portal)):
        progress.announce_rebuild()


@contextmanager
def open_searcher(portal: Portal) -> Iterator[Searcher]:
    """Open the index of a portal. Raises `LodeError` if there is none that can be searched."""
    index = PageIndex.open(index_directory(portal))
    if index is None and has_other_format(index_directory(portal)):
        remedy = _advice_to_index(portal, "rebuilds it")
        raise LodeError(f"The index of {portal.path} was made by another version; {remedy}.")
    if index is None:
        raise LodeError(f"{portal.path} has no index yet; {_advice_to_index(portal, 'makes one')}.")
    if not index.page_count:
        raise BadInputError(f"{portal.path} has no pages yet; {advice_to_fetch(portal)}.")
    yield Searcher(portal, index)
