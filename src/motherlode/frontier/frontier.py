"""The frontier of a crawl: all entries are in the database, the best also in memory (SPEC B27).

Every offer is committed to the database before it comes here, so memory is only a cache of the best
part. An entry that is taken is leased: its row stays until the outcome is committed. So a process
that dies leaves nothing to repair.

Entries have one order: the highest rank first and, of equal ranks, the URL that was discovered
first. `_position` declares it for this module, `BEST_FIRST` in `store/tables/frontier.py` for the
database, and the contract suite holds both to the same order (`tests/contracts/test_frontier.py`).
It matters in two more places, which rank by what they are given:

- `fetch/politeness/host_slots.py`, where entries wait for their hosts: the highest rank first and,
  of equal ranks, the entry that came first. Entries come in the order of the frontier, each when a
  fetcher is free. So the order differs only if a URL rises to a rank at which another one waits
  already.
- The policies, which order the links of a page: URLs are numbered in the order in which they are
  offered, and `depth-first` gives the first link of a page the highest rank.
"""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush, heapreplace
from itertools import count
from math import inf

from msgspec.structs import replace

from motherlode.records import Entry, QueueId, UrlId, UrlKey

MAX_QUEUE_ENTRIES = 25_000  # in memory
LOAD_ENTRIES = 1_000  # read from the database at once

# Returns the best entries of a queue in the database, in their order: so many, after an entry.
LoadEntries = Callable[[QueueId, int, Entry | None], list[Entry]]

_MAX_DEMOTIONS = 100  # entries that are moved back before one is taken

# --- the order of entries: no other code knows what a position consists of ---

_Position = tuple[float, int]  # the smallest comes first, as in the database
_HeapItem = tuple[float, int, int, Entry]  # a position, and a unique number: a URL may be twice
_START: _Position = (-inf, 0)
_END: _Position = (inf, 0)


def _position(rank: float, url_id: UrlId) -> _Position:
    return (-rank, url_id)


def _position_of(entry: Entry) -> _Position:
    return _position(entry.rank, entry.url_id)


def _rank_at(item: _HeapItem) -> float:
    """Return the rank in the position of a heap item, which may not be the entry's own."""
    return -item[0]


def _first_position(queue: "_Queue") -> _Position:
    return queue.heap[0][:2]


def _just_before(position: _Position) -> _Position:
    cost, number = position
    return (cost, number - 1)


def _entry_at(position: _Position, queue: QueueId) -> Entry:
    """Return an entry at a position, from which the database reads on."""
    cost, number = position
    return Entry(UrlId(number), "", UrlKey(0), queue, -cost)


# --- the queues ---


class _Queue:
    """Entries up to the position `loaded` are in the heap, those after it only in the database."""

    __slots__ = ("heap", "loaded", "turns")

    def __init__(self, turns: int = 0) -> None:
        self.heap: list[_HeapItem] = []
        self.loaded = _START
        self.turns = turns  # how often an entry was taken, where queues take turns


