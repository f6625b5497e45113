"""Jobs: run by `lode` in processes of their own, seen by everybody, stopped by anybody."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import time

import pytest

from motherlode.app.jobs import records as jobs
from motherlode.app.jobs.queue import Board, BusyError, NoJobError
from motherlode.app.jobs.records import (
    Asked,
    Command,
    Job,
    JobFolder,
    State,
    is_id,
    jobs_of,
    new_id,
    option,
    prune,
    state_of,
)
from motherlode.app.server.events import event, lines_in
from motherlode.app.services.portals import Wanted, make_portal
from motherlode.app.services.registry import Shelf
from motherlode.portal import PortalLock
from motherlode.portal.lock import holder_of
from motherlode.records import LockedError, NoPortalError
from support.app_server import end_jobs

STATUS = Command("status", writes=False)
# Says a line, then waits until it is told to stop; the second Ctrl-C is what ends it.
PATIENT = """
import signal, sys, time
def stopped(number, frame):
    print("once", file=sys.stderr, flush=True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGINT, stopped)
print("ready", file=sys.stderr, flush=True)
while True: signal.pause()
"""


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    make_portal(tmp_path / "owls", Wanted(query="owls"), {})
    return tmp_path / "owls"


def board_of(portal: Path, running: int = 2, waiting: int = 2) -> Board:
    return Board(Shelf(portal.parent), running, waiting)


def over(board: Board, job: Job) -> Job:
    """The job, once it is over. A job that never is would be ended by the test's own timeout."""
    pause = threading.Event()
    while not (now := board.job(job.portal, job.id)).state.is_over:
        pause.wait(0.02)
    return now


