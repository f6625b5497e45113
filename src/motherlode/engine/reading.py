"""Documents read by worker processes."""

from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import Self

from motherlode.documents.analysing import Analysed, Manner, analyse
from motherlode.documents.options import ReadingOptions
from motherlode.documents.raw import Raw
from motherlode.engine.workers import Lost, Workers
from motherlode.records import Document


class Readers:
    """Processes that read. An async context manager, whose `read` may be called side by side."""

    def __init__(self, manner: Manner, options: ReadingOptions) -> None:
        self._workers: Workers[Raw, list[Analysed]] = Workers(partial(analyse, manner=manner), options)

    @property
    def count(self) -> int:
        """How many there are."""
        return self._workers.count

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
