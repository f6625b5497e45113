"""Documents read by worker processes, or, where time is virtual, on the spot."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Self

from motherlode.documents.analysing import Analysed, Manner, analyse
from motherlode.documents.options import ReadingOptions
from motherlode.documents.raw import Raw
from motherlode.engine.workers import Lost, Workers
from motherlode.records import Document

# What documents say, each with the documents inside it, in their order.
Read = Callable[[Sequence[Raw]], Awaitable[list[list[Analysed]]]]


class Readers:
    """Processes that read. An async context manager, whose `read` may be called side by side."""

    def __init__(self, manner: Manner, options: ReadingOptions) -> None:
        self._workers: Workers[Raw, list[Analysed]] = Workers(partial(analyse, manner=manner), options)

    async def __aenter__(self) -> Self:
        await self._workers.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._workers.__aexit__(kind, error, trace)

    async def read(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        """What each document says; of one that was too much for its reader, why it says nothing."""
        results = await self._workers.run(raws)
        return [
            [Analysed(raw.url, raw.mime, Document(unreadable=result.reason))]
            if isinstance(result, Lost)
            else result
            for raw, result in zip(raws, results, strict=True)
        ]


def read_here(manner: Manner) -> Read:
    """Reading in this process, for webs that hold nothing hostile."""

    async def read(raws: Sequence[Raw]) -> list[list[Analysed]]:
        return [analyse(raw, manner) for raw in raws]

    return read
