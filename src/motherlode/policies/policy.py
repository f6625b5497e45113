"""What the engine asks of a policy. Policies are synchronous and do no I/O."""

from collections.abc import Iterable
from typing import Protocol

from motherlode.records import Document, Entry, Follow, Judgement


class Policy(Protocol):
    """How a crawl is steered."""

    def seed(self) -> Iterable[Follow]:
        """Where the crawl begins."""
        ...

    def judge(self, entry: Entry, document: Document) -> Judgement | None:
        """What the page is about, and how surely; None from a policy that does not care."""
        ...

    def steer(self, entry: Entry, document: Document, judgement: Judgement | None) -> Iterable[Follow]:
        """Which of the page's links to follow, and at which rank."""
        ...
