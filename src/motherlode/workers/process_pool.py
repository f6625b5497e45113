"""Worker processes for work that may hang, crash or eat all memory: reading what strangers wrote.

A batch goes to a worker and its results come back one by one, so that it is always known which document is
being read. One that takes too long or takes its worker with it is given up; the worker is replaced, and the
rest of the batch goes to the new one. A worker that somebody killed may have been at an innocent document,
which is read again. A long batch goes in portions: the limit of memory is for a document, not for all
that wait with it. The next batch is sent while one is being read, so that a worker need not wait for whoever
takes its results. A worker comes from the nursery (`nursery.py`), and ends with whoever wanted it, however
that ends.
"""

import asyncio
import errno
import gc
import os
import pickle
import resource
import select
import signal
import socket
import struct
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import accumulate, pairwise
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from msgspec import Struct

from motherlode.documents.options import ReadingOptions
from motherlode.records import DiskFullError, LodeError
from motherlode.workers import fork_client
from motherlode.workers.channel import Channel, receive_message
from motherlode.workers.cpu_priority import use_batch_scheduling
from motherlode.workers.fork_client import WorkerProcess
from motherlode.workers.fork_server import WorkerProgram
from motherlode.workers.gc_settings import freeze_loaded_objects

J = TypeVar("J")
R = TypeVar("R")

_SEATS = 2  # batches that a worker may have: one that it reads, one that lies ready
_GRACE = 5.0  # seconds that a worker outlives its time limit, should nobody be left to end it
# Seconds between attempts at starting a worker, and at reading a document whose readers are killed by force.
# Whoever kills them may stop, and a system without memory may find some; after the last it is given up.
_PAUSES = (0.0, 0.2, 1.0, 4.0)
_START = 60.0  # seconds that a worker may take to begin
_MB = 2**20
_PATIENT = 5  # as `nice` has it: a third of the time of those that read, where there is not enough
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NUMBER = 8  # bytes of a number in a message
_ROOM = 4 * _MB  # bytes that nobody need wait with until somebody takes them
_PORTION = 8 * _MB  # bytes of documents that are sent at once, unless there is a longer one


class JobFailure(Struct, frozen=True):
    """A document that nothing came of, and why."""

    reason: str


class _Stuck(Struct, frozen=True):
    """A worker that lacks space for its work: no document is to blame."""

    reason: str


class _StillbornError(Exception):
    """A worker ended before it began."""


class _Worker(Generic[J, R]):
    """A process, and the line to it."""

    def __init__(self, process: WorkerProcess, line: Channel) -> None:
        self.process = process
        self.line = line

    def send(self, jobs: Sequence[J]) -> int:
        """Send the first jobs, and say how many."""
        portion: list[bytes] = []
        room = _PORTION
        for job in jobs:
            packed = pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
            room -= len(packed)
            if portion and room < 0:  # a document too large for its reader takes no other with it
                break
            portion.append(packed)
        self.line.send(_in_one(portion))
        return len(portion)

    async def receive(self, seconds: float) -> R | JobFailure:
        """The next result. Raises `TimeoutError`, `EOFError` if the worker is gone, or `DiskFullError`."""
        received = await self.line.receive(seconds)
        result: R | JobFailure | _Stuck = pickle.loads(received)  # noqa: S301 - from our own process
        if isinstance(result, _Stuck):
            raise DiskFullError(
                f"A process that reads documents found no space to work ({result.reason}); what it was at "
                f"was dropped and all before it is kept. Free some space and run the command again."
            )
        return result

    def kill(self) -> None:
        """End it, and whatever it has started to help it read."""
        self.process.kill()

    @property
    def was_killed(self) -> bool:
        """Whether somebody ended it by force: a person, or a system without memory."""
        return self.process.poll() == -signal.SIGKILL

    @property
    def end(self) -> str:
        """How it ended, in words."""
        code = self.process.wait(_GRACE)
        if code is not None and code < 0:
            with suppress(ValueError):
                return f"killed its reader ({signal.Signals(-code).name})"
        return "killed its reader"


