"""The fork server: it forks workers at once, and they end with it or with its client."""

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
from motherlode.fetch.event_loop import run
from motherlode.workers import fork_client
from motherlode.workers.fork_client import ForkServer, WorkerProcess
from motherlode.workers.fork_server import WorkerProgram
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure
from support import worker_tasks as tasks

OPTIONS = ReadingOptions(workers=2, seconds=20.0, memory=256)
TIMEOUT_S = 20.0


class Worker:
    """A forked worker and the test's end of its channel."""

    def __init__(self, process: WorkerProcess, channel: socket.socket) -> None:
        self.process = process
        self.channel: Connection[Any, Any] = Connection(channel.detach())

    def receive(self) -> Any:
        assert self.channel.poll(TIMEOUT_S)
        return pickle.loads(self.channel.recv_bytes())  # noqa: S301 - from our own process

    def wait_until_ready(self) -> int:
        self.process.pid = self.receive()
        return self.process.pid


class ServerAndWorkers:
    """A fork server and its workers. A context manager."""

    def __init__(self, *, forked: bool = False) -> None:
        self.server = ForkServer(forked=forked)
        self.pid = self.server.pid
        self._workers: list[Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.close()
        for worker in self._workers:
            worker.process.kill()
            worker.channel.close()

    def fork(self, main: Callable[..., object], preload: Callable[[], object] = int) -> Worker:
        return self.fork_program(WorkerProgram.pickled(preload, main))

    def fork_program(self, program: WorkerProgram) -> Worker:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            worker = Worker(self.server.fork_worker(program, theirs.fileno()), ours)
        self._workers.append(worker)
        return worker


@pytest.fixture
def server() -> Iterator[ServerAndWorkers]:
    with ServerAndWorkers() as server:
        yield server


def becomes_true(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def is_reaped(pid: int) -> bool:
    """Whether a process has ended and its parent has collected its exit status."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_workers_share_nothing_but_loaded_modules(server: ServerAndWorkers) -> None:
    first, second = (server.fork(tasks.report_environment) for _ in range(2))
    assert len({first.wait_until_ready(), second.wait_until_ready(), server.pid, os.getpid()}) == 4
    reports = [worker.receive() for worker in (first, second)]
    assert {report["parent"] for report in reports} == {server.pid}
    assert [report["group"] for report in reports] == [first.process.pid, second.process.pid]
    assert reports[0]["random"] != reports[1]["random"]
    # Channel and status socket; none of the server, the other worker, or the client.
    assert [report["sockets"] for report in reports] == [2, 2]
    assert first.process.wait(TIMEOUT_S) == second.process.wait(TIMEOUT_S) == 0


def test_a_worker_has_the_clients_present_environment(
    server: ServerAndWorkers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setenv("LODE_TEST_MARK", name)
        worker = server.fork(tasks.report_environment)
        worker.wait_until_ready()
        report = worker.receive()
        assert (report["directory"], report["mark"]) == (str(tmp_path / name), name)
        assert report["path"] == sys.path


def test_a_program_is_preloaded_once(
    server: ServerAndWorkers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LODE_TEST_MARK", str(tmp_path / "preloads"))
    for _ in range(3):
        server.fork(tasks.report_environment, tasks.note_preload).wait_until_ready()
    assert (tmp_path / "preloads").read_text() == f"{server.pid}\n"


def test_exit_code_and_cpu_time_of_a_worker_are_reported(server: ServerAndWorkers) -> None:
    worker = server.fork(partial(tasks.send_pid_and_run, "work a while"))
    worker.wait_until_ready()
    assert worker.process.wait(TIMEOUT_S) == 0
    assert worker.process.cpu_seconds >= 0.2
    for task_name, code in (
        ("exit", 3),
        ("crash", -signal.SIGSEGV),
        ("error", 1),
        ("killed", -signal.SIGKILL),
    ):
        worker = server.fork(partial(tasks.send_pid_and_run, task_name))
        worker.wait_until_ready()
        assert worker.process.wait(TIMEOUT_S) == code == worker.process.poll()


def test_a_killed_worker_ends_with_its_children(server: ServerAndWorkers) -> None:
    worker = server.fork(tasks.start_child)
    pid, child = worker.wait_until_ready(), worker.receive()
    assert worker.process.poll() is None
    worker.process.kill()
    assert worker.process.poll() == -signal.SIGKILL
    assert is_reaped(pid)
    assert becomes_true(lambda: not tasks.lives(child))


def test_children_that_a_worker_leaves_are_killed(server: ServerAndWorkers) -> None:
    worker = server.fork(partial(tasks.start_child, leave=True))
    worker.wait_until_ready()
    child = worker.receive()
    assert worker.process.wait(TIMEOUT_S) == 0
    assert becomes_true(lambda: not tasks.lives(child))


def test_a_program_that_cannot_be_loaded_starts_no_worker_and_harms_no_other(
    server: ServerAndWorkers,
) -> None:
    with pytest.raises(EOFError):
        server.fork_program(WorkerProgram(pickle.dumps(int), b"no pickle")).receive()
    assert server.fork(tasks.report_environment).wait_until_ready()


def test_closing_the_server_ends_its_workers() -> None:
    with ServerAndWorkers() as server:
        hang = partial(tasks.send_pid_and_run, "hang")
        pids = [server.fork(hang).wait_until_ready() for _ in range(3)]
    assert all(map(is_reaped, [server.pid, *pids]))


def test_workers_survive_their_killed_server_and_can_be_killed(server: ServerAndWorkers) -> None:
    closed, killed = (server.fork(partial(tasks.send_pid_and_run, "hang")) for _ in range(2))
    pids = closed.wait_until_ready(), killed.wait_until_ready()
    os.kill(server.pid, signal.SIGKILL)
    assert becomes_true(lambda: not server.server.is_alive)
    assert (closed.process.wait(0.1), killed.process.poll()) == (None, None)
    assert all(map(tasks.lives, pids))
    closed.process.kill()
    os.kill(killed.process.pid, signal.SIGKILL)
    assert closed.process.poll() == killed.process.wait(TIMEOUT_S) == -signal.SIGKILL
    # A process closes its files a moment before it ends.
    assert becomes_true(lambda: not any(map(tasks.lives, pids)))


ORPHAN_PROGRAM = """
import sys
from functools import partial
from support import worker_tasks as tasks
from test_fork_client import ServerAndWorkers
with ServerAndWorkers(forked=sys.argv[1] == "forked") as server:
    workers = [server.fork(partial(tasks.send_pid_and_run, "spin")) for _ in range(2)]
    print(server.pid, *(worker.wait_until_ready() for worker in workers), flush=True)
    workers[0].receive()
"""


def command(program: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """Return the command line of a process without threads, and its environment."""
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    return [sys.executable, "-c", program, *arguments], {**os.environ, "PYTHONPATH": path}


def run_alone(program: str, *arguments: str) -> str:
    command_line, environment = command(program, *arguments)
    return subprocess.run(
        command_line, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=60
    ).stdout


@pytest.mark.parametrize("how", ["launched", "forked"])
def test_server_and_workers_end_with_their_client(how: str) -> None:
    command_line, environment = command(ORPHAN_PROGRAM, how)
    with subprocess.Popen(
        command_line,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 3
        assert all(map(tasks.lives, pids))
        parent.kill()
    assert becomes_true(lambda: not any(map(tasks.lives, pids)))


# The shared fork server, as pools use it.


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> fork_client._SharedServer:
    """The shared fork server, not started yet."""
    shared = fork_client._SharedServer()
    monkeypatch.setattr(fork_client, "_SHARED", shared)
    return shared


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count


@pytest.mark.skipif(
    not Path("/proc/self/fd").exists(),
    reason="the system does not list open files",
)
def test_no_file_stays_open_and_no_process_is_left(shared: fork_client._SharedServer) -> None:
    async def run_pool() -> list[int]:
        async with (
            ProcessPool(tasks.task, OPTIONS) as first,
            ProcessPool(tasks.task, OPTIONS) as second,
        ):
            assert await first.run(["a", "crash"]) == [
                "A",
                JobFailure("killed its reader (SIGSEGV)"),
            ]
            assert await second.run(["b"]) == ["B"]
            assert shared._server is not None
            return [
                shared._server.pid,
                *(worker.process.pid for pool in (first, second) for worker in pool._workers),
            ]

    run(run_pool())  # opens what an event loop keeps open
    before = open_files()
    pids = run(run_pool())
    assert len(pids) == 1 + 2 * OPTIONS.workers
    assert all(map(is_reaped, pids))
    assert open_files() == before
    assert shared._server is None


def test_a_killed_server_is_replaced_and_costs_no_job(
    shared: fork_client._SharedServer,
) -> None:
    async def run_pool() -> None:
        async with ProcessPool(tasks.task, ReadingOptions(workers=1, seconds=20.0)) as pool:
            first = shared._server
            assert first is not None
            os.kill(first.pid, signal.SIGKILL)
            assert (await pool.run(["a", "b"]), pool.replaced_count) == (["A", "B"], 0)
            (worker,) = pool._workers
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.wait()
            assert (await pool.run(["c", "d"]), pool.replaced_count) == (["C", "D"], 1)
            assert shared._server not in (first, None)

    run(run_pool())


def test_a_server_that_does_not_answer_is_replaced(
    shared: fork_client._SharedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("motherlode.workers.process_pool._START_TIMEOUT_S", 2.0)

    async def run_pool() -> list[Any]:
        async with ProcessPool(tasks.task, ReadingOptions(workers=1, seconds=20.0)) as pool:
            return await pool.run(["a"])

    shared._server = stopped = ForkServer()
    os.kill(stopped.pid, signal.SIGSTOP)
    assert run(run_pool()) == ["A"]
    assert is_reaped(stopped.pid)


FORK_PROGRAM = """
import os
from support import worker_tasks as tasks
from motherlode.workers import fork_client
from test_fork_client import ServerAndWorkers
with fork_client.shared_fork_server(), ServerAndWorkers() as server:
    fork_client._SHARED._server = server.server
    if not (child := os.fork()):
        os._exit(fork_client._SHARED._server is not None or server.server._control.fileno() >= 0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert server.fork(tasks.report_environment).wait_until_ready()
    fork_client._SHARED._server = None
"""


def test_a_fork_of_the_client_does_not_share_its_server() -> None:
    run_alone(FORK_PROGRAM)


EARLY_PROGRAM = """
import sys, threading
from motherlode.workers import fork_client
done = threading.Event()
if sys.argv[1] == "with a thread":
    threading.Thread(target=done.wait, daemon=True).start()
with fork_client.early_fork_server():
    print(fork_client._SHARED._server is not None)
assert fork_client._SHARED._server is None
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="nothing is forked on macOS")
@pytest.mark.parametrize(("threads", "forked"), [("no thread", True), ("with a thread", False)])
def test_a_command_is_forked_only_without_other_threads(threads: str, *, forked: bool) -> None:
    assert run_alone(EARLY_PROGRAM, threads) == f"{forked}\n"


PIPE_PROGRAM = """
import os
from motherlode.workers import fork_client
ours, theirs = os.pipe()
with fork_client.early_fork_server():
    assert fork_client._SHARED._server is not None
    os.close(theirs)
    print(os.read(ours, 1))  # returns when no process has the other end open
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="nothing is forked on macOS")
def test_a_forked_server_keeps_no_file_of_the_command_open() -> None:
    assert run_alone(PIPE_PROGRAM) == "b''\n"
