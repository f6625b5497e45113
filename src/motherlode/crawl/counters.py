"""Counting what a crawl brings."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from motherlode.crawl.decisions import Draft
from motherlode.crawl.progress import Progress
from motherlode.documents.needs import advice
from motherlode.fetch.failures import Kind
from motherlode.records import Document, Entry, TopicId, UrlState
from motherlode.store.outcomes import Kept
from motherlode.urls import host_of


@dataclass(slots=True)
class Tally:
    """The figures so far; documents inside archives are no pages of their own here.

    One that is handed from a crawl to the next counts on, and its clock goes on (`began`).
    """

    pages: int = 0
    failed: int = 0
    skipped: int = 0
    redirects: int = 0
    copies: int = 0
    relevant: int = 0
    size: int = 0
    began: float | None = None  # by the clock of the loop
    queues: Counter[TopicId] = field(default_factory=Counter)  # what was offered and is not settled, about
    waiting: int = 0  # the same in all: what waits in several queues once, and what is for later as well
    newest: int = 0  # URL that was seen: they are numbered as they are found
    hosts: set[str] = field(default_factory=set)
    topics: Counter[TopicId] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    advice: dict[str, None] = field(default_factory=dict)  # each once, in the order of need

    def count(self, drafts: Sequence[Draft], kept: Kept) -> None:
        for draft in drafts:
            entry = draft.outcome.entry
            if entry.url_id in kept.settled:
                self.waiting = max(0, self.waiting - 1)
                if self.queues[entry.queue] > 0:
                    self.queues[entry.queue] -= 1
            self._note_need(draft.outcome.document)
            if draft.fetched is not None:
                self._count(draft)

    def age(self, now: float) -> float:
        """How long it has been counted, at a moment by the clock of the loop."""
        return 0.0 if self.began is None else now - self.began

    def await_all(self, sizes: Mapping[TopicId, int], urls: int) -> None:
        """So many wait in each queue, and so many in all, as somebody has counted."""
        self.queues, self.waiting = Counter(sizes), urls

    def await_more(self, offered: Iterable[Entry]) -> None:
        """These wait, too, but for those that were seen before and are now at a better rank. A URL that waits
        in several places waits once."""
        fresh = {entry.url_id: entry.queue for entry in offered if entry.url_id > self.newest}
        self.newest = max(fresh, default=self.newest)
        self.waiting += len(fresh)
        self.queues.update(queue for queue in fresh.values() if queue > 0 or queue in self.queues)

    def _count(self, draft: Draft) -> None:
        outcome, fetched = draft.outcome, draft.fetched
        self.redirects += sum(hop.status > 0 for hop in outcome.redirects)  # others are of our own making
        known = fetched is not None and bool(fetched.copy_of)
        self.copies += known and outcome.fate.state is UrlState.MOVED
        final = outcome.fate.retry_at is None
        self.failed += final and outcome.fate.state is UrlState.FAILED
        self.skipped += final and outcome.fate.state is UrlState.SKIPPED
        if fetched is not None and fetched.failure not in (None, Kind.RESTING):  # who rests was not asked
            self.errors[str(fetched.failure)] += 1
        if outcome.page is None:
            return
        self.pages += 1
        self.size += outcome.page.size
        self.hosts.add(host_of(outcome.page.url))
        said = outcome.judgement
        if said is not None and said.is_on_topic:
            self.relevant += 1
            self.topics[said.topic] += 1

    def _note_need(self, document: Document | None) -> None:
        """What a person could install to have documents like this one read, a file in an archive as well."""
        if document is not None and document.unreadable and (needed := advice(document.unreadable)):
            self.advice[needed] = None

    def progress(self, seconds: float) -> Progress:
        return Progress(
            pages=self.pages,
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
