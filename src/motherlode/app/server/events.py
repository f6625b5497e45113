"""Jobs as streams of server-sent events, read from the jobs' folders, for any number of windows."""

import asyncio
import threading
from collections.abc import AsyncIterator
from time import monotonic

import msgspec
from starlette.concurrency import run_in_threadpool

from motherlode.app.errors import BusyError
from motherlode.app.jobs.queue import JobQueue
from motherlode.app.jobs.records import Job, JobState
from motherlode.export.text_cleaner import plain

_POLL_S = 0.25
HEARTBEAT_S = 15.0  # so that no proxy takes a silent stream for dead
HEARTBEAT = b": still here\n\n"


def event(kind: str, data: object, number: int | None = None) -> bytes:
    """Return one event: JSON on one line, as the format requires."""
    number_line = b"" if number is None else b"id: %d\n" % number
    return b"event: %s\n%sdata: %s\n\n" % (kind.encode(), number_line, msgspec.json.encode(data))


def lines_in(output: bytes) -> list[str]:
    """Return the lines of a job's output, safe to show; of an overwritten line, its last text."""
    text = output.decode(errors="replace")
    return [plain(line.rstrip("\r").rpartition("\r")[2]) for line in text.split("\n")[:-1]]


async def job_events(
    queue: JobQueue, portal: str, job: str, start: int, stopping: threading.Event
) -> AsyncIterator[bytes]:
    """Yield `lines` as they are written, with their end as the event's id, and `job` when it
    changes.

    The stream ends with the job; its last event is `job`.
    """
    before: Job | None = None
    sent_at = monotonic()
    while not stopping.is_set():
        current = await run_in_threadpool(queue.job, portal, job)
        lines, start = await run_in_threadpool(_lines, queue, current, start)
        if lines:
            yield event("lines", lines, start)
        if current != before:
            yield event("job", current)
        elif monotonic() - sent_at > HEARTBEAT_S:
            yield HEARTBEAT
        if lines or current != before:
            sent_at, before = monotonic(), current
        if current.state.is_over:
            return
        await asyncio.sleep(_POLL_S)


def _lines(queue: JobQueue, job: Job, start: int) -> tuple[list[str], int]:
    if job.state is JobState.QUEUED:
        return [], start
    output, end = queue.folder(job.portal, job.id).output(start)
    return lines_in(output), end


class StreamCounter:
    """Limits the number of open streams, each of which holds a connection."""

    def __init__(self, max_open: int) -> None:
        self._max_open, self._open = max_open, 0

    def count(self, stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Return the stream, counted while it is open. Raises `BusyError` if too many are open."""
        if self._open >= self._max_open:
            raise BusyError("Too many windows are open; close some of them.")
        return self._count_while_open(stream)

    async def _count_while_open(self, stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        self._open += 1
        try:
            async for part in stream:
                yield part
        finally:
            self._open -= 1
