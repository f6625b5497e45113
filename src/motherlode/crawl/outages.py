"""A worker pool that outlasts database outages: work that failed is repeated once the database is back.

Nothing is kept in memory that the database does not have, except the batch that is being written: a
transaction that failed is repeated as a whole, and one that went through unheard is repeated to no effect.
"""

import asyncio
from collections.abc import Callable, Sequence
from time import time
from typing import TypeVar

from motherlode.crawl.progress import Idle
from motherlode.documents.analysing import Analysed
from motherlode.documents.raw import Raw
from motherlode.portal import Portal
from motherlode.records import LockedError, StoreGoneError
from motherlode.workers.worker_pool import WorkerPool

T = TypeVar("T")

_FIRST, _LONGEST = 0.25, 15.0  # seconds between two looks whether it is back; each wait is twice the last


class Steady:
    """A worker pool that waits for the database. What is read on the spot goes through `lasting`."""

    def __init__(self, workers: WorkerPool, portal: Portal) -> None:
        self._workers, self._portal = workers, portal
        self._patience = portal.config.store.patience
        self._mending = asyncio.Lock()
        self.outages = 0  # that are over
        self.idle: Idle | None = None  # while there is an outage, until when nobody looks, and why

    @property
    def reader_count(self) -> int:
        return self._workers.reader_count

    async def read_documents(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        return await self._workers.read_documents(raws)

    async def run_in_writer(self, work: Callable[[], T]) -> T:
        while True:
            outages = self.outages
            try:
                return await self._workers.run_in_writer(work)
            except StoreGoneError as error:
                await self.mend(error, outages)

    async def lasting(self, work: Callable[[], T]) -> T:
        """Do something short on the spot, again and again if the database is away."""
        while True:
            outages = self.outages
            try:
                return work()
            except StoreGoneError as error:
                await self.mend(error, outages)

    async def mend(self, gone: StoreGoneError, outages: int) -> None:
        """Wait until the database is back, once for all who miss it. Raises `gone` if it does not come.

        `outages`: how many were over before the attempt that failed.
        """
        async with self._mending:
            if self.outages != outages:
                return  # it came back while we waited for those who waited for it
            try:
                await self._wait(gone)
            finally:
                self.idle = None
            self.outages += 1

    async def _wait(self, gone: StoreGoneError) -> None:
        loop, pause = asyncio.get_running_loop(), _FIRST
        until = loop.time() + self._patience
        while True:
            try:
                return await self._workers.run_in_writer(self._portal.mend)
            except (StoreGoneError, LockedError) as error:  # our own dead connection may have the lock yet
                left = until - loop.time()
                if left <= 0:
                    raise error if isinstance(error, LockedError) else gone from error
            pause = min(pause, left)
            self.idle = Idle(time() + pause, f"{self._portal.store.where} does not answer")
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST)
