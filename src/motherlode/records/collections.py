"""The user's choices about the pages of collections (SPEC T6)."""

from enum import StrEnum

from msgspec import Struct

from motherlode.records.identifiers import TopicId


class ChoiceKind(StrEnum):
    """What a user decides about a page of a collection."""

    ACCEPT = "accept"  # it stays, whatever its merit
    REJECT = "reject"  # it joins no collection any more
    MOVE = "move"  # it joins the collection of another subject
    PIN = "pin"  # it comes first
    CLEAR = "clear"  # the choice before holds no more


class CollectionChoice(Struct, frozen=True):
    """A user's choice about a URL. Of several about the same URL, the last one counts.

    `topic` is the subject whose collection the page joins; None for a page that is rejected or
    cleared. `former_topic` is the subject whose collection had the page before.
    """

    url: str
    kind: ChoiceKind
    topic: TopicId | None
    former_topic: TopicId | None
    given_at: float
