"""Jobs as streams of server-sent events, read from the jobs' folders: any number of windows see the same."""

import asyncio
import threading
from collections.abc import AsyncIterator
from time import monotonic

import msgspec
from starlette.concurrency import run_in_threadpool

from motherlode.app.jobs.queue import Board, BusyError
from motherlode.app.jobs.records import Job, State
from motherlode.export.cleaning import plain

_LOOK = 0.25  # seconds between two looks
_SIGN = 15.0  # seconds after which something is said, so that nobody in between takes it for dead


def event(kind: str, told: object, number: int | None = None) -> bytes:
    """One event: JSON on one line, as the format wants it."""
    number_line = b"" if number is None else b"id: %d\n" % number
    return b"event: %s\n%sdata: %s\n\n" % (kind.encode(), number_line, msgspec.json.encode(told))


def lines_in(said: bytes) -> list[str]:
    """What a job said, safe to show: of a line that was written over, what was left in the end."""
    text = said.decode(errors="replace")
    return [plain(line.rstrip("\r").rpartition("\r")[2]) for line in text.split("\n")[:-1]]


async def job_events(
    board: Board, portal: str, job: str, start: int, stopping: threading.Event
) -> AsyncIterator[bytes]:
    """`lines` as they are said, with the place behind them as the event's id, and `job` whenever it changes.

    It ends with the job; the last event is `job`.
    """
    told: Job | None = None
    spoke = monotonic()
    while not stopping.is_set():
        now = await run_in_threadpool(board.job, portal, job)
        said, start = await run_in_threadpool(_lines, board, now, start)
        if said:
            yield event("lines", said, start)
        if now != told:
            yield event("job", now)
        elif monotonic() - spoke > _SIGN:
            yield b": still here\n\n"
        if said or now != told:
            spoke, told = monotonic(), now
        if now.state.is_over:
            return
        await asyncio.sleep(_LOOK)


def _lines(board: Board, job: Job, start: int) -> tuple[list[str], int]:
    if job.state is State.QUEUED:
        return [], start
    said, behind = board.folder(job.portal, job.id).lines(start)
    return lines_in(said), behind


class Streams:
    """How many are listening at once; each costs a connection, so there is an end to it."""

    def __init__(self, most: int) -> None:
        self._most, self._open = most, 0

    def counted(self, stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The stream, counted while it is listened to. Raises `BusyError` where too many are."""
        if self._open >= self._most:
            raise BusyError("Too many windows are listening; close some of them.")
        return self._counted(stream)

    async def _counted(self, stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        self._open += 1
        try:
            async for part in stream:
                yield part
        finally:
            self._open -= 1
