"""The crawl of a portal as users see it: running, idle, or paused; stop and resume it."""

import math
from collections.abc import Iterable
from enum import StrEnum

from motherlode.app.jobs.commands import crawl_command
from motherlode.app.jobs.queue import JobQueue
from motherlode.app.jobs.records import Job, JobState
from motherlode.app.requests.command_line import request_from
from motherlode.app.requests.crawl import CrawlRequest
from motherlode.app.services.portals.status import RunNow
from motherlode.portal.lock import Holder
from motherlode.records import LodeError, Run, RunEnd
from motherlode.records.pages import PREPARATION, REFRESH
from motherlode.store.tables import ledger

# Commands that crawl; the others that write a portal do not.
CRAWLING = frozenset({"crawl", "fetch", "refresh", "demo"})


class CrawlState(StrEnum):
    IDLE = "idle"
    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"
    PAUSED = "paused"

    @property
    def is_active(self) -> bool:
        return self in (CrawlState.QUEUED, CrawlState.RUNNING, CrawlState.STOPPING)


class NoCrawlError(LodeError):
    """There is no crawl that this server could stop or resume."""


def state_of(job: Job | None, holder: Holder | None, last: RunNow | None) -> CrawlState:
    """Return the state of a crawl, by its latest job, the portal's lock, and the latest run."""
    if job is not None and job.state is JobState.QUEUED:
        return CrawlState.QUEUED
    if job is not None and job.state is JobState.RUNNING:
        return CrawlState.STOPPING if job.stops else CrawlState.RUNNING
    if holder is not None:
        return CrawlState.RUNNING if holder.command in CRAWLING else CrawlState.IDLE
    if job is None or job.state is not JobState.CANCELLED or _has_ended(job, last):
        return CrawlState.IDLE
    return CrawlState.PAUSED


def _has_ended(job: Job, last: RunNow | None) -> bool:
    """Return whether a crawl has ended since the job was submitted, such as in a terminal.

    A job may be stopped before its crawl begins. The latest run is then an earlier one, or the
    one that fetched the examples. A refresh is no crawl either.
    """
    if last is None or last.started_at < job.asked_at or last.policy in (PREPARATION, REFRESH):
        return False
    return last.end not in ("", RunEnd.INTERRUPTED)


def crawl_job(queue: JobQueue, portal: str) -> Job | None:
    """Return the latest crawl that was started from this server, or None."""
    return next((job for job in queue.jobs(portal) if job.command == "crawl"), None)


def stop(queue: JobQueue, portal: str) -> Job:
    """Stop the crawl: in good order, so that it can be resumed; the second time, at once.

    Raises `NoCrawlError` if none was started here.
    """
    job = crawl_job(queue, portal)
    if job is None or job.state.is_over:
        raise NoCrawlError(
            "No crawl was started here; one in a terminal is stopped there, by Ctrl-C."
        )
    return queue.cancel(portal, job.id)


def resume(queue: JobQueue, portal: str) -> Job:
    """Start the crawl that was stopped again, with what is left of its limits."""
    job = crawl_job(queue, portal)
    if job is None or job.state is not JobState.CANCELLED:
        raise NoCrawlError("No crawl was stopped here that could be resumed; start one.")
    with queue.registry.reading(portal) as opened, opened.store.reading() as session:
        runs = ledger.all_runs(session)
    return queue.submit(portal, crawl_command(remaining_request(job, runs)))


def remaining_request(job: Job, runs: Iterable[Run]) -> CrawlRequest:
    """Return the request of a job, with its limits lowered by what the job has done.

    A job that was stopped at once has no result; what it has done is seen from its runs.
    """
    request = request_from(CrawlRequest, job.options)
    if isinstance(job.result, dict):
        pages, seconds = job.result.get("pages", 0), job.result.get("seconds", 0.0)
        return request.remaining(int(pages), float(seconds))
    until = job.ended_at or math.inf
    runs_of_job = [run for run in runs if job.asked_at <= run.started_at <= until]
    seconds = sum((run.ended_at or run.started_at) - run.started_at for run in runs_of_job)
    return request.remaining(sum(run.pages for run in runs_of_job), seconds)
