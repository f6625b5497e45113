"""Which entry next: the best of the frontier whose host may be asked now (DESIGN, step 1).

Entries come out of the frontier in the order of their ranks and wait for their hosts. Whoever asks for one
gets the best whose host is free, however many better ones wait for slow hosts.
"""

from collections.abc import Callable, Iterable
from math import inf

from motherlode.crawl.progress import Idle
from motherlode.fetch import Web
from motherlode.fetch.courtesy import Courtesy
from motherlode.frontier import Frontier
from motherlode.records import Entry, UrlId
from motherlode.urls import host_of

_AT_A_HOST = 1_000  # entries that wait for one host in memory; more are left to the stock
_HELD = 20_000  # and for all hosts, as far as each has some
_SOME = 20
_RESPITE = 0.25  # seconds between two looks at what was left
_LOOK = 500  # entries that are looked at in one go for one whose host may be asked


class Dispatch:
    """The frontier with politeness beneath it."""

    def __init__(
        self, frontier: Frontier, courtesy: Courtesy[Entry], web: Web, now: Callable[[], float]
    ) -> None:
        self._frontier = frontier
        self._courtesy = courtesy
        self._web = web
        self._now = now
        self._left: set[str] = set()  # hosts for which entries were left to the stock
        self._again_at = 0.0

    @property
    def under_way(self) -> int:
        """How many entries are taken and not settled, those included that wait for their hosts."""
        return self._frontier.leased

    @property
    def retries(self) -> int:
        """How many wait for another attempt, later."""
        return self._frontier.deferred

    async def next(self) -> Entry:
        """The best entry whose host may be asked, as soon as there is one."""
        while not self._frontier.holds((entry := await self._next()).url_id):
            self._courtesy.release(host_of(entry.url), None)  # a redirect has led to its page meanwhile
        return entry

    async def _next(self) -> Entry:
        self._pull()
        entry = self._courtesy.poll()
        for _ in range(_LOOK):
            if entry is not None or not self._pull():
                break
            entry = self._courtesy.poll()
        return await self._courtesy.next() if entry is None else entry

    def stock_up(self) -> bool:
        """Look for entries as long as somebody waits for one; whether there was any in the frontier."""
        self._look_again()
        for looked in range(_LOOK):
            if looked and not self._courtesy.is_wanting:
                return True
            if not self._pull():
                return looked > 0
        return True

    def settle(self, settled: Iterable[UrlId], deferred: Iterable[Entry], offered: Iterable[Entry]) -> None:
        """A batch is committed: entries are done with or wait again, and what it led to may be taken."""
        self._frontier.settle(settled)
        for entry in deferred:
            self._frontier.defer(entry)
        self._frontier.offer(offered)
        self._look_again()
        self.stock_up()

    def offer(self, offered: Iterable[Entry]) -> None:
        """These wait now."""
        self.settle((), (), offered)

    def reread(self) -> None:
        """Begin anew with the stock: ranks have changed."""
        self.drain()
        self._left.clear()
        self._frontier.refresh()

    def _look_again(self) -> None:
        """Read the stock anew if a host has nothing to do but what was left there; not all the time."""
        now = self._now()
        if now >= self._again_at and any(not self._courtesy.waiting(host) for host in self._left):
            self._again_at = now + _RESPITE
            self._left.clear()
            self._frontier.refresh()

    def drain(self) -> None:
        """Take back what waits for hosts; fetches that are under way go on."""
        for entry in self._courtesy.drain():
            self._frontier.leave(entry)

    def retry_at(self) -> float | None:
        """When the next retry is due; None: there is none."""
        return self._frontier.next_at()

    def idle(self) -> Idle | None:
        """Until when nothing can be fetched, and why; None: something is under way, or nothing waits."""
        resting = len(self._courtesy)
        if self.under_way > resting or not (resting or self.retries):
            return None
        rested = self._courtesy.next_in() if resting else None
        now = self._now()
        until = min(inf if rested is None else now + rested, self._frontier.next_at() or inf)
        why = [f"{_waiting(resting)} for hosts that rest"] if resting else []
        why += [f"{_waiting(self.retries)} for another attempt"] if self.retries else []
        return Idle(now if until == inf else until, ", ".join(why))

    def _pull(self) -> bool:
        """Let the best entry of the frontier wait for its host; whether there was one."""
        entry = self._frontier.take(self._now())
        if entry is None:
            return False
        host = host_of(entry.url)
        if self._is_full(host):
            self._frontier.leave(entry)
            self._left.add(host)
        else:
            self._web.expect(host)
            self._courtesy.add(entry, entry.rank, host)
        return True

    def _is_full(self, host: str) -> bool:
        waiting = self._courtesy.waiting(host)
        return waiting >= (_AT_A_HOST if len(self._courtesy) < _HELD else _SOME)


def _waiting(number: int) -> str:
    return "1 waits" if number == 1 else f"{number:,} wait"
