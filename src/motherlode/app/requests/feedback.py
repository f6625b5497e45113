"""The requests that say something about pages: feedback on archetypes, and relevance marks."""

from typing import Annotated

from msgspec import Struct, field

from motherlode.app.requests.fields import CommandLineSettings, Url, described

MAX_FEEDBACK_PAGES = 200  # of one request, and archetypes on one page
MAX_MARKED_PAGES = 1_000
MAX_NOTE_CHARS = 2_000

TopicPath = Annotated[
    str,
    described(
        "Only this topic and its subtopics.",
        min_length=1,
        max_length=20_000,
        examples=["science/physics"],
        metavar="TOPIC",
    ),
]


class PageMove(Struct, frozen=True, forbid_unknown_fields=True):
    """A page, and the topic that it belongs to."""

    url: Url
    topic: TopicPath


Accept = Annotated[
    tuple[Url, ...],
    described(
        "Keep this archetype for good (repeatable).",
        max_length=MAX_FEEDBACK_PAGES,
        metavar="URL|all",
    ),
]
Reject = Annotated[
    tuple[Url, ...],
    described(
        "Learn from this page as a counterexample, for good (repeatable).",
        max_length=MAX_FEEDBACK_PAGES,
        metavar="URL|all",
    ),
]
MovedPages = Annotated[
    tuple[PageMove, ...],
    described(
        "Make this page an example of TOPIC, or of OTHERS (repeatable).",
        max_length=MAX_FEEDBACK_PAGES,
        metavar="URL TOPIC",
    ),
]
Trim = Annotated[
    Url, described("Learn from a part of this example only, given by --blocks.", metavar="URL")
]
Blocks = Annotated[
    str,
    described(
        "The blocks that --trim keeps; all: the whole page again.",
        max_length=20_000,
        examples=["3-7,9", "all"],
        metavar="3-7,9",
    ),
]
FeedbackNote = Annotated[
    str,
    described(
        "Your reason, stored with the feedback.",
        max_length=MAX_NOTE_CHARS,
        metavar="TEXT",
        label="Note",
        placeholder="your reason",
    ),
]


UndoFeedback = Annotated[bool, described("Take back the latest feedback.")]


class FeedbackRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user's feedback on archetypes; see `lode feedback`.

    `all` is every archetype without feedback.
    """

    topic: TopicPath | None = None
    accept: Accept = ()
    reject: Reject = ()
    move: MovedPages = ()
    trim: Trim | None = None
    blocks: Blocks | None = None
    note: FeedbackNote = ""
    undo: UndoFeedback = False
    settings: CommandLineSettings = field(default=(), name="set")

    @property
    def changes_anything(self) -> bool:
        return bool(self.accept or self.reject or self.move or self.trim)


def _marked_pages(help_text: str, metavar: str = "URL|N") -> object:
    return described(f"{help_text} (repeatable).", max_length=MAX_MARKED_PAGES, metavar=metavar)


Good = Annotated[
    tuple[Url, ...], _marked_pages("Learn from this page: it is a good example of its topic")
]
Bad = Annotated[
    tuple[Url, ...], _marked_pages("Learn from this page as a counterexample: it is off its topic")
]
Drop = Annotated[tuple[Url, ...], _marked_pages("Stop learning from this training document")]
Clear = Annotated[
    tuple[Url, ...], _marked_pages("Take back the mark of this page; all: of every page")
]
Undo = Annotated[bool, described("Take back the latest marks.")]
MarkTopic = Annotated[
    str,
    described(
        "The topic that is meant, if it is not the page's own.", max_length=2_000, metavar="TOPIC"
    ),
]
MarkNote = Annotated[
    str, described("Your reason, stored with the mark.", max_length=10_000, metavar="TEXT")
]


class MarkRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which pages are marked as good or bad for a topic; see `lode mark`."""

    good: Good = ()
    bad: Bad = ()
    drop: Drop = ()
    clear: Clear = ()
    undo: Undo = False
    topic: MarkTopic | None = None
    note: MarkNote = ""
    settings: CommandLineSettings = field(default=(), name="set")

    @property
    def marks_pages(self) -> bool:
        return bool(self.good or self.bad or self.drop or self.clear)
