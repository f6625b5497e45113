"""Counting what a crawl brings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from motherlode.engine.progress import Progress
from motherlode.engine.settling import Draft
from motherlode.records import TopicId, UrlState
from motherlode.store.outcomes import Kept
from motherlode.urls import host_of


@dataclass(slots=True)
class Tally:
    """The figures so far; documents inside archives are no pages of their own here."""

    pages: int = 0
    failed: int = 0
    skipped: int = 0
    redirects: int = 0
    relevant: int = 0
    size: int = 0
    waiting: int = 0  # URLs that were offered and not settled, about
    hosts: set[str] = field(default_factory=set)
    topics: Counter[TopicId] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def count(self, drafts: Sequence[Draft], kept: Kept) -> None:
        self.waiting = max(0, self.waiting + len(kept.offered) - len(kept.settled))
        for draft in drafts:
            if draft.fetched is not None:
                self._count(draft)

    def _count(self, draft: Draft) -> None:
        outcome, fetched = draft.outcome, draft.fetched
        self.redirects += bool(outcome.redirects)
        self.failed += outcome.fate.state is UrlState.FAILED
        self.skipped += outcome.fate.state is UrlState.SKIPPED
        if fetched is not None and fetched.failure is not None:
            self.errors[str(fetched.failure)] += 1
        if outcome.page is None:
            return
        self.pages += 1
        self.size += outcome.page.size
        self.hosts.add(host_of(outcome.page.url))
        said = outcome.judgement
        if said is not None and said.confidence > 0:
            self.relevant += 1
            self.topics[said.topic] += 1

    def progress(self, seconds: float) -> Progress:
        return Progress(
            pages=self.pages,
            failed=self.failed,
            redirects=self.redirects,
            hosts=len(self.hosts),
            seconds=seconds,
            skipped=self.skipped,
            relevant=self.relevant,
            waiting=self.waiting,
            size=self.size,
            topics=dict(self.topics),
            errors=dict(self.errors),
        )
