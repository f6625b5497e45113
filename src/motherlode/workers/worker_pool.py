"""Who does the work of a crawl that is not the event loop's: processes that read, a thread that writes."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Protocol, Self, TypeVar

from motherlode.documents.analysing import Analysed, Manner, analyse
from motherlode.documents.options import ReadingOptions
from motherlode.documents.raw import Raw
from motherlode.workers.cpu_priority import take_long_turns
from motherlode.workers.document_reader import Readers

T = TypeVar("T")


class Crew(Protocol):
    """What a crawl can have done for it."""

    @property
    def readers(self) -> int:
        """How many documents are read at the same time."""
        ...

    async def read(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        """What documents say, each with the documents inside it."""
        ...

    async def aside(self, work: Callable[[], T]) -> T:
        """Do something that takes a while, aside from the loop; one thing after the other."""
        ...


class Hands:
    """Worker processes and a thread of our own. An async context manager."""

    def __init__(self, manner: Manner, options: ReadingOptions) -> None:
        self._reading = Readers(manner, options, as_kept=True)
        self._writer = ThreadPoolExecutor(1, "keeper", take_long_turns)
        self._stack = AsyncExitStack()

    @property
    def readers(self) -> int:
        return self._reading.count

    async def __aenter__(self) -> Self:
        self._stack.callback(self._writer.shutdown)
        await self._stack.enter_async_context(self._reading)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    async def read(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        return await self._reading.read(raws)

    async def aside(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, work)


class Alone:
    """Everything on the spot: where time is virtual nobody else can be waited for, and for webs that hold
    nothing hostile."""

    readers = 1

    def __init__(self, manner: Manner) -> None:
        self._manner = manner

    async def read(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        return [analyse(raw, self._manner) for raw in raws]

    async def aside(self, work: Callable[[], T]) -> T:
        return work()
