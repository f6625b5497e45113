"""Compare our fork server with the standard library's: milliseconds to start and replace a worker.

Each round runs in a process of its own, so that every candidate starts its server anew. Then kills
are tried: of a worker with pages queued, of the server, and of the program itself.
"""

import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import forkserver
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any, Protocol

from motherlode.documents.analysis import Analysed, Manner, analyse
from motherlode.documents.extracts import Raw
from motherlode.documents.options import ReadingOptions
from motherlode.workers import fork_client
from motherlode.workers.document_reader import WARM_UP_PAGES
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure

ROUNDS = 6  # in every second one the server is killed before the program
SAMPLES = 4  # of each time, in each round
QUEUED_PAGES = 4
SLOW_PAGE_S = 0.1
ORPHAN_WAIT_S = 3.0
MANNER = Manner()
PAGE = WARM_UP_PAGES[0]
SLOW = Raw("http://slow.test/", b"", "text/html")
ENDLESS = Raw("http://endless.test/", b"", "text/html")  # keeps its worker busy until it is killed
FORKSERVER: Any = multiprocessing.get_context("forkserver")


def read_page(raw: Raw) -> list[Analysed]:
    if raw.url == SLOW.url:
        sleep(SLOW_PAGE_S)
    while raw.url == ENDLESS.url:
        pass
    return analyse(raw, MANNER)


def read_pages(connection: Any) -> None:
    """Read the pages that arrive over a pipe, in a worker process."""
    with suppress(EOFError, OSError):
        while True:
            connection.send(read_page(connection.recv()))


class Candidate(Protocol):
    """A pool of one worker."""

    def read(self, raw: Raw) -> None:
        """Read a page, with a new worker if the last was killed."""
        ...

    def lose(self, raws: list[Raw]) -> int:
        """Send pages, kill the worker at the first, and count the pages without a result."""
        ...

    def begin(self, raw: Raw) -> None:
        """Send a page to the worker, and do not wait."""
        ...

    def worker(self) -> int: ...

    def server(self) -> int: ...

    def seems_alive(self) -> bool:
        """Whether the worker is alive, as far as the library knows."""
        ...


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)


class Ours:
    def __init__(self) -> None:
        options = ReadingOptions(workers=1, seconds=3600.0)
        self._runner = asyncio.Runner()
        self._pool = ProcessPool(read_page, options, WARM_UP_PAGES)
        self._runner.run(self._pool.__aenter__())

    def read(self, raw: Raw) -> None:
        self._runner.run(self._pool.run([raw]))

    def lose(self, raws: list[Raw]) -> int:
        self._runner.get_loop().call_later(SLOW_PAGE_S / 2, kill, self.worker())
        results = self._runner.run(self._pool.run(raws))
        return sum(isinstance(result, JobFailure) for result in results)

    def begin(self, raw: Raw) -> None:
        self._runner.get_loop().create_task(self._pool.run([raw]))
        self._runner.run(asyncio.sleep(0.01))

    def worker(self) -> int:
        (worker,) = self._pool._workers
        return worker.process.pid

    def server(self) -> int:
        server = fork_client._SHARED._server
        return server.pid if server is not None else 0

    def seems_alive(self) -> bool:
        (worker,) = self._pool._workers
        return worker.process.poll() is None


class StandardProcess:
    """`multiprocessing.Process` and a pipe: what a pool of our own would be built on."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._pipe, theirs = FORKSERVER.Pipe()
        self._process = FORKSERVER.Process(target=read_pages, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def read(self, raw: Raw) -> None:
        try:
            self.begin(raw)
            self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            self._start()
            self.read(raw)

    def lose(self, raws: list[Raw]) -> int:
        for raw in raws:
            self.begin(raw)
        sleep(SLOW_PAGE_S / 2)
        kill(self.worker())
        results: list[Any] = []
        with suppress(EOFError, OSError):
            while len(results) < len(raws):
                results.append(self._pipe.recv())
        self.read(PAGE)
        return len(raws) - len(results)

    def begin(self, raw: Raw) -> None:
        self._pipe.send(raw)

    def worker(self) -> int:
        return int(self._process.pid)

    def server(self) -> int:
        return standard_server()

    def seems_alive(self) -> bool:
        return bool(self._process.is_alive())


class StandardExecutor:
    """`ProcessPoolExecutor`, which a killed worker breaks: all that it holds fails."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._pool = ProcessPoolExecutor(1, FORKSERVER)
        self._busy: Future[list[Analysed]] | None = None

    def read(self, raw: Raw) -> None:
        try:
            self._pool.submit(read_page, raw).result()
        except BrokenProcessPool:
            self._pool.shutdown()
            self._start()
            self.read(raw)

    def lose(self, raws: list[Raw]) -> int:
        futures = [self._pool.submit(read_page, raw) for raw in raws]
        sleep(SLOW_PAGE_S / 2)
        kill(self.worker())
        lost = sum(future.exception() is not None for future in futures)
        self.read(PAGE)
        return lost

    def begin(self, raw: Raw) -> None:
        self._busy = self._pool.submit(read_page, raw)

    def worker(self) -> int:
        (worker,) = self._pool._processes
        return int(worker)

    def server(self) -> int:
        return standard_server()

    def seems_alive(self) -> bool:
        return self._busy is not None and not self._busy.done()


