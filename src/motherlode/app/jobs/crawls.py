"""The crawl of a portal as a person sees it: under way, at rest, or waiting to go on."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from motherlode.app.cli.durations import seconds_in
from motherlode.app.jobs.queue import Board
from motherlode.app.jobs.records import Command, Job, State, option
from motherlode.app.services.status import RunNow
from motherlode.portal.lock import Holder
from motherlode.records import LodeError, RunEnd

# Commands that crawl; whoever else writes the portal does not.
CRAWLING = frozenset({"crawl", "fetch", "refresh", "demo"})


class CrawlState(StrEnum):
    IDLE = "idle"
    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"
    PAUSED = "paused"

    @property
    def is_under_way(self) -> bool:
        return self in (CrawlState.QUEUED, CrawlState.RUNNING, CrawlState.STOPPING)


class NoCrawlError(LodeError):
    """There is no crawl that could be stopped, or go on, from here."""


def state_of(job: Job | None, holder: Holder | None, last: RunNow | None) -> CrawlState:
    """What a crawl is, by its latest job, by who is writing the portal, and by the latest run."""
    if job is not None and job.state is State.QUEUED:
        return CrawlState.QUEUED
    if job is not None and job.state is State.RUNNING:
        return CrawlState.STOPPING if job.stops else CrawlState.RUNNING
    if holder is not None:
        return CrawlState.RUNNING if holder.command in CRAWLING else CrawlState.IDLE
    interrupted = last is not None and last.end in ("", RunEnd.INTERRUPTED)
    stopped = job is not None and job.state is State.CANCELLED
    return CrawlState.PAUSED if stopped and interrupted else CrawlState.IDLE


def crawl_job(board: Board, portal: str) -> Job | None:
    """The latest crawl that was asked for here."""
    return next((job for job in board.jobs(portal) if job.command == "crawl"), None)


def stop(board: Board, portal: str) -> Job:
    """Ask the crawl to end: in good order, so that it can go on; at once, if it was asked already.

    Raises `NoCrawlError` where none was started here.
    """
    job = crawl_job(board, portal)
    if job is None or job.state.is_over:
        raise NoCrawlError("No crawl was started here; one in a terminal is stopped there, by Ctrl-C.")
    return board.cancel(portal, job.id)


def resume(board: Board, portal: str) -> Job:
    """Start again what was stopped, with what is left of its limits."""
    job = crawl_job(board, portal)
    if job is None or job.state is not State.CANCELLED:
        raise NoCrawlError("No crawl was stopped here that could go on; start one.")
    return board.ask(portal, Command("crawl", tuple(_left(job))))


class _Done(Struct, frozen=True):
    pages: int = 0
    seconds: float = 0.0


def _left(job: Job) -> Iterator[str]:
    """A job's options, with its limits lowered by what it has done."""
    told = job.result if isinstance(job.result, dict) else {}
    done = _Done(int(told.get("pages", 0)), float(told.get("seconds", 0.0)))
    for word in job.options:
        name, _, value = word.partition("=")
        if name == "--pages" and value.isdecimal():
            yield from option("pages", max(1, int(value) - done.pages))
        elif name == "--time":
            yield from option("time", f"{max(1, round((seconds_in(value) or 1) - done.seconds))}s")
        else:
            yield word
