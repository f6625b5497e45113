"""What the engine asks of a policy. Policies are synchronous and do no I/O."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from msgspec import Struct

from motherlode.records import Document, Entry, Follow, Judgement

if TYPE_CHECKING:  # whoever reads a configuration need not load what documents are made of
    from motherlode.documents.terms import Bag


class Visit(Struct, frozen=True):
    """A page that was fetched: how it was come by, what it says, and what it is in each feature space."""

    entry: Entry
    document: Document
    sample: Mapping[str, "Bag"] = {}


@runtime_checkable
class Revising(Protocol):
    """A policy that may think less of an entry, once it comes up, than when it was offered."""

    def rank_now(self, entry: Entry) -> float:
        """What its rank would be if it were offered now."""
        ...


class Policy(Protocol):
    """How a crawl is steered."""

    @property
    def spaces(self) -> Sequence[str]:
        """The feature spaces that it wants to see pages in."""
        ...

    def seed(self) -> Iterable[Follow]:
        """Where the crawl begins."""
        ...

    def judge(self, visits: Sequence[Visit]) -> Sequence[Judgement | None]:
        """What each page is about, and how surely; None from a policy that does not care."""
        ...

    def steer(self, visit: Visit, judgement: Judgement | None) -> Iterable[Follow]:
        """Which of the page's links to follow, and at which rank."""
        ...
