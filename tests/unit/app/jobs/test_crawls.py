"""What a crawl is seen to be, and what it wrote down: decisions without a crawl."""

import pytest
from msgspec.structs import replace

from motherlode.app.jobs.crawls import CrawlState, remaining_request, state_of
from motherlode.app.jobs.records import Job, JobState
from motherlode.app.requests.crawl import CrawlRequest
from motherlode.app.services.portals.status import RunNow
from motherlode.portal.lock import Holder
from motherlode.records import Run, RunId


def job(
    state: JobState, stops: int = 0, options: tuple[str, ...] = (), result: object = None
) -> Job:
    return Job(
        "20261117T004902-ddb2135b", "owls", "crawl", options, 0.0, state, stops=stops, result=result
    )


def run(end: str, policy: str = "bingo", started_at: float = 0.0) -> RunNow:
    return RunNow(1, "crawl", policy, started_at, None, 5, end)


@pytest.mark.parametrize(
    ("latest", "holder", "last", "state"),
    [
        (None, None, None, CrawlState.IDLE),
        (job(JobState.QUEUED), None, None, CrawlState.QUEUED),
        (job(JobState.RUNNING), Holder(1, "crawl"), None, CrawlState.RUNNING),
        (job(JobState.RUNNING, 1), Holder(1, "crawl"), None, CrawlState.STOPPING),
        (None, Holder(1, "crawl"), None, CrawlState.RUNNING),  # in a terminal
        (job(JobState.CANCELLED), Holder(1, "train"), run("interrupted"), CrawlState.IDLE),
        (job(JobState.CANCELLED, 1), None, run("interrupted"), CrawlState.PAUSED),
        (job(JobState.CANCELLED, 3), None, run(""), CrawlState.PAUSED),  # killed
        (
            job(JobState.CANCELLED, 1),
            None,
            run("page limit"),
            CrawlState.IDLE,
        ),  # one in a terminal went on
        # Stopped before the crawl began: there is no run, an older one, or that of the examples.
        (job(JobState.CANCELLED, 1), None, None, CrawlState.PAUSED),
        (job(JobState.CANCELLED, 1), None, run("page limit", started_at=-1.0), CrawlState.PAUSED),
        (job(JobState.CANCELLED, 1), None, run("done", "preparation"), CrawlState.PAUSED),
        (job(JobState.CANCELLED, 1), None, run("done", "refresh"), CrawlState.PAUSED),
        (job(JobState.DONE), None, run("page limit"), CrawlState.IDLE),
        (job(JobState.FAILED), None, run("failed"), CrawlState.IDLE),
        (None, None, run("interrupted"), CrawlState.IDLE),  # nobody here knows how it was asked for
    ],
)
def test_what_a_crawl_is(
    latest: Job | None, holder: Holder | None, last: RunNow | None, state: CrawlState
) -> None:
    assert state_of(latest, holder, last) is state


@pytest.mark.parametrize(
    ("options", "result", "left"),
    [
        (
            ("--progress", "--pages=100", "--time=10m", "--policy=bingo"),
            {"pages": 30, "seconds": 60.4},
            CrawlRequest(pages=70, time="540s", policy="bingo"),
        ),
        (("--pages=5", "--time=1s"), None, CrawlRequest(pages=5, time="1s")),  # killed
        (("--pages=5",), {"pages": 9, "seconds": 1.0}, CrawlRequest(pages=1)),
    ],
)
def test_a_resumed_crawl_has_less_to_do(
    options: tuple[str, ...], result: object, left: CrawlRequest
) -> None:
    assert remaining_request(job(JobState.CANCELLED, 1, options, result), []) == left


def test_a_crawl_that_was_stopped_at_once_has_less_to_do_as_well() -> None:
    stopped = replace(
        job(JobState.CANCELLED, 2, ("--pages=100", "--time=10m")), asked_at=50.0, ended_at=90.0
    )
    runs = [
        Run(RunId(1), "crawl", "bingo", 10.0, 40.0, "page limit", 40),  # of another crawl
        Run(RunId(2), "crawl", "preparation", 51.0, 55.0, "done", 5),
        Run(RunId(3), "crawl", "bingo", 56.0, 89.0, "interrupted", 25),
        Run(RunId(4), "crawl", "bingo", 95.0, 99.0, "interrupted", 7),  # in a terminal
    ]
    assert remaining_request(stopped, runs) == CrawlRequest(pages=70, time="563s")
