"""Where portals are searched: each index is opened once, and only so many ask at a time."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from motherlode.app.jobs.queue import BusyError
from motherlode.app.services.registry import Shelf
from motherlode.app.services.search import Desk
from motherlode.portal import Portal
from motherlode.records import LodeError
from motherlode.search.index import INDEX_FORMAT, PageIndex, has_other_format
from motherlode.search.indexer import index_directory, pending_changes
from motherlode.store import ledger
from motherlode.store import topics as topic_rows
from motherlode.store.pages import count_pages
from motherlode.topics import TopicTree

AT_ONCE = 4  # queries; each takes a core for as long as it lasts
OPEN = 16  # indexes
_PATIENCE = 20.0  # seconds that a query waits for its turn


class NoIndexError(LodeError):
    """There is no index to search, or nothing in it."""


class _Opened(Struct, frozen=True):
    """An index, known by the file that says what is in it."""

    folder: int
    index: PageIndex


class Standing(Struct, frozen=True):
    """How an index stands to its portal: it lacks so many changes."""

    pages: int
    behind: int


class Desks:
    """Indexes of the portals on a shelf, those that were asked last. Any thread may ask."""

    def __init__(self, shelf: Shelf, at_once: int = AT_ONCE, patience: float = _PATIENCE) -> None:
        self._shelf, self._patience = shelf, patience
        self._turns = threading.BoundedSemaphore(at_once)
        self._lock = threading.Lock()
        self._opened: OrderedDict[Path, _Opened] = OrderedDict()
        self._lacking: dict[Path, tuple[tuple[int, int], int]] = {}

    @contextmanager
    def at(self, name: str) -> Iterator[tuple[Portal, Desk]]:
        """A portal and its desk. Raises `NoIndexError`, or `BusyError` where too many ask at once."""
        with self._turn(), self._shelf.reading(name) as portal:
            yield portal, Desk(portal, self._index(portal))

    def standing(self, portal: Portal) -> Standing:
        """How far an index is behind. Raises `NoIndexError` where there is none."""
        index = self._index(portal)
        with portal.store.reading() as session:
            missing = abs(count_pages(session) - index.page_count)
            if missing:
                return Standing(index.page_count, missing)
            stamp = (ledger.last_model(session), _meta(index_directory(portal)).stat().st_mtime_ns)
            known = self._lacking.get(portal.path)
            if known is None or known[0] != stamp:  # judged anew, perhaps: it has to be looked at closely
                tree = TopicTree(topic_rows.all_topics(session))
                known = (stamp, pending_changes(session, tree, index.contents()).change_count)
                self._lacking[portal.path] = known
        return Standing(index.page_count, known[1])

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=self._patience):
            raise BusyError("Too many are searching at once; try again in a moment.")
        try:
            yield
        finally:
            self._turns.release()

    def _index(self, portal: Portal) -> PageIndex:
        """The index at this moment; one that was made anew meanwhile is opened anew."""
        place = index_directory(portal)
        with self._lock:
            opened = self._opened.pop(place, None)
            try:
                folder = _meta(place).parent.stat().st_ino
                if opened is None or opened.folder != folder:
                    opened = _open(place, folder)
                index = opened.index.latest()
            except (OSError, ValueError) as error:
                raise NoIndexError(_missing(place)) from error
            self._opened[place] = opened
            while len(self._opened) > OPEN:
                self._opened.popitem(last=False)
        if not index.page_count:
            raise NoIndexError("There is nothing in the index yet.")
        return index


def _open(place: Path, folder: int) -> _Opened:
    index = PageIndex.open(place)
    if index is None:
        raise NoIndexError(_missing(place))
    return _Opened(folder, index)


def _missing(place: Path) -> str:
    if has_other_format(place):
        return "The index was made by another version and has to be made anew."
    return "There is no index yet."


def _meta(place: Path) -> Path:
    return place / f"pages-{INDEX_FORMAT}" / "meta.json"