class _Batch(Generic[J, R]):
    """Jobs in their order: the first have results, those after them lie with the worker, the rest here."""

    def __init__(self, jobs: Sequence[J]) -> None:
        self.jobs = jobs
        self.results: list[R | JobFailure] = []
        self.sent = 0

    @property
    def is_sent(self) -> bool:
        return self.sent == len(self.jobs)

    @property
    def is_under_way(self) -> bool:
        return self.sent > len(self.results)

    @property
    def is_done(self) -> bool:
        return len(self.results) == len(self.jobs)

    def take_back(self) -> None:
        """What lies with a worker will not come from there."""
        self.sent = len(self.results)


class _Desk(Generic[J, R]):
    """Where a worker sits, and its successors, and the batches in line there.

    A result does not say which job it is of: results come in the order in which jobs were sent. So no job is
    sent before all jobs that stand before it in line.
    """

    def __init__(self, worker: _Worker[J, R]) -> None:
        self.worker = worker
        self.turn = asyncio.Lock()
        self.line: list[_Batch[J, R]] = []
        self.confused = False  # whether the worker has jobs that nobody will take the results of

    def send(self, batch: _Batch[J, R]) -> None:
        """Send the next portion of the batch whose turn it is."""
        batch.sent += self.worker.send(batch.jobs[batch.sent :])

    def send_ahead(self, batch: _Batch[J, R]) -> None:
        """Send the first portion of the batch that is last in line, if its worker has all the others."""
        ready = all(other.is_sent for other in self.line if other is not batch)
        # Whoever has the next turn finds out what became of the worker.
        with suppress(EOFError, OSError):
            if ready and not self.confused and self.worker.process.poll() is None:
                self.send(batch)

    def seat(self, worker: _Worker[J, R]) -> None:
        """A successor, who has nothing yet."""
        for batch in self.line:
            batch.take_back()
        self.worker = worker
        self.confused = False


