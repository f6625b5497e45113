"""What a crawl is seen to be, and what it wrote down: decisions without a crawl."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from motherlode.app.jobs.crawls import CrawlState, remaining_request, state_of
from motherlode.app.jobs.records import Job, JobState
from motherlode.app.requests.crawl import CrawlRequest
from motherlode.app.services.portals.reports import (
    HarvestRow,
    harvest_rows,
    log_lines,
    points_of,
    rows_in,
    tail_of,
)
from motherlode.app.services.portals.status import RunNow
from motherlode.portal.lock import Holder
from motherlode.records import Run, RunId

HEAD = "time,pages,relevant,rate\n"


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


def test_rows_of_the_harvest_that_are_none_are_left_out() -> None:
    text = f"{HEAD}2026-11-17T00:00:10Z,50,10,0.2\nnonsense\n2026-11-17T00:00:20Z,x,1,1\nsoon,60,1,0.1\n"
    assert rows_in(text) == [HarvestRow(1794873610.0, 50, 10)]


def test_points_tell_of_the_stretches_between_rows() -> None:
    first, second, third = points_of(
        [HarvestRow(100, 50, 10), HarvestRow(110, 100, 50), HarvestRow(900, 150, 50)], [0, 890]
    )
    assert (first.pages, first.rate, first.pace) == (50, 0.2, None)  # nobody knows when it began
    assert (second.rate, second.total, second.pace) == (0.8, 0.5, 5.0)
    assert (third.rate, third.pace) == (0.0, None)  # another run: it was at rest in between


def test_rows_of_one_batch_are_one_stretch() -> None:
    points = points_of(
        [
            HarvestRow(100, 50, 10),
            HarvestRow(110, 100, 20),
            HarvestRow(110, 150, 20),
            HarvestRow(110.4, 200, 20),
        ],
        [],
    )
    assert [(point.pages, point.pace) for point in points] == [
        (50, None),
        (200, pytest.approx(150 / 10.4)),
    ]


def test_a_long_crawl_is_shown_by_few_points() -> None:
    rows = [HarvestRow(float(n), 10 * n, n) for n in range(1, 10_001)]
    points = points_of(rows, [])
    assert len(points) == 240
    assert points[-1].pages == 100_000
    assert {round(point.rate, 6) for point in points} == {0.1}


def test_no_harvest_is_no_point(tmp_path: Path) -> None:
    assert points_of(harvest_rows(tmp_path), []) == []


def test_the_end_of_a_file_is_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("first\nsecond\nthird\nhalf")
    assert tail_of(file, 100) == "first\nsecond\nthird\n"
    assert tail_of(file, 15) == "third\n"
    assert tail_of(tmp_path / "none", 10) == ""


def test_lines_of_the_log_are_found_and_safe(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/crawl.log").write_text(
        "1 200 http://a.test/\n2 404 http://B.test/\x1b\n3 404 c\n"
    )
    assert log_lines(tmp_path, "b.TEST") == ["2 404 http://B.test/\ufffd"]
    assert log_lines(tmp_path, "404", 1) == ["3 404 c"]
