"""Turns at the processor."""

import os
import sys
from threading import Thread

import pytest

from motherlode.workers.cpu_priority import batch_scheduling

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no other system has such turns")


def policies(seen: list[int]) -> None:
    seen.append(os.sched_getscheduler(0))


def test_long_turns_are_for_a_while_and_for_all_that_is_started_meanwhile() -> None:
    before, seen = os.sched_getscheduler(0), list[int]()
    with batch_scheduling():
        policies(seen)
        thread = Thread(target=policies, args=(seen,))
        thread.start()
        thread.join()
    assert seen == [os.SCHED_BATCH] * 2
    assert os.sched_getscheduler(0) == before


def test_where_they_are_forbidden_all_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError

    before = os.sched_getscheduler(0)
    monkeypatch.setattr(os, "sched_setscheduler", forbidden)
    with batch_scheduling():
        assert os.sched_getscheduler(0) == before
