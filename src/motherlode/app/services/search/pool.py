"""A pool of open search indexes; only a few queries run at the same time."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from motherlode.app.errors import BusyError, NoIndexError
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.search.searcher import Searcher
from motherlode.portal import Portal
from motherlode.search.index import INDEX_FORMAT, PageIndex, has_other_format
from motherlode.search.indexer import index_directory, pending_changes
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import count_pages
from motherlode.topics import TopicTree

MAX_QUERIES = 4  # at the same time; each takes a core
MAX_OPEN_INDEXES = 16
MAX_WAIT_S = 20.0  # of a query for its turn


class _OpenIndex(Struct, frozen=True):
    """An index, and the inode of its folder: a rebuilt index has another one."""

    folder: int
    index: PageIndex


class IndexStatus(Struct, frozen=True):
    """The number of pages in an index, and of the changes that it lacks."""

    pages: int
    behind: int


class SearchPool:
    """The indexes that were searched last. Any thread may use it."""

    def __init__(
        self,
        registry: PortalRegistry,
        max_queries: int = MAX_QUERIES,
        max_wait_s: float = MAX_WAIT_S,
    ) -> None:
        self._registry, self._max_wait_s = registry, max_wait_s
        self._turns = threading.BoundedSemaphore(max_queries)
        self._lock = threading.Lock()
        self._opened: OrderedDict[Path, _OpenIndex] = OrderedDict()
        self._lacking: dict[Path, tuple[tuple[int, int], int]] = {}

    @contextmanager
    def open(self, name: str) -> Iterator[tuple[Portal, Searcher]]:
        """Open a portal and its searcher.

        Raises `NoIndexError`, or `BusyError` if too many search.
        """
        with self._turn(), self._registry.reading(name) as portal:
            yield portal, Searcher(portal, self._index(portal))

    def status(self, portal: Portal) -> IndexStatus:
        """Return how far an index is behind. Raises `NoIndexError` if there is none."""
        index = self._index(portal)
        with portal.store.reading() as session:
            missing = abs(count_pages(session) - index.page_count)
            if missing:
                return IndexStatus(index.page_count, missing)
            stamp = (ledger.last_model(session), _meta(index_directory(portal)).stat().st_mtime_ns)
            cached = self._lacking.get(portal.path)
            # A new model may have changed judgements, so all are compared.
            if cached is None or cached[0] != stamp:
                tree = TopicTree(topic_rows.all_topics(session))
                cached = (stamp, pending_changes(session, tree, index.contents()).change_count)
                self._lacking[portal.path] = cached
        return IndexStatus(index.page_count, cached[1])

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=self._max_wait_s):
            raise BusyError("Too many searches are running; try again in a moment.")
        try:
            yield
        finally:
            self._turns.release()

    def _index(self, portal: Portal) -> PageIndex:
        """Return the index as it is now; one that was rebuilt meanwhile is opened again."""
        place = index_directory(portal)
        with self._lock:
            opened = self._opened.pop(place, None)
            try:
                folder = _meta(place).parent.stat().st_ino
                if opened is None or opened.folder != folder:
                    opened = _open(place, folder)
                index = opened.index.latest()
            except (OSError, ValueError) as error:
                raise NoIndexError(_missing_index_message(place)) from error
            self._opened[place] = opened
            while len(self._opened) > MAX_OPEN_INDEXES:
                self._opened.popitem(last=False)
        if not index.page_count:
            raise NoIndexError("There is nothing in the index yet.")
        return index


def _open(place: Path, folder: int) -> _OpenIndex:
    index = PageIndex.open(place)
    if index is None:
        raise NoIndexError(_missing_index_message(place))
    return _OpenIndex(folder, index)


def _missing_index_message(place: Path) -> str:
    if has_other_format(place):
        return "The index was made by another version and has to be rebuilt."
    return "There is no index yet."


def _meta(place: Path) -> Path:
    return place / f"pages-{INDEX_FORMAT}" / "meta.json"
