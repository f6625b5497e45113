"""Pools for the heavy work of a crawl: worker processes read documents, one thread writes."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Protocol, Self, TypeVar

from motherlode.documents.analysis import Analysed, Manner, analyse
from motherlode.documents.extracts import Raw
from motherlode.documents.options import ReadingOptions
from motherlode.workers.cpu_priority import use_batch_scheduling
from motherlode.workers.document_reader import DocumentReaders

T = TypeVar("T")


class WorkerPool(Protocol):
    """Runs the heavy work of a crawl, outside its event loop."""

    @property
    def reader_count(self) -> int:
        """The number of documents that are read at the same time."""
        ...

    async def read_documents(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        """Return each document as read, followed by the documents inside it."""
        ...

    async def run_in_writer(self, work: Callable[[], T]) -> T:
        """Run a function in the writer thread, one call after the other."""
        ...


class ProcessWorkerPool:
    """Worker processes and a writer thread. An async context manager."""

    def __init__(self, manner: Manner, options: ReadingOptions) -> None:
        self._readers = DocumentReaders(manner, options, for_store=True)
        self._writer = ThreadPoolExecutor(1, "writer", use_batch_scheduling)
        self._stack = AsyncExitStack()

    @property
    def reader_count(self) -> int:
        return self._readers.worker_count

    async def __aenter__(self) -> Self:
        self._stack.callback(self._writer.shutdown)
        await self._stack.enter_async_context(self._readers)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    async def read_documents(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        return await self._readers.read_documents(raws)

    async def run_in_writer(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, work)


class InlineWorkerPool:
    """Runs all work in the calling thread: for virtual time, and for harmless webs."""

    reader_count = 1

    def __init__(self, manner: Manner) -> None:
        self._manner = manner

    async def read_documents(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        return [analyse(raw, self._manner) for raw in raws]

    async def run_in_writer(self, work: Callable[[], T]) -> T:
        return work()
