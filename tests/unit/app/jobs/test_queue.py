"""Jobs: run by `lode` in processes of their own, seen by everybody, stopped by anybody."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import time

import pytest

from motherlode.app.errors import BusyError, NoJobError
from motherlode.app.jobs import crawls
from motherlode.app.jobs import records as jobs
from motherlode.app.jobs.commands import crawl_command
from motherlode.app.jobs.crawls import CrawlState
from motherlode.app.jobs.progress import crawl_at
from motherlode.app.jobs.queue import JobQueue
from motherlode.app.jobs.records import (
    Command,
    Job,
    JobFolder,
    JobState,
    SubmittedJob,
    is_id,
    jobs_of,
    new_id,
    prune,
    state_of,
)
from motherlode.app.requests.command_line import options_of
from motherlode.app.requests.crawl import CrawlRequest
from motherlode.app.requests.export import ExportRequest
from motherlode.app.server.events import event, lines_in
from motherlode.app.services.portals.creation import PortalContents, make_portal
from motherlode.app.services.portals.registry import PortalRegistry
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
    make_portal(tmp_path / "owls", PortalContents(query="owls"), {})
    return tmp_path / "owls"


def queue_of(portal: Path, running: int = 2, waiting: int = 2) -> JobQueue:
    return JobQueue(PortalRegistry(portal.parent), running, waiting)


def over(queue: JobQueue, job: Job) -> Job:
    """The job, once it is over. A job that never is would be ended by the test's own timeout."""
    pause = threading.Event()
    while not (now := queue.job(job.portal, job.id)).state.is_over:
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
    folder = JobFolder(portal / jobs.JOBS_FOLDER / job.id)
    while line not in lines_in(folder.output()[0]):
        pause.wait(0.02)


def test_a_job_is_a_command_with_its_result(portal: Path) -> None:
    queue = queue_of(portal)
    asked = queue.submit("owls", STATUS)
    assert asked.state is JobState.RUNNING
    done = over(queue, asked)
    assert (done.state, done.exit_code, done.command) == (JobState.DONE, 0, "status")
    assert done.result["examples"] == 1
    assert done.ended_at is not None
    assert done.ended_at >= done.asked_at


