"""One writer at a time, and a dead one's lock is free."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from motherlode.portal import PortalLock
from motherlode.records import LockedError

HOLD = """
import os, sys, time
from pathlib import Path
from motherlode.portal import PortalLock
with PortalLock(Path(sys.argv[1]), "lode crawl"):
    print("held", flush=True)
    if sys.argv[2] == "True" and os.fork() == 0:
        print(os.getpid(), flush=True)
    time.sleep(60)
"""


def hold(directory: Path, *, fork: bool = False) -> "subprocess.Popen[str]":
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory), str(fork)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    with hold(tmp_path) as holder:
        try:
            with (
                pytest.raises(LockedError, match=rf"'lode crawl' \(process {holder.pid}\)"),
                PortalLock(tmp_path, "x"),
            ):
                pass
        finally:
            holder.kill()


def test_a_killed_writers_lock_is_taken_over(tmp_path: Path) -> None:
    with hold(tmp_path) as holder:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert "lode crawl" in (tmp_path / "lock").read_text()
        with PortalLock(tmp_path, "lode topics"):
            assert str(os.getpid()) in (tmp_path / "lock").read_text()


def test_the_same_process_cannot_take_it_twice(tmp_path: Path) -> None:
    with PortalLock(tmp_path, "a"), pytest.raises(LockedError), PortalLock(tmp_path, "b"):
        pass
    with PortalLock(tmp_path, "c"):
        pass


def test_a_forked_worker_does_not_outlive_its_parents_lock(tmp_path: Path) -> None:
    with hold(tmp_path, fork=True) as holder:
        assert holder.stdout is not None
        worker = int(holder.stdout.readline())
        holder.kill()
        holder.wait()
        try:
            with PortalLock(tmp_path, "b"):
                os.kill(worker, 0)  # it is still there
        finally:
            os.kill(worker, signal.SIGKILL)
