"""The scheduler: choose the best entry whose host may be requested now (DESIGN, step 1).

Entries leave the frontier in the order of their ranks and wait for their hosts. A fetcher gets the
best entry whose host is free, however many better ones wait for slow hosts. The stored frontier
is loaded in portions, counted, and reloaded after outages of the database.
"""

from collections.abc import Callable, Coroutine, Iterable
from math import inf
from typing import Any

from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.outages import ResilientWorkerPool
from motherlode.crawl.progress import Idle
from motherlode.fetch import Web
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.frontier import Frontier
from motherlode.policies.policy import Policy, Revising
from motherlode.portal import Portal
from motherlode.records import Entry, Lane, QueueId, StoreGoneError, UrlId
from motherlode.store.tables import frontier as frontier_rows
from motherlode.urls import host_of

MAX_ENTRIES_PER_HOST = 1_000  # that wait in memory; more stay in the frontier
MAX_ENTRIES = 20_000  # that wait in memory for all hosts; beyond that each host is allowed:
MIN_ENTRIES_PER_HOST = 20
_RELOAD_INTERVAL_S = 0.25  # between two reloads for hosts whose entries stayed in the frontier
_MAX_PULLS = 500  # entries that are pulled at once in search of a free host

# Starts a side task; the crawl does not end before it.
StartTask = Callable[[Coroutine[Any, Any, None]], Any]


class Scheduler:
    """Hands out the entries of the frontier as politeness to hosts allows."""

    def __init__(
        self, frontier: Frontier, courtesy: RateLimiter[Entry], web: Web, now: Callable[[], float]
    ) -> None:
        self._frontier = frontier
        self._courtesy = courtesy
        self._web = web
        self._now = now
        self._full_hosts: set[str] = set()  # hosts with entries that stayed in the frontier
        self._next_reload_at = 0.0

    @property
    def under_way(self) -> int:
        """The number of leased entries, including entries that wait for their hosts."""
        return self._frontier.leased

    @property
    def retries(self) -> int:
        """The number of entries that wait for another attempt."""
        return self._frontier.deferred

    async def next(self) -> Entry:
        """Return the best entry whose host may be requested, as soon as there is one."""
        while not self._frontier.is_leased((entry := await self._next()).url_id):
            # Its lease has ended: meanwhile a redirect has led to its page.
            self._courtesy.release(host_of(entry.url), None)
        return entry

    async def _next(self) -> Entry:
        self._pull()
        entry = self._courtesy.poll()
        for _ in range(_MAX_PULLS):
            if entry is not None or not self._pull():
                break
            entry = self._courtesy.poll()
        return await self._courtesy.next() if entry is None else entry

    def pull_entries(self) -> bool:
        """Pull entries while a fetcher waits for one; return whether the frontier has any.

        No entry is pulled ahead of time: while it is in the frontier, its rank can still change.
        """
        self._reload_for_full_hosts()
        for pulled in range(_MAX_PULLS):
            if not self._courtesy.is_wanting:
                return pulled > 0 or self._frontier.has_any(self._now())
            if not self._pull():
                return pulled > 0
        return True

    def apply_batch(
        self,
        done: Iterable[UrlId],
        deferred: Iterable[Entry],
        offered: Iterable[Entry],
    ) -> None:
        """Update the frontier after a commit: entries are done, wait for a retry, or are new."""
        self._frontier.finish(done)
        for entry in deferred:
            self._frontier.defer(entry)
        self._frontier.offer(offered)
        self.pull_entries()

    def offer(self, offered: Iterable[Entry]) -> None:
        """Add new entries to the frontier."""
        self.apply_batch((), (), offered)

    def reload(self) -> None:
        """Load the frontier again from the store: ranks have changed."""
        self.release_waiting()
        self._full_hosts.clear()
        self._frontier.reload()

    def _reload_for_full_hosts(self) -> None:
        """Load the frontier again, at intervals, if a host has used up its entries in memory."""
        now = self._now()
        is_due = now >= self._next_reload_at
        if is_due and any(not self._courtesy.waiting(host) for host in self._full_hosts):
            self._next_reload_at = now + _RELOAD_INTERVAL_S
            self._full_hosts.clear()
            self._frontier.reload()

    def release_waiting(self) -> None:
        """Return entries that wait for hosts to the frontier; fetches that are under way go on."""
        for entry in self._courtesy.drain():
            self._frontier.release(entry)

    def retry_at(self) -> float | None:
        """Return when the next retry is due; None if there is none."""
        return self._frontier.next_deferred_at()

    def idle(self) -> Idle | None:
        """Return until when nothing can be fetched, and why.

        None if a fetch is under way, or nothing waits.
        """
        waiting = len(self._courtesy)
        if self.under_way > waiting or not (waiting or self.retries):
            return None
        delay = self._courtesy.next_in() if waiting else None
        now = self._now()
        until = min(inf if delay is None else now + delay, self._frontier.next_deferred_at() or inf)
        reasons = [f"{_waiting(waiting)} for hosts that rest"] if waiting else []
        reasons += [f"{_waiting(self.retries)} for another attempt"] if self.retries else []
        return Idle(now if until == inf else until, ", ".join(reasons))

    def _pull(self) -> bool:
        """Move the best entry of the frontier to its host's queue; return whether there was one."""
        entry = self._frontier.take(self._now())
        if entry is None:
            return False
        host = host_of(entry.url)
        if self._is_full(host):
            self._frontier.release(entry)
            self._full_hosts.add(host)
        else:
            self._web.expect(host)
            self._courtesy.add(entry, entry.rank, host)
        return True

    def _is_full(self, host: str) -> bool:
        has_room = len(self._courtesy) < MAX_ENTRIES
        limit = MAX_ENTRIES_PER_HOST if has_room else MIN_ENTRIES_PER_HOST
        return self._courtesy.waiting(host) >= limit


