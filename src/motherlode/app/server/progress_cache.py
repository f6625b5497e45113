"""A cache of crawl progress: one query of a portal serves every window that shows it.

Nothing is queried while nobody asks. The first request after a while queries the portal, and the
others get its result. How long that is depends on the cost of a query, so that watching does not
slow down a large portal.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool

from motherlode.app.jobs.progress import CrawlProgress, progress_at
from motherlode.app.jobs.queue import JobQueue
from motherlode.app.server.events import HEARTBEAT, HEARTBEAT_S, event
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.records import LodeError

MIN_AGE_S = 1.0  # between two queries of a portal
MAX_CPU_SHARE = 0.1  # of one processor, for all queries of a portal
_POLL_S = 0.25


class CachedProgress(Struct, frozen=True):
    """A crawl's progress, valid until a time. `number` changes whenever the progress does."""

    number: int
    progress: CrawlProgress
    until: float


class _CacheEntry:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.cached: CachedProgress | None = None


class ProgressCache:
    """The latest known progress of each portal."""

    def __init__(
        self, registry: PortalRegistry, queue: JobQueue, clock: Callable[[], float] = monotonic
    ) -> None:
        self._registry, self._queue, self._clock = registry, queue, clock
        self._lock = threading.Lock()
        self._entries: dict[str, _CacheEntry] = {}

    def get(self, portal: str) -> CachedProgress:
        """Return the progress of now or of a moment ago.

        Raises `LodeError` if it cannot be read.
        """
        self._registry.path(portal)  # there is an entry for each portal, and for no other name
        with self._lock:
            entry = self._entries.setdefault(portal, _CacheEntry())
        with entry.lock:
            if entry.cached is None or self._clock() >= entry.cached.until:
                entry.cached = self._query(portal, entry.cached)
            return entry.cached

    def invalidate(self, portal: str) -> None:
        """Let the next request query the portal: something was just changed."""
        with self._lock:
            entry = self._entries.get(portal)
        if entry is not None and entry.cached is not None:
            with entry.lock:
                entry.cached = replace(entry.cached, until=0.0)

    def _query(self, portal: str, before: CachedProgress | None) -> CachedProgress:
        began = self._clock()
        progress = progress_at(self._registry, self._queue, portal)
        now = self._clock()
        until = now + max(MIN_AGE_S, (now - began) / MAX_CPU_SHARE)
        if before is None:
            return CachedProgress(1, progress, until)
        return CachedProgress(before.number + (progress != before.progress), progress, until)


async def progress_events(
    cache: ProgressCache, portal: str, stopping: threading.Event
) -> AsyncIterator[bytes]:
    """Yield `progress` at once and whenever it changes, and `gone` if it can no longer be read."""
    number, sent_at = 0, monotonic()
    while not stopping.is_set():
        try:
            cached = await run_in_threadpool(cache.get, portal)
        except LodeError:
            yield event("gone", {"error": "The portal cannot be read now."})
            return
        if cached.number != number:
            number, sent_at = cached.number, monotonic()
            yield event("progress", cached.progress, number)
        elif monotonic() - sent_at > HEARTBEAT_S:
            sent_at = monotonic()
            yield HEARTBEAT
        await asyncio.sleep(_POLL_S)