class ProcessPool(Generic[J, R]):
    """So many processes that do one thing. An async context manager.

    The jobs of the rehearsal are done where they come from: what is loaded for the first time takes long, and
    must not count as a document's time. `spent`: seconds of the processor, by those that have ended.
    """

    def __init__(self, task: Callable[[J], R], options: ReadingOptions, rehearsal: Sequence[J] = ()) -> None:
        self._upbringing = WorkerProgram.pickled(
            partial(_rehearse, task, rehearsal), partial(serve, task, options)
        )
        self._options = options
        self.worker_count = options.workers or max(1, (os.cpu_count() or 2) - 1)
        self._desks: list[_Desk[J, R]] = []
        self._seats = asyncio.Semaphore(_SEATS * self.worker_count)
        self._all: set[_Worker[J, R]] = set()
        self._stack = ExitStack()
        self.replaced = 0
        self.cpu_seconds = 0.0

    async def __aenter__(self) -> Self:
        self._stack.enter_context(fork_client.shared_fork_server())
        try:
            starting = (self._start() for _ in range(self.worker_count))
            for started in await asyncio.gather(*starting, return_exceptions=True):
                if isinstance(started, BaseException):
                    raise started  # noqa: TRY301 - whoever else has begun is to end first
                self._desks.append(_Desk(started))
        except BaseException as error:
            await self.__aexit__(type(error), error, None)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in list(self._all):
            self._all.discard(worker)
            worker.line.close()
            self._end(worker)
        self._stack.close()

    async def run(self, jobs: Sequence[J]) -> list[R | JobFailure]:
        """The result of each job, in order. Waits for a worker that has little to do."""
        batch: _Batch[J, R] = _Batch(jobs)
        async with self._seats:
            desk = min(self._desks, key=lambda one: len(one.line))
            desk.line.append(batch)
            try:
                await self._have_done(desk, batch)
            finally:
                desk.line.remove(batch)
        return batch.results

    async def _have_done(self, desk: _Desk[J, R], batch: _Batch[J, R]) -> None:
        desk.send_ahead(batch)
        try:
            await desk.turn.acquire()  # in the order of the line
        except BaseException:
            desk.confused |= batch.is_under_way  # it will read what was sent all the same
            raise
        try:
            await self._take_turn(desk, batch)
        except BaseException:
            desk.confused = True  # it may be in the midst of something
            desk.worker.line.close()  # which ends it
            raise
        finally:
            desk.turn.release()

    async def _take_turn(self, desk: _Desk[J, R], batch: _Batch[J, R]) -> None:
        """Have all of it done by the worker and its successors."""
        suspect, kills = -1, 0  # the place of a document whose reader was killed, and how often
        while not batch.is_done:
            # One that ended with nothing to do: no document is to blame.
            if desk.confused or (not batch.is_under_way and desk.worker.process.poll() is not None):
                await self._replace(desk)
            lost = await self._advance(desk, batch)
            if lost is not None:
                place = len(batch.results)
                kills = kills + 1 if suspect == place else 1
                suspect = place
                if desk.worker.was_killed and kills <= len(_PAUSES):
                    await asyncio.sleep(_PAUSES[kills - 1])
                else:
                    batch.results.append(lost)
                await self._replace(desk)

    async def _advance(self, desk: _Desk[J, R], batch: _Batch[J, R]) -> JobFailure | None:
        """Have the next portion done; or say what became of the one whose result did not come."""
        worker = desk.worker
        try:
            if not batch.is_under_way:
                desk.send(batch)
            while batch.is_under_way:
                batch.results.append(await worker.receive(self._options.seconds))
        except TimeoutError:
            return JobFailure(f"took more than {self._options.seconds:g} s")
        except (EOFError, OSError, pickle.UnpicklingError):
            return JobFailure(worker.end)
        return None

    async def _replace(self, desk: _Desk[J, R]) -> None:
        self.replaced += 1
        desk.confused = True  # until there is another, even if nobody waits for that
        self._all.discard(desk.worker)
        desk.worker.line.close()
        await asyncio.get_running_loop().run_in_executor(None, self._end, desk.worker)
        desk.seat(await self._start())

    async def _start(self) -> _Worker[J, R]:
        """A new worker. One that somebody killed before it had begun is no reason to give up."""
        for pause in _PAUSES:
            with suppress(_StillbornError):
                return await self._attempt_start()
            await asyncio.sleep(pause)
        try:
            return await self._attempt_start()
        except _StillbornError as error:
            raise LodeError("A process that reads documents did not start.") from error

    async def _attempt_start(self) -> _Worker[J, R]:
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ROOM)  # as far as the system lets us
        try:
            line = await Channel.open(ours)
        except BaseException:
            ours.close()
            theirs.close()
            raise
        birth = asyncio.get_running_loop().run_in_executor(None, self._borne, theirs)
        try:
            process = await asyncio.shield(birth)
        except OSError as error:
            line.close()
            raise _StillbornError from error
        except BaseException:
            line.close()
            birth.add_done_callback(_disown)
            raise
        worker: _Worker[J, R] = _Worker(process, line)
        self._all.add(worker)
        try:
            process.pid = int(await line.receive(_START))
        except (EOFError, OSError) as error:  # one of the latter is that it took too long
            self._all.discard(worker)
            line.close()
            self._end(worker)
            if isinstance(error, TimeoutError):
                fork_client.discard_fork_server()
            raise _StillbornError from error
        return worker

    def _borne(self, line: socket.socket) -> WorkerProcess:
        with line:  # here, even if nobody waits for it any more
            return fork_client.fork_worker(self._upbringing, line.fileno())

    def _end(self, worker: _Worker[J, R]) -> None:
        worker.kill()
        self.cpu_seconds += worker.process.cpu_seconds


def _disown(birth: "asyncio.Future[WorkerProcess]") -> None:
    """Nobody waits for this one any more."""
    if not birth.cancelled() and birth.exception() is None:
        birth.result().kill()


