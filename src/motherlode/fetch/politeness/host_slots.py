"""Whose turn it is: the best waiting entry whose host may be asked now (SPEC B29).

Hosts rest after each fetch, have a few connections each, and share those of their registrable
domain. A slow host keeps nobody else waiting. A decision costs the logarithm of what waits, however
many hosts there are.

Of equal ranks at one host, the entry that came first is the first; of hosts whose best entries have
equal ranks, the host that was ready first. `frontier/frontier.py` says how this goes with the
order of entries.
"""

from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from typing import Generic, TypeVar

from motherlode.fetch.options import PolitenessOptions

T = TypeVar("T")
_SLACK = 64  # void tickets that a line may have in any case


class _Host(Generic[T]):
    """A host with what waits for it. Its ticket is for the one line in which it stands; old ones
    are void.
    """

    __slots__ = (
        "connections",
        "domain",
        "line",
        "name",
        "not_before",
        "pace",
        "spaced",
        "ticket",
        "waiting",
    )

    def __init__(self, name: str, domain: "_Domain[T]") -> None:
        self.name = name
        self.domain = domain
        self.waiting: list[tuple[float, int, T]] = []  # a heap: the best first
        self.connections = 0
        self.not_before = 0.0  # it rests until then
        self.pace: float | None = (
            None  # seconds from one request to the next; None: nobody knows yet
        )
        self.spaced = 0.0  # no sooner than this after the last request began
        self.line: list[tuple[float, int, _Host[T]]] | None = None
        self.ticket = 0


