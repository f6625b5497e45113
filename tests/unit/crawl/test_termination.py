"""When a crawl ends, and how long it may wait, as tables over figures and clocks."""

import pytest

from motherlode.crawl.context import Control
from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.progress import Idle, Limits
from motherlode.crawl.scheduler import Scheduler
from motherlode.crawl.termination import Termination
from motherlode.records import RunEnd

NOW = 1_700_000_000.0
ELAPSED_S = 10.0
MAX_DELAY_S = 60.0  # the longest crawl delay that hosts may ask for


class FakeScheduler(Scheduler):
    """A scheduler with figures that the test sets."""

    def __init__(
        self,
        under_way: int = 0,
        retry_in: float | None = None,
        idle_for: float | None = None,
    ) -> None:
        self._under_way = under_way
        self._retry_in = retry_in
        self._idle_for = idle_for

    @property
    def under_way(self) -> int:
        return self._under_way

    def retry_at(self) -> float | None:
        return None if self._retry_in is None else NOW + self._retry_in

    def idle(self) -> Idle | None:
        return None if self._idle_for is None else Idle(NOW + self._idle_for, "1 waits")


def termination(
    scheduler: FakeScheduler | None = None,
    limits: Limits | None = None,
    counters: CrawlCounters | None = None,
    *,
    stopped: RunEnd | None = None,
    enough: bool = False,
) -> Termination:
    control = Control()
    if stopped is not None:
        control.stop(stopped)
    return Termination(
        limits=limits or Limits(100),
        control=control,
        counters=counters or CrawlCounters(),
        scheduler=scheduler or FakeScheduler(),
        max_crawl_delay=MAX_DELAY_S,
        now=lambda: NOW,
        seconds=lambda: ELAPSED_S,
        enough=lambda: enough,
    )


@pytest.mark.parametrize(
    ("limits", "pages", "requests", "expected"),
    [
        (Limits(100), 0, 0, None),
        (Limits(100), 99, 5_000, None),
        (Limits(100), 100, 100, RunEnd.PAGES),
        (Limits(100), 101, 101, RunEnd.PAGES),
        (Limits(0), 0, 0, RunEnd.PAGES),
        (Limits(100, seconds=ELAPSED_S + 0.1), 0, 0, None),
        (Limits(100, seconds=ELAPSED_S), 0, 0, RunEnd.TIME),
        (Limits(100, seconds=0.0), 0, 0, RunEnd.TIME),
        (Limits(100, requests=7), 0, 6, None),
        (Limits(100, requests=7), 0, 7, RunEnd.REQUESTS),
        (Limits(100, requests=0), 0, 0, RunEnd.REQUESTS),
        # Where several limits are reached at once, the first of this order is the reason.
        (Limits(5, seconds=1.0, requests=5), 5, 5, RunEnd.PAGES),
        (Limits(6, seconds=1.0, requests=5), 5, 5, RunEnd.TIME),
    ],
)
def test_a_crawl_ends_at_the_first_limit_that_is_reached(
    limits: Limits, pages: int, requests: int, expected: RunEnd | None
) -> None:
    counters = CrawlCounters(pages=pages, requests=requests)
    assert termination(limits=limits, counters=counters).reached_limit() is expected


@pytest.mark.parametrize(
    ("stopped", "enough", "pages", "expected"),
    [
        (None, False, 0, None),
        (None, True, 0, RunEnd.ENOUGH),
        (None, True, 100, RunEnd.PAGES),
        (RunEnd.INTERRUPTED, False, 0, RunEnd.INTERRUPTED),
        (RunEnd.FEEDBACK, True, 100, RunEnd.FEEDBACK),  # who stops a crawl says why
    ],
)
def test_a_crawl_ends_when_it_is_stopped_or_the_policy_has_enough(
    stopped: RunEnd | None,
    enough: bool,  # noqa: FBT001 - a parameter
    pages: int,
    expected: RunEnd | None,
) -> None:
    ending = termination(counters=CrawlCounters(pages=pages), stopped=stopped, enough=enough)
    assert ending.reached_limit() is expected


@pytest.mark.parametrize(
    ("retry_in", "patience", "expected"),
    [
        (None, 120.0, True),
        (-5.0, 120.0, False),
        (120.0, 120.0, False),
        (120.5, 120.0, True),
        (0.5, 0.0, True),
        (0.0, 0.0, False),
    ],
)
def test_no_retry_is_soon_without_one_within_the_patience(
    retry_in: float | None,
    patience: float,
    expected: bool,  # noqa: FBT001 - a parameter
) -> None:
    ending = termination(FakeScheduler(retry_in=retry_in), Limits(100, patience=patience))
    assert ending.no_retry_soon() is expected


@pytest.mark.parametrize(
    ("under_way", "idle_for", "patience", "busy", "expected"),
    [
        (0, None, 120.0, False, True),
        (0, None, 120.0, True, False),
        (1, None, 120.0, False, False),  # a fetch is under way
        (1, 120.0, 120.0, False, False),
        (1, 120.5, 120.0, False, True),
        (1, 120.5, 120.0, True, False),
        (1, MAX_DELAY_S, 0.0, False, False),  # a crawl delay is no reason to end, however impatient
        (1, MAX_DELAY_S + 0.5, 0.0, False, True),
        (0, 5.0, 120.0, False, True),  # only retries wait
    ],
)
def test_a_crawl_is_idle_if_nothing_comes_of_what_is_under_way(
    under_way: int,
    idle_for: float | None,
    patience: float,
    busy: bool,  # noqa: FBT001 - a parameter
    expected: bool,  # noqa: FBT001
) -> None:
    scheduler = FakeScheduler(under_way=under_way, idle_for=idle_for)
    ending = termination(scheduler, Limits(100, patience=patience))
    assert ending.is_idle(busy=busy) is expected


@pytest.mark.parametrize(
    ("under_way", "busy", "retry_in", "seconds", "expected"),
    [
        (1, False, None, None, 0.25),
        (0, False, None, None, 1.0),
        (0, True, None, None, 0.25),
        (0, False, 0.5, None, 0.5),
        (0, False, 30.0, None, 1.0),
        (0, False, -3.0, None, 0.0),  # a retry is overdue
        (1, False, None, ELAPSED_S + 0.125, 0.125),
        (1, False, None, ELAPSED_S + 30.0, 0.25),
        (1, False, None, ELAPSED_S - 1.0, 0.0),
    ],
)
def test_a_wait_ends_with_the_next_retry_or_the_time_limit(
    under_way: int,
    busy: bool,  # noqa: FBT001 - a parameter
    retry_in: float | None,
    seconds: float | None,
    expected: float,
) -> None:
    scheduler = FakeScheduler(under_way=under_way, retry_in=retry_in)
    ending = termination(scheduler, Limits(100, seconds=seconds))
    assert ending.wait_seconds(busy=busy) == expected
