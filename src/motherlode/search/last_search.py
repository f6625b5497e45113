"""The last search of a portal: its results by their numbers, and its result set to be judged anew (SPEC B21).

It lies beside the index, so that it can be kept while a crawl writes the portal.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from motherlode.portal import Portal
from motherlode.records import Judgement, PageId, UsageError
from motherlode.search.index import PageIndex
from motherlode.search.indexer import index_directory
from motherlode.search.results import SearchResult
from motherlode.search.service import SearchRequest, SearchResults, matching_pages, search
from motherlode.store.session import Session
from motherlode.topics import TopicTree
from motherlode.training.review import Placed

LAST_SEARCH_FILE = "last-search"
_DEEP = 100  # places that are looked at for where results go


class LastSearch(Struct, frozen=True, rename={"request": "asked"}):
    """What was asked last, and the addresses of its results by their numbers, as far as they were shown."""

    request: SearchRequest
    results: dict[int, str]


def save_last_search(portal: Portal, asked: SearchRequest, found: SearchResults) -> None:
    """Where nothing can be written, nothing is remembered. Further pages of a search add to its results."""
    before = load_last_search(portal)
    shown = {one.place: one.url for one in found.results}
    if before is not None and replace(before.request, page=1) == replace(asked, page=1):
        shown = {**before.results, **shown}
    file = _file(portal)
    fresh = file.with_suffix(".new")
    try:
        fresh.write_bytes(msgspec.msgpack.encode(LastSearch(asked, shown)))
        fresh.replace(file)
    except OSError:
        return


def load_last_search(portal: Portal) -> LastSearch | None:
    try:
        return msgspec.msgpack.decode(_file(portal).read_bytes(), type=LastSearch)
    except (OSError, msgspec.DecodeError):
        return None


def _file(portal: Portal) -> Path:
    return index_directory(portal) / LAST_SEARCH_FILE


class ResultSet:
    """All pages that the last search finds now."""

    def __init__(self, portal: Portal, session: Session, tree: TopicTree) -> None:
        """Raises `UsageError` where nothing was searched."""
        last, index = load_last_search(portal), PageIndex.open(index_directory(portal))
        if last is None or index is None:
            raise UsageError(f"Nothing was searched here yet; 'lode search {portal.path} QUERY' does so.")
        self._portal, self._session, self._tree, self._index = portal, session, tree, index
        self.request = replace(last.request, page=1)
        self.pages = tuple(matching_pages(session, index, tree, self.request))

    def order(self, thoughts: Mapping[PageId, Judgement]) -> tuple[Placed, ...]:
        """The best results before and after, those that are among them then and now."""
        before, after = self._places({}), self._places(thoughts)
        best = [
            url
            for places in (after, before)
            for url, one in places.items()
            if one.place <= self.request.limit
        ]
        return tuple(_placed(before.get(url), after.get(url)) for url in dict.fromkeys(best))

    def _places(self, thoughts: Mapping[PageId, Judgement]) -> dict[str, SearchResult]:
        deep = replace(self.request, limit=max(_DEEP, self.request.limit))
        found = search(self._portal, self._session, self._index, self._tree, deep, thoughts)
        return {one.url: one for one in found.results}


def _placed(before: SearchResult | None, after: SearchResult | None) -> Placed:
    one = after or before
    assert one is not None  # noqa: S101 - it is in one of them
    places = (None if before is None else before.place, None if after is None else after.place)
    return Placed(one.url, one.title, "" if after is None else after.topic, *places)
