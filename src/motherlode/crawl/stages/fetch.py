"""The fetch stage: take the best entry whose host may be requested, and fetch it."""

import asyncio
from collections.abc import Awaitable
from functools import partial
from typing import Any, TypeVar

from motherlode.crawl.context import Conditions, Control
from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.decisions import FetchedEntry
from motherlode.crawl.outages import ResilientWorkerPool
from motherlode.crawl.progress import Limits
from motherlode.crawl.retraining import Retrainer
from motherlode.crawl.scheduler import Scheduler
from motherlode.fetch.fetcher import Fetched, Fetcher
from motherlode.policies.policy import Policy
from motherlode.records import Entry, StoreGoneError
from motherlode.urls import Address, host_of

T = TypeVar("T")


class PageSlots:
    """Counts the pages under way, from their lease to their commit, and limits them."""

    def __init__(
        self,
        limits: Limits,
        counters: CrawlCounters,
        policy: Policy,
        retrainer: Retrainer | None,
    ) -> None:
        self._limits, self._counters = limits, counters
        self._policy, self._retrainer = policy, retrainer
        self.taken = 0
        self.freed = asyncio.Event()

    @property
    def is_free(self) -> bool:
        """Whether the limits, the policy and the retrainer leave room for one more page."""
        limits, counters = self._limits, self._counters
        if self._policy.enough() or counters.pages + self.taken >= limits.pages:
            return False
        if limits.requests is not None and counters.requests + self.taken >= limits.requests:
            return False
        if limits.ahead is not None and self.taken >= limits.ahead:
            return False
        return self._retrainer is None or self.taken < self._retrainer.spare()

    def give_back(self, pages: int) -> None:
        """Free the slots of pages that were written."""
        self.taken -= pages
        self.freed.set()


class FetchStage:
    """Fetches pages, over as many connections as `run` is started."""

    def __init__(
        self,
        scheduler: Scheduler,
        fetcher: Fetcher,
        workers: ResilientWorkerPool,
        slots: PageSlots,
        control: Control,
        conditions: Conditions | None,
    ) -> None:
        self._scheduler, self._fetcher, self._workers = scheduler, fetcher, workers
        self._slots, self._control, self._conditions = slots, control, conditions
        self._is_closing = False
        self._waiting: set[asyncio.Task[Any]] = set()  # fetchers without an entry
        self.under_way = 0

    async def run(self, output: asyncio.Queue[FetchedEntry | None]) -> None:
        """Fetch one entry after another until the crawl ends."""
        while (entry := await self._next()) is not None:
            self.under_way += 1
            try:
                fetched = await self._fetch(entry)
            finally:
                self.under_way -= 1
            await output.put(FetchedEntry(entry, fetched))

    def close(self) -> None:
        """Start no more fetches; fetches that are under way go on."""
        self._is_closing = True
        self._scheduler.release_waiting()
        for fetcher in self._waiting:
            fetcher.cancel()

    async def _next(self) -> Entry | None:
        """Return the next entry, as soon as there is one; None if the crawl ends."""
        while not (self._is_closing or self._control.stopping):
            if self._slots.is_free:
                self._slots.taken += 1
                try:
                    return await self._wait_for(self._scheduler.next())
                except asyncio.CancelledError:
                    self._slots.taken -= 1
                    raise
            self._slots.freed.clear()
            await self._wait_for(self._slots.freed.wait())
        return None

    async def _wait_for(self, entry_or_slot: Awaitable[T]) -> T:
        """Wait, as a fetcher that may be cancelled."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a fetcher
        self._waiting.add(task)
        try:
            return await entry_or_slot
        finally:
            self._waiting.discard(task)

    async def _fetch(self, entry: Entry) -> Fetched:
        url = Address(entry.url, entry.key, host_of(entry.url))
        conditions = self._conditions
        headers = await self._workers.run_inline(partial(conditions, entry)) if conditions else ()
        while True:
            outages = self._workers.outages
            try:
                return await self._fetcher.fetch(url, headers, entry.attempts + 1)
            except StoreGoneError as error:  # the host's record cannot be read
                await self._workers.wait_for_database(error, outages)
                await self._fetcher.courtesy.turn(url.host)
