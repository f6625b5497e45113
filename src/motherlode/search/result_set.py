"""What the last search finds, to be judged anew, and its order then and now (SPEC B21)."""

from collections.abc import Mapping

from msgspec.structs import replace

from motherlode.portal import Portal
from motherlode.records import Judgement, PageId, UsageError
from motherlode.search.index import PageIndex
from motherlode.search.indexer import place_of
from motherlode.search.last_search import last_search
from motherlode.search.results import Result
from motherlode.search.service import pages_found, search
from motherlode.store.session import Session
from motherlode.topics import TopicTree
from motherlode.training.review import Placed

_DEEP = 100  # places that are looked at for where results go


class ResultSet:
    """All pages that the last search finds now."""

    def __init__(self, portal: Portal, session: Session, tree: TopicTree) -> None:
        """Raises `UsageError` where nothing was searched."""
        last, index = last_search(portal), PageIndex.open(place_of(portal))
        if last is None or index is None:
            raise UsageError(f"Nothing was searched here yet; 'lode search {portal.path} QUERY' does so.")
        self._portal, self._session, self._tree, self._index = portal, session, tree, index
        self.asked = replace(last.asked, page=1)
        self.pages = tuple(pages_found(session, index, tree, self.asked))

    def order(self, thoughts: Mapping[PageId, Judgement]) -> tuple[Placed, ...]:
        """The best results before and after, those that are among them then and now."""
        before, after = self._places({}), self._places(thoughts)
        best = [
            url for places in (after, before) for url, one in places.items() if one.place <= self.asked.limit
        ]
        return tuple(_placed(before.get(url), after.get(url)) for url in dict.fromkeys(best))

    def _places(self, thoughts: Mapping[PageId, Judgement]) -> dict[str, Result]:
        deep = replace(self.asked, limit=max(_DEEP, self.asked.limit))
        found = search(self._portal, self._session, self._index, self._tree, deep, thoughts)
        return {one.url: one for one in found.results}


def _placed(before: Result | None, after: Result | None) -> Placed:
    one = after or before
    assert one is not None  # noqa: S101 - it is in one of them
    places = (None if before is None else before.place, None if after is None else after.place)
    return Placed(one.url, one.title, "" if after is None else after.topic, *places)
