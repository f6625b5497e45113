"""The main loop of a worker process: receive batches of jobs, send results one by one.

A worker ends when the other end of its channel is closed, even during a job. Its memory is limited,
and an alarm ends it if a job takes too long and the pool does not end it.
"""

import errno
import gc
import os
import pickle
import resource
import select
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from msgspec import Struct

from motherlode.documents.options import ReadingOptions
from motherlode.workers.channel import receive_message, split_parts
from motherlode.workers.cpu_priority import use_batch_scheduling
from motherlode.workers.gc_settings import freeze_loaded_objects

J = TypeVar("J")
R = TypeVar("R")
_Batches = SimpleQueue[list[memoryview] | None]

_ALARM_GRACE_S = 5.0  # that a worker outlives its time limit, if the pool does not kill it
_BYTES_PER_MB = 2**20
_DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class JobFailure(Struct, frozen=True):
    """A job without a result, and the reason."""

    reason: str


class DiskFullResult(Struct, frozen=True):
    """A worker ran out of disk space; its job is not to blame."""

    reason: str


def warm_up(task: Callable[[J], R], jobs: Sequence[J]) -> None:
    """Run jobs in the fork server, so that their modules are loaded before the first fork."""
    for job in jobs:
        with suppress(Exception):  # the first real job will report the same error
            task(job)


def run_worker(task: Callable[[J], R], options: ReadingOptions, descriptor: int) -> None:
    """Run batches of jobs and send their results, until the other end of the channel is closed."""
    connection = Connection(descriptor)
    use_batch_scheduling()
    Thread(target=_exit_on_hangup, args=(descriptor,), daemon=True).start()
    batches: _Batches = SimpleQueue()
    # Before memory is limited: the memory of a thread must not count as that of a document.
    Thread(target=_receive_batches, args=(descriptor, batches), daemon=True).start()
    with suppress(EOFError, OSError):
        freeze_loaded_objects()
        gc.enable()
        _limit_memory(options.memory * _BYTES_PER_MB)
        connection.send_bytes(str(os.getpid()).encode())
        while (batch := batches.get()) is not None:
            for packed in batch:
                signal.setitimer(signal.ITIMER_REAL, options.seconds + _ALARM_GRACE_S)
                result = _run_job(task, packed)
                signal.setitimer(signal.ITIMER_REAL, 0)
                connection.send_bytes(result)


def _receive_batches(descriptor: int, batches: _Batches) -> None:
    """Receive batches while others are processed, so that the event loop need not hold them."""
    try:
        with socket.socket(fileno=os.dup(descriptor)) as connection:
            while True:
                batches.put(split_parts(receive_message(connection)))
    except (EOFError, OSError, MemoryError):
        batches.put(None)


def _exit_on_hangup(descriptor: int) -> None:
    """Kill this process and its children as soon as the other end of the channel is closed."""
    poll = select.poll()
    poll.register(descriptor, 0)  # a hang-up is reported in any case
    poll.poll()
    os.killpg(0, signal.SIGKILL)


def _run_job(task: Callable[[Any], Any], packed: bytes | memoryview) -> bytes:
    """Return the pickled result of a job, or of its failure."""
    try:
        job = pickle.loads(packed)  # noqa: S301 - from our own process
        return pickle.dumps(task(job), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        failure = JobFailure("took too much memory")
    except RecursionError:
        failure = JobFailure("is nested too deeply")
    except Exception as error:  # noqa: BLE001 - a document may raise anything
        if isinstance(error, OSError) and error.errno in _DISK_FULL_ERRNOS:
            return pickle.dumps(DiskFullResult(error.strerror or type(error).__name__))
        failure = JobFailure(f"stopped its reader ({type(error).__name__})")
    except BaseException as error:  # noqa: BLE001 - a panic in Rust is no Exception
        failure = JobFailure(f"stopped its reader ({type(error).__name__})")
    return pickle.dumps(failure, pickle.HIGHEST_PROTOCOL)


def _limit_memory(extra_bytes: int) -> None:
    """Limit this process to its present memory and `extra_bytes`, where the system allows it."""
    with suppress(OSError, ValueError):
        with open("/proc/self/statm", encoding="ascii") as pages:  # noqa: PTH123
            present = int(pages.read().split()[0]) * resource.getpagesize()
        limit = present + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
