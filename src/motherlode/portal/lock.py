"""One writer at a time.

The lock is the operating system's, on the file `lock`, and ends with the process that holds it
however that ends: a lock file that a dead process left behind is free for the next. The file's text
only says who.
"""

import fcntl
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Self

from msgspec import Struct

from motherlode.records import LockedError, ReadOnlyError
from motherlode.records.errors import WORK_ON_A_COPY

_held: "set[PortalLock]" = set()


class Holder(Struct, frozen=True):
    """A process that is writing a portal, and for which command."""

    pid: int
    command: str


class PortalLock:
    """Hold it while writing: `with PortalLock(directory, "lode crawl"): ...`."""

    def __init__(self, directory: Path, command: str) -> None:
        self._directory = directory
        self._path = directory / "lock"
        self._command = command
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        try:
            descriptor = os.open(
                self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o644
            )
        except OSError as error:
            raise ReadOnlyError(
                f"{self._directory} cannot be written: {error.strerror or error}; {WORK_ON_A_COPY}."
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise LockedError(self._in_use()) from error
        except OSError as error:
            os.close(descriptor)
            raise LockedError(
                f"{self._directory} cannot be locked: {error.strerror or error}."
            ) from error
        self._descriptor = descriptor
        _held.add(self)
        self._sign()
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            self._forget()

    def _sign(self) -> None:
        assert self._descriptor is not None  # noqa: S101 - just opened
        holder = json.dumps({"pid": os.getpid(), "command": self._command})
        with suppress(OSError):  # on a full disk it holds all the same, if without a name
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, holder.encode(), 0)

    def _forget(self) -> None:
        _held.discard(self)
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _in_use(self) -> str:
        holder = _signed(self._path)
        who = "another process" if holder is None else f"'{holder.command}' (process {holder.pid})"
        return f"{self._directory} is being written by {who}; wait for it or stop it."


def holder_of(directory: Path) -> Holder | None:
    """Who is writing a portal right now; None: nobody, or nobody who could sign.

    The signature of a dead process is told by the lock that is free. Only then is it tried, so that
    nobody who wants it is turned away by somebody who looks.
    """
    path = directory / "lock"
    holder = _signed(path)
    if holder is None:
        return None
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return holder
    except OSError:
        return None
    return None


def _signed(path: Path) -> Holder | None:
    try:
        said = json.loads(path.read_text())
        return Holder(int(said["pid"]), str(said["command"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _forget_all() -> None:
    for lock in list(_held):
        lock._forget()


# A forked worker must not keep a lock alive after its parent's death.
os.register_at_fork(after_in_child=_forget_all)
