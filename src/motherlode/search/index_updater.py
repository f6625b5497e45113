"""The search index follows a crawl: a process of its own brings it up to date again and again (SPEC B20).

The store leads. Nobody waits for the index, and whatever is killed, it is at most behind: what it lacks is
seen by comparing (`indexing`). It rests several times as long as it has worked, so that it takes a small part
of a processor however large the crawl is, and it steps back behind those that crawl.
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

REST_FACTOR = 4.0  # times as long as it has worked, at least
_UNLIMITED = ReadingOptions(workers=1, seconds=24 * 3600.0, memory=2**16)


class IndexUpdater:
    """Keeps the index of a portal close behind a crawl. An async context manager; left, it stops at once."""

    def __init__(self, portal: Portal) -> None:
        self._task = IndexUpdateTask(portal.path, portal.config)
        self._workers: ProcessPool[IndexUpdateTask, str] = ProcessPool(_follow, _UNLIMITED)
        self._ending = asyncio.Event()
        self.updates = 0

    async def __aenter__(self) -> Self:
        self._following = asyncio.create_task(self._follow())
        return self

    async def __aexit__(self, *error: object) -> None:
        self._following.cancel()
        with suppress(asyncio.CancelledError, LodeError):
            await self._following
        await self._workers.__aexit__(None, None, None)

    async def finish(self) -> str:
        """Come to where the store is now. Returns why that cannot be; empty: it has come there."""
        self._ending.set()
        try:
            await self._following
            return await self._renewed()
        except LodeError as error:
            return str(error)

    async def _follow(self) -> None:
        """A renewal that fails is no reason to end a crawl; the last one says what was in the way."""
        loop = asyncio.get_running_loop()
        await self._workers.__aenter__()  # the crawl does not wait for that either
        while not self._ending.is_set():
            began = loop.time()
            await self._renewed()
            rest = max(self._task.config.index.rest, REST_FACTOR * (loop.time() - began))
            with suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self._ending.wait()

    async def _renewed(self) -> str:
        (said,) = await self._workers.run([self._task])
        self.updates += 1
        return f"The process that indexes {said.reason}." if isinstance(said, JobFailure) else said


class IndexUpdateTask(Struct, frozen=True):
    """Whose index is brought up to date."""

    path: Path
    config: Config


def _follow(task: IndexUpdateTask) -> str:
    """Bring the index up to date; or say what is in the way, such as somebody else who is at it."""
    lower_priority()
    try:
        with Portal.configured(task.path, task.config) as portal:
            update_index(portal)
    except LodeError as error:
        return str(error)
    return ""
