"""The clock over one exchange: first byte, silence between bytes, and the rate of a transfer (SPEC
B23).
"""

import asyncio
from collections.abc import Callable
from time import monotonic

from motherlode.fetch.failures import FailureKind
from motherlode.fetch.options import NetworkOptions
from motherlode.fetch.web import FetchError

NEVER = -1.0  # clocks begin at 0


class Watch:
    """Told of every arrival, it looks up only when something may be late: one timer,
    seldom moved.
    """

    __slots__ = (
        "_clock",
        "_fail",
        "_loop",
        "_options",
        "_timer",
        "_url",
        "began",
        "first_at",
        "last_at",
        "received",
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        options: NetworkOptions,
        url: str,
        clock: Callable[
            [], float
        ] = monotonic,  # finer than that of the loop, which may tick in milliseconds
    ) -> None:
        self._loop = loop
        self._clock = clock
        self._options = options
        self._url = url
        self._timer: asyncio.TimerHandle | None = None
        self._fail: Callable[[Exception], None] | None = None
        self.began = 0.0
        self.first_at = self.last_at = NEVER
        self.received = 0

    def start(self, fail: Callable[[Exception], None]) -> None:
        """The request goes out now; `fail` is called with the error, should it come to that."""
        self.began = self._clock()
        self.first_at = self.last_at = NEVER
        self.received = 0
        self._fail = fail
        self._look_at(self.began + self._options.first_byte_timeout)

    def heard(self, size: int) -> None:
        self.last_at = self._clock()
        if self.first_at < 0:
            self.first_at = self.last_at
            self._look_at(self._next(self.last_at))
        self.received += size

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._fail = None  # else the connection and its watch would hold each other

    def _look(self) -> None:
        now = self._clock()
        late = self._late(now)
        if late is None:
            self._look_at(self._next(now))
        elif self._fail is not None:
            self._fail(FetchError(late, self._url))

    def _late(self, now: float) -> FailureKind | None:
        options = self._options
        if self.first_at < 0:
            return (
                FailureKind.FIRST_BYTE_TIMEOUT
                if now >= self.began + options.first_byte_timeout
                else None
            )
        if now >= self.last_at + options.idle_timeout:
            return FailureKind.IDLE_TIMEOUT
        elapsed = now - self.first_at
        if elapsed >= options.rate_after and self.received < options.min_rate * elapsed:
            return FailureKind.TOO_SLOW
        return None

    def _next(self, now: float) -> float:
        """When something may be late next."""
        if self.first_at < 0:
            return self.began + self._options.first_byte_timeout
        silent = self.last_at + self._options.idle_timeout
        return min(silent, max(self.first_at + self._options.rate_after, now + 1.0))

    def _look_at(self, moment: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(max(moment - self._clock(), 0.0), self._look)