def test_a_job_does_not_know_the_token(
    portal: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\nenv >&2\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setenv("LODE_TOKEN", "a secret of the server")
    monkeypatch.setenv("LODE_CACHE", "elsewhere")
    queue = queue_of(portal)
    job = over(queue, queue.submit("owls", STATUS))
    lines = lines_in(queue.folder("owls", job.id).output()[0])
    assert "LODE_CACHE=elsewhere" in lines
    assert not [line for line in lines if "secret" in line]


def test_where_portals_lie_is_not_told(
    portal: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "python"
    script.write_text(f"""#!/bin/sh\necho "'lode crawl {portal} --pages=3' goes on" >&2\n""")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    queue = queue_of(portal)
    job = over(queue, queue.submit("owls", STATUS))
    said, behind = queue.folder("owls", job.id).output()
    assert job.says == lines_in(said)[0] == "'lode crawl owls --pages=3' goes on"
    assert queue.folder("owls", job.id).output(behind) == (
        b"",
        behind,
    )  # places are those of the file


def test_another_server_sees_the_same(portal: Path) -> None:
    queue = queue_of(portal)
    done = over(queue, queue.submit("owls", STATUS))
    assert queue_of(portal).job("owls", done.id) == done
    assert [job.id for job in queue_of(portal).all_jobs()] == [done.id]


def test_a_job_that_fails_says_why(portal: Path) -> None:
    queue = queue_of(portal)
    failed = over(queue, queue.submit("owls", Command("crawl", ("--policy=nonsense",))))
    assert (failed.state, failed.exit_code) == (JobState.FAILED, 2)
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
    queue, pause = queue_of(portal), threading.Event()
    over(queue, queue.submit("owls", Command("crawl")))
    while [job.command for job in queue.jobs("owls")] != ["index", "crawl"]:
        pause.wait(0.02)
    while queue.running_count():
        pause.wait(0.02)
    assert len(queue.jobs("owls")) == 2, "nothing follows the index"


def test_the_index_follows_nothing_else(portal: Path) -> None:
    queue, pause = queue_of(portal), threading.Event()
    over(queue, queue.submit("owls", Command("crawl", ("--policy=nonsense",))))
    over(queue, queue.submit("owls", STATUS))
    while queue.running_count():
        pause.wait(0.02)
    assert [job.command for job in queue.jobs("owls")] == ["status", "crawl"]


def test_jobs_that_wait_are_told_in_their_order(portal: Path) -> None:
    queue = queue_of(portal, running=0)
    asked = [queue.submit("owls", command).id for command in (STATUS, Command("crawl"))]
    assert [job.id for job in queue.waiting_jobs()] == asked
    assert queue.active_job("owls", "crawl") == queue.job("owls", asked[1])
    assert queue.active_job("owls", "index") is None


def test_a_value_is_never_taken_for_an_option(portal: Path) -> None:
    assert options_of(ExportRequest(format="csv", topic="--force")) == (
        "--format=csv",
        "--topic=--force",
    )
    assert Command("export", arguments=("--x",)).words(Path("/p"))[-3:] == ["--", "/p", "--x"]
    queue = queue_of(portal)
    failed = over(
        queue, queue.submit("owls", Command("status", arguments=("--help",), writes=False))
    )
    assert failed.exit_code == 2


@pytest.mark.usefixtures("patient")
def test_stopping_asks_insists_and_kills(portal: Path) -> None:
    queue = queue_of(portal)
    job = queue.submit("owls", STATUS)
    said(portal, job, "ready")
    assert queue.cancel("owls", job.id).state is JobState.RUNNING
    said(portal, job, "once")
    queue_of(portal).cancel("owls", job.id)  # another window, even of another server
    ended = over(queue, job)
    assert (ended.state, ended.stops, ended.exit_code) == (JobState.CANCELLED, 2, None)
    assert queue.cancel("owls", job.id).stops == 2  # nobody is there to be stopped


@pytest.mark.usefixtures("patient")
def test_so_many_run_and_so_many_wait(portal: Path) -> None:
    queue = queue_of(portal, running=1, waiting=2)
    first, second, third = (queue.submit("owls", STATUS) for _ in range(3))
    assert [job.state for job in queue.jobs("owls")] == [
        JobState.QUEUED,
        JobState.QUEUED,
        JobState.RUNNING,
    ]
    with pytest.raises(BusyError):
        queue.submit("owls", STATUS)
    assert queue.cancel("owls", second.id).state is JobState.CANCELLED
    assert queue.job("owls", second.id).state is JobState.CANCELLED
    said(portal, first, "ready")
    os.killpg(_pid(portal, first), signal.SIGKILL)
    assert over(queue, first).state is JobState.FAILED
    said(portal, third, "ready")  # it is its turn
    assert queue.running_count() == 1


@pytest.mark.usefixtures("patient")
def test_a_crawl_that_is_paused_at_once_can_be_resumed(portal: Path) -> None:
    queue = queue_of(portal)
    command = crawl_command(CrawlRequest(pages=50))
    job = queue.submit("owls", command)
    said(portal, job, "ready")  # but no run is in the store yet
    crawls.stop(queue, "owls")
    said(portal, job, "once")
    crawls.stop(queue, "owls")
    over(queue, job)
    assert crawl_at(PortalRegistry(portal.parent), queue, "owls").state is CrawlState.PAUSED
    resumed = crawls.resume(queue, "owls")
    assert (resumed.state, resumed.options) == (JobState.RUNNING, command.options)
    said(portal, resumed, "ready")


@pytest.mark.usefixtures("patient")
def test_a_crawl_that_is_paused_while_it_waits_can_be_resumed(portal: Path) -> None:
    queue = queue_of(portal, running=1, waiting=2)
    said(portal, queue.submit("owls", STATUS), "ready")
    job = queue.submit("owls", crawl_command(CrawlRequest(pages=50)))
    assert crawls.stop(queue, "owls").state is JobState.CANCELLED
    assert crawl_at(PortalRegistry(portal.parent), queue, "owls").state is CrawlState.PAUSED
    resumed = crawls.resume(queue, "owls")
    assert (resumed.state, resumed.options) == (JobState.QUEUED, job.options)


def _pid(portal: Path, job: Job) -> int:
    holder = holder_of(portal / jobs.JOBS_FOLDER / job.id)
    assert holder is not None
    return holder.pid


def test_a_portal_in_use_is_not_asked_to_be_written(portal: Path) -> None:
    queue = queue_of(portal)
    with PortalLock(portal, "crawl"):
        with pytest.raises(LockedError, match="'crawl' is writing this portal"):
            queue.submit("owls", Command("train"))
        assert over(queue, queue.submit("owls", STATUS)).state is JobState.DONE


@pytest.mark.parametrize(
    "name", ["", "..", "20261117T004902123-ddb2135b", "../../lode.toml", "x" * 500]
)
def test_there_are_no_other_jobs(portal: Path, name: str) -> None:
    with pytest.raises(NoJobError):
        queue_of(portal).job("owls", name)
    with pytest.raises(NoPortalError):
        queue_of(portal).job("..", name)


def test_ids_sort_by_time() -> None:
    early, late = new_id(1_700_000_000.0), new_id(1_700_000_000.01)
    assert early < late
    assert is_id(early)


def test_what_has_become_of_a_job() -> None:
    assert state_of(None, 0, is_alive=True) is JobState.RUNNING
    assert state_of(0, 1, is_alive=False) is JobState.DONE  # it was asked to stop when it was done
    assert state_of(1, 0, is_alive=False) is JobState.FAILED
    assert (
        state_of(11, 0, is_alive=False) is JobState.CANCELLED
    )  # stopped from elsewhere, in good order
    assert state_of(1, 1, is_alive=False) is JobState.CANCELLED
    assert state_of(None, 0, is_alive=False) is JobState.FAILED  # killed
    assert state_of(None, 3, is_alive=False) is JobState.CANCELLED


def test_the_oldest_jobs_are_forgotten(portal: Path) -> None:
    for number in range(jobs.MAX_KEPT_JOBS + 5):
        asked = SubmittedJob(new_id(1_700_000_000.0 + number), "owls", "status", (), time())
        JobFolder.create(portal, asked)
    prune(portal)
    left = jobs_of(portal)
    assert len(left) == jobs.MAX_KEPT_JOBS
    assert all(job.asked_at for job in left)
    assert min(job.id for job in left) >= new_id(1_700_000_005.0)[:18]


def test_lines_are_whole_and_safe(portal: Path) -> None:
    folder = JobFolder.create(portal, SubmittedJob(new_id(0.0), "owls", "x", (), 0.0))
    assert folder.output() == (b"", 0)
    (folder.path / "lines").write_bytes(b"one\r\nhalf\rtwo\x1b[2J\xff\nthr")
    text, behind = folder.output()
    assert lines_in(text) == ["one", "two\ufffd[2J\ufffd"]
    (folder.path / "lines").write_bytes(b"one\r\nhalf\rtwo\x1b[2J\xff\nthree\n")
    assert lines_in(folder.output(behind)[0]) == ["three"]
    assert folder.output(10**12) == (b"", 10**12)
    assert folder.last_line() == "three"


def test_an_event_is_one_line_whatever_it_tells() -> None:
    assert event("lines", ["a\nb"], 7) == b'event: lines\nid: 7\ndata: ["a\\nb"]\n\n'
