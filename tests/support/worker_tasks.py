"""Work for worker processes, which import it by name."""

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

from motherlode.documents.analysing import Analysed, Manner, analyse
from motherlode.documents.raw import Raw


def _spin() -> None:
    while True:
        pass


def _work_a_while() -> None:
    while time.process_time() < 0.25:
        pass


def _grow() -> list[bytes]:
    return [bytes(10_000_000) for _ in range(1000)]


def _panic() -> None:
    raise KeyboardInterrupt


def _stumble() -> None:
    raise ValueError("stumbled")


def _recurse() -> None:
    _recurse()


def _leave_a_child() -> None:
    """Hang, with a process of one's own that would go on."""
    mark = os.environ["LODE_TEST_MARK"]
    subprocess.run(["sleep", f"60.{mark}"], check=False)


def _wait_for_it() -> None:
    while not Path(os.environ["LODE_TEST_MARK"]).exists():
        time.sleep(0.01)


def _full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _be_killed(*, once: bool = False) -> None:
    mark = Path(os.environ["LODE_TEST_MARK"]) if once else None
    if mark is None or not mark.exists():
        if mark is not None:
            mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)


HOSTILE: dict[str, Callable[[], object]] = {
    "mark": lambda: Path(os.environ["LODE_TEST_MARK"]).touch(),
    "gate": _wait_for_it,
    "hang": lambda: time.sleep(60),
    "spin": _spin,
    "work a while": _work_a_while,
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda: os._exit(3),
    "memory": _grow,
    "recursion": _recurse,
    "error": _stumble,
    "panic": _panic,
    "full": _full,
    "killed": _be_killed,
    "killed once": lambda: _be_killed(once=True),
    "child": _leave_a_child,
    "late": lambda: time.sleep(0.3),
}


def task(job: str) -> str:
    """Reads a word; some words are hostile."""
    HOSTILE.get(job, lambda: None)()
    return "x" * 5_000_000 if job == "long" else job.upper()


def read_or_suffer(raw: Raw, manner: Manner) -> list[Analysed]:
    """Reads a document; some say what they do to their reader."""
    word = raw.body.decode("latin-1").partition("hostile:")[2].partition("<")[0]
    HOSTILE.get(word, lambda: None)()
    return analyse(raw, manner)


# Lives for workers of the nursery, each of which says its number first.


def _say(line: int, *words: object) -> None:
    talking: Connection[bytes, bytes] = Connection(os.dup(line))
    with talking:
        for word in words:
            talking.send_bytes(pickle.dumps(word))


def tell(line: int) -> None:
    """What it finds around itself."""
    listed = Path("/proc/self/fd")
    sockets = [one for one in listed.iterdir() if os.path.realpath(one).partition(":")[0].endswith("socket")]
    told = {
        "parent": os.getppid(),
        "group": os.getpgid(0),
        "drawn": random.random(),
        "sockets": len(sockets),
        "directory": str(Path.cwd()),
        "mark": os.environ.get("LODE_TEST_MARK"),
        "path": sys.path,
    }
    _say(line, os.getpid(), told)


def live(word: str, line: int) -> None:
    """Do what such a document does."""
    _say(line, os.getpid())
    HOSTILE[word]()


def have_a_child(line: int, *, leave: bool = False) -> None:
    child = subprocess.Popen(["sleep", "60"])
    _say(line, os.getpid(), child.pid)
    if not leave:
        child.wait()


def learn() -> None:
    with Path(os.environ["LODE_TEST_MARK"]).open("a") as file:
        file.write(f"{os.getpid()}\n")


def lives(pid: int) -> bool:
    """Whether a process has not ended; one that nobody has asked after has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
