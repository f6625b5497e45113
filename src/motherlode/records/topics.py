"""Topics by example (SPEC B1)."""

from enum import StrEnum

from msgspec import Struct

from motherlode.records.identifiers import ExampleId, TopicId


class Origin(StrEnum):
    """Who put an example into a topic."""

    PERSON = "person"
    QUERY = "query"
    ARCHETYPE = "archetype"
    FEEDBACK = "feedback"
    HIT = "hit"  # a search source returned it for the subject


# Of examples that a model has chosen, whether or not a user has accepted them.
CHOSEN_ORIGINS = frozenset({Origin.ARCHETYPE, Origin.FEEDBACK})


class Topic(Struct, frozen=True):
    """A node of the topic tree. `is_others` marks a parent's counterexamples (SPEC B7, B16)."""

    id: TopicId
    parent: TopicId | None
    name: str
    is_others: bool = False


class Example(Struct, frozen=True):
    """A page that shows what a topic is about, or, without a URL, a virtual document's words."""

    topic: TopicId
    url: str | None
    title: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    text: str | None = None
    origin: Origin = Origin.PERSON
    added_at: float = 0.0
    id: ExampleId = ExampleId(0)


class Bookmark(Struct, frozen=True):
    """One bookmark as the file has it: the URL is not canonical yet."""

    url: str
    title: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    added_at: float = 0.0


class Folder(Struct, frozen=True):
    """A bookmark folder with what it holds, in the file's order."""

    name: str
    bookmarks: tuple[Bookmark, ...] = ()
    folders: tuple["Folder", ...] = ()
