"""The pace of requests to search sources: when each host may be asked next."""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Lock
from time import monotonic

Sleep = Callable[[float], Awaitable[None]]


class RequestPace:
    """Moments at which hosts may be asked next. Threads and event loops may share one."""

    def __init__(
        self, clock: Callable[[], float] = monotonic, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._free_at: dict[str, float] = {}
        self._held_until: dict[str, float] = {}
        self._lock = Lock()

    async def wait_for_turn(self, host: str, interval: float) -> None:
        """Wait until a host may be asked, and let the next request wait `interval` after this."""
        with self._lock:
            now = self._clock()
            turn = max(now, self._free_at.get(host, now), self._held_until.get(host, now))
            self._free_at[host] = turn + interval
        if turn > now:
            await self._sleep(turn - now)

    def hold(self, host: str, seconds: float) -> None:
        """Let nobody ask a host for some seconds, because it asked for that."""
        with self._lock:
            until = self._clock() + seconds
            self._held_until[host] = max(until, self._held_until.get(host, until))

    def held_for(self, host: str) -> float:
        """Return for how many seconds a host has asked not to be called."""
        with self._lock:
            now = self._clock()
            return max(0.0, self._held_until.get(host, now) - now)


# One for the process, so that two portals that are served together keep to a service's rate.
SHARED_PACE = RequestPace()