def standard_server() -> int:
    return forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined, no-any-return]


def preloaded(candidate: Callable[[], Candidate], *modules: str) -> Callable[[], Candidate]:
    def start() -> Candidate:
        FORKSERVER.set_forkserver_preload(list(modules))
        return candidate()

    return start


MODULES, WARM_UP = "bench.fork_server", "bench.warm_up"
CANDIDATES: dict[str, Callable[[], Candidate]] = {
    "ours": Ours,
    "Process, preloaded": preloaded(StandardProcess, MODULES),
    "Process, warmed up": preloaded(StandardProcess, MODULES, WARM_UP),
    "Executor, warmed up": preloaded(StandardExecutor, MODULES, WARM_UP),
}


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def run_round(name: str, *, kill_server: bool) -> None:
    """Print what was measured, as JSON; then wait to be killed, with a busy worker."""
    start = CANDIDATES[name]
    pools: list[Candidate] = []

    def start_and_read() -> None:
        pools.append(start())
        pools[-1].read(PAGE)

    def replace() -> None:
        kill(pools[0].worker())
        pools[0].read(PAGE)

    times = {"first": [seconds(start_and_read)]}
    times["next"] = [seconds(start_and_read) for _ in range(SAMPLES)]
    times["replaced"] = [seconds(replace) for _ in range(SAMPLES)]
    lost = pools[0].lose([SLOW] * QUEUED_PAGES)
    worker = pools[0].worker()
    pools[0].begin(ENDLESS)
    if kill_server:
        kill(pools[0].server())
    sleep(0.5)
    alive = pools[0].seems_alive() and lives(worker)
    print(json.dumps({"times": times, "lost": lost, "alive": alive, "worker": worker}), flush=True)
    sleep(60)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def measure(name: str, *, kill_server: bool) -> dict[str, Any]:
    """Run a round, kill its program, and see whether the busy worker has ended with it."""
    # Not as `__main__`, which workers could not import by name.
    call = f"run_round({name!r}, kill_server={kill_server})"
    code = f"from bench.fork_server import run_round; {call}"
    # The executor leaves semaphores behind when it is killed, and says so.
    command = [sys.executable, "-W", "ignore::UserWarning", "-c", code]
    with subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as program:
        if program.stdout is None:  # never: it was asked for
            raise RuntimeError("the program has no pipe")
        measured: dict[str, Any] = json.loads(program.stdout.readline())
        program.kill()
    sleep(ORPHAN_WAIT_S)
    measured["orphan"] = lives(measured["worker"])
    with suppress(ProcessLookupError):  # end what the standard library's candidates leave behind
        os.killpg(program.pid, signal.SIGKILL)
    return measured


def report(name: str, rounds: list[dict[str, Any]]) -> None:
    """Print the median and range of each time, and what the kills did."""
    times: dict[str, list[float]] = defaultdict(list)
    for measured in rounds:
        for kind, taken in measured["times"].items():
            times[kind] += taken
    figures = (
        f"{kind} {median(taken) * 1e3:.0f} ({min(taken) * 1e3:.0f}-{max(taken) * 1e3:.0f})"
        for kind, taken in times.items()
    )
    print(f"  {name:20} {', '.join(figures)} ms")
    lost, orphans = (sum(measured[key] for measured in rounds) for key in ("lost", "orphan"))
    survived = [measured["alive"] for measured in rounds[1::2]]
    print(
        f"  {'':20} worker killed: {lost} of {QUEUED_PAGES * len(rounds)} pages lost; "
        f"server killed: {sum(survived)} of {len(survived)} workers go on; "
        f"program killed: {orphans} of {len(rounds)} workers run on"
    )


def main() -> None:
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in CANDIDATES}
    for number in range(ROUNDS):
        for name in CANDIDATES:
            rounds[name].append(measure(name, kill_server=number % 2 == 1))
    for name, measured in rounds.items():
        report(name, measured)
