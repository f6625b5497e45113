"""The nursery: workers come from it at once, and end with whoever wanted them, or with it."""

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

import pytest

from motherlode.documents.options import ReadingOptions
from motherlode.fetch.loops import run
from motherlode.workers import fork_client
from motherlode.workers.fork_client import ForkServer, WorkerProcess
from motherlode.workers.fork_server import WorkerProgram
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure
from support import worker_tasks as tasks

OPTIONS = ReadingOptions(workers=2, seconds=20.0, memory=256)
PATIENCE = 20.0


class Child:
    """A worker, and the line to it."""

    def __init__(self, process: WorkerProcess, line: socket.socket) -> None:
        self.process = process
        self.line: Connection[Any, Any] = Connection(line.detach())

    def says(self) -> Any:
        assert self.line.poll(PATIENCE)
        return pickle.loads(self.line.recv_bytes())  # noqa: S301 - from our own process

    def begun(self) -> int:
        self.process.pid = self.says()
        return self.process.pid


class Home:
    """A nursery, and those that it has borne. A context manager."""

    def __init__(self, *, forked: bool = False) -> None:
        self.nursery = ForkServer(forked=forked)
        self.pid = self.nursery.pid
        self._children: list[Child] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.nursery.close()
        for child in self._children:
            child.process.kill()
            child.line.close()

    def child(self, life: Callable[..., object], lesson: Callable[[], object] = int) -> Child:
        return self.packed(WorkerProgram.pickled(lesson, life))

    def packed(self, upbringing: WorkerProgram) -> Child:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            child = Child(self.nursery.fork_worker(upbringing, theirs.fileno()), ours)
        self._children.append(child)
        return child


@pytest.fixture
def home() -> Iterator[Home]:
    with Home() as found:
        yield found


