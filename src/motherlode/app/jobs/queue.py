"""The job queue: a limited number of jobs run at a time, the others wait."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict, replace

from motherlode.app.errors import INTERRUPTED, BusyError, NoJobError
from motherlode.app.jobs.commands import index_command
from motherlode.app.jobs.records import (
    Command,
    Job,
    JobFolder,
    JobState,
    SubmittedJob,
    folder_of,
    jobs_of,
    new_id,
    prune,
)
from motherlode.app.requests.training import IndexRequest
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.portal.lock import holder_of
from motherlode.records import LockedError, LodeError, ReadOnlyError
from motherlode.records.errors import WORK_ON_A_COPY

if TYPE_CHECKING:
    import subprocess

LOG = logging.getLogger("motherlode.serving")
INDEX = index_command(IndexRequest())
# After these commands the search index is brought up to date.
_CHANGING = frozenset({"crawl", "train", "judge"})
_DONE = frozenset({0, INTERRUPTED})


class _QueuedJob(Struct, frozen=True):
    submitted: SubmittedJob
    command: Command

    def job(self) -> Job:
        return Job(**asdict(self.submitted), state=JobState.QUEUED)


def _ignore(portal: str) -> None:
    del portal


class JobQueue:
    """The jobs of all portals. Waiting jobs are known to this server alone, and end with it.

    `on_end` is called with the portal of each job that has ended.
    """

    def __init__(
        self,
        registry: PortalRegistry,
        max_running: int,
        max_waiting: int,
        clock: Callable[[], float] = time,
    ) -> None:
        self.on_end: Callable[[str], None] = _ignore
        self.registry, self._clock = registry, clock
        self._max_running, self._max_waiting = max_running, max_waiting
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, _QueuedJob] = OrderedDict()
        self._running = 0

    def submit(self, portal: str, command: Command) -> Job:
        """Start a job, or let it wait.

        Raises `LockedError` if the job would only find the portal in use, and `BusyError` if too
        many jobs wait.
        """
        path = self.registry.path(portal)
        holder = holder_of(path) if command.writes else None
        if holder is not None:
            raise LockedError(
                f"'{holder.command}' is writing this portal now; wait for it or stop it."
            )
        now = self._clock()
        submitted = SubmittedJob(new_id(now), portal, command.name, command.words_shown, now)
        with self._lock:
            if len(self._waiting) >= self._max_waiting:
                raise BusyError("Too many jobs are waiting; try again when some are done.")
            self._waiting[submitted.id] = _QueuedJob(submitted, command)
        self._start_waiting()
        return self.job(portal, submitted.id)

    def job(self, portal: str, job: str) -> Job:
        """Return a job as it is now. Raises `NoJobError` if there is none of that id."""
        with self._lock:
            waiting = self._waiting.get(job)
        if waiting is not None and waiting.submitted.portal == portal:
            return waiting.job()
        started = self.folder(portal, job).job()
        if started is None:
            raise NoJobError("There is no such job.")
        return started

    def jobs(self, portal: str) -> list[Job]:
        """Return the jobs of a portal, the latest first."""
        with self._lock:
            waiting = [
                entry.job() for entry in self._waiting.values() if entry.submitted.portal == portal
            ]
        return [*reversed(waiting), *jobs_of(self.registry.path(portal))]

    def all_jobs(self) -> list[Job]:
        jobs = (job for name in self.registry.names() for job in self.jobs(name))
        return sorted(jobs, key=lambda job: job.id, reverse=True)

    def cancel(self, portal: str, job: str) -> Job:
        """Ask a job to end; one that waits is kept as cancelled, so that it can be resumed."""
        with self._lock:
            waiting = self._waiting.get(job)
            if waiting is not None and waiting.submitted.portal == portal:
                del self._waiting[job]
                self._keep_cancelled(waiting)
                return replace(waiting.job(), state=JobState.CANCELLED, stops=1)
        self.folder(portal, job).stop()
        return self.job(portal, job)

    def _keep_cancelled(self, entry: _QueuedJob) -> None:
        path = self.registry.path(entry.submitted.portal)
        with suppress(OSError):  # a full disk: then it is forgotten
            JobFolder.create(path, entry.submitted).record_stop()

    def folder(self, portal: str, job: str) -> JobFolder:
        folder = folder_of(self.registry.path(portal), job)
        if folder is None:
            raise NoJobError("There is no such job.")
        return folder

    def active_job(self, portal: str, command: str) -> Job | None:
        """Return the latest job of a portal that runs a command or waits to, or None."""
        jobs = (
            job for job in self.jobs(portal) if job.command == command and not job.state.is_over
        )
        return next(jobs, None)

    def running_count(self) -> int:
        """Return the number of jobs of this server that run."""
        with self._lock:  # a job that is being started counts
            return self._running

    def waiting_jobs(self) -> list[Job]:
        """Return the jobs that wait, the next one first."""
        with self._lock:
            return [entry.job() for entry in self._waiting.values()]

    def _start_waiting(self) -> None:
        with self._lock:
            while self._waiting and self._running < self._max_running:
                _, entry = self._waiting.popitem(last=False)
                self._start(entry)

    def _start(self, entry: _QueuedJob) -> None:
        path = self.registry.path(entry.submitted.portal)
        prune(path)
        try:
            process = JobFolder.create(path, entry.submitted).start(entry.command.words(path))
        except OSError as error:
            raise ReadOnlyError(
                f"The job cannot be started, for the portal cannot be written: "
                f"{error.strerror or error}; {WORK_ON_A_COPY}."
            ) from error
        self._running += 1
        threading.Thread(target=self._wait_for, args=(process, entry), daemon=True).start()

    def _wait_for(self, process: "subprocess.Popen[bytes]", entry: _QueuedJob) -> None:
        code = process.wait()
        with self._lock:
            self._running -= 1
        portal, command = entry.submitted.portal, entry.command
        try:
            self.on_end(portal)
            if command.writes and command.name in _CHANGING and code in _DONE:
                self._update_index(portal)
            self._start_waiting()
        except LodeError as error:  # no request is left that could be answered with it
            LOG.warning("%s", error)

    def _update_index(self, portal: str) -> None:
        """Bring the index up to date, unless a job does so already."""
        if self.active_job(portal, INDEX.name) is None:
            self.submit(portal, INDEX)
