"""Jobs: long work, done by `lode` in processes of their own.

A job is a folder in its portal, `logs/jobs/ID`: what was asked for, what it said and what came of it. Its
process holds the lock in that folder for as long as it lives, whoever started it. So every window and every
server sees the same, a server may end while its jobs go on, and no process number is mistaken for another.
"""

import fcntl
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from motherlode.portal.lock import holder_of

FOLDER = "logs/jobs"
TOKEN = "LODE_TOKEN"  # noqa: S105 - where the server's token may stand: it is no business of a job
KEPT = 50  # jobs of a portal
_ID = re.compile(r"\d{8}T\d{9}-[0-9a-f]{8}")
_LONGEST = 2**20  # bytes of output that are shown, and of a result
_ASKED, _LINES, _RESULT, _EXIT, _STOPS, _LOCK = "job.json", "lines", "result", "exit", "stops", "lock"
INTERRUPTED = 11  # the exit code of a crawl that was stopped in good order


class State(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        return self not in (State.QUEUED, State.RUNNING)


class Command(Struct, frozen=True):
    """What `lode` is asked to do with a portal, as on its command line: a command and its options.

    `writes`: it needs the portal for itself, so there is no use in starting it while somebody else has it.
    """

    name: str
    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    writes: bool = True

    @property
    def shown(self) -> tuple[str, ...]:
        """What a person is shown of it."""
        return (*self.options, *self.arguments)

    def words(self, portal: Path) -> list[str]:
        return [self.name, *self.options, "--json", "--", str(portal), *self.arguments]


def option(name: str, value: object) -> tuple[str, ...]:
    """An option as the command line has it, in one word, so that no value is taken for another option.

    >>> option("pages", 5), option("feedback", True), option("index", False), option("time", None)
    (('--pages=5',), ('--feedback',), (), ())
    """
    if value is None or value is False:
        return ()
    return (f"--{name}",) if value is True else (f"--{name}={value}",)


class Asked(Struct, frozen=True):
    """A job as it was asked for."""

    id: str
    portal: str
    command: str
    options: tuple[str, ...]
    asked_at: float


class Job(Struct, frozen=True):
    """A job as it is now. `says` is the last line that it said, `result` what the command gave as JSON."""

    id: str
    portal: str
    command: str
    options: tuple[str, ...]
    asked_at: float
    state: State
    ended_at: float | None = None
    exit_code: int | None = None
    stops: int = 0
    says: str = ""
    result: Any = None


def new_id(now: float) -> str:
    """Ids sort by time, to the millisecond."""
    at = f"{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%S%f}"[:-3]
    return f"{at}-{secrets.token_hex(4)}"


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


class JobFolder:
    """What is kept of one job."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def made(cls, portal: Path, asked: Asked) -> "JobFolder":
        path = portal / FOLDER / asked.id
        path.mkdir(parents=True)
        (path / _ASKED).write_bytes(msgspec.json.encode(asked))
        return cls(path)

    def start(self, words: list[str]) -> "subprocess.Popen[bytes]":
        """Run the command. The lock is taken here and handed on, so that the job is never seen without it."""
        lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with (self.path / _LINES).open("wb") as lines, (self.path / _RESULT).open("wb") as result:
                process = subprocess.Popen(  # noqa: S603 - our own interpreter and command
                    [sys.executable, "-m", "motherlode.app.cli.child", str(lock), str(self.path), *words],
                    stdin=subprocess.DEVNULL,
                    stdout=result,
                    stderr=lines,
                    env={name: value for name, value in os.environ.items() if name != TOKEN},
                    pass_fds=[lock],
                    start_new_session=True,  # Ctrl-C at the server's terminal is not meant for it
                )
            os.pwrite(lock, msgspec.json.encode({"pid": process.pid, "command": words[0]}), 0)
            return process
        finally:
            os.close(lock)

    def job(self) -> Job | None:
        """The job as it is now; None: there is none, or it is being removed."""
        try:
            asked = msgspec.json.decode((self.path / _ASKED).read_bytes(), type=Asked)
        except (OSError, msgspec.DecodeError):
            return None
        alive = holder_of(self.path) is not None
        code, ended_at = self._exit()  # after the look at the lock: it is written before that is let go
        stops = self._stops()
        return Job(
            **msgspec.structs.asdict(asked),
            state=state_of(code, stops, alive=alive),
            ended_at=ended_at,
            exit_code=code,
            stops=stops,
            says=self.last_line(),
            result=self._result() if code is not None else None,
        )

    def stop(self) -> None:
        """Ask it to end: in good order first, at once the second time, by force the third."""
        holder = holder_of(self.path)
        if holder is None:
            return
        stops = self._stops() + 1
        (self.path / _STOPS).write_text(str(stops))
        with suppress(ProcessLookupError):
            if stops <= 2:  # noqa: PLR2004
                os.kill(holder.pid, signal.SIGINT)
            else:
                os.killpg(holder.pid, signal.SIGKILL)

    def lines(self, start: int = 0) -> tuple[bytes, int]:
        """What it said from a place on, in whole lines, and the place behind."""
        try:
            with (self.path / _LINES).open("rb") as file:
                file.seek(start)
                said = file.read(_LONGEST)
        except (OSError, ValueError):
            return b"", start
        whole = said[: said.rfind(b"\n") + 1] or (said if len(said) == _LONGEST else b"")
        return whole.replace(self._shelf(), b""), start + len(whole)

    def last_line(self) -> str:
        try:
            with (self.path / _LINES).open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - 2000))
                said = file.read().replace(self._shelf(), b"")
        except OSError:
            return ""
        lines = said.decode(errors="replace").replace("\r", "\n").strip().splitlines()
        return lines[-1] if lines else ""

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _exit(self) -> tuple[int | None, float | None]:
        try:
            return int((self.path / _EXIT).read_text()), (self.path / _EXIT).stat().st_mtime
        except (OSError, ValueError):
            return None, None

    def _stops(self) -> int:
        try:
            return int((self.path / _STOPS).read_text())
        except (OSError, ValueError):
            return 0

    def _result(self) -> Any:
        try:
            if (self.path / _RESULT).stat().st_size > _LONGEST:
                return None
            said = (self.path / _RESULT).read_bytes()
            return msgspec.json.decode(said.replace(self._shelf(), b""))
        except (OSError, msgspec.DecodeError):
            return None

    def _shelf(self) -> bytes:
        """The way to the portal, which is left out: where it lies on this machine is nobody's business."""
        return os.fsencode(f"{self.path.parents[3]}/")


def state_of(code: int | None, stops: int, *, alive: bool) -> State:
    """What has become of a job that was started."""
    if code == 0:
        return State.DONE
    if code is not None or not alive:
        return State.CANCELLED if stops or code == INTERRUPTED else State.FAILED
    return State.RUNNING


def folder_of(portal: Path, job: str) -> JobFolder | None:
    path = portal / FOLDER / job
    return JobFolder(path) if is_id(job) and path.is_dir() else None


def jobs_of(portal: Path) -> list[Job]:
    """The jobs of a portal, the latest first."""
    found = (JobFolder(portal / FOLDER / name).job() for name in _ids(portal))
    return [job for job in found if job is not None]


def prune(portal: Path) -> None:
    """Forget the oldest jobs that are over."""
    for name in _ids(portal)[KEPT:]:
        folder = JobFolder(portal / FOLDER / name)
        job = folder.job()
        if job is None or job.state.is_over:
            folder.remove()


def _ids(portal: Path) -> list[str]:
    try:
        names = (path.name for path in (portal / FOLDER).iterdir())
        return sorted(filter(is_id, names), reverse=True)
    except OSError:
        return []
