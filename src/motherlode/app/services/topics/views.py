"""Topics of served portals: tables, profiles, link analyses and edits."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from sqlalchemy import func, select

from motherlode.app.errors import BusyError
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.topics.edits import TopicEditor, open_editor, topic_at
from motherlode.app.services.topics.profiles import (
    TopicPage,
    Topics,
    TopicSurroundings,
    surroundings_of,
    topic_page,
    topics_in,
)
from motherlode.portal import Portal
from motherlode.records import NoSuchTopicError, Topic, TopicId
from motherlode.search.indexer import index_directory
from motherlode.store import Session
from motherlode.store.schema import examples, models, pages, topics
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree, show_path

COMMAND = "lode topics"
ANALYSIS_VERSION = 2  # a stored link analysis of another version is made again
MAX_GROWTH = 1.1  # of the pages, until an analysis is outdated
T = TypeVar("T")


class ResultCache:
    """The latest results of slow analyses, computed one at a time."""

    def __init__(self, max_results: int = 64, max_wait_s: float = 20.0) -> None:
        self._max_results, self._max_wait_s = max_results, max_wait_s
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._turn = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result of a key, computed now if it is not cached.

        Raises `BusyError` if another computation takes too long.
        """
        if not self._turn.acquire(timeout=self._max_wait_s):
            raise BusyError("The server is busy with another analysis; try again in a moment.")
        try:
            if key not in self._results:
                self._results[key] = compute()
                while len(self._results) > self._max_results:
                    self._results.popitem(last=False)
            self._results.move_to_end(key)
            result: T = self._results[key]
            return result
        finally:
            self._turn.release()


_CACHE = ResultCache()


def compute_once(key: Hashable, compute: Callable[[], T]) -> T:
    """Return the result of a key from the cache of this process, or compute it."""
    return _CACHE.get(key, compute)


def content_version(session: Session) -> tuple[int, ...]:
    """Return numbers that differ once pages, models, examples or topics have changed."""
    columns = [func.max(table.c.id) for table in (pages, models, examples, topics)]
    latest = [session.connection.execute(select(column)).scalar_one() or 0 for column in columns]
    counts = [select(func.count()).select_from(table) for table in (examples, topics)]
    return (*latest, *(session.connection.execute(query).scalar_one() for query in counts))


def topics_at(registry: PortalRegistry, name: str) -> Topics:
    """Return the topic tree of a portal in figures."""
    with registry.reading(name) as portal, portal.store.reading() as session:
        return topics_in(session, portal)


def topic_names_at(registry: PortalRegistry, name: str) -> list[str]:
    """Return the paths of the topics that pages can be on."""
    with registry.reading(name) as portal:
        tree = portal.tree()
    return [show_path(tree.path(topic.id)) for topic in tree if not topic.is_others]


def topic_by_number(tree: TopicTree, number: int) -> Topic:
    """Return the topic of a number.

    Raises `NoSuchTopicError` if there is none, or it is the root.
    """
    topic = next((topic for topic in tree if topic.id == number), None)
    if topic is None:
        raise NoSuchTopicError("There is no such topic; it may have been removed.")
    return topic


def topic_page_at(registry: PortalRegistry, name: str, topic: int | str) -> TopicPage:
    """Return the page of a topic, given by its number or its path."""
    with registry.reading(name) as portal, portal.store.reading() as session:
        return topic_page(session, portal, _topic_id(portal.tree(), topic))


def surroundings_at(registry: PortalRegistry, name: str, topic: int | str) -> TopicSurroundings:
    """Return the link analysis of a topic, given by its number or its path."""
    with registry.reading(name) as portal, portal.store.reading() as session:
        return topic_surroundings(session, portal, _topic_id(portal.tree(), topic))


class _StoredSurroundings(Struct, frozen=True, rename={"surroundings": "found"}):
    """A link analysis, with the version of the content that it is based on."""

    moment: tuple[int, ...]
    surroundings: TopicSurroundings
    analysis: int = 1  # the first version was not stored


def topic_surroundings(session: Session, portal: Portal, topic: TopicId) -> TopicSurroundings:
    """Return the link analysis of a topic: the stored one, or a new one, which takes a moment."""
    surroundings = stored_surroundings(session, portal, topic)
    if surroundings is None:
        version = content_version(session)
        key = ("surroundings", str(portal.path), _path(session, topic), version)
        surroundings = compute_once(key, lambda: surroundings_of(session, portal, topic))
        stored = _StoredSurroundings(version, surroundings, ANALYSIS_VERSION)
        _store(_file_of(portal, topic), stored)
    return surroundings


def stored_surroundings(
    session: Session, portal: Portal, topic: TopicId
) -> TopicSurroundings | None:
    """Return the stored link analysis of a topic, or None.

    Like authority scores it is valid until something was learned or edited, or the portal has
    grown by a tenth.
    """
    try:
        stored = msgspec.msgpack.decode(
            _file_of(portal, topic).read_bytes(), type=_StoredSurroundings
        )
    except (OSError, msgspec.DecodeError):
        return None
    if stored.analysis != ANALYSIS_VERSION or stored.surroundings.topic != _path(session, topic):
        return None
    is_valid = _is_valid(stored.moment, content_version(session))
    return stored.surroundings if is_valid else None


def _path(session: Session, topic: TopicId) -> str:
    return show_path(TopicTree(topic_rows.all_topics(session)).path(topic))


def _is_valid(stored: tuple[int, ...], current: tuple[int, ...]) -> bool:
    """Return whether an analysis is valid; the first number of a version is the latest page."""
    return stored[1:] == current[1:] and stored[0] <= current[0] <= stored[0] * MAX_GROWTH


def _file_of(portal: Portal, topic: TopicId) -> Path:
    return index_directory(portal) / f"surroundings-{int(topic)}"


def _store(file: Path, surroundings: _StoredSurroundings) -> None:
    """Write the file if possible: if it is missing, the analysis is made again."""
    part = file.with_suffix(".new")
    with suppress(OSError):
        part.write_bytes(msgspec.msgpack.encode(surroundings))
        part.replace(file)


def path_at(registry: PortalRegistry, name: str, topic: int) -> str:
    """Return the path of a topic, given by its number."""
    with registry.reading(name) as portal:
        tree = portal.tree()
        return "/".join(tree.path(topic_by_number(tree, topic).id))


@contextmanager
def editor_at(registry: PortalRegistry, name: str) -> Iterator[TopicEditor]:
    """Open the topic tree of a served portal for edits, in one transaction."""
    with open_editor(registry.path(name), COMMAND) as editor:
        yield editor


def _topic_id(tree: TopicTree, topic: int | str) -> TopicId:
    if isinstance(topic, int):
        return topic_by_number(tree, topic).id
    named = topic_at(tree, topic)
    if named.parent is None:
        raise NoSuchTopicError("Name a topic; / is all of them.")
    return named.id
