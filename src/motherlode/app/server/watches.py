"""Crawls that are watched: one look at a portal serves every window, and looking never costs much.

Nobody looks while nobody asks. Whoever asks first after a while looks, and all others are given what it saw.
How long that is depends on what a look costs, so that a large portal is not slowed down by being watched.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from time import monotonic

from msgspec import Struct
from starlette.concurrency import run_in_threadpool

from motherlode.app.jobs.progress import CrawlProgress, progress_at
from motherlode.app.jobs.queue import Board
from motherlode.app.server.events import event
from motherlode.app.services.registry import Shelf
from motherlode.records import LodeError

_EVERY = 1.0  # seconds between two looks at least
_SHARE = 0.1  # of a processor's time is spent on looking at most
_PAUSE = 0.25  # seconds after which a stream asks whether somebody has looked
_SIGN = 15.0  # seconds after which something is said, so that nobody in between takes it for dead


class Seen(Struct, frozen=True):
    """What a look saw. `number`: it differs from that of whatever was seen before, `until`: it is good."""

    number: int
    progress: CrawlProgress
    until: float


class _Watch:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.seen: Seen | None = None


class Watches:
    """What was last seen of each portal."""

    def __init__(self, shelf: Shelf, board: Board, clock: Callable[[], float] = monotonic) -> None:
        self._shelf, self._board, self._clock = shelf, board, clock
        self._lock = threading.Lock()
        self._watches: dict[str, _Watch] = {}

    def see(self, portal: str) -> Seen:
        """The crawl as it is now, or was a moment ago. Raises `LodeError` where it cannot be seen."""
        self._shelf.path(portal)  # there is a watch for each portal, and for nothing else
        with self._lock:
            watch = self._watches.setdefault(portal, _Watch())
        with watch.lock:
            if watch.seen is None or self._clock() >= watch.seen.until:
                watch.seen = self._look(portal, watch.seen)
            return watch.seen

    def forget(self, portal: str) -> None:
        """Something was just changed from here: whoever asks next looks."""
        with self._lock:
            watch = self._watches.get(portal)
        if watch is not None and watch.seen is not None:
            with watch.lock:
                watch.seen = Seen(watch.seen.number, watch.seen.progress, 0.0)

    def _look(self, portal: str, before: Seen | None) -> Seen:
        began = self._clock()
        progress = progress_at(self._shelf, self._board, portal)
        now = self._clock()
        until = now + max(_EVERY, (now - began) / _SHARE)
        if before is None:
            return Seen(1, progress, until)
        return Seen(before.number + (progress != before.progress), progress, until)


async def progress_events(watches: Watches, portal: str, stopping: threading.Event) -> AsyncIterator[bytes]:
    """`progress` at once, and whenever something has changed; `error` where it can no longer be seen."""
    told, spoke = 0, monotonic()
    while not stopping.is_set():
        try:
            seen = await run_in_threadpool(watches.see, portal)
        except LodeError:
            yield event("gone", {"error": "The portal cannot be read now."})
            return
        if seen.number != told:
            told, spoke = seen.number, monotonic()
            yield event("progress", seen.progress, told)
        elif monotonic() - spoke > _SIGN:
            spoke = monotonic()
            yield b": still here\n\n"
        await asyncio.sleep(_PAUSE)
