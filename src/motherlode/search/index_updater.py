"""Keep the search index up to date during a crawl, in a separate process (SPEC B20).

The crawl never waits for the index. If a process is killed, the index is at most out of date:
the next update compares it with the store (see `indexer`). Between two updates the process rests
several times as long as the last one took, and it runs at low priority. So it uses a small share
of the CPU, however large the crawl is.
"""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Self

from msgspec import Struct

from motherlode.documents.options import ReadingOptions
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import LodeError
from motherlode.search.indexer import update_index
from motherlode.workers.cpu_priority import lower_priority
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure

REST_FACTOR = 4.0  # the shortest rest, as a multiple of the time that the last update took
_NO_LIMITS = ReadingOptions(workers=1, seconds=24 * 3600.0, memory=2**16)


class IndexUpdater:
    """Updates the index of a portal again and again, until the async context is left.

    `update_count` is the number of updates so far, including failed updates.
    """

    def __init__(self, portal: Portal) -> None:
        self._task = IndexUpdateTask(portal.path, portal.config)
        self._pool: ProcessPool[IndexUpdateTask, str] = ProcessPool(_update, _NO_LIMITS)
        self._is_ending = asyncio.Event()
        self.update_count = 0

    async def __aenter__(self) -> Self:
        self._loop_task = asyncio.create_task(self._update_repeatedly())
        return self

    async def __aexit__(self, *error: object) -> None:
        self._loop_task.cancel()
        with suppress(asyncio.CancelledError, LodeError):
            await self._loop_task
        await self._pool.__aexit__(None, None, None)

    @property
    def cpu_seconds(self) -> float:
        """The CPU time of the processes that have exited."""
        return self._pool.cpu_seconds

    async def finish(self) -> str:
        """Update the index once more; return why that failed, or an empty text."""
        self._is_ending.set()
        try:
            await self._loop_task
            return await self._update_once()
        except LodeError as error:
            return str(error)

    async def _update_repeatedly(self) -> None:
        """Ignore failed updates, which must not end the crawl; `finish` reports the last one."""
        loop = asyncio.get_running_loop()
        await self._pool.__aenter__()  # here, so that the crawl does not wait for the process
        while not self._is_ending.is_set():
            start = loop.time()
            await self._update_once()
            rest = max(self._task.config.index.rest, REST_FACTOR * (loop.time() - start))
            with suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self._is_ending.wait()

    async def _update_once(self) -> str:
        """Return why the update failed, or an empty text."""
        (outcome,) = await self._pool.run([self._task])
        self.update_count += 1
        if isinstance(outcome, JobFailure):
            return f"The indexing process {outcome.reason}."
        return outcome


class IndexUpdateTask(Struct, frozen=True):
    """The portal whose index is updated."""

    path: Path
    config: Config


def _update(task: IndexUpdateTask) -> str:
    """Update the index in the worker process; return why it failed, or an empty text."""
    lower_priority()
    try:
        with Portal.configured(task.path, task.config) as portal:
            update_index(portal)
    except LodeError as error:
        return str(error)
    return ""
