"""A pool of worker processes for jobs that may hang, crash or use up memory: reading web pages.

A batch goes to a worker and its results come back one by one, so it is always known which job is
running. A job that takes too long or crashes its worker fails; the worker is replaced, and the new
worker gets the rest of the batch. A worker that was killed from outside may have had a harmless
job, which is tried again. A long batch goes in portions, because the memory limit is meant for a
running job, not for all jobs that wait with it. The next batch is sent while one is running, so
that a worker never waits for the event loop. Workers are forked by the fork server (`fork_client`),
and end when the process that uses the pool ends, however that happens.
"""

import asyncio
import os
import pickle
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from types import TracebackType
from typing import Generic, Self, TypeVar

from motherlode.documents.options import ReadingOptions
from motherlode.records import DiskFullError, LodeError
from motherlode.workers import fork_client
from motherlode.workers.channel import Channel, join_parts
from motherlode.workers.fork_client import WorkerProcess
from motherlode.workers.fork_server import WorkerProgram
from motherlode.workers.worker_loop import DiskFullResult, JobFailure, run_worker, warm_up

J = TypeVar("J")
R = TypeVar("R")

_BATCHES_PER_WORKER = 2  # a running batch, and a batch that is ready
_EXIT_WAIT_S = 5.0
# Pauses between attempts to start a worker, and to run a job whose workers are killed from outside:
# the killing may stop, and a system short of memory may recover. After the last, the pool gives up.
_RETRY_PAUSES_S = (0.0, 0.2, 1.0, 4.0)
_START_TIMEOUT_S = 60.0
_SOCKET_BUFFER_BYTES = 4 * 2**20
_MAX_PORTION_BYTES = 8 * 2**20  # of jobs that are sent at once, unless a single job is longer


class _WorkerStartError(Exception):
    """A worker process ended before it was ready."""


class _PoolWorker(Generic[J, R]):
    """A worker process and the channel to it."""

    def __init__(self, process: WorkerProcess, channel: Channel) -> None:
        self.process = process
        self.channel = channel

    def send(self, jobs: Sequence[J]) -> int:
        """Send the first jobs, up to a portion, and return how many."""
        portion: list[bytes] = []
        room = _MAX_PORTION_BYTES
        for job in jobs:
            packed = pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
            room -= len(packed)
            if portion and room < 0:  # a job too large for its worker must not end other jobs
                break
            portion.append(packed)
        self.channel.send(join_parts(portion))
        return len(portion)

    async def receive(self, timeout_s: float) -> R | JobFailure:
        """Return the next result. Raises `TimeoutError`, `EOFError` if the worker is gone, or
        `DiskFullError`."""
        received = await self.channel.receive(timeout_s)
        result: R | JobFailure | DiskFullResult = pickle.loads(received)  # noqa: S301 - our own
        if isinstance(result, DiskFullResult):
            raise DiskFullError(
                f"A worker process has no disk space left ({result.reason}). The page that it was "
                f"reading was dropped; everything before it is kept. Free some space and run the "
                f"command again."
            )
        return result

    def kill(self) -> None:
        """Kill the process and its children."""
        self.process.kill()

    @property
    def was_killed(self) -> bool:
        """Whether it was killed from outside: by a user, or by a system short of memory."""
        return self.process.poll() == -signal.SIGKILL

    @property
    def failure_reason(self) -> str:
        code = self.process.wait(_EXIT_WAIT_S)
        if code is not None and code < 0:
            with suppress(ValueError):
                return f"killed its reader ({signal.Signals(-code).name})"
        return "killed its reader"


class _Batch(Generic[J, R]):
    """Jobs in order: first jobs with results, then jobs sent to the worker, then the rest."""

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

    def mark_unsent(self) -> None:
        """Forget jobs sent to a worker that will not answer; they will be sent again."""
        self.sent = len(self.results)


