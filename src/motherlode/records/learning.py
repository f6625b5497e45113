"""What the judge said, from which model, and what the person said of it."""

from enum import IntEnum
from typing import Any

from msgspec import Struct

from motherlode.records.identifiers import ROOT, FeedbackId, ModelId, PageId, TopicId

TOPIC_MODEL = "tree"  # the kind of model that judges pages by topics


class Judgement(Struct, frozen=True, gc=False):
    """A page's topic and the confidence in it, on the scale that the model names."""

    topic: TopicId
    confidence: float
    model: ModelId | None = None

    @property
    def is_on_topic(self) -> bool:
        """Whether a topic wants the page: the root of all of them stands for none."""
        return self.topic != ROOT and self.confidence > 0


class Model(Struct, frozen=True):
    """A trained model, packed, with the report of its training."""

    id: ModelId
    kind: str
    version: int
    created_at: float
    packed: bytes
    report: dict[str, Any] = {}


class Verdict(IntEnum):
    """What a person says of a page in a topic."""

    BAD = -1
    GOOD = 1


class Word(IntEnum):
    """What a mark says of a page in a topic."""

    BAD = -1  # it does not belong there
    NOTHING = 0  # what was said before holds no more
    GOOD = 1  # it shows what the topic is about
    DROPPED = 2  # it is not to be learned from, whatever it is about


class Feedback(Struct, frozen=True):
    """A person's verdict (SPEC B15, B21)."""

    page: PageId
    topic: TopicId
    verdict: Verdict
    given_at: float
    note: str = ""
    id: FeedbackId = FeedbackId(0)


class Mark(Struct, frozen=True):
    """A person's word on a page that was found (SPEC B21); it holds until another is given."""

    page: PageId
    topic: TopicId
    word: Word
    given_at: float
    note: str = ""
