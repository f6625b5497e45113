"""The event loop that measures best, wherever it can be had."""

import asyncio
import resource
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import uvloop

T = TypeVar("T")
_FILES = 16_384  # connections and all else that is open; many systems give a process 1,024 unless it asks


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end on an event loop of our own."""
    _allow_files()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def _allow_files() -> None:
    """Ask for as many open files as a crawl of many hosts takes, as far as the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
