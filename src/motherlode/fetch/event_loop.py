"""The event loop that measures best, wherever it can be had."""

import asyncio
import resource
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import uvloop

T = TypeVar("T")
# connections and all else that is open; many systems give a process 1,024 unless it asks
_FILES = 16_384


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end on an event loop of our own."""
    _allow_files()
    with (
        python_interrupt_handler(),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return runner.run(work)


@contextmanager
def python_interrupt_handler() -> Iterator[None]:
    """Let Python handle SIGINT meanwhile: else asyncio would not cancel the work on Ctrl-C.

    Whoever watches for signals by a file descriptor does so again afterwards.
    """
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not callable(before):  # it is ignored, say
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    wakeup = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGINT, before)


def _allow_files() -> None:
    """Ask for as many open files as a crawl of many hosts takes, as far as the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