class _Domain(Generic[T]):
    """A registrable domain: its connections, and the hosts that wait for one."""

    __slots__ = ("blocked", "connections", "hosts", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.connections = 0
        self.hosts = 0
        self.blocked: list[tuple[float, int, _Host[T]]] = []


class Turns(Generic[T]):
    """Entries by host, given out best first as far as politeness allows. It does no I/O and has no
    clock.
    """

    def __init__(self, options: PolitenessOptions) -> None:
        self._most_of_a_host = options.host_connections
        self._most_of_a_domain = options.domain_connections
        self._hosts: dict[str, _Host[T]] = {}
        self._domains: dict[str, _Domain[T]] = {}
        self._ready: list[
            tuple[float, int, _Host[T]]
        ] = []  # a heap by the rank of their best entry
        self._resting: list[
            tuple[float, int, _Host[T]]
        ] = []  # a heap by the time at which they may be asked
        self._numbers = count(1)  # whoever came first is the first of equals
        self._size = 0

    def __len__(self) -> int:
        """How many entries wait."""
        return self._size

    def waiting(self, host: str) -> int:
        """How many entries wait for a host."""
        known = self._hosts.get(host)
        return 0 if known is None else len(known.waiting)

    def add(self, entry: T, rank: float, host: str, domain: str) -> None:
        """Let an entry wait for its host."""
        known = self._hosts.get(host)
        if known is None:
            shared = self._domains.setdefault(domain, _Domain(domain))
            shared.hosts += 1
            known = self._hosts[host] = _Host(host, shared)
        better = not known.waiting or -rank < known.waiting[0][0]
        heappush(known.waiting, (-rank, next(self._numbers), entry))
        self._size += 1
        if known.line is None:
            self._line_up(known, 0.0)
        elif better and known.line is not self._resting:
            # Even if its domain was full: what became free may be kept for a worse entry that
            # nobody takes.
            self._stand(known, self._ready, -rank)

    def take(self, now: float, floor: float = -inf) -> T | None:
        """The best entry whose host may be asked now; None: nobody may. `done` ends the connection.

        What ranks below the floor is not given out.
        """
        if self._resting and self._resting[0][0] <= now:
            self._rouse(now)
        ready, last = self._ready, -floor
        while ready and ready[0][0] <= last:
            _, ticket, host = heappop(ready)
            if ticket != host.ticket:
                continue
            host.line, domain = None, host.domain
            if host.not_before > now or host.spaced > now:
                # It was told to wait meanwhile; the place kept for it is another's.
                self._line_up(host, now)
                self._unblock(domain, now)
            elif domain.connections >= self._most_of_a_domain:
                self._stand(host, domain.blocked, host.waiting[0][0])
            else:
                return self._give(host, now)
        return None

    def done(self, host: str, now: float, rest: float | None) -> None:
        """A fetch is over; the host rests so long. None: it was not asked after all."""
        known = self._hosts[host]
        domain = known.domain
        known.connections -= 1
        domain.connections -= 1
        if rest is not None:
            known.pace = rest
            known.not_before = max(known.not_before, now + rest)
        elif not known.connections:  # whoever comes next need not wait for the sake of this one
            known.spaced = 0.0
            if known.line is self._resting:
                known.line = None
        if domain.blocked:
            self._unblock(domain, now)
        if known.line is None:
            self._line_up(known, now)

    def hold(self, host: str, until: float) -> None:
        """Do not ask a host before this moment, as it said itself (Retry-After)."""
        known = self._hosts.get(host)
        if known is not None and until > known.not_before:
            known.not_before = until
            if known.line is self._resting and until > known.spaced:
                self._stand(known, self._resting, until)

    def next_at(self) -> float | None:
        """When the next resting host may be asked; None: none rests."""
        while self._resting and self._resting[0][1] != self._resting[0][2].ticket:
            heappop(self._resting)
        return self._resting[0][0] if self._resting else None

    def drain(self) -> list[T]:
        """Give back everything that waits, in no order. Hosts go on resting, and fetches go on."""
        drained: list[T] = []
        for host in self._hosts.values():
            drained += (entry for _, _, entry in host.waiting)
            host.waiting, host.line, host.ticket = [], None, next(self._numbers)
            self._line_up(host, 0.0)
        self._size = 0
        return drained

    def _rouse(self, now: float) -> None:
        """Hosts that have rested are ready, or have nothing to do."""
        while self._resting and self._resting[0][0] <= now:
            host = self._leave(self._resting)
            if host is None:
                continue
            if host.waiting:
                self._stand(host, self._ready, host.waiting[0][0])
            elif not host.connections:
                self._forget(host)

    def _give(self, host: _Host[T], now: float) -> T:
        """Its best entry. Another connection is for hosts that answer slowly: it begins no sooner
        than a rest after this one, and not before it is known how long the host wants to rest.
        """
        entry = heappop(host.waiting)[2]
        self._size -= 1
        host.connections += 1
        host.domain.connections += 1
        if host.pace is not None:
            host.spaced = now + host.pace
            self._line_up(host, now)
        return entry

    def _line_up(self, host: _Host[T], now: float) -> None:
        """Let a host rest until it may be asked; not if it has no connection left for
        what waits.
        """
        most = self._most_of_a_host if host.waiting and host.pace is not None else 1
        if host.connections >= most:
            return
        if (
            host.waiting and host.not_before <= now and host.spaced <= now
        ):  # without a rest, or never asked
            self._stand(host, self._ready, host.waiting[0][0])
        else:
            self._stand(host, self._resting, max(host.not_before, host.spaced))

    def _unblock(self, domain: _Domain[T], now: float) -> None:
        """A place in a domain is free: for the best of its hosts that may be asked."""
        while domain.blocked:
            host = self._leave(domain.blocked)
            if host is not None and host.not_before <= now and host.spaced <= now:
                self._stand(host, self._ready, host.waiting[0][0])
                return
            if host is not None:
                self._line_up(host, now)

    def _stand(self, host: _Host[T], line: list[tuple[float, int, _Host[T]]], key: float) -> None:
        host.ticket = ticket = next(self._numbers)
        host.line = line
        heappush(line, (key, ticket, host))
        if len(line) > _SLACK + 2 * len(self._hosts):  # void tickets far back would never come up
            line[:] = [place for place in line if place[1] == place[2].ticket]
            heapify(line)

    def _leave(self, line: list[tuple[float, int, _Host[T]]]) -> _Host[T] | None:
        """The first host of a line, which it leaves; None: its ticket was void."""
        _, ticket, host = heappop(line)
        if ticket != host.ticket:
            return None
        host.line = None
        return host

    def _forget(self, host: _Host[T]) -> None:
        """A host that has rested and has nothing to do is dropped: memory must not grow with the
        crawl.
        """
        del self._hosts[host.name]
        host.domain.hosts -= 1
        if not host.domain.hosts:
            del self._domains[host.domain.name]
