"""Tasks for worker processes, which import them by name."""

import errno
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from motherlode.documents.analysis import Analysed, Manner, analyse
from motherlode.documents.extracts import Raw


def _spin() -> None:
    while True:
        pass


def die_at_once(*_: object) -> None:
    """The main function of a worker that is killed before it is ready."""
    os.kill(os.getpid(), signal.SIGKILL)


def _work_a_while() -> None:
    while time.process_time() < 0.25:
        pass


def _use_up_memory() -> list[bytes]:
    return [bytes(10_000_000) for _ in range(1000)]


def _panic() -> None:
    raise KeyboardInterrupt


def _raise_error() -> None:
    raise ValueError("invalid")


def _recurse() -> None:
    _recurse()


def _hang_in_child() -> None:
    """Hang in a child process, which would run on."""
    mark = os.environ["LODE_TEST_MARK"]
    subprocess.run(["sleep", f"60.{mark}"], check=False)


def _wait_for_mark() -> None:
    while not Path(os.environ["LODE_TEST_MARK"]).exists():
        time.sleep(0.01)


def _fill_disk() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _be_killed(*, once: bool = False) -> None:
    mark = Path(os.environ["LODE_TEST_MARK"]) if once else None
    if mark is None or not mark.exists():
        if mark is not None:
            mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)


HOSTILE: dict[str, Callable[[], object]] = {
    "mark": lambda: Path(os.environ["LODE_TEST_MARK"]).touch(),
    "gate": _wait_for_mark,
    "hang": lambda: time.sleep(60),
    "spin": _spin,
    "work a while": _work_a_while,
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda: os._exit(3),
    "memory": _use_up_memory,
    "recursion": _recurse,
    "error": _raise_error,
    "panic": _panic,
    "full": _fill_disk,
    "killed": _be_killed,
    "killed once": lambda: _be_killed(once=True),
    "child": _hang_in_child,
    "late": lambda: time.sleep(0.3),
}


def task(job: str) -> str:
    """Return a word in upper case; some words are hostile."""
    HOSTILE.get(job, lambda: None)()
    return "x" * 5_000_000 if job == "long" else job.upper()


def read_or_suffer(raw: Raw, manner: Manner) -> list[Analysed]:
    """Read a document; some contain a hostile word, which is obeyed first."""
    word = raw.body.decode("latin-1").partition("hostile:")[2].partition("<")[0]
    HOSTILE.get(word, lambda: None)()
    return analyse(raw, manner)


# Main functions for workers of the fork server. Each sends its process id first.


def _send(channel: int, *messages: object) -> None:
    connection: Connection[bytes, bytes] = Connection(os.dup(channel))
    with connection:
        for message in messages:
            connection.send_bytes(pickle.dumps(message))


def report_environment(channel: int) -> None:
    """Send what the worker finds: parent, directory, environment, open sockets."""
    files = map(os.path.realpath, Path("/proc/self/fd").iterdir())
    sockets = [file for file in files if file.partition(":")[0].endswith("socket")]
    report = {
        "parent": os.getppid(),
        "group": os.getpgid(0),
        "random": random.random(),
        "sockets": len(sockets),
        "directory": str(Path.cwd()),
        "mark": os.environ.get("LODE_TEST_MARK"),
        "path": sys.path,
    }
    _send(channel, os.getpid(), report)


def send_pid_and_run(task_name: str, channel: int) -> None:
    _send(channel, os.getpid())
    HOSTILE[task_name]()


def start_child(channel: int, *, leave: bool = False) -> None:
    child = subprocess.Popen(["sleep", "60"])
    _send(channel, os.getpid(), child.pid)
    if not leave:
        child.wait()


def note_preload() -> None:
    with Path(os.environ["LODE_TEST_MARK"]).open("a") as file:
        file.write(f"{os.getpid()}\n")


def lives(pid: int) -> bool:
    """Whether a process is running; a zombie is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
