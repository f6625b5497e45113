"""Worker processes for work that may hang, crash or eat all memory: reading what strangers wrote.

A batch goes to a worker and its results come back one by one, so that it is always known which document is
being read. One that takes too long or takes its worker with it is given up; the worker is replaced, and the
rest of the batch goes to the new one. Nothing is lost and nothing is read twice.
"""

import asyncio
import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from msgspec import Struct

from motherlode.documents.options import ReadingOptions
from motherlode.records import LodeError

J = TypeVar("J")
R = TypeVar("R")

_GRACE = 5.0  # seconds that a worker outlives its time limit, should nobody be left to end it
_START = 60.0  # seconds that a worker may take to begin
_MB = 2**20
# A process of our own, not one of multiprocessing's: that would import whatever program we are part of.
_BEGIN = "from motherlode.engine.workers import serve; serve({descriptor})"


class Lost(Struct, frozen=True):
    """A document that nothing came of, and why."""

    reason: str


class _Worker(Generic[J, R]):
    """A process, and the line to it."""

    def __init__(self, process: "subprocess.Popen[bytes]", line: Connection) -> None:
        self.process = process
        self.line = line

    async def send(self, jobs: Sequence[J]) -> None:
        """In a thread: a batch of long documents does not fit into the pipe at once."""
        packed = pickle.dumps(jobs, pickle.HIGHEST_PROTOCOL)
        await asyncio.get_running_loop().run_in_executor(None, self.line.send_bytes, packed)

    async def receive(self, seconds: float) -> R | Lost:
        """The next result. Raises `TimeoutError`, or `EOFError` if the worker is gone."""
        if not self.line.poll():
            loop = asyncio.get_running_loop()
            ready: asyncio.Future[None] = loop.create_future()
            descriptor = self.line.fileno()
            loop.add_reader(descriptor, _notice, ready)
            try:
                async with asyncio.timeout(seconds):
                    await ready
            finally:
                loop.remove_reader(descriptor)
                os.set_blocking(descriptor, True)
        try:
            result: R | Lost = pickle.loads(self.line.recv_bytes())  # noqa: S301 - from our own process
        except OSError as error:
            raise EOFError from error
        return result

    def kill(self) -> None:
        self.line.close()
        self.process.kill()
        self.process.wait(_GRACE)

    @property
    def end(self) -> str:
        """How it ended, in words."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE)
        code = self.process.poll()
        if code is not None and code < 0:
            with suppress(ValueError):
                return f"killed its reader ({signal.Signals(-code).name})"
        return "killed its reader"


class Workers(Generic[J, R]):
    """So many processes that do one thing. An async context manager."""

    def __init__(self, task: Callable[[J], R], options: ReadingOptions) -> None:
        self._task = task
        self._options = options
        self.count = options.workers or max(1, (os.cpu_count() or 2) - 1)
        self._idle: asyncio.Queue[_Worker[J, R]] = asyncio.Queue()
        self._all: set[_Worker[J, R]] = set()
        self.replaced = 0

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for _ in range(self.count):
            self._idle.put_nowait(await loop.run_in_executor(None, self._start))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in list(self._all):
            self._all.discard(worker)
            worker.kill()

    async def run(self, jobs: Sequence[J]) -> list[R | Lost]:
        """The result of each job, in order. Waits for a worker that has nothing to do."""
        worker = await self._idle.get()
        results: list[R | Lost] = []
        try:
            while len(results) < len(jobs):
                await worker.send(jobs[len(results) :])
                lost = await self._receive_all(worker, len(jobs), results)
                if lost is not None:
                    results.append(lost)
                    worker = await self._replace(worker)
        except BaseException:
            worker = await self._replace(worker)  # it may be in the midst of something
            raise
        finally:
            self._idle.put_nowait(worker)
        return results

    async def _receive_all(self, worker: _Worker[J, R], wanted: int, results: list[R | Lost]) -> Lost | None:
        """Take in results until all are there; or say what became of the one that did not come."""
        try:
            while len(results) < wanted:
                results.append(await worker.receive(self._options.seconds))
        except TimeoutError:
            return Lost(f"took more than {self._options.seconds:g} s")
        except (EOFError, pickle.UnpicklingError):
            return Lost(worker.end)
        return None

    async def _replace(self, worker: _Worker[J, R]) -> _Worker[J, R]:
        self.replaced += 1
        self._all.discard(worker)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, worker.kill)
        return await loop.run_in_executor(None, self._start)

    def _start(self) -> _Worker[J, R]:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                [sys.executable, "-c", _BEGIN.format(descriptor=theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # libraries complain about documents there
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,  # Ctrl-C is for whoever gives the orders
            )
        worker: _Worker[J, R] = _Worker(process, Connection(ours.detach()))
        self._all.add(worker)
        try:
            worker.line.send_bytes(pickle.dumps((self._task, self._options)))
            if not worker.line.poll(_START):
                raise EOFError  # noqa: TRY301 - one way out for both
            worker.line.recv_bytes()
        except (EOFError, OSError) as error:
            self._all.discard(worker)
            worker.kill()
            raise LodeError("A process that reads documents did not start.") from error
        return worker


def _notice(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)


def serve(descriptor: int) -> None:
    """The life of a worker: batches in, results out, until nobody is there."""
    line = Connection(descriptor)
    with suppress(EOFError, OSError):
        task, options = pickle.loads(line.recv_bytes())  # noqa: S301 - from our own process
        _limit_memory(options.memory * _MB)
        line.send_bytes(b"ready")
        while True:
            for job in pickle.loads(line.recv_bytes()):  # noqa: S301 - from our own process
                signal.setitimer(signal.ITIMER_REAL, options.seconds + _GRACE)
                result = _attempt(task, job)
                signal.setitimer(signal.ITIMER_REAL, 0)
                line.send_bytes(result)


def _attempt(task: Callable[[Any], Any], job: Any) -> bytes:
    """The packed result, or why there is none."""
    try:
        return pickle.dumps(task(job), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        lost = Lost("took too much memory")
    except RecursionError:
        lost = Lost("is nested too deeply")
    except Exception as error:  # noqa: BLE001 - whatever a reader stumbles over
        lost = Lost(f"stopped its reader ({type(error).__name__})")
    except BaseException as error:  # noqa: BLE001 - a panic in Rust is no Exception
        lost = Lost(f"stopped its reader ({type(error).__name__})")
    return pickle.dumps(lost, pickle.HIGHEST_PROTOCOL)


def _limit_memory(size: int) -> None:
    """What this process has now and so much more; where the system cannot limit that, it does not."""
    with suppress(OSError, ValueError):
        with open("/proc/self/statm", encoding="ascii") as pages:  # noqa: PTH123
            now = int(pages.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + size, now + size))
