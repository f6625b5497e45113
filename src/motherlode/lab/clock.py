"""Virtual time: an event loop whose clock jumps to the next timer instead of waiting for it.

Whatever sleeps, times out or asks the loop for the time runs unchanged, and costs no real time.
Threads and other processes are not waited for: what runs here does its work in the loop.
"""

import asyncio
import math
import selectors
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from motherlode.fetch.event_loop import python_interrupt_handler

T = TypeVar("T")


class StuckError(RuntimeError):
    """Nothing is scheduled and nothing can come: in real time this would wait for ever."""


class _Jumping(selectors.BaseSelector):
    """A selector that, with nothing to read, lets the clock jump."""

    def __init__(self) -> None:
        self._inner = selectors.DefaultSelector()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = self._inner.select(0)
        if not found and timeout is None:
            raise StuckError("the virtual clock has nothing left to wait for")
        if not found and timeout:
            self.now += timeout
        return found

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._inner.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._inner.unregister(fileobj)

    def close(self) -> None:
        self._inner.close()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._inner.get_map()


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on virtual time, which begins at 0."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    # A timer is due when it lies less than this ahead. asyncio's own, a nanosecond, is lost in the
    # rounding once some months have passed: then no timer would ever be due.
    @property
    def _clock_resolution(self) -> float:
        return max(1e-9, 2 * math.ulp(self._jumping.now))

    @_clock_resolution.setter
    def _clock_resolution(self, _asyncios: float) -> None:
        pass


def run_virtually(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end on virtual time."""
    with python_interrupt_handler(), asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
