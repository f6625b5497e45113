"""The portals of a server as cards, and the status of one, by name and without paths."""

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.portals.status import Status, status_of
from motherlode.portal.lock import holder_of
from motherlode.records import LodeError
from motherlode.records.example_counts import ExampleCounts
from motherlode.records.shell_words import shell_word


class PortalCard(Struct, frozen=True):
    """A portal in a list.

    `examples` counts all; `examples_from` counts those of users and of the crawl. `writing` is the
    command that writes the portal; `problem`, why it cannot be opened.
    """

    name: str
    title: str
    topics: int = 0
    examples: int = 0
    pages: int = 0
    phase: str = ""
    writing: str = ""
    problem: str = ""
    examples_from: ExampleCounts = ExampleCounts()


def status_at(registry: PortalRegistry, name: str) -> Status:
    writing = holder_of(registry.path(name))
    with registry.reading(name) as portal, portal.store.reading() as session:
        return with_name(status_of(session, portal, writing), name)


def with_name(status: Status, name: str) -> Status:
    """Return a status with the portal's name in the place of its path."""
    place, shown = shell_word(status.portal), shell_word(name)
    return replace(status, portal=name, next=status.next.replace(place, shown, 1))


def cards(registry: PortalRegistry) -> list[PortalCard]:
    """Return a card of every portal, also of those that cannot be opened."""
    return [_card(registry, name) for name in registry.names()]


def _card(registry: PortalRegistry, name: str) -> PortalCard:
    try:
        status = status_at(registry, name)
    except LodeError as error:
        return PortalCard(name, name, problem=registry.message(error))
    writing = status.writing.command if status.writing is not None else ""
    topics = len(status.topics)
    return PortalCard(
        name=name,
        title=status.title,
        topics=topics,
        examples=status.examples,
        pages=status.pages,
        phase=status.phase,
        writing=writing,
        examples_from=status.examples_from,
    )