class Frontier:
    """Queues of ranked entries, taken best first; a URL is leased only once at a time.

    `current_rank` gives the rank of an entry by the latest knowledge; if it fell, the entry is
    taken later. With `takes_turns`, the queue that had the fewest turns comes first; a queue that
    is new, or was empty for a while, starts with as many as the one that had the fewest.
    """

    def __init__(
        self,
        load: LoadEntries,
        max_entries: int = MAX_QUEUE_ENTRIES,
        load_entries: int = LOAD_ENTRIES,
        current_rank: Callable[[Entry], float] | None = None,
        *,
        takes_turns: bool = False,
    ) -> None:
        self._load = load
        self._order = _by_turns if takes_turns else _first_position
        self._turn = 0  # the fewest turns of the queues that had an entry last
        self._current_rank = current_rank
        self._max_entries = max_entries
        self._load_entries = load_entries
        self._queues: dict[QueueId, _Queue] = {}
        self._ranks: dict[UrlId, float] = {}  # of entries in memory; other heap items are void
        self._item_numbers = count()
        self._leased: set[UrlId] = set()
        self._deferred: dict[UrlId, Entry] = {}
        self._wake_times: list[tuple[float, UrlId]] = []  # a heap, of deferred entries
        self._next_reload = inf  # when a deferred entry is due that is only in the database

    @property
    def leased(self) -> int:
        return len(self._leased)

    @property
    def deferred(self) -> int:
        return len(self._deferred)

    def is_leased(self, url_id: UrlId) -> bool:
        return url_id in self._leased

    def open(self, queues: Iterable[QueueId]) -> None:
        """Add queues that may have entries in the database."""
        for queue in queues:
            self._queues.setdefault(queue, _Queue())

    def offer(self, entries: Iterable[Entry]) -> None:
        """Add entries that were committed to the database: new, or at a better rank than before."""
        for entry in entries:
            if entry.url_id in self._leased:
                continue
            deferred = self._deferred.get(entry.url_id)
            if deferred is None:
                self.open([entry.queue])
                self._push(self._queues[entry.queue], entry)
            elif entry.rank > deferred.rank:
                self._deferred[entry.url_id] = replace(
                    entry, attempts=deferred.attempts, not_before=deferred.not_before
                )

    def take(self, now: float) -> Entry | None:
        """Lease the best entry that is due, and return it; None if there is none."""
        self._wake(now)
        for demotions in range(_MAX_DEMOTIONS + 1):
            queues = [
                queue
                for name, queue in self._queues.items()
                if self._has_entry(
                    name,
                    queue,
                    now,
                )
            ]
            if not queues:
                return None
            for queue in queues:
                queue.turns = max(queue.turns, self._turn)
            best = min(queues, key=self._order) if len(queues) > 1 else queues[0]
            if demotions == _MAX_DEMOTIONS or not self._demote_first(best):
                break
        self._turn = best.turns
        best.turns += 1
        entry = heappop(best.heap)[-1]
        del self._ranks[entry.url_id]
        self._leased.add(entry.url_id)
        return entry

    def has_any(self, now: float) -> bool:
        """Return whether there is an entry to take."""
        self._wake(now)
        return any(self._has_entry(name, queue, now) for name, queue in self._queues.items())

    def _demote_first(self, queue: _Queue) -> bool:
        """Move the first entry of a queue back if its current rank is worse, in memory alone.

        When it is read from the database again, its rank is checked again.
        """
        if self._current_rank is None:
            return False
        first = queue.heap[0]
        entry = first[-1]
        rank = self._current_rank(entry)
        if rank >= _rank_at(first):
            return False
        self._ranks[entry.url_id] = rank
        position = _position(rank, entry.url_id)
        heapreplace(queue.heap, (*position, next(self._item_numbers), entry))
        return True

    def finish(self, url_ids: Iterable[UrlId]) -> None:
        """Remove URLs whose outcomes are committed, leased or not."""
        for url_id in url_ids:
            self._leased.discard(url_id)
            self._ranks.pop(url_id, None)
            self._deferred.pop(url_id, None)

    def defer(self, entry: Entry) -> None:
        """End a lease; the entry, with its attempts, waits until its `not_before`."""
        self._leased.discard(entry.url_id)
        if len(self._deferred) >= self._max_entries:
            self._next_reload = min(self._next_reload, entry.not_before)
            return
        self._deferred[entry.url_id] = entry
        heappush(self._wake_times, (entry.not_before, entry.url_id))

    def _put_back(self, entry: Entry) -> None:
        """End a lease; the entry waits again."""
        self._leased.discard(entry.url_id)
        self.offer([entry])

    def release(self, entry: Entry) -> None:
        """End a lease; the entry is read from the database again after `reload`."""
        self._leased.discard(entry.url_id)

    def reload(self) -> None:
        """Read the queues from the database again: ranks changed, or entries were released."""
        self._queues = {name: _Queue(queue.turns) for name, queue in self._queues.items()}
        self._ranks = {}

    def next_deferred_at(self) -> float | None:
        """Return when the next deferred entry is due; None if nothing is deferred."""
        while self._wake_times and not self._is_deferred_until(*self._wake_times[0]):
            heappop(self._wake_times)
        first = min(self._wake_times[0][0] if self._wake_times else inf, self._next_reload)
        return None if first == inf else first

    def _is_deferred_until(self, time: float, url_id: UrlId) -> bool:
        entry = self._deferred.get(url_id)
        return entry is not None and entry.not_before == time

    def _wake(self, now: float) -> None:
        while (time := self.next_deferred_at()) is not None and time <= now:
            if time == self._next_reload:
                self._next_reload = inf
                self.reload()
            else:
                self._put_back(self._deferred.pop(heappop(self._wake_times)[1]))

    def _push(self, queue: _Queue, entry: Entry) -> None:
        position = _position_of(entry)
        if position > queue.loaded or entry.rank <= self._ranks.get(entry.url_id, -inf):
            return
        self._ranks[entry.url_id] = entry.rank
        heappush(queue.heap, (*position, next(self._item_numbers), entry))
        if len(queue.heap) > 2 * self._max_entries:
            self._trim(queue)

    def _trim(self, queue: _Queue) -> None:
        """Drop void items and, if too many are left, the worse half: it is in the database."""
        queue.heap = sorted(item for item in queue.heap if self._is_valid(item))
        if len(queue.heap) > self._max_entries:
            size = (self._max_entries + 1) // 2
            dropped = queue.heap[size:]
            del queue.heap[size:]
            first_dropped = min(_position_of(item[-1]) for item in dropped)
            # Everything that was dropped comes after this position.
            queue.loaded = min(queue.heap[-1][:2], _just_before(first_dropped))
            for item in dropped:
                self._ranks.pop(item[-1].url_id, None)

    def _is_valid(self, item: _HeapItem) -> bool:
        return self._ranks.get(item[-1].url_id) == _rank_at(item)

    def _has_entry(self, name: QueueId, queue: _Queue, now: float) -> bool:
        """Bring the best entry of a queue to the head of its heap, from the database if needed."""
        while True:
            while queue.heap and not self._is_valid(queue.heap[0]):
                heappop(queue.heap)
            if queue.heap or queue.loaded == _END:
                return bool(queue.heap)
            self._load_more(name, queue, now)

    def _load_more(self, name: QueueId, queue: _Queue, now: float) -> None:
        last = None if queue.loaded == _START else _entry_at(queue.loaded, name)
        entries = self._load(name, self._load_entries, last)
        queue.loaded = _position_of(entries[-1]) if entries else _END
        for entry in entries:
            if entry.url_id in self._leased or entry.url_id in self._deferred:
                continue
            if entry.not_before > now:
                self.defer(entry)
            else:
                self._push(queue, entry)


def _by_turns(queue: _Queue) -> tuple[float, ...]:
    return queue.turns, *_first_position(queue)