def _rehearse(task: Callable[[J], R], rehearsal: Sequence[J]) -> None:
    for job in rehearsal:
        with suppress(Exception):  # what is in the way is told of the first real document
            task(job)


def serve(task: Callable[[J], R], options: ReadingOptions, descriptor: int) -> None:
    """The life of a worker: batches in, results out, until nobody is there."""
    line = Connection(descriptor)
    use_batch_scheduling()
    Thread(target=_end_with, args=(descriptor,), daemon=True).start()
    batches: SimpleQueue[list[memoryview] | None] = SimpleQueue()
    # Before memory is limited: what a thread has reserved for itself is no document's.
    Thread(target=_take_in, args=(descriptor, batches), daemon=True).start()
    with suppress(EOFError, OSError):
        freeze_loaded_objects()
        gc.enable()
        _limit_memory(options.memory * _MB)
        line.send_bytes(str(os.getpid()).encode())
        while (batch := batches.get()) is not None:
            for packed in batch:
                signal.setitimer(signal.ITIMER_REAL, options.seconds + _GRACE)
                result = _attempt(task, packed)
                signal.setitimer(signal.ITIMER_REAL, 0)
                line.send_bytes(result)


def _take_in(descriptor: int, batches: "SimpleQueue[list[memoryview] | None]") -> None:
    """Take in batches while others are read: whoever sends them has more to do than to wait with them."""
    try:
        with socket.socket(fileno=os.dup(descriptor)) as line:
            while True:
                batches.put(_apart(receive_message(line)))
    except (EOFError, OSError, MemoryError):
        batches.put(None)


def _in_one(parts: Sequence[bytes]) -> list[bytes]:
    """The parts of a message that goes as one: how many there are, how long each is, and they themselves.

    Whoever takes it in gives the interpreter away once, not once for each.
    """
    sizes = [len(parts), *map(len, parts)]
    return [struct.pack(f"<{len(sizes)}Q", *sizes), *parts]


def _apart(message: memoryview) -> list[memoryview]:
    """The parts of a message that came as one."""
    (count,) = struct.unpack_from("<Q", message)
    sizes = struct.unpack_from(f"<{count}Q", message, _NUMBER)
    ends = accumulate(sizes, initial=(count + 1) * _NUMBER)
    return [message[start:end] for start, end in pairwise(ends)]


def _end_with(descriptor: int) -> None:
    """End, with all that was started, as soon as nobody is at the other end: the work is for nobody."""
    line = select.poll()
    line.register(descriptor, 0)  # hanging up is told in any case
    line.poll()
    os.killpg(0, signal.SIGKILL)


def _attempt(task: Callable[[Any], Any], packed: bytes | memoryview) -> bytes:
    """The packed result, or why there is none."""
    try:
        job = pickle.loads(packed)  # noqa: S301 - from our own process
        return pickle.dumps(task(job), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        lost = JobFailure("took too much memory")
    except RecursionError:
        lost = JobFailure("is nested too deeply")
    except Exception as error:  # noqa: BLE001 - whatever a reader stumbles over
        if isinstance(error, OSError) and error.errno in _FULL:
            return pickle.dumps(_Stuck(error.strerror or type(error).__name__))
        lost = JobFailure(f"stopped its reader ({type(error).__name__})")
    except BaseException as error:  # noqa: BLE001 - a panic in Rust is no Exception
        lost = JobFailure(f"stopped its reader ({type(error).__name__})")
    return pickle.dumps(lost, pickle.HIGHEST_PROTOCOL)


def lower_priority() -> None:
    """Let others go first from now on: nobody waits for what this process does."""
    os.setpriority(os.PRIO_PROCESS, 0, max(_PATIENT, os.getpriority(os.PRIO_PROCESS, 0)))


def _limit_memory(size: int) -> None:
    """What this process has now and so much more; where the system cannot limit that, it does not."""
    with suppress(OSError, ValueError):
        with open("/proc/self/statm", encoding="ascii") as pages:  # noqa: PTH123
            now = int(pages.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + size, now + size))
