"""A worker pool that survives database outages: it repeats failed work once the database is back.

Memory holds nothing that the database lacks, except the batch that is being written. A transaction
that failed is repeated as a whole. One that succeeded although its answer was lost is repeated
without effect.
"""

import asyncio
from collections.abc import Callable, Sequence
from time import time
from typing import TypeVar

from motherlode.crawl.progress import Idle
from motherlode.documents.analysis import Analysed
from motherlode.documents.extracts import Raw
from motherlode.portal import Portal
from motherlode.records import LockedError, StoreGoneError
from motherlode.workers.worker_pool import WorkerPool

T = TypeVar("T")

_FIRST_BACKOFF_S, _MAX_BACKOFF_S = 0.25, 15.0  # each wait is twice the one before


class ResilientWorkerPool:
    """A worker pool that waits for the database. `run_inline` does the same in this process."""

    def __init__(self, workers: WorkerPool, portal: Portal) -> None:
        self._workers, self._portal = workers, portal
        self._patience = portal.config.store.patience
        self._reconnecting = asyncio.Lock()
        self.outages = 0  # finished ones
        self.idle: Idle | None = None  # during an outage: when the next attempt is, and why

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
                await self.wait_for_database(error, outages)

    async def run_inline(self, work: Callable[[], T]) -> T:
        """Run short work in this process, and repeat it after each outage of the database."""
        while True:
            outages = self.outages
            try:
                return work()
            except StoreGoneError as error:
                await self.wait_for_database(error, outages)

    async def wait_for_database(self, cause: StoreGoneError, outages: int) -> None:
        """Wait until the database is back. Raises `cause` when the configured patience is over.

        `outages` is the number of finished outages before the attempt that failed.
        """
        async with self._reconnecting:
            if self.outages != outages:
                return  # another task has reconnected meanwhile
            try:
                await self._reconnect(cause)
            finally:
                self.idle = None
            self.outages += 1

    async def _reconnect(self, cause: StoreGoneError) -> None:
        loop, backoff = asyncio.get_running_loop(), _FIRST_BACKOFF_S
        until = loop.time() + self._patience
        while True:
            try:
                return await self._workers.run_in_writer(self._portal.mend)
            except (StoreGoneError, LockedError) as error:
                # Locked: the server may not have noticed yet that our old connection is dead.
                left = until - loop.time()
                if left <= 0:
                    raise error if isinstance(error, LockedError) else cause from error
            backoff = min(backoff, left)
            self.idle = Idle(time() + backoff, f"{self._portal.store.where} does not answer")
            await asyncio.sleep(backoff)
            backoff = min(2 * backoff, _MAX_BACKOFF_S)
