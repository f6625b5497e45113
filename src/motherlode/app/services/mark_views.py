"""Marks, as a form or the API gives them. They are kept at once; learning from them is a job."""

from time import time

from msgspec import Struct

from motherlode.app.services.addresses import address_in
from motherlode.app.services.feedback import MAX_NOTE
from motherlode.app.services.marks import MarksDone, told_of
from motherlode.app.services.registry import Shelf
from motherlode.portal import Portal
from motherlode.records import TopicId, UsageError
from motherlode.store import topics as topic_rows
from motherlode.store.marks import give_marks, take_back
from motherlode.topics import TopicTree, parse_path
from motherlode.training.mark_changes import ALL, Listed, Sayings, marks_from, marks_listed


class Words(Struct, frozen=True):
    """What is said of pages, as after `lode mark`."""

    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    clear: tuple[str, ...] = ()
    topic: str = ""
    note: str = ""
    undo: bool = False

    @property
    def says(self) -> bool:
        return bool(self.good or self.bad or self.drop or self.clear)


def mark(shelf: Shelf, name: str, words: Words) -> MarksDone:
    """Keep what is said. Raises `UsageError` for what makes no sense, `LockedError` while somebody writes."""
    if words.undo == words.says:
        raise UsageError("Say what is good, bad, to be dropped or cleared; or undo, which goes alone.")
    path = shelf.path(name)
    with Portal.writing(path, "lode mark") as portal, portal.store.writing() as session:
        if words.undo:
            undone = take_back(session)
            if not undone:
                raise UsageError("Nothing was marked, so there is nothing to take back.")
            return MarksDone([], undone)
        tree = TopicTree(topic_rows.all_topics(session))
        marks = marks_from(session, tree, _sayings(portal, tree, words), time())
        give_marks(session, marks)
        return told_of(session, tree, marks)


def marks_at(shelf: Shelf, name: str) -> list[Listed]:
    """All marks that hold, the last first."""
    with shelf.reading(name) as portal, portal.store.reading() as session:
        return marks_listed(session, TopicTree(topic_rows.all_topics(session)))


def _sayings(portal: Portal, tree: TopicTree, words: Words) -> Sayings:
    topic: TopicId | None = tree.at(parse_path(words.topic)).id if words.topic else None
    note = words.note.encode(errors="replace").decode()[:MAX_NOTE]
    good, bad, drop, clear = (
        tuple(_address(portal, one) for one in urls)
        for urls in (words.good, words.bad, words.drop, words.clear)
    )
    return Sayings(good, bad, drop, clear, topic, note)


def _address(portal: Portal, url: str) -> str:
    if url == ALL:
        return ALL
    with portal.store.reading() as session:
        return address_in(session, url, portal.config.urls).url
