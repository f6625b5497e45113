"""What is shown of the portals on a shelf: by name, since where they lie is the server's business."""

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.services.registry import Shelf
from motherlode.app.services.status import Status, command_for, status_of
from motherlode.portal.lock import holder_of
from motherlode.records import LodeError


class Card(Struct, frozen=True):
    """A portal among others. `writing`: the command at work on it; `problem`: why it cannot be opened."""

    name: str
    title: str
    topics: int = 0
    examples: int = 0
    pages: int = 0
    phase: str = ""
    writing: str = ""
    problem: str = ""


def status_at(shelf: Shelf, name: str) -> Status:
    writing = holder_of(shelf.path(name))
    with shelf.reading(name) as portal, portal.store.reading() as session:
        return named(status_of(session, portal, writing), name)


def named(status: Status, name: str) -> Status:
    """A portal's status, without where it lies."""
    return replace(status, portal=name, next=command_for(status.step, Path(name)))


def cards(shelf: Shelf) -> list[Card]:
    """Every portal; one that cannot be opened hides none of the others."""
    return [_card(shelf, name) for name in shelf.names()]


def _card(shelf: Shelf, name: str) -> Card:
    try:
        status = status_at(shelf, name)
    except LodeError as error:
        return Card(name, name, problem=shelf.told(error))
    writing = status.writing.command if status.writing is not None else ""
    topics = len(status.topics)
    return Card(name, status.title, topics, status.examples, status.pages, status.phase, writing)
