"""Turns at the processor, told what a crawl is like: several processes that all have enough to do.

By its defaults Linux halts whoever computes as soon as another has been waited for, thousands of times a
second here, and what a process has in the processor's cache is another's when it goes on. Nobody waits for an
answer of a crawl: one whose turn it is may as well have it to its end.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def use_batch_scheduling() -> None:
    """From here on this thread, and all that it starts, leaves others their turns, where the system knows
    such a thing."""
    if sys.platform == "linux":
        _set(os.SCHED_BATCH)


@contextmanager
def batch_scheduling() -> Iterator[None]:
    """The same, for a while."""
    if sys.platform == "linux":
        before = os.sched_getscheduler(0)
        use_batch_scheduling()
        try:
            yield
        finally:
            _set(before)
    else:
        yield


if sys.platform == "linux":

    def _set(policy: int) -> None:
        with suppress(OSError):  # some containers forbid it
            if os.sched_getscheduler(0) in (os.SCHED_OTHER, os.SCHED_BATCH):  # else somebody chose otherwise
                os.sched_setscheduler(0, policy, os.sched_param(0))
