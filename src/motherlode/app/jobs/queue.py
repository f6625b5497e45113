"""The board of jobs: where they are asked for, found, and stopped. So many run at a time; the others wait."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from time import time
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict, replace

from motherlode.app.jobs.records import (
    INTERRUPTED,
    Asked,
    Command,
    Job,
    JobFolder,
    State,
    folder_of,
    jobs_of,
    new_id,
    prune,
)
from motherlode.app.services.registry import Shelf
from motherlode.portal.lock import holder_of
from motherlode.records import LockedError, LodeError, ReadOnlyError

if TYPE_CHECKING:
    import subprocess

LOG = logging.getLogger("motherlode.serving")
INDEX = Command("index", writes=False)
# Commands after which the search index lacks something: it is brought up to date by itself.
_CHANGING = frozenset({"crawl", "train", "judge"})
_DONE = frozenset({0, INTERRUPTED})


class NoJobError(LodeError):
    """There is no job of that name."""


class BusyError(LodeError):
    """As many jobs wait as may."""


class _Waiting(Struct, frozen=True):
    asked: Asked
    command: Command

    def job(self) -> Job:
        return Job(**asdict(self.asked), state=State.QUEUED)


def _nothing(portal: str) -> None:
    del portal


class Board:
    """Jobs of all portals on a shelf. Those that wait are known to this server alone, and end with it."""

    def __init__(self, shelf: Shelf, running: int, waiting: int, clock: Callable[[], float] = time) -> None:
        self.ended: Callable[[str], None] = _nothing  # is told of the portal of each job that has ended
        self._shelf, self._most_running, self._most_waiting, self._clock = shelf, running, waiting, clock
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._running = 0

    def ask(self, portal: str, command: Command) -> Job:
        """Start a job, or have it wait.

        Raises `LockedError` where it would only find the portal in use, and `BusyError` where too many wait.
        """
        path = self._shelf.path(portal)
        holder = holder_of(path) if command.writes else None
        if holder is not None:
            raise LockedError(f"'{holder.command}' is writing this portal now; wait for it or stop it.")
        asked = Asked(new_id(self._clock()), portal, command.name, command.shown, self._clock())
        with self._lock:
            if len(self._waiting) >= self._most_waiting:
                raise BusyError("Too many jobs are waiting; try again when some are done.")
            self._waiting[asked.id] = _Waiting(asked, command)
        self._start_waiting()
        return self.job(portal, asked.id)

    def job(self, portal: str, job: str) -> Job:
        """Raises `NoJobError` where there is none."""
        with self._lock:
            waiting = self._waiting.get(job)
        if waiting is not None and waiting.asked.portal == portal:
            return waiting.job()
        found = self.folder(portal, job).job()
        if found is None:
            raise NoJobError("There is no such job.")
        return found

    def jobs(self, portal: str) -> list[Job]:
        """The jobs of a portal, the latest first."""
        with self._lock:
            waiting = [one.job() for one in self._waiting.values() if one.asked.portal == portal]
        return [*reversed(waiting), *jobs_of(self._shelf.path(portal))]

    def all_jobs(self) -> list[Job]:
        jobs = (job for name in self._shelf.names() for job in self.jobs(name))
        return sorted(jobs, key=lambda job: job.id, reverse=True)

    def cancel(self, portal: str, job: str) -> Job:
        """Ask a job to end; one that had not begun is forgotten."""
        with self._lock:
            waiting = self._waiting.get(job)
            if waiting is not None and waiting.asked.portal == portal:
                return replace(self._waiting.pop(job).job(), state=State.CANCELLED)
        self.folder(portal, job).stop()
        return self.job(portal, job)

    def folder(self, portal: str, job: str) -> JobFolder:
        folder = folder_of(self._shelf.path(portal), job)
        if folder is None:
            raise NoJobError("There is no such job.")
        return folder

    def under_way(self, portal: str, command: str) -> Job | None:
        """The latest job of a portal that runs a command or waits to."""
        found = (job for job in self.jobs(portal) if job.command == command and not job.state.is_over)
        return next(found, None)

    def running(self) -> int:
        """How many jobs of this server are under way."""
        return self._running

    def waiting(self) -> list[Job]:
        """The jobs that wait for their turn, the next one first."""
        with self._lock:
            return [one.job() for one in self._waiting.values()]

    def _start_waiting(self) -> None:
        with self._lock:
            while self._waiting and self._running < self._most_running:
                _, one = self._waiting.popitem(last=False)
                self._start(one)

    def _start(self, one: _Waiting) -> None:
        path = self._shelf.path(one.asked.portal)
        prune(path)
        try:
            process = JobFolder.made(path, one.asked).start(one.command.words(path))
        except OSError as error:
            raise ReadOnlyError(f"The job cannot be started: {error.strerror or error}.") from error
        self._running += 1
        threading.Thread(target=self._watch, args=(process, one), daemon=True).start()

    def _watch(self, process: "subprocess.Popen[bytes]", one: _Waiting) -> None:
        code = process.wait()
        with self._lock:
            self._running -= 1
        try:
            self.ended(one.asked.portal)
            if one.command.writes and one.command.name in _CHANGING and code in _DONE:
                self._index(one.asked.portal)
            self._start_waiting()
        except LodeError as error:  # nobody is there to be told
            LOG.warning("%s", error)

    def _index(self, portal: str) -> None:
        """Have the index follow, unless somebody is at it."""
        if self.under_way(portal, INDEX.name) is None:
            self.ask(portal, INDEX)