class _Slot(Generic[J, R]):
    """The place of a worker and its replacements, with the batches queued for it.

    A result does not name its job: results come in the order in which jobs were sent. So no job is
    sent before all jobs that are queued before it.
    """

    def __init__(self, worker: _PoolWorker[J, R]) -> None:
        self.worker = worker
        self.lock = asyncio.Lock()
        self.queue: list[_Batch[J, R]] = []
        self.needs_replacement = False  # the worker may still send results of a cancelled batch

    def send(self, batch: _Batch[J, R]) -> None:
        """Send the next portion of the batch that is being processed."""
        batch.sent += self.worker.send(batch.jobs[batch.sent :])

    def send_ahead(self, batch: _Batch[J, R]) -> None:
        """Send the first portion of the last batch, if all others in the queue are sent."""
        is_next = all(other.is_sent for other in self.queue if other is not batch)
        # If the worker is gone, the next batch in turn will notice and replace it.
        with suppress(EOFError, OSError):
            if is_next and not self.needs_replacement and self.worker.process.poll() is None:
                self.send(batch)

    def install(self, worker: _PoolWorker[J, R]) -> None:
        """Set the new worker, which has no jobs yet."""
        for batch in self.queue:
            batch.mark_unsent()
        self.worker = worker
        self.needs_replacement = False


