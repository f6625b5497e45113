"""What the crawl asks of a policy. Policies are synchronous and do no I/O.

A policy says where a crawl begins, judges every page, and says which links to follow at which rank.
The other methods are optional: `PolicyDefaults` has them all.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from msgspec import Struct

from motherlode.records import Document, Entry, Follow, Judgement, Note, UrlKey

if TYPE_CHECKING:  # whoever reads a configuration need not load what documents are made of
    from motherlode.documents.text.terms import Bag
    from motherlode.urls import Address


class Visit(Struct, frozen=True):
    """A page that was fetched: its entry, its document, and its bag of terms in each feature space.

    `moved_to` is the address that redirects led to; None: the page was at the entry's own URL.
    """

    entry: Entry
    document: Document
    sample: Mapping[str, "Bag"] = {}
    moved_to: "Address | None" = None

    @property
    def url(self) -> str:
        """The URL at which the page was found, after redirects."""
        return self.entry.url if self.moved_to is None else self.moved_to.url

    @property
    def key(self) -> UrlKey:
        """The key of the URL at which the page was found, after redirects."""
        return self.entry.key if self.moved_to is None else self.moved_to.key


class MissKind(StrEnum):
    """Why there is no new page."""

    FAILED = "failed"
    SKIPPED = "skipped"
    DUPLICATE = "duplicate"


class Miss(Struct, frozen=True):
    """An entry that led to no new page, for good: it is not tried again.

    `duplicate_of` is the URL of the page with the same content.
    """

    entry: Entry
    kind: MissKind
    reason: str
    duplicate_of: str = ""


class Moves(Struct, frozen=True):
    """What a policy does after a page: links to follow, and notes that are stored with the page."""

    follows: Sequence[Follow] = ()
    notes: Sequence[Note] = ()


NO_MOVES = Moves()


@runtime_checkable
class Revising(Protocol):
    """A policy that may lower the rank of an entry when it comes up."""

    def rank_now(self, entry: Entry) -> float:
        """Return the rank that the entry would have if it were offered now."""
        ...


@runtime_checkable
class FollowWatcher(Protocol):
    """A policy that waits for an answer to every follow.

    Each of its follows is queued, or comes back to `not_queued` before the page is written.
    """

    def not_queued(self, follow: Follow) -> Moves:
        """Return what to do instead of a follow that may not be fetched, or was before."""
        ...

    def unwritten_notes(self) -> Sequence[Note]:
        """Return notes that are stored at the start of a run, with the seeds."""
        ...


class Policy(Protocol):
    """How a crawl is steered."""

    @property
    def name(self) -> str:
        """The name that runs are stored under, as in the registry of policies."""
        ...

    @property
    def spaces(self) -> Sequence[str]:
        """The feature spaces in which it wants to see pages."""
        ...

    @property
    def takes_turns(self) -> bool:
        """Whether its queues take turns; else the best entry of all queues comes first."""
        ...

    def seed(self) -> Iterable[Follow]:
        """Return where the crawl begins."""
        ...

    def judge(self, visits: Sequence[Visit]) -> Sequence[Judgement | None]:
        """Return a judgement for each page; None from a policy that does not judge."""
        ...

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        """Return which of the page's links to follow, and at which rank."""
        ...

    def missed(self, miss: Miss) -> Moves:
        """Return what to do after an entry that failed, was skipped, or is a duplicate."""
        ...

    def enough(self) -> bool:
        """Return whether the crawl has found enough, and ends."""
        ...

    def summary(self) -> str:
        """Return its own figures in words, for the progress of the crawl; empty without any."""
        ...


class PolicyDefaults:
    """The optional methods of a policy: it judges nothing, ignores misses, and never has enough."""

    __slots__ = ()

    @property
    def spaces(self) -> Sequence[str]:
        return ()

    @property
    def takes_turns(self) -> bool:
        return False

    def judge(self, visits: Sequence[Visit]) -> Sequence[Judgement | None]:
        return [None] * len(visits)

    def missed(self, _miss: Miss) -> Moves:
        return NO_MOVES

    def enough(self) -> bool:
        return False

    def summary(self) -> str:
        return ""
