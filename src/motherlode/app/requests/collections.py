"""The request that shows and curates the collections of a portal."""

from typing import Annotated

from msgspec import Struct, field

from motherlode.app.requests.feedback import PageMove
from motherlode.app.requests.fields import CommandLineSettings, Url, described

MAX_CHOSEN_PAGES = 1_000  # of one request
MAX_SHOWN_MEMBERS = 1_000_000

SubjectPath = Annotated[
    str,
    described(
        "A subject, as a topic path or number.",
        max_length=20_000,
        examples=["science/physics"],
        argument=True,
        metavar="[SUBJECT]",
    ),
]


def _chosen_pages(help_text: str, metavar: str = "URL") -> object:
    return described(f"{help_text} (repeatable).", max_length=MAX_CHOSEN_PAGES, metavar=metavar)


AcceptedPages = Annotated[
    tuple[Url, ...], _chosen_pages("Keep this page in its collection, whatever its merit")
]
RejectedPages = Annotated[
    tuple[Url, ...], _chosen_pages("Leave this page out of all collections, for good")
]
PagesToMove = Annotated[
    tuple[PageMove, ...],
    _chosen_pages("Move this page to the collection of another subject", "URL SUBJECT"),
]
PinnedPages = Annotated[
    tuple[Url, ...], _chosen_pages("Keep this page in its collection, as one of the first")
]
ClearedPages = Annotated[tuple[Url, ...], _chosen_pages("Forget your choice about this page")]
UndoChoices = Annotated[bool, described("Take back your latest choices.")]
MemberLimit = Annotated[
    int,
    described(
        "Show at most this many members; by default all.",
        ge=1,
        le=MAX_SHOWN_MEMBERS,
        command_line_only=True,
    ),
]


class CollectionsRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user's choices about the pages of collections; see `lode collections`.

    `subject` is the one whose collection accepted and pinned pages join; without it, their own.
    """

    subject: SubjectPath | None = None
    accept: AcceptedPages = ()
    reject: RejectedPages = ()
    move: PagesToMove = ()
    pin: PinnedPages = ()
    clear: ClearedPages = ()
    undo: UndoChoices = False
    limit: MemberLimit | None = None
    settings: CommandLineSettings = field(default=(), name="set")

    @property
    def makes_choices(self) -> bool:
        return bool(self.accept or self.reject or self.move or self.pin or self.clear)
