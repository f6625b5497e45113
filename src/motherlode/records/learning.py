"""What the judge said, from which model, and what the person said of it."""

from enum import IntEnum
from typing import TYPE_CHECKING, Any, overload

from msgspec import Struct

from motherlode.records.identifiers import ROOT, FeedbackId, ModelId, PageId, TopicId

if TYPE_CHECKING:  # records are loaded by every command, and these are slow to import
    import numpy as np
    import numpy.typing as npt
    from sqlalchemy import Column, ColumnElement

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

TOPIC_MODEL = "tree"  # the kind of model that judges pages by topics
LINK_MODEL = "links"  # the kind of model that a crawl ranks links by
CENTROID_MODEL = "centroids"  # the kind of model that judges pages by centroids of subjects
SITE_CLASSES_MODEL = "site-classes"  # the kind of model that judges pages by classes of sites
SITE_CONTRAST_MODEL = "site-contrast"  # the kind that judges sites by a contrast of centroids
ORDINAL_MODEL = "levels"  # the kind of model that judges pages by levels of distance
UNDONE_MODEL = "undone"  # in place of a model whose training was undone: a number and no model


class MeanProbability(Struct, frozen=True):
    """The mean probability of some pages of a topic, and their number."""

    value: float
    pages: int


@overload
def is_accepted(topic: int, confidence: float) -> bool: ...


@overload
def is_accepted(topic: "Ints", confidence: "Floats") -> "Mask": ...


@overload
def is_accepted(topic: "Column[int]", confidence: "Column[float]") -> "ColumnElement[bool]": ...


def is_accepted(topic: Any, confidence: Any) -> Any:
    """Return whether a page is accepted: it is on a topic, with a margin above 0.

    This alone decides it, everywhere: for numbers, for numpy arrays, and for columns of a query
    (`store.tables.judgements.ACCEPTED`). A policy without topics of its own leaves its pages on the
    root, whatever their margins: they are ranked by margin and score, and none is accepted.
    """
    return (topic != ROOT) & (confidence > 0)


class Judgement(Struct, frozen=True, gc=False):
    """A page's topic, and how far inside it the page lies.

    `confidence` is a margin: above 0, a page on a topic is accepted (`is_accepted`), whatever the
    policy. A page on no topic has the root for its topic. `score` is on the model's own scale
    (distance, cosine, probability, w.x); None where that is the margin itself. `probability` is
    calibrated: that an accepted page is on its topic. None: unknown.
    """

    topic: TopicId
    confidence: float
    model: ModelId | None = None
    score: float | None = None
    probability: float | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the page counts as relevant."""
        return is_accepted(self.topic, self.confidence)

    @property
    def own_score(self) -> float:
        """The score on the model's own scale."""
        return self.confidence if self.score is None else self.score


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
