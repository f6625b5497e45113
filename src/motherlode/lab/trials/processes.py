"""Many trials on several processes, each of which lays the web open once."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, Protocol, TypeVar

from motherlode.records import LodeError

Plan = TypeVar("Plan")
Task = TypeVar("Task")
Task_contra = TypeVar("Task_contra", contravariant=True)
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class Bench(Protocol[Task_contra, Result_co]):
    """A web laid open for many trials: what is read once serves all of them."""

    def check(self) -> None:
        """Raise a `LodeError` for everything that can be wrong with the trials, before they take
        any time.
        """
        ...

    def run(self, task: Task_contra, /) -> Result_co: ...


def spread(
    lay_open: Callable[[Plan], Bench[Task, Result]],
    plan: Plan,
    todo: Sequence[Task],
    jobs: int | None = None,
) -> Iterator[Result]:
    """Run every trial, on so many processes (as many as there are cores, if not told), as they
    finish.
    """
    bench = lay_open(plan)
    bench.check()
    jobs = min(jobs or _cores(), len(todo))
    if jobs == 1:
        yield from map(bench.run, todo)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _open_bench, (lay_open, plan))
    try:
        # The workers leave Ctrl-C to this process, from their first moment on.
        with _interrupts_blocked():
            futures = [pool.submit(_run, task) for task in todo]
        for future in as_completed(futures):
            yield future.result()
    except (BrokenExecutor, BrokenPipeError) as error:
        raise LodeError(
            "A worker process died, perhaps for want of memory; try --jobs 1."
        ) from error
    finally:
        for worker in list((pool._processes or {}).values()):
            worker.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _cores() -> int:
    """Those that this process may use; where the system does not say, one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C, which comes through afterwards; processes started meanwhile block it for
    ever.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_bench: list[Bench[Any, Any]] = []  # a worker's own, opened once


def _open_bench(lay_open: Callable[[Any], Bench[Any, Any]], plan: object) -> None:
    """Open the web in a worker process, which ends without a word when its parent ends it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _bench[:] = [lay_open(plan)]


def _run(task: Any) -> Any:
    return _bench[0].run(task)
