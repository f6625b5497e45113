"""The rate limiter: entries and further steps of fetches wait for their turn at a host.

`host_slots.Turns` decides which host may be asked; the clock and the waiting are here.
"""

import asyncio
from collections import deque
from math import inf
from typing import Generic, TypeVar

from msgspec import Struct

from motherlode.fetch.options import PolitenessOptions
from motherlode.fetch.politeness.host_slots import Turns
from motherlode.urls import registrable_domain

T = TypeVar("T")


class _Step:
    """Somebody in the midst of a fetch who waits for a turn at another host."""

    __slots__ = ("host", "ready")

    def __init__(self, host: str, ready: "asyncio.Future[None]") -> None:
        self.host = host
        self.ready = ready


class _WaitingEntry(Struct, Generic[T], frozen=True, gc=False):
    """An entry and where it waits."""

    entry: T
    rank: float
    host: str


class RateLimiter(Generic[T]):
    """Who may be asked when. Whoever was given a turn at a host ends it by `release`.

    It belongs to the event loop that it is first used on.
    """

    def __init__(self, options: PolitenessOptions, *, sandbox: bool = False) -> None:
        self._delay = min(options.sandbox_delay if sandbox else options.delay, options.max_delay)
        self._slowdown = (
            options.slowdown if self._delay else 0.0
        )  # a sandbox is as slow as it is told to be
        self._max_delay = options.max_delay
        self._now = self._first_now
        self._turns: Turns[_WaitingEntry[T] | _Step] = Turns(options)
        self._takers: deque[asyncio.Future[_WaitingEntry[T]]] = deque()
        self._steps = 0
        self._timer: asyncio.Handle | None = None
        self._look_at = (
            inf  # when the timer is due: one that is due at once cannot say so itself (uvloop)
        )

    def __len__(self) -> int:
        """How many entries wait."""
        return len(self._turns) - self._steps

    @property
    def is_wanting(self) -> bool:
        """Whether anybody waits for an entry."""
        return any(not taker.done() for taker in self._takers)

    def waiting(self, host: str) -> int:
        """How many entries wait for a host."""
        return self._turns.waiting(host)

    def next_in(self) -> float | None:
        """In how many seconds the next resting host may be asked; None: none rests."""
        at = self._turns.next_at()
        return None if at is None else max(0.0, at - self._now())

    def add(self, entry: T, rank: float, host: str) -> None:
        """Let an entry wait for its host."""
        self._turns.add(_WaitingEntry(entry, rank, host), rank, host, registrable_domain(host))
        if self._takers or self._steps:  # else whoever wants an entry looks for himself
            self._serve()

    async def next(self) -> T:
        """The best entry whose host may be asked now, as soon as there is one."""
        entry = self.poll()
        if entry is not None:
            return entry
        taker: asyncio.Future[_WaitingEntry[T]] = asyncio.get_running_loop().create_future()
        self._takers.append(taker)
        self._serve()
        try:
            return (await taker).entry
        except asyncio.CancelledError:
            if taker.done() and not taker.cancelled():  # given and never received: it waits again
                given = taker.result()
                self.release(given.host, None)
                self.add(given.entry, given.rank, given.host)
            raise

    def poll(self) -> T | None:
        """The best entry whose host may be asked now; None: there is none, or others wait for one
        already.
        """
        if not self._takers:
            now = self._now()
            while (work := self._turns.take(now)) is not None:
                if not isinstance(work, _Step):
                    return work.entry
                self._start(work, now)
        return None

    async def turn(self, host: str) -> None:
        """Wait for a turn at a host, ahead of all entries: what has been begun is
        finished first.
        """
        step = _Step(host, asyncio.get_running_loop().create_future())
        self._turns.add(step, inf, host, registrable_domain(host))
        self._steps += 1
        self._serve()
        try:
            await step.ready
        except asyncio.CancelledError:
            if step.ready.done() and not step.ready.cancelled():
                self.release(host, None)
            raise

    def release(self, host: str, seconds: float | None, asked_for: float | None = None) -> None:
        """A turn is over, after an answer that took so long; the host now rests. None: it was not
        asked.
        """
        self._turns.done(
            host, self._now(), None if seconds is None else self.rest(seconds, asked_for)
        )
        if self._takers or self._steps:
            self._serve()

    def rest(self, seconds: float, asked_for: float | None = None) -> float:
        """How long a host rests after an answer that took so long, if robots.txt asks
        for a delay.
        """
        if not self._slowdown and asked_for is None:
            return self._delay
        return min(max(self._delay, seconds * self._slowdown, asked_for or 0.0), self._max_delay)

    def hold(self, host: str, seconds: float) -> None:
        """Leave a host alone for so long, as it asked for or as it failed."""
        self._turns.hold(host, self._now() + seconds)

    def drain(self) -> list[T]:
        """Take back all entries that wait; steps go on waiting, for their fetches are under way."""
        works = self._turns.drain()
        for step in (work for work in works if isinstance(work, _Step)):
            self._turns.add(step, inf, step.host, registrable_domain(step.host))
        self._serve()
        return [work.entry for work in works if not isinstance(work, _Step)]

    def _serve(self) -> None:
        """Give out all turns that can be given now, and look again when the next host
        has rested.
        """
        now = self._now()
        while self._takers and self._takers[0].done():
            self._takers.popleft()
        while (work := self._turns.take(now, -inf if self._takers else inf)) is not None:
            if isinstance(work, _Step):
                self._start(work, now)
            else:
                self._takers.popleft().set_result(work)
                while self._takers and self._takers[0].done():
                    self._takers.popleft()
        self._look_again()

    def _start(self, step: _Step, now: float) -> None:
        self._steps -= 1
        if step.ready.done():  # it waits no longer
            self._turns.done(step.host, now, None)
        else:
            step.ready.set_result(None)

    def _look_again(self) -> None:
        at = self._turns.next_at() if self._takers or self._steps else None
        if self._timer is not None:
            if at == self._look_at:
                return
            self._timer.cancel()
            self._timer = None
        if at is not None:
            self._look_at = at
            self._timer = asyncio.get_running_loop().call_at(at, self._served_late)

    def _served_late(self) -> None:
        self._timer = None
        self._serve()

    def _first_now(self) -> float:
        """The loop's time, asked for once by its name: to find out the loop costs more than to ask
        it.
        """
        self._now = asyncio.get_running_loop().time
        return self._now()