def come_true(true: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < until:
        time.sleep(0.01)
    return true()


def gone(pid: int) -> bool:
    """Whether a process has ended and somebody has asked after it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_workers_are_forks_of_it_that_share_nothing_but_what_was_loaded(home: Home) -> None:
    first, second = (home.child(tasks.tell) for _ in range(2))
    assert len({first.begun(), second.begun(), home.pid, os.getpid()}) == 4
    told = [child.says() for child in (first, second)]
    assert {one["parent"] for one in told} == {home.pid}
    assert [one["group"] for one in told] == [first.process.pid, second.process.pid]
    assert told[0]["drawn"] != told[1]["drawn"]
    # Two lines of their own, none of the nursery, of the other, or of whoever wanted them.
    assert [one["sockets"] for one in told] == [2, 2]
    assert first.process.wait(PATIENCE) == second.process.wait(PATIENCE) == 0


def test_a_worker_finds_what_a_process_finds_that_is_started_here(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setenv("LODE_TEST_MARK", name)
        child = home.child(tasks.tell)
        child.begun()
        told = child.says()
        assert (told["directory"], told["mark"]) == (str(tmp_path / name), name)
        assert told["path"] == sys.path


def test_what_is_loaded_for_workers_is_loaded_once(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LODE_TEST_MARK", str(tmp_path / "lessons"))
    for _ in range(3):
        home.child(tasks.tell, tasks.learn).begun()
    assert (tmp_path / "lessons").read_text() == f"{home.pid}\n"


def test_how_a_worker_ended_is_told_with_its_time(home: Home) -> None:
    child = home.child(partial(tasks.live, "work a while"))
    child.begun()
    assert child.process.wait(PATIENCE) == 0
    assert child.process.cpu_seconds >= 0.2
    for what, code in (("exit", 3), ("crash", -signal.SIGSEGV), ("error", 1), ("killed", -signal.SIGKILL)):
        child = home.child(partial(tasks.live, what))
        child.begun()
        assert child.process.wait(PATIENCE) == code == child.process.poll()


def test_one_that_is_hung_up_is_ended_with_all_that_it_started(home: Home) -> None:
    child = home.child(tasks.have_a_child)
    worker, theirs = child.begun(), child.says()
    assert child.process.poll() is None
    child.process.kill()
    assert child.process.poll() == -signal.SIGKILL
    assert gone(worker)
    assert come_true(lambda: not tasks.lives(theirs))


def test_what_a_worker_leaves_behind_is_ended(home: Home) -> None:
    child = home.child(partial(tasks.have_a_child, leave=True))
    child.begun()
    theirs = child.says()
    assert child.process.wait(PATIENCE) == 0
    assert come_true(lambda: not tasks.lives(theirs))


def test_what_nobody_can_do_is_not_begun_and_harms_no_other(home: Home) -> None:
    with pytest.raises(EOFError):
        home.packed(WorkerProgram(pickle.dumps(int), b"no pickle")).says()
    assert home.child(tasks.tell).begun()


def test_an_end_takes_all_with_it() -> None:
    with Home() as home:
        pids = [home.child(partial(tasks.live, "hang")).begun() for _ in range(3)]
    assert all(map(gone, [home.pid, *pids]))


def test_workers_whose_nursery_is_killed_go_on_and_can_be_ended(home: Home) -> None:
    ended, killed = (home.child(partial(tasks.live, "hang")) for _ in range(2))
    pids = ended.begun(), killed.begun()
    os.kill(home.pid, signal.SIGKILL)
    assert come_true(lambda: not home.nursery.is_alive)
    assert (ended.process.wait(0.1), killed.process.poll()) == (None, None)
    assert all(map(tasks.lives, pids))
    ended.process.kill()
    os.kill(killed.process.pid, signal.SIGKILL)
    assert ended.process.poll() == killed.process.wait(PATIENCE) == -signal.SIGKILL
    assert come_true(lambda: not any(map(tasks.lives, pids)))  # its files are closed a moment before


ORPHANING = """
import sys
from functools import partial
from support import worker_tasks as tasks
from test_fork_client import Home
with Home(forked=sys.argv[1] == "forked") as home:
    children = [home.child(partial(tasks.live, "spin")) for _ in range(2)]
    print(home.pid, *(child.begun() for child in children), flush=True)
    children[0].says()
"""


def command(program: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """A process that has no threads, and its environment."""
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    return [sys.executable, "-c", program, *arguments], {**os.environ, "PYTHONPATH": path}


def run_alone(program: str, *arguments: str) -> str:
    words, environment = command(program, *arguments)
    return subprocess.run(
        words, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=60
    ).stdout


@pytest.mark.parametrize("how", ["launched", "forked"])
def test_all_end_with_whoever_wanted_them(how: str) -> None:
    words, environment = command(ORPHANING, how)
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 3
        assert all(map(tasks.lives, pids))
        parent.kill()
    assert come_true(lambda: not any(map(tasks.lives, pids)))


# As workers use it.


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> fork_client._SharedServer:
    """What all in this process share, as if nobody had asked for it yet."""
    own = fork_client._SharedServer()
    monkeypatch.setattr(fork_client, "_SHARED", own)
    return own


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not list open files")
def test_nothing_is_left_open_and_nobody_behind(shared: fork_client._SharedServer) -> None:
    async def work() -> list[int]:
        async with ProcessPool(tasks.task, OPTIONS) as one, ProcessPool(tasks.task, OPTIONS) as other:
            assert await one.run(["a", "crash"]) == ["A", JobFailure("killed its reader (SIGSEGV)")]
            assert await other.run(["b"]) == ["B"]
            assert shared._server is not None
            return [shared._server.pid, *(w.process.pid for every in (one, other) for w in every._workers)]

    run(work())  # what a loop keeps open for ever is open now
    before = open_files()
    pids = run(work())
    assert len(pids) == 1 + 2 * OPTIONS.workers
    assert all(map(gone, pids))
    assert open_files() == before
    assert shared._server is None


def test_a_nursery_that_is_killed_is_replaced_and_costs_no_document(
    shared: fork_client._SharedServer,
) -> None:
    async def work() -> None:
        async with ProcessPool(tasks.task, ReadingOptions(workers=1, seconds=20.0)) as workers:
            first = shared._server
            assert first is not None
            os.kill(first.pid, signal.SIGKILL)
            assert (await workers.run(["a", "b"]), workers.replaced_count) == (["A", "B"], 0)
            (worker,) = workers._workers
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.wait()
            assert (await workers.run(["c", "d"]), workers.replaced_count) == (["C", "D"], 1)
            assert shared._server not in (first, None)

    run(work())


def test_one_that_does_not_answer_is_given_up(
    shared: fork_client._SharedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("motherlode.workers.process_pool._START_TIMEOUT_S", 2.0)

    async def work() -> list[Any]:
        async with ProcessPool(tasks.task, ReadingOptions(workers=1, seconds=20.0)) as workers:
            return await workers.run(["a"])

    shared._server = stopped = ForkServer()
    os.kill(stopped.pid, signal.SIGSTOP)
    assert run(work()) == ["A"]
    assert gone(stopped.pid)


FORKING = """
import os
from support import worker_tasks as tasks
from motherlode.workers import fork_client
from test_fork_client import Home
with fork_client.shared_fork_server(), Home() as home:
    fork_client._SHARED._server = home.nursery
    if not (child := os.fork()):
        os._exit(fork_client._SHARED._server is not None or home.nursery._control.fileno() >= 0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert home.child(tasks.tell).begun()
    fork_client._SHARED._server = None
"""


def test_a_fork_of_whoever_keeps_it_has_no_part_in_it() -> None:
    run_alone(FORKING)


OPENING = """
import sys, threading
from motherlode.workers import fork_client
done = threading.Event()
if sys.argv[1] == "with a thread":
    threading.Thread(target=done.wait, daemon=True).start()
with fork_client.early_fork_server():
    print(fork_client._SHARED._server is not None)
assert fork_client._SHARED._server is None
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="nothing is forked there")
@pytest.mark.parametrize(("how", "forked"), [("at once", True), ("with a thread", False)])
def test_a_command_is_forked_only_before_anything_has_begun(how: str, *, forked: bool) -> None:
    assert run_alone(OPENING, how) == f"{forked}\n"


HOLDING = """
import os
from motherlode.workers import fork_client
ours, theirs = os.pipe()
with fork_client.early_fork_server():
    assert fork_client._SHARED._server is not None
    os.close(theirs)
    print(os.read(ours, 1))  # waits as long as anybody has the other end
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="nothing is forked there")
def test_one_that_is_forked_keeps_nothing_open_that_is_the_commands() -> None:
    assert run_alone(HOLDING) == "b''\n"
