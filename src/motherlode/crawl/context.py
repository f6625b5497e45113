"""The context of a crawl: worker pool, progress report, stop control, retrainer, log."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.decisions import DraftOutcome
from motherlode.crawl.progress import Progress
from motherlode.crawl.retraining import Retrainer
from motherlode.crawl.sitemaps import PostponedSitemaps
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.fetch.web import Headers
from motherlode.records import Entry, RunEnd
from motherlode.workers.worker_pool import WorkerPool

T = TypeVar("T")


class OutcomeLog(Protocol):
    """Records the outcomes of a crawl for people to read."""

    def note(self, drafts: Sequence[DraftOutcome], progress: Progress) -> None:
        """Record committed outcomes. Called in the writer; a `StoreError` ends the crawl."""
        ...


class Control:
    """Stops a crawl from outside."""

    def __init__(self) -> None:
        self.begun = self.stopping = False
        self.end = RunEnd.INTERRUPTED
        self.changed = asyncio.Event()
        self._stopped = asyncio.Event()

    def stop(self, end: RunEnd = RunEnd.INTERRUPTED) -> None:
        """Start no more fetches; pages that are under way are finished and written."""
        if not self.stopping:
            self.stopping, self.end = True, end
        self._stopped.set()
        self.changed.set()

    async def unless_stopped(
        self, work: Coroutine[Any, Any, T], *, otherwise: T, seconds: float | None = None
    ) -> T:
        """Return the result of work, or `otherwise` if it is stopped or takes too long."""
        if self.stopping:
            work.close()
            return otherwise
        task = asyncio.ensure_future(work)
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait(
                {task, stopped},
                timeout=seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            return task.result() if task.done() else otherwise
        finally:
            task.cancel()
            stopped.cancel()
            await asyncio.wait({task})  # it may have to clean up


# Headers that make a request conditional, for pages that are fetched again.
Conditions = Callable[[Entry], Headers]


@dataclass(frozen=True, slots=True)
class CrawlContext:
    """The helpers of a crawl, and the receivers of its progress."""

    workers: WorkerPool | None = None  # None: all work is done in this process
    report: Callable[[Progress], None] = lambda _progress: None
    control: Control = field(default_factory=Control)
    retrainer: Retrainer | None = None
    log: OutcomeLog | None = None
    conditions: Conditions | None = None
    postponed: PostponedSitemaps | None = None  # sitemaps to be read after the crawl
    # Counters and host slots that several crawls share: limits hold for all of them together, and a
    # host has its crawl delay whichever of them requested it.
    counters: CrawlCounters | None = None
    courtesy: RateLimiter[Entry] | None = None
