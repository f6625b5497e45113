"""CPU scheduling policies."""

import os
import sys
from threading import Thread

import pytest

from motherlode.workers.cpu_priority import batch_scheduling

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has batch scheduling")


def note_policy(seen: list[int]) -> None:
    seen.append(os.sched_getscheduler(0))


def test_batch_scheduling_covers_the_block_and_threads_started_in_it() -> None:
    before, seen = os.sched_getscheduler(0), list[int]()
    with batch_scheduling():
        note_policy(seen)
        thread = Thread(target=note_policy, args=(seen,))
        thread.start()
        thread.join()
    assert seen == [os.SCHED_BATCH] * 2
    assert os.sched_getscheduler(0) == before


def test_a_system_that_forbids_batch_scheduling_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forbid(*_: object) -> None:
        raise PermissionError

    before = os.sched_getscheduler(0)
    monkeypatch.setattr(os, "sched_setscheduler", forbid)
    with batch_scheduling():
        assert os.sched_getscheduler(0) == before
