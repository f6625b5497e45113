"""Job records: long work that runs as `lode` in a process of its own.

A job is a folder in its portal, `logs/jobs/ID`, with its request, its output and its result. Its
process holds the lock in that folder for as long as it lives. So every window and every server sees
the same state, and a server may end while its jobs go on. No process number is mistaken for
another.
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

from motherlode.app.errors import INTERRUPTED
from motherlode.portal.lock import holder_of

JOBS_FOLDER = "logs/jobs"
TOKEN_VARIABLE = "LODE_TOKEN"  # noqa: S105 - may hold the server's token, which jobs must not see
MAX_KEPT_JOBS = 50  # of a portal
MAX_OUTPUT_BYTES = 2**20  # that are shown at once, and of a result
MAX_LAST_LINE_BYTES = 2_000
POLITE_STOPS = 2  # after these, a job is killed
_ID = re.compile(r"\d{8}T\d{9}-[0-9a-f]{8}")
_REQUEST, _OUTPUT, _RESULT, _EXIT, _STOPS, _LOCK = (
    "job.json",
    "lines",
    "result",
    "exit",
    "stops",
    "lock",
)


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        return self not in (JobState.QUEUED, JobState.RUNNING)


class Command(Struct, frozen=True):
    """A `lode` command for a portal, with its options and arguments.

    `writes`: the command needs the portal for itself, so it cannot start while another writes it.
    """

    name: str
    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    writes: bool = True

    @property
    def words_shown(self) -> tuple[str, ...]:
        """The options and arguments that users see, without the portal's path."""
        return (*self.options, *self.arguments)

    def words(self, portal: Path) -> list[str]:
        """Return the words of the command line."""
        return [self.name, *self.options, "--json", "--", str(portal), *self.arguments]


class SubmittedJob(Struct, frozen=True):
    """A job as it was submitted."""

    id: str
    portal: str
    command: str
    options: tuple[str, ...]
    asked_at: float


class Job(Struct, frozen=True):
    """A job as it is now. `says` is its last line of output, `result` the JSON of its command."""

    id: str
    portal: str
    command: str
    options: tuple[str, ...]
    asked_at: float
    state: JobState
    ended_at: float | None = None
    exit_code: int | None = None
    stops: int = 0
    says: str = ""
    result: Any = None


def new_id(now: float) -> str:
    """Return a new id. Ids sort by time, to the millisecond."""
    at = f"{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%S%f}"[:-3]
    return f"{at}-{secrets.token_hex(4)}"


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


class JobFolder:
    """The folder of one job."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, portal: Path, job: SubmittedJob) -> "JobFolder":
        path = portal / JOBS_FOLDER / job.id
        path.mkdir(parents=True)
        (path / _REQUEST).write_bytes(msgspec.json.encode(job))
        return cls(path)

    def start(self, words: list[str]) -> "subprocess.Popen[bytes]":
        """Run the command. It inherits the lock, so that a running job is never seen without it."""
        lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with (
                (self.path / _OUTPUT).open("wb") as output,
                (self.path / _RESULT).open("wb") as result,
            ):
                process = subprocess.Popen(  # noqa: S603 - our own interpreter and command
                    [
                        sys.executable,
                        "-m",
                        "motherlode.app.cli.child",
                        str(lock),
                        str(self.path),
                        *words,
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=result,
                    stderr=output,
                    env={
                        name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE
                    },
                    pass_fds=[lock],
                    start_new_session=True,  # Ctrl-C at the server's terminal is not meant for it
                )
            os.pwrite(lock, msgspec.json.encode({"pid": process.pid, "command": words[0]}), 0)
            return process
        finally:
            os.close(lock)

    def job(self) -> Job | None:
        """Return the job as it is now, or None if there is none, or it is being removed."""
        try:
            submitted = msgspec.json.decode((self.path / _REQUEST).read_bytes(), type=SubmittedJob)
        except (OSError, msgspec.DecodeError):
            return None
        is_alive = holder_of(self.path) is not None
        # Read after the lock: the exit code is written before the lock is released.
        code, ended_at = self._exit()
        stops = self._stops()
        return Job(
            **msgspec.structs.asdict(submitted),
            state=state_of(code, stops, is_alive=is_alive),
            ended_at=ended_at,
            exit_code=code,
            stops=stops,
            says=self.last_line(),
            result=self._result() if code is not None else None,
        )

    def stop(self) -> None:
        """Ask the job to end: in good order first, at once the second time, by force the third."""
        holder = holder_of(self.path)
        if holder is None:
            return
        stops = self.record_stop()
        with suppress(ProcessLookupError):
            if stops <= POLITE_STOPS:
                os.kill(holder.pid, signal.SIGINT)
            else:
                os.killpg(holder.pid, signal.SIGKILL)

    def record_stop(self) -> int:
        """Count a request to stop the job, and return how many there were."""
        stops = self._stops() + 1
        (self.path / _STOPS).write_text(str(stops))
        return stops

    def output(self, start: int = 0) -> tuple[bytes, int]:
        """Return whole lines of output from an offset on, and the offset behind them."""
        try:
            with (self.path / _OUTPUT).open("rb") as file:
                file.seek(start)
                output = file.read(MAX_OUTPUT_BYTES)
        except (OSError, ValueError):
            return b"", start
        lines = output[: output.rfind(b"\n") + 1] or (
            output if len(output) == MAX_OUTPUT_BYTES else b""
        )
        return lines.replace(self._folder_prefix(), b""), start + len(lines)

    def last_line(self) -> str:
        try:
            with (self.path / _OUTPUT).open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - MAX_LAST_LINE_BYTES))
                output = file.read().replace(self._folder_prefix(), b"")
        except OSError:
            return ""
        lines = output.decode(errors="replace").replace("\r", "\n").strip().splitlines()
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
            if (self.path / _RESULT).stat().st_size > MAX_OUTPUT_BYTES:
                return None
            result = (self.path / _RESULT).read_bytes()
            return msgspec.json.decode(result.replace(self._folder_prefix(), b""))
        except (OSError, msgspec.DecodeError):
            return None

    def _folder_prefix(self) -> bytes:
        """Return the path of the portals' folder, which visitors must not see."""
        return os.fsencode(f"{self.path.parents[3]}/")


def state_of(code: int | None, stops: int, *, is_alive: bool) -> JobState:
    """Return the state of a job that was started."""
    if code == 0:
        return JobState.DONE
    if code is not None or not is_alive:
        return JobState.CANCELLED if stops or code == INTERRUPTED else JobState.FAILED
    return JobState.RUNNING


def folder_of(portal: Path, job: str) -> JobFolder | None:
    path = portal / JOBS_FOLDER / job
    return JobFolder(path) if is_id(job) and path.is_dir() else None


def jobs_of(portal: Path) -> list[Job]:
    """Return the jobs of a portal, the latest first."""
    jobs = (JobFolder(portal / JOBS_FOLDER / name).job() for name in _ids(portal))
    return [job for job in jobs if job is not None]


def prune(portal: Path) -> None:
    """Remove the oldest jobs that are over."""
    for name in _ids(portal)[MAX_KEPT_JOBS:]:
        folder = JobFolder(portal / JOBS_FOLDER / name)
        job = folder.job()
        if job is None or job.state.is_over:
            folder.remove()


def _ids(portal: Path) -> list[str]:
    try:
        names = (path.name for path in (portal / JOBS_FOLDER).iterdir())
        return sorted(filter(is_id, names), reverse=True)
    except OSError:
        return []
