"""Decide when a crawl ends, and how long its supervisor may wait before it asks again."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from motherlode.crawl.context import Control
from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.progress import Limits
from motherlode.crawl.scheduler import Scheduler
from motherlode.records import RunEnd

_CHECK_INTERVAL_S = 0.25
_IDLE_CHECK_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Termination:
    """Checks the limits of a crawl, and whether anything is left to do.

    `now` returns the time of day, `seconds` how long the crawl has taken, `enough` whether the
    policy has enough, `is_outage` whether no server answers. `max_crawl_delay` is the longest delay
    that hosts may ask for, in seconds. Where a method takes `busy`, a task beside the stages is
    running.
    """

    limits: Limits
    control: Control
    counters: CrawlCounters
    scheduler: Scheduler
    max_crawl_delay: float
    now: Callable[[], float]
    seconds: Callable[[], float]
    enough: Callable[[], bool] = lambda: False
    is_outage: Callable[[], bool] = lambda: False

    def reached_limit(self) -> RunEnd | None:
        """Return the limit that is reached; None if there is none yet."""
        if self.control.stopping:
            return self.control.end
        if self.counters.pages >= self.limits.pages:
            return RunEnd.PAGES
        if self.limits.seconds is not None and self.seconds() >= self.limits.seconds:
            return RunEnd.TIME
        if self.limits.requests is not None and self.counters.requests >= self.limits.requests:
            return RunEnd.REQUESTS
        if self.is_outage():
            return RunEnd.NO_ANSWER
        return RunEnd.ENOUGH if self.enough() else None

    def no_retry_soon(self) -> bool:
        """Return whether no retry is due within the patience of the crawl."""
        retry_at = self.scheduler.retry_at()
        return retry_at is None or retry_at - self.now() > self.limits.patience

    def is_idle(self, *, busy: bool) -> bool:
        """Return whether nothing is under way, or all of it waits for hosts for too long.

        Hosts in a long delay are given as much patience as retries, but a usual crawl delay is no
        reason to end.
        """
        if busy:
            return False
        if not self.scheduler.under_way:
            return True
        idle = self.scheduler.idle()
        patience = max(self.limits.patience, self.max_crawl_delay)
        return idle is not None and idle.until - self.now() > patience

    def wait_seconds(self, *, busy: bool) -> float:
        """Return how long to wait before the next check, unless something happens."""
        left = inf if self.limits.seconds is None else self.limits.seconds - self.seconds()
        retry_at = self.scheduler.retry_at()
        until_retry = inf if retry_at is None else retry_at - self.now()
        interval = _IDLE_CHECK_INTERVAL_S if self.is_idle(busy=busy) else _CHECK_INTERVAL_S
        return max(0.0, min(interval, left, until_retry))
