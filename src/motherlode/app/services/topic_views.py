"""Topics of the portals on a shelf: looked at, and edited. Slow looks are remembered, and few at a time."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from sqlalchemy import func, select

from motherlode.app.jobs.queue import BusyError
from motherlode.app.services.registry import Shelf
from motherlode.app.services.topic_pages import (
    Surroundings,
    TopicPage,
    Topics,
    surroundings_of,
    topic_page,
    topics_in,
)
from motherlode.app.services.topics import Edit, editing, topic_at
from motherlode.portal import Portal
from motherlode.records import NoSuchTopicError, Topic, TopicId
from motherlode.search.indexer import index_directory
from motherlode.store import Session
from motherlode.store import topics as topic_rows
from motherlode.store.schema import examples, models, pages, topics
from motherlode.topics import TopicTree, show_path

COMMAND = "lode topics"
_GROWTH = 1.1
T = TypeVar("T")


class Memory:
    """What was worked out lately. One at a time is worked out; who waits too long is told so."""

    def __init__(self, most: int = 64, patience: float = 20.0) -> None:
        self._most, self._patience = most, patience
        self._known: OrderedDict[Hashable, Any] = OrderedDict()
        self._turn = threading.Lock()

    def recall(self, key: Hashable, work: Callable[[], T]) -> T:
        """What work gave for this key before, or gives now. Raises `BusyError` where it has to wait."""
        if not self._turn.acquire(timeout=self._patience):
            raise BusyError("The server is working out something else; try again in a moment.")
        try:
            if key not in self._known:
                self._known[key] = work()
                while len(self._known) > self._most:
                    self._known.popitem(last=False)
            self._known.move_to_end(key)
            found: T = self._known[key]
            return found
        finally:
            self._turn.release()


_MEMORY = Memory()


def recalled(key: Hashable, work: Callable[[], T]) -> T:
    return _MEMORY.recall(key, work)


def moment_of(session: Session) -> tuple[int, ...]:
    """By what it is seen that a portal has changed in what is worked out of it."""
    columns = [func.max(table.c.id) for table in (pages, models, examples, topics)]
    found = [session.connection.execute(select(column)).scalar_one() or 0 for column in columns]
    counted = [select(func.count()).select_from(table) for table in (examples, topics)]
    return (*found, *(session.connection.execute(query).scalar_one() for query in counted))


def topics_at(shelf: Shelf, name: str) -> Topics:
    with shelf.reading(name) as portal, portal.store.reading() as session:
        return topics_in(session, portal)


def names_in(tree: TopicTree) -> list[str]:
    """The topics that pages can be on, by their paths."""
    return [show_path(tree.path(topic.id)) for topic in tree if not topic.is_others]


def topic_numbered(tree: TopicTree, number: int) -> Topic:
    """Raises `NoSuchTopicError` where there is none of that number, or it is the root."""
    found = next((topic for topic in tree if topic.id == number), None)
    if found is None:
        raise NoSuchTopicError("There is no such topic; it may have been removed.")
    return found


def topic_page_at(shelf: Shelf, name: str, topic: int | str) -> TopicPage:
    """A topic by its number, or by its path."""
    with shelf.reading(name) as portal, portal.store.reading() as session:
        return topic_page(session, portal, _found(portal.tree(), topic))


def surroundings_at(shelf: Shelf, name: str, topic: int | str) -> Surroundings:
    with shelf.reading(name) as portal, portal.store.reading() as session:
        return analysed(session, portal, _found(portal.tree(), topic))


class _Analysed(Struct, frozen=True):
    """The surroundings of a topic, by what was known at a moment."""

    moment: tuple[int, ...]
    found: Surroundings


def analysed(session: Session, portal: Portal, topic: TopicId) -> Surroundings:
    """What the links around a topic say: as it is known, or as it is worked out now, which takes a moment."""
    found = known(session, portal, topic)
    if found is None:
        moment = moment_of(session)
        key = ("surroundings", str(portal.path), _path(session, topic), moment)
        found = recalled(key, lambda: surroundings_of(session, portal, topic))
        _keep(_file_of(portal, topic), _Analysed(moment, found))
    return found


def known(session: Session, portal: Portal, topic: TopicId) -> Surroundings | None:
    """What was found out before. Like authority it is good until something was learned or edited, or the
    portal has grown by a tenth."""
    try:
        kept = msgspec.msgpack.decode(_file_of(portal, topic).read_bytes(), type=_Analysed)
    except (OSError, msgspec.DecodeError):
        return None
    good = kept.found.topic == _path(session, topic) and _holds(kept.moment, moment_of(session))
    return kept.found if good else None


def _path(session: Session, topic: TopicId) -> str:
    return show_path(TopicTree(topic_rows.all_topics(session)).path(topic))


def _holds(kept: tuple[int, ...], now: tuple[int, ...]) -> bool:
    """Whether what was worked out then is still good; moments begin with the pages."""
    return kept[1:] == now[1:] and kept[0] <= now[0] <= kept[0] * _GROWTH


def _file_of(portal: Portal, topic: TopicId) -> Path:
    return index_directory(portal) / f"surroundings-{int(topic)}"


def _keep(file: Path, found: _Analysed) -> None:
    """It can be worked out again, so nothing is lost where it cannot be written."""
    fresh = file.with_suffix(".new")
    with suppress(OSError):
        fresh.write_bytes(msgspec.msgpack.encode(found))
        fresh.replace(file)


def path_at(shelf: Shelf, name: str, topic: int) -> str:
    with shelf.reading(name) as portal:
        tree = portal.tree()
        return "/".join(tree.path(topic_numbered(tree, topic).id))


@contextmanager
def editing_at(shelf: Shelf, name: str, command: str = COMMAND) -> Iterator[Edit]:
    with editing(shelf.path(name), command) as edit:
        yield edit


def _found(tree: TopicTree, topic: int | str) -> TopicId:
    if isinstance(topic, int):
        return topic_numbered(tree, topic).id
    found = topic_at(tree, topic)
    if found.parent is None:
        raise NoSuchTopicError("Name a topic; / is all of them.")
    return found.id
