"""CPU scheduling for the processes of a crawl, which are all busy.

By default Linux interrupts a computing process as soon as another wakes up. In a crawl that happens
thousands of times a second, and the processor's cache is lost each time. A crawl need not
respond quickly, so every process may use up its time slice (SCHED_BATCH).
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_BACKGROUND_NICE = 5  # about a third of the CPU time of a reading worker, when CPU time is short


def lower_priority() -> None:
    """Let other processes go first from now on; for background work such as retraining."""
    os.setpriority(os.PRIO_PROCESS, 0, max(_BACKGROUND_NICE, os.getpriority(os.PRIO_PROCESS, 0)))


def use_batch_scheduling() -> None:
    """Switch this thread, and all that it starts, to batch scheduling where the system has it."""
    if sys.platform == "linux":
        _set_policy(os.SCHED_BATCH)


@contextmanager
def batch_scheduling() -> Iterator[None]:
    """Use batch scheduling within the block, and restore the policy after it."""
    if sys.platform == "linux":
        policy_before = os.sched_getscheduler(0)
        use_batch_scheduling()
        try:
            yield
        finally:
            _set_policy(policy_before)
    else:
        yield


if sys.platform == "linux":

    def _set_policy(policy: int) -> None:
        with suppress(OSError):  # some containers forbid it
            # The user chose any other policy, so it stays.
            if os.sched_getscheduler(0) in (os.SCHED_OTHER, os.SCHED_BATCH):
                os.sched_setscheduler(0, policy, os.sched_param(0))