class ProcessPool(Generic[J, R]):
    """Worker processes that run one task on many jobs. An async context manager.

    The warm-up jobs run in the fork server, because loading modules takes long, and must not count
    as the time of a job. `cpu_seconds` is the sum over all workers that have ended.
    """

    def __init__(
        self, task: Callable[[J], R], options: ReadingOptions, warm_up_jobs: Sequence[J] = ()
    ) -> None:
        self._program = WorkerProgram.pickled(
            preload=partial(warm_up, task, warm_up_jobs), main=partial(run_worker, task, options)
        )
        self._options = options
        self.worker_count = options.workers or max(1, (os.cpu_count() or 2) - 1)
        self._slots: list[_Slot[J, R]] = []
        self._free_places = asyncio.Semaphore(_BATCHES_PER_WORKER * self.worker_count)
        self._workers: set[_PoolWorker[J, R]] = set()
        self._stack = ExitStack()
        self.replaced_count = 0
        self.cpu_seconds = 0.0

    async def __aenter__(self) -> Self:
        self._stack.enter_context(fork_client.shared_fork_server())
        try:
            starts = (self._start_worker() for _ in range(self.worker_count))
            for worker in await asyncio.gather(*starts, return_exceptions=True):
                if isinstance(worker, BaseException):
                    raise worker  # noqa: TRY301 - the other workers must end first
                self._slots.append(_Slot(worker))
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
        for worker in list(self._workers):
            self._workers.discard(worker)
            worker.channel.close()
            self._end(worker)
        self._stack.close()

    async def run(self, jobs: Sequence[J]) -> list[R | JobFailure]:
        """Return the result of each job, in order. Waits for a worker with room for a batch."""
        batch: _Batch[J, R] = _Batch(jobs)
        async with self._free_places:
            slot = min(self._slots, key=lambda slot: len(slot.queue))
            slot.queue.append(batch)
            try:
                await self._run_batch(slot, batch)
            finally:
                slot.queue.remove(batch)
        return batch.results

    async def _run_batch(self, slot: _Slot[J, R], batch: _Batch[J, R]) -> None:
        slot.send_ahead(batch)
        try:
            await slot.lock.acquire()  # in the order of the queue
        except BaseException:
            # The worker will run the sent jobs all the same.
            slot.needs_replacement |= batch.is_under_way
            raise
        try:
            await self._run_in_turn(slot, batch)
        except BaseException:
            slot.needs_replacement = True  # it may be running a job
            slot.worker.channel.close()  # ends the worker
            raise
        finally:
            slot.lock.release()

    async def _run_in_turn(self, slot: _Slot[J, R], batch: _Batch[J, R]) -> None:
        """Run the whole batch, on the slot's worker and its replacements."""
        suspect, kills = -1, 0  # index of the job whose worker was killed, and how often
        while not batch.is_done:
            # A worker that ended without a job: no job is to blame.
            ended_idle = not batch.is_under_way and slot.worker.process.poll() is not None
            if slot.needs_replacement or ended_idle:
                await self._replace_worker(slot)
            failure = await self._run_portion(slot, batch)
            if failure is not None:
                index = len(batch.results)
                kills = kills + 1 if suspect == index else 1
                suspect = index
                if slot.worker.was_killed and kills <= len(_RETRY_PAUSES_S):
                    await asyncio.sleep(_RETRY_PAUSES_S[kills - 1])
                else:
                    batch.results.append(failure)
                await self._replace_worker(slot)

    async def _run_portion(self, slot: _Slot[J, R], batch: _Batch[J, R]) -> JobFailure | None:
        """Run the next portion; return the failure of the job that ended it early, if any."""
        worker = slot.worker
        try:
            if not batch.is_under_way:
                slot.send(batch)
            while batch.is_under_way:
                batch.results.append(await worker.receive(self._options.seconds))
        except TimeoutError:
            return JobFailure(f"took more than {self._options.seconds:g} s")
        except (EOFError, OSError, pickle.UnpicklingError):
            return JobFailure(worker.failure_reason)
        return None

    async def _replace_worker(self, slot: _Slot[J, R]) -> None:
        self.replaced_count += 1
        slot.needs_replacement = True  # until the new worker is set, even if this is cancelled
        self._workers.discard(slot.worker)
        slot.worker.channel.close()
        await asyncio.get_running_loop().run_in_executor(None, self._end, slot.worker)
        slot.install(await self._start_worker())

    async def _start_worker(self) -> _PoolWorker[J, R]:
        """Start a worker; if it is killed before it is ready, start another."""
        for pause in _RETRY_PAUSES_S:
            with suppress(_WorkerStartError):
                return await self._try_start()
            await asyncio.sleep(pause)
        try:
            return await self._try_start()
        except _WorkerStartError as error:
            raise LodeError(
                f"A worker process did not start in {len(_RETRY_PAUSES_S) + 1} attempts, so the "
                f"command was stopped. Check free memory and the limit on processes, then run the "
                f"command again."
            ) from error

    async def _try_start(self) -> _PoolWorker[J, R]:
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            # As far as the system allows: neither side should wait for the other to receive.
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SOCKET_BUFFER_BYTES)
        try:
            channel = await Channel.open(ours)
        except BaseException:
            ours.close()
            theirs.close()
            raise
        worker: _PoolWorker[J, R] = _PoolWorker(await self._fork_process(channel, theirs), channel)
        self._workers.add(worker)
        await self._wait_until_ready(worker)
        return worker

    async def _fork_process(self, channel: Channel, theirs: socket.socket) -> WorkerProcess:
        future = asyncio.get_running_loop().run_in_executor(None, self._fork, theirs)
        try:
            return await asyncio.shield(future)
        except OSError as error:
            channel.close()
            raise _WorkerStartError from error
        except BaseException:
            channel.close()
            future.add_done_callback(_kill_forked)
            raise

    def _fork(self, theirs: socket.socket) -> WorkerProcess:
        with theirs:  # closed in this thread, even if the start was cancelled
            return fork_client.fork_worker(self._program, theirs.fileno())

    async def _wait_until_ready(self, worker: _PoolWorker[J, R]) -> None:
        """Receive the worker's process id, which it sends when it is ready for jobs."""
        try:
            worker.process.pid = int(await worker.channel.receive(_START_TIMEOUT_S))
        except (EOFError, OSError) as error:  # `TimeoutError` is an `OSError`
            self._workers.discard(worker)
            worker.channel.close()
            self._end(worker)
            if isinstance(error, TimeoutError):
                fork_client.discard_fork_server()
            raise _WorkerStartError from error

    def _end(self, worker: _PoolWorker[J, R]) -> None:
        worker.kill()
        self.cpu_seconds += worker.process.cpu_seconds


def _kill_forked(future: "asyncio.Future[WorkerProcess]") -> None:
    """Kill a worker whose start was cancelled."""
    if not future.cancelled() and future.exception() is None:
        future.result().kill()
