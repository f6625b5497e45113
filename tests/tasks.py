"""Work for worker processes, which import it by name."""

import os
import signal
import time
from collections.abc import Callable


def _spin() -> None:
    while True:
        pass


def _grow() -> list[bytes]:
    return [bytes(10_000_000) for _ in range(1000)]


def _panic() -> None:
    raise KeyboardInterrupt


def _stumble() -> None:
    raise ValueError("stumbled")


def _recurse() -> None:
    _recurse()


HOSTILE: dict[str, Callable[[], object]] = {
    "hang": lambda: time.sleep(60),
    "spin": _spin,
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda: os._exit(3),
    "memory": _grow,
    "recursion": _recurse,
    "error": _stumble,
    "panic": _panic,
    "late": lambda: time.sleep(0.3),
}


def task(job: str) -> str:
    """Reads a word; some words are hostile."""
    HOSTILE.get(job, lambda: None)()
    return "x" * 5_000_000 if job == "long" else job.upper()