def _waiting(number: int) -> str:
    return "1 waits" if number == 1 else f"{number:,} wait"


class StoredFrontier:
    """The queues of one lane. During a database outage they appear to be empty."""

    def __init__(
        self,
        portal: Portal,
        lane: Lane,
        policy: Policy,
        workers: ResilientWorkerPool,
        counters: CrawlCounters,
    ) -> None:
        self._portal, self._lane, self._workers = portal, lane, workers
        self._counters = counters
        current_rank = policy.rank_now if isinstance(policy, Revising) else None
        self.frontier = Frontier(
            self._load, current_rank=current_rank, takes_turns=policy.takes_turns
        )
        self._is_reloading = False
        self._scheduler: Scheduler | None = None
        self._start: StartTask | None = None

    def attach(self, scheduler: Scheduler, start: StartTask) -> None:
        """Set the scheduler that takes entries, and the function that starts side tasks."""
        self._scheduler, self._start = scheduler, start

    def count(self) -> None:
        """Count the waiting entries and open their queues. Slow: all rows are read."""
        sizes = self._sizes()
        self._counters.set_waiting(sizes, self.size())
        self.frontier.open(sizes)

    def size(self) -> int:
        """Return the number of waiting URLs, including URLs that are held back."""
        if self._lane is not Lane.CRAWL:
            return sum(self._sizes().values())
        with self._portal.store.reading() as session:
            return frontier_rows.size(session)

    async def reload(self) -> None:
        """Load the frontier again from the store: it may have new entries, or other ranks."""
        await self._workers.run_in_writer(self.count)
        self._reload_scheduler()

    def _reload_scheduler(self) -> None:
        assert self._scheduler is not None  # noqa: S101 - a crawl is under way
        self._scheduler.reload()
        self._scheduler.pull_entries()

    def _sizes(self) -> dict[QueueId, int]:
        with self._portal.store.reading() as session:
            return frontier_rows.sizes(session, self._lane)

    def _load(self, queue: QueueId, limit: int, after: Entry | None) -> list[Entry]:
        outages = self._workers.outages
        try:
            with self._portal.store.reading() as session:
                return frontier_rows.waiting(session, queue, limit, after, self._lane)
        except StoreGoneError as error:
            if not self._is_reloading and self._start is not None:
                self._is_reloading = True
                self._start(self._reload_after_outage(error, outages))
            return []

    async def _reload_after_outage(self, error: StoreGoneError, outages: int) -> None:
        await self._workers.wait_for_database(error, outages)
        self._is_reloading = False
        self._reload_scheduler()
