"""The last search of a portal: its results by number, and all pages that it ranks (SPEC B21).

It is stored beside the index, so that it can be written while a crawl writes the portal.
"""

from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from motherlode.portal import Portal
from motherlode.records import UsageError
from motherlode.records.shell_words import shell_word
from motherlode.search.index import PageIndex
from motherlode.search.indexer import index_directory
from motherlode.search.results import AssumedJudgements, SearchResult
from motherlode.search.service import SearchEngine, SearchRequest, SearchResults
from motherlode.store.session import Session
from motherlode.store.tables.pages import count_pages
from motherlode.topics import TopicTree
from motherlode.training.feedback.review import MovedResult

LAST_SEARCH_FILE = "last-search"
MIN_COMPARED_RESULTS = 100  # ranked again, to see where results move to


class LastSearch(Struct, frozen=True, rename={"request": "asked"}):
    """The last request, and the URLs of the results shown so far by their numbers."""

    request: SearchRequest
    results: dict[int, str]


def save_last_search(portal: Portal, request: SearchRequest, results: SearchResults) -> None:
    """Remember a search, if the directory can be written; a further page adds to its results."""
    previous = load_last_search(portal)
    shown = {result.place: result.url for result in results.results}
    if previous is not None and replace(previous.request, page=1) == replace(request, page=1):
        shown = {**previous.results, **shown}
    file = _file(portal)
    new_file = file.with_suffix(".new")
    try:
        new_file.write_bytes(msgspec.msgpack.encode(LastSearch(request, shown)))
        new_file.replace(file)
    except OSError:
        return


def load_last_search(portal: Portal) -> LastSearch | None:
    """Return the last search, or None if there is none that can be read."""
    try:
        return msgspec.msgpack.decode(_file(portal).read_bytes(), type=LastSearch)
    except (OSError, msgspec.DecodeError):
        return None


def _file(portal: Portal) -> Path:
    return index_directory(portal) / LAST_SEARCH_FILE


class ResultSet:
    """All pages that the last search ranks now, to be judged again by another model."""

    def __init__(self, portal: Portal, session: Session, tree: TopicTree) -> None:
        """Raises `UsageError` if there was no search yet."""
        last = load_last_search(portal)
        index = PageIndex.open(index_directory(portal))
        if last is None or index is None:
            search = f"lode search {shell_word(str(portal.path))} QUERY"
            remedy = f"type '{search}'" if count_pages(session) else "it has no pages yet"
            raise UsageError(f"There is no last search in this portal; {remedy}.")
        self._portal, self._session, self._tree, self._index = portal, session, tree, index
        self.request = replace(last.request, page=1)
        self.pages = tuple(self._engine({}).matching_pages(self.request))

    def order(self, assumed: AssumedJudgements) -> tuple[MovedResult, ...]:
        """Return the best results with stored and with assumed judgements, and both places."""
        before, after = self._results_by_url({}), self._results_by_url(assumed)
        best = [
            url
            for results in (after, before)
            for url, result in results.items()
            if result.place <= self.request.limit
        ]
        return tuple(_place_change(before.get(url), after.get(url)) for url in dict.fromkeys(best))

    def _results_by_url(self, assumed: AssumedJudgements) -> dict[str, SearchResult]:
        request = replace(self.request, limit=max(MIN_COMPARED_RESULTS, self.request.limit))
        results = self._engine(assumed).search(request).results
        return {result.url: result for result in results}

    def _engine(self, assumed: AssumedJudgements) -> SearchEngine:
        return SearchEngine(self._portal, self._session, self._index, self._tree, assumed)


def _place_change(before: SearchResult | None, after: SearchResult | None) -> MovedResult:
    """Return where a result was and is; it is in at least one of the two."""
    result = after or before
    assert result is not None  # noqa: S101 - by the caller
    places = (None if before is None else before.place, None if after is None else after.place)
    return MovedResult(result.url, result.title, "" if after is None else after.topic, *places)
