"""Who goes along on a crawl."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from motherlode.crawl.counters import Tally
from motherlode.crawl.decisions import Draft
from motherlode.crawl.progress import Progress
from motherlode.crawl.sitemaps import Postponed
from motherlode.fetch.courtesy import Courtesy
from motherlode.fetch.web import Headers
from motherlode.records import Entry, Outcome, RunEnd
from motherlode.workers.worker_pool import WorkerPool

T = TypeVar("T")


class Teacher(Protocol):
    """Who teaches a policy what the crawl has found."""

    def saw(self, outcomes: Sequence[Outcome]) -> None:
        """These were kept."""
        ...

    def due(self, *, idle: bool) -> bool:
        """Whether it is time for a lesson; `idle`: there is nothing left to fetch without one."""
        ...

    def spare(self) -> float:
        """How many pages may still be fetched before there must have been a lesson."""
        ...

    async def teach(self, workers: WorkerPool) -> bool:
        """Give a lesson. Returns whether the ranks of what waits have changed."""
        ...

    def told(self, progress: Progress) -> Progress:
        """How far the crawl is, with what there is to say about learning."""
        ...


class Journal(Protocol):
    """Who writes down what happened, for people."""

    def note(self, drafts: Sequence[Draft], progress: Progress) -> None:
        """These were kept. Called aside from the loop; a `StoreError` ends the crawl."""
        ...


class Control:
    """The way to end a crawl from outside."""

    def __init__(self) -> None:
        self.begun = self.stopping = False
        self.end = RunEnd.INTERRUPTED
        self.changed = asyncio.Event()
        self._said = asyncio.Event()  # stop

    def stop(self, end: RunEnd = RunEnd.INTERRUPTED) -> None:
        """Take up nothing more; what is under way is finished and kept."""
        if not self.stopping:
            self.stopping, self.end = True, end
        self._said.set()
        self.changed.set()

    async def unless_stopped(
        self, work: Coroutine[Any, Any, T], *, otherwise: T, seconds: float | None = None
    ) -> T:
        """What comes of something that is done before or after a crawl; or, if somebody says stop or it takes
        too long, something else."""
        if self.stopping:
            work.close()
            return otherwise
        working = asyncio.ensure_future(work)
        stopped = asyncio.ensure_future(self._said.wait())
        try:
            await asyncio.wait({working, stopped}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else otherwise
        finally:
            working.cancel()
            stopped.cancel()
            await asyncio.wait({working})  # it may have something to put away


# Headers that make a request conditional, for pages that are fetched again.
Conditions = Callable[[Entry], Headers]


@dataclass(frozen=True, slots=True)
class Company:
    """Who goes along on a crawl: those who lend a hand, and those who want to know how it goes."""

    workers: WorkerPool | None = None  # nobody: everything is done on the spot
    report: Callable[[Progress], None] = lambda _progress: None
    control: Control = field(default_factory=Control)
    teacher: Teacher | None = None
    journal: Journal | None = None
    conditions: Conditions | None = None
    postponed: Postponed | None = None  # sitemaps, to whoever comes after the crawl
    tally: Tally | None = None  # of crawls before this one that belong to it; limits are of all together
    courtesy: Courtesy[Entry] | None = None  # of the same: a host rests, whichever of them has asked it