@pytest.fixture
def patient(portal: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Jobs that wait to be stopped, instead of `lode`."""
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{PATIENT}'\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    yield
    end_jobs(portal.parent)


def said(portal: Path, job: Job, line: str) -> None:
    """Wait until a job has said this."""
    pause = threading.Event()
    folder = JobFolder(portal / jobs.FOLDER / job.id)
    while line not in lines_in(folder.lines()[0]):
        pause.wait(0.02)


def test_a_job_is_a_command_with_its_result(portal: Path) -> None:
    board = board_of(portal)
    asked = board.ask("owls", STATUS)
    assert asked.state is State.RUNNING
    done = over(board, asked)
    assert (done.state, done.exit_code, done.command) == (State.DONE, 0, "status")
    assert done.result["examples"] == 1
    assert done.ended_at is not None
    assert done.ended_at >= done.asked_at


def test_a_job_does_not_know_the_token(portal: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\nenv >&2\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setenv("LODE_TOKEN", "a secret of the server")
    monkeypatch.setenv("LODE_CACHE", "elsewhere")
    board = board_of(portal)
    job = over(board, board.ask("owls", STATUS))
    lines = lines_in(board.folder("owls", job.id).lines()[0])
    assert "LODE_CACHE=elsewhere" in lines
    assert not [line for line in lines if "secret" in line]


def test_where_portals_lie_is_not_told(portal: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text(f"""#!/bin/sh\necho "'lode crawl {portal} --pages=3' goes on" >&2\n""")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    board = board_of(portal)
    job = over(board, board.ask("owls", STATUS))
    said, behind = board.folder("owls", job.id).lines()
    assert job.says == lines_in(said)[0] == "'lode crawl owls --pages=3' goes on"
    assert board.folder("owls", job.id).lines(behind) == (b"", behind)  # places are those of the file


def test_another_server_sees_the_same(portal: Path) -> None:
    board = board_of(portal)
    done = over(board, board.ask("owls", STATUS))
    assert board_of(portal).job("owls", done.id) == done
    assert [job.id for job in board_of(portal).all_jobs()] == [done.id]


def test_a_job_that_fails_says_why(portal: Path) -> None:
    board = board_of(portal)
    failed = over(board, board.ask("owls", Command("crawl", ("--policy=nonsense",))))
    assert (failed.state, failed.exit_code) == (State.FAILED, 2)
    assert "nonsense" in failed.says
    assert failed.result is None


@pytest.mark.parametrize("code", [0, 11])
def test_the_index_follows_what_changes_pages(
    portal: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int
) -> None:
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\nexit {code}\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    board, pause = board_of(portal), threading.Event()
    over(board, board.ask("owls", Command("crawl")))
    while [job.command for job in board.jobs("owls")] != ["index", "crawl"]:
        pause.wait(0.02)
    while board.running():
        pause.wait(0.02)
    assert len(board.jobs("owls")) == 2, "nothing follows the index"


def test_the_index_follows_nothing_else(portal: Path) -> None:
    board, pause = board_of(portal), threading.Event()
    over(board, board.ask("owls", Command("crawl", ("--policy=nonsense",))))
    over(board, board.ask("owls", STATUS))
    while board.running():
        pause.wait(0.02)
    assert [job.command for job in board.jobs("owls")] == ["status", "crawl"]


def test_jobs_that_wait_are_told_in_their_order(portal: Path) -> None:
    board = board_of(portal, running=0)
    asked = [board.ask("owls", command).id for command in (STATUS, Command("crawl"))]
    assert [job.id for job in board.waiting()] == asked
    assert board.under_way("owls", "crawl") == board.job("owls", asked[1])
    assert board.under_way("owls", "index") is None


def test_a_value_is_never_taken_for_an_option(portal: Path) -> None:
    assert option("topic", "--force") == ("--topic=--force",)
    assert Command("export", arguments=("--x",)).words(Path("/p"))[-3:] == ["--", "/p", "--x"]
    board = board_of(portal)
    failed = over(board, board.ask("owls", Command("status", arguments=("--help",), writes=False)))
    assert failed.exit_code == 2


@pytest.mark.usefixtures("patient")
def test_stopping_asks_insists_and_kills(portal: Path) -> None:
    board = board_of(portal)
    job = board.ask("owls", STATUS)
    said(portal, job, "ready")
    assert board.cancel("owls", job.id).state is State.RUNNING
    said(portal, job, "once")
    board_of(portal).cancel("owls", job.id)  # another window, even of another server
    ended = over(board, job)
    assert (ended.state, ended.stops, ended.exit_code) == (State.CANCELLED, 2, None)
    assert board.cancel("owls", job.id).stops == 2  # nobody is there to be stopped


@pytest.mark.usefixtures("patient")
def test_so_many_run_and_so_many_wait(portal: Path) -> None:
    board = board_of(portal, running=1, waiting=2)
    first, second, third = (board.ask("owls", STATUS) for _ in range(3))
    assert [job.state for job in board.jobs("owls")] == [State.QUEUED, State.QUEUED, State.RUNNING]
    with pytest.raises(BusyError):
        board.ask("owls", STATUS)
    assert board.cancel("owls", second.id).state is State.CANCELLED
    with pytest.raises(NoJobError):
        board.job("owls", second.id)
    said(portal, first, "ready")
    os.killpg(_pid(portal, first), signal.SIGKILL)
    assert over(board, first).state is State.FAILED
    said(portal, third, "ready")  # it is its turn
    assert board.running() == 1


def _pid(portal: Path, job: Job) -> int:
    holder = holder_of(portal / jobs.FOLDER / job.id)
    assert holder is not None
    return holder.pid


def test_a_portal_in_use_is_not_asked_to_be_written(portal: Path) -> None:
    board = board_of(portal)
    with PortalLock(portal, "crawl"):
        with pytest.raises(LockedError, match="'crawl' is writing this portal"):
            board.ask("owls", Command("train"))
        assert over(board, board.ask("owls", STATUS)).state is State.DONE


@pytest.mark.parametrize("name", ["", "..", "20261117T004902123-ddb2135b", "../../lode.toml", "x" * 500])
def test_there_are_no_other_jobs(portal: Path, name: str) -> None:
    with pytest.raises(NoJobError):
        board_of(portal).job("owls", name)
    with pytest.raises(NoPortalError):
        board_of(portal).job("..", name)


def test_ids_sort_by_time() -> None:
    early, late = new_id(1_700_000_000.0), new_id(1_700_000_000.01)
    assert early < late
    assert is_id(early)


def test_what_has_become_of_a_job() -> None:
    assert state_of(None, 0, alive=True) is State.RUNNING
    assert state_of(0, 1, alive=False) is State.DONE  # it was asked to stop when it was done
    assert state_of(1, 0, alive=False) is State.FAILED
    assert state_of(11, 0, alive=False) is State.CANCELLED  # stopped from elsewhere, in good order
    assert state_of(1, 1, alive=False) is State.CANCELLED
    assert state_of(None, 0, alive=False) is State.FAILED  # killed
    assert state_of(None, 3, alive=False) is State.CANCELLED


def test_the_oldest_jobs_are_forgotten(portal: Path) -> None:
    for number in range(jobs.KEPT + 5):
        asked = Asked(new_id(1_700_000_000.0 + number), "owls", "status", (), time())
        JobFolder.made(portal, asked)
    prune(portal)
    left = jobs_of(portal)
    assert len(left) == jobs.KEPT
    assert all(job.asked_at for job in left)
    assert min(job.id for job in left) >= new_id(1_700_000_005.0)[:18]


def test_lines_are_whole_and_safe(portal: Path) -> None:
    folder = JobFolder.made(portal, Asked(new_id(0.0), "owls", "x", (), 0.0))
    assert folder.lines() == (b"", 0)
    (folder.path / "lines").write_bytes(b"one\r\nhalf\rtwo\x1b[2J\xff\nthr")
    text, behind = folder.lines()
    assert lines_in(text) == ["one", "two\ufffd[2J\ufffd"]
    (folder.path / "lines").write_bytes(b"one\r\nhalf\rtwo\x1b[2J\xff\nthree\n")
    assert lines_in(folder.lines(behind)[0]) == ["three"]
    assert folder.lines(10**12) == (b"", 10**12)
    assert folder.last_line() == "three"


def test_an_event_is_one_line_whatever_it_tells() -> None:
    assert event("lines", ["a\nb"], 7) == b'event: lines\nid: 7\ndata: ["a\\nb"]\n\n'
