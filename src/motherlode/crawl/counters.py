"""Counters of a crawl: pages, requests, failures, waiting URLs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from motherlode.crawl.decisions import DraftOutcome
from motherlode.crawl.progress import Progress
from motherlode.documents.extras import advice
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.fetcher import Fetched
from motherlode.records import Document, Entry, Lane, QueueId, TopicId, UrlState
from motherlode.store.tables.outcomes import Kept
from motherlode.urls import host_of

# Failures of URLs that were not requested.
_UNREQUESTED = frozenset(
    {
        FailureKind.TRAP,
        FailureKind.OUTSIDE,
        FailureKind.HOST_FULL,
        FailureKind.BAD_HOST,
        FailureKind.RESTING,
        FailureKind.FORBIDDEN_ADDRESS,
        FailureKind.ROBOTS,
        FailureKind.ROBOTS_UNREACHABLE,
    }
)


def requests_of(fetched: Fetched) -> int:
    """Return how many URLs were requested: each redirect, and the last URL."""
    redirects = sum(hop.status > 0 for hop in fetched.hops)
    has_failed = fetched.failure is not None and fetched.failure not in _UNREQUESTED
    return redirects + (has_failed or fetched.response is not None)


@dataclass(slots=True)
class CrawlCounters:
    """The figures of a crawl so far; archive members do not count as pages.

    A crawl that is given the counters of an earlier one continues them, and their clock (`began`).
    """

    pages: int = 0
    requests: int = 0
    failed: int = 0
    skipped: int = 0
    redirects: int = 0
    copies: int = 0
    relevant: int = 0
    size: int = 0
    began: float | None = None  # by the clock of the event loop
    queues: Counter[QueueId] = field(default_factory=Counter)  # waiting URLs, approximately
    waiting: int = 0  # URLs in all queues, each counted once; includes URLs that are held back
    newest: int = 0  # highest URL number so far: URLs are numbered as they are discovered
    hosts: set[str] = field(default_factory=set)
    topics: Counter[TopicId] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    advice: dict[str, None] = field(default_factory=dict)  # an ordered set

    def count(self, drafts: Sequence[DraftOutcome], kept: Kept) -> None:
        for draft in drafts:
            entry = draft.outcome.entry
            if entry.url_id in kept.settled:
                self.waiting = max(0, self.waiting - 1)
                if self.queues[entry.queue] > 0:
                    self.queues[entry.queue] -= 1
            self._add_advice(draft.outcome.document)
            if draft.fetched is not None:
                self._count(draft)

    def age(self, now: float) -> float:
        """Return the seconds since the counters began, by the clock of the event loop."""
        return 0.0 if self.began is None else now - self.began

    def set_waiting(self, queue_sizes: Mapping[QueueId, int], urls: int) -> None:
        """Set the number of waiting URLs, per queue and in all, as counted in the store."""
        self.queues, self.waiting = Counter(queue_sizes), urls

    def add_waiting(self, offered: Iterable[Entry]) -> None:
        """Count offered URLs as waiting, each once.

        URLs seen before are not counted again: they have only moved to a better rank.
        """
        new = {entry.url_id: entry for entry in offered if entry.url_id > self.newest}
        self.newest = max(new, default=self.newest)
        self.waiting += len(new)
        self.queues.update(entry.queue for entry in new.values() if entry.lane != Lane.HELD)

    def _count(self, draft: DraftOutcome) -> None:
        outcome, fetched = draft.outcome, draft.fetched
        self.requests += 0 if fetched is None else requests_of(fetched)
        # Status 0 is an artificial redirect from a copy to its original.
        self.redirects += sum(hop.status > 0 for hop in outcome.redirects)
        is_copy = fetched is not None and bool(fetched.copy_of)
        self.copies += is_copy and outcome.fate.state is UrlState.MOVED
        is_final = outcome.fate.retry_at is None
        self.failed += is_final and outcome.fate.state is UrlState.FAILED
        self.skipped += is_final and outcome.fate.state is UrlState.SKIPPED
        # A host in its crawl delay was not requested.
        if fetched is not None and fetched.failure not in (None, FailureKind.RESTING):
            self.errors[str(fetched.failure)] += 1
        if outcome.page is None:
            return
        self.pages += 1
        self.size += outcome.page.size
        self.hosts.add(host_of(outcome.page.url))
        judgement = outcome.judgement
        if judgement is not None and judgement.is_accepted:
            self.relevant += 1
            self.topics[judgement.topic] += 1

    def _add_advice(self, document: Document | None) -> None:
        """Add advice on what to install so that such documents can be read."""
        if document is not None and document.unreadable and (hint := advice(document.unreadable)):
            self.advice[hint] = None

    def progress(self, seconds: float) -> Progress:
        return Progress(
            pages=self.pages,
            requests=self.requests,
            failed=self.failed,
            redirects=self.redirects,
            copies=self.copies,
            hosts=len(self.hosts),
            seconds=seconds,
            skipped=self.skipped,
            relevant=self.relevant,
            waiting=self.waiting,
            size=self.size,
            topics=dict(self.topics),
            queues=dict(self.queues),
            errors=dict(self.errors),
            advice=tuple(self.advice),
        )
