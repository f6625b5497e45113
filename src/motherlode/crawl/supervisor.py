"""The supervisor of a crawl: starts the stages, watches for the end, and closes in good order."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from time import time
from typing import Any

from msgspec.structs import replace

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.decisions import FetchedEntry
from motherlode.crawl.fetcher_setup import (
    HostChanges,
    courtesy_of,
    fetcher_for,
    reading_options_of,
    take_host_changes,
)
from motherlode.crawl.outages import ResilientWorkerPool
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.queueable_moves import SettledUrls
from motherlode.crawl.scheduler import Scheduler, StoredFrontier
from motherlode.crawl.sitemaps import SitemapReader
from motherlode.crawl.stages import read
from motherlode.crawl.stages.decide import DecidedBatch, DecideStage
from motherlode.crawl.stages.duplicates import DuplicateDetector
from motherlode.crawl.stages.fetch import FetchStage, PageSlots
from motherlode.crawl.stages.read import ReadStage
from motherlode.crawl.stages.write import MAX_BATCHES, BatchWriter, ReadSitemaps, WriteStage
from motherlode.crawl.termination import Termination
from motherlode.fetch import Web
from motherlode.policies.policy import Policy
from motherlode.portal import Portal
from motherlode.records import LodeError, RunEnd
from motherlode.store.tables.pages import newest_url
from motherlode.workers.worker_pool import InlineWorkerPool

PROGRESS_INTERVAL_S = 1.0  # between two reports while the crawl closes
CLOSING_GRACE_S = 10.0  # for fetches that are under way when a crawl ends


class Supervisor:
    """One crawl, from its beginning to its end."""

    def __init__(
        self, portal: Portal, web: Web, policy: Policy, limits: Limits, context: CrawlContext
    ) -> None:
        self._portal, self._policy, self._limits, self._context = portal, policy, limits, context
        self._loop = asyncio.get_running_loop()
        self._opened, self._since = self._loop.time(), time()
        self._counters = context.counters or CrawlCounters()
        if self._counters.began is None:
            self._counters.began = self._opened
        workers = context.workers or InlineWorkerPool(reading_options_of(portal.config))
        self._workers = ResilientWorkerPool(workers, portal)
        self._writer = BatchWriter(portal)
        self._duplicates = DuplicateDetector(is_refresh=context.conditions is not None)
        self._settled = SettledUrls(portal.store)
        self._retraining: asyncio.Task[None] | None = None
        self._side_tasks: set[asyncio.Task[None]] = set()
        self._make_schedule(web)
        self._make_stages()

    def _make_schedule(self, web: Web) -> None:
        """Make the fetcher, the frontier, the scheduler and the termination."""
        portal, limits, context = self._portal, self._limits, self._context
        courtesy = courtesy_of(portal.config) if context.courtesy is None else context.courtesy
        self._fetcher = fetcher_for(portal, web, courtesy, self._now)
        self._frontier = StoredFrontier(
            portal,
            limits.lane,
            self._policy,
            self._workers,
            self._counters,
        )
        self._scheduler = Scheduler(self._frontier.frontier, courtesy, web, self._now)
        self._frontier.attach(self._scheduler, self._start)
        self._termination = Termination(
            limits=limits,
            control=context.control,
            counters=self._counters,
            scheduler=self._scheduler,
            max_crawl_delay=portal.config.politeness.max_delay,
            now=self._now,
            seconds=self._seconds,
            enough=self._policy.enough,
            is_outage=lambda: self._fetcher.rulebook.reachability.ends_crawl(self._fetch.under_way),
        )

    def _make_stages(self) -> None:
        context, control = self._context, self._context.control
        self._sitemaps = SitemapReader(
            self._portal,
            self._fetcher,
            self._workers,
            context.postponed,
        )
        self._slots = PageSlots(self._limits, self._counters, self._policy, context.retrainer)
        self._fetch = FetchStage(
            self._scheduler, self._fetcher, self._workers, self._slots, control, context.conditions
        )
        self._read = ReadStage(self._workers, self._duplicates, self._portal.store)
        is_refresh = context.conditions is not None
        self._decide = DecideStage(
            self._portal,
            self._policy,
            self._workers,
            control,
            self._settled,
            is_refresh=is_refresh,
        )
        self._write = WriteStage(
            writer=self._writer,
            workers=self._workers,
            fetcher=self._fetcher,
            sitemaps=self._sitemaps,
            scheduler=self._scheduler,
            duplicates=self._duplicates,
            settled=self._settled,
            counters=self._counters,
            slots=self._slots,
            fetching=self._fetch,
            limits=self._limits,
            control=control,
            retrainer=context.retrainer,
            log=context.log,
            progress=self._progress,
            reload=self._frontier.reload,
            read_sitemaps=lambda read: self._start(self._offer_listed(read)),
        )

    async def run(self) -> Progress:
        """Crawl, and return the final progress."""
        try:
            await self._workers.run_in_writer(self._begin)
            self._context.control.begun = True
            async with asyncio.TaskGroup() as group:
                self._group = group
                end = await self._run_stages()
        except BaseExceptionGroup as failed:
            await self._abort(RunEnd.FAILED)
            raise _first_error(failed) from failed
        except asyncio.CancelledError:
            await self._abort(RunEnd.INTERRUPTED)
            raise
        await self._write_end(end)
        left = await self._workers.run_in_writer(self._frontier.size)
        progress = replace(self._progress(), end=end, waiting=left)
        self._context.report(progress)
        return progress

    async def _run_stages(self) -> RunEnd:
        """Run all stages until there is a reason to end, and close them one after another."""
        fetched = asyncio.Queue[FetchedEntry | None](2 * read.BATCH_PAGES)
        documents = asyncio.Queue[FetchedEntry | None](4 * read.BATCH_PAGES)
        decided = asyncio.Queue[DecidedBatch | None](MAX_BATCHES)
        start = self._group.create_task
        connections = max(1, min(self._limits.connections, self._limits.pages))
        fetchers = [start(self._fetch.run(fetched)) for _ in range(connections)]
        reader_count = 2 * self._workers.reader_count + 1
        readers = [start(self._read.run(fetched, documents)) for _ in range(reader_count)]
        deciding = start(self._decide.run(documents, decided))
        writing = start(self._write.run(decided))
        if self._sitemaps.unread:
            self._start(self._offer_listed(self._sitemaps.read_unread))
        end = await self._wait_for_end()
        await self._close_fetchers(fetchers)
        for _ in readers:
            await fetched.put(None)
        await asyncio.wait(readers)
        await documents.put(None)
        await asyncio.gather(deciding, writing)
        return end

    def _begin(self) -> None:
        self._writer.begin(self._policy, self._limits.command, self._sitemaps)
        self._duplicates.load_digests(self._portal.store)
        with self._portal.store.reading() as session:
            self._counters.newest = newest_url(session)
        self._frontier.count()

    async def _wait_for_end(self) -> RunEnd:
        """Watch the crawl until there is a reason to end, and return it."""
        control = self._context.control
        while True:
            control.changed.clear()
            end = self._end()
            if end is not None:
                return end
            self._scheduler.pull_entries()
            self._retrain(idle=False)
            self._context.report(self._progress())
            seconds = self._termination.wait_seconds(busy=bool(self._side_tasks))
            await _wait_for(control.changed, seconds)

    def _end(self) -> RunEnd | None:
        end = self._termination.reached_limit()
        if end is None and self._termination.is_idle(busy=bool(self._side_tasks)):
            has_more = self._scheduler.pull_entries() or self._retrain(idle=True)
            return RunEnd.DONE if not has_more and self._termination.no_retry_soon() else None
        return end

    async def _close_fetchers(self, fetchers: "list[asyncio.Task[None]]") -> None:
        """Let fetches that are under way finish, within `CLOSING_GRACE_S`; then cancel them."""
        self._fetch.close()
        for task in self._side_tasks:
            task.cancel()
        running, until = set(fetchers), self._loop.time() + CLOSING_GRACE_S
        while running and self._loop.time() < until:
            timeout = min(PROGRESS_INTERVAL_S, until - self._loop.time())
            _, running = await asyncio.wait(running, timeout=timeout)
            self._context.report(self._progress())
        for fetcher in running:
            fetcher.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _abort(self, end: RunEnd) -> None:
        """Write the end of the run, if the error that ended it does not prevent that too."""
        with suppress(LodeError):
            await self._write_end(end)

    async def _write_end(self, end: RunEnd) -> None:
        """Write the end of the run, even if the crawl is cancelled meanwhile."""
        write = partial(self._writer.end, end, self._host_changes())
        written = asyncio.ensure_future(self._workers.run_in_writer(write))
        try:
            await asyncio.shield(written)
        except asyncio.CancelledError:
            await written
            raise

    def _host_changes(self) -> HostChanges:
        """Return the unwritten changes of host records; unread sitemaps are for the next crawl."""
        return self._sitemaps.split_changes(take_host_changes(self._fetcher))[0]

    # --- side tasks ---

    def _start(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Start a side task; the crawl does not end before it."""
        task = self._group.create_task(work)
        self._side_tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._side_tasks.discard(task)
        self._context.control.changed.set()

    async def _offer_listed(self, read_sitemaps: ReadSitemaps) -> None:
        """Add the URLs that sitemaps list to the frontier."""
        offered = await read_sitemaps()
        self._counters.add_waiting(offered)
        self._scheduler.offer(offered)

    def _retrain(self, *, idle: bool) -> bool:
        """Start a retraining if it is due; return whether one is under way."""
        if self._retraining is not None and not self._retraining.done():
            return True
        retrainer = self._context.retrainer
        if retrainer is None or not retrainer.due(idle=idle):
            return False
        self._retraining = self._start(self._run_retraining())
        return True

    async def _run_retraining(self) -> None:
        retrainer = self._context.retrainer
        assert retrainer is not None  # noqa: S101 - it was due
        if await retrainer.retrain(self._workers):
            await self._frontier.reload()
        self._slots.freed.set()  # fetchers may wait for the retraining

    # --- clocks and figures ---

    def _progress(self) -> Progress:
        progress = replace(
            self._counters.progress(self._seconds()),
            retries=self._scheduler.retries,
            under_way=self._fetch.under_way,
            idle=self._workers.idle or self._scheduler.idle(),
            summary=self._policy.summary(),
        )
        retrainer = self._context.retrainer
        return progress if retrainer is None else retrainer.describe(progress)

    def _seconds(self) -> float:
        return self._counters.age(self._loop.time())

    def _now(self) -> float:
        """Return the time of day, by a clock that never jumps."""
        return self._since + self._loop.time() - self._opened


async def _wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, or until the time is over."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass


def _first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first single error of a group, looking into nested groups."""
    inner = group.exceptions[0]
    return _first_error(inner) if isinstance(inner, BaseExceptionGroup) else inner
