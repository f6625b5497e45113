"""The frontier of a crawl: the best entries in memory, all of them in a stock behind it (SPEC B27).

The stock is a database, which every offer is committed to before it comes here, so that memory is only a
cache of its best part: what is taken from here is leased, and its row stays until what came of it is
committed. A process that dies leaves nothing to be mended.
"""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush, heapreplace
from itertools import count
from math import inf

from msgspec.structs import replace

from motherlode.records import Entry, TopicId, UrlId, UrlKey

INCOMING = 25_000  # entries of a queue in memory at most
OUTGOING = 1_000  # entries that are read from the stock at once

# The best entries of a queue in the stock, so many, behind an entry if one is given; in their order.
Load = Callable[[TopicId, int, Entry | None], list[Entry]]

_Mark = tuple[float, int]
_Place = tuple[float, int, int, Entry]  # the mark; a number of its own, for a URL may have two places there
_SECOND_THOUGHTS = 100  # entries at most that are put back before one is taken
_TOP: _Mark = (-inf, 0)
_BOTTOM: _Mark = (inf, 0)


def _order(entry: Entry) -> _Mark:
    """The stock's own order: by rank; of equals, the latest discovery first."""
    return (-entry.rank, -entry.url_id)


class _Queue:
    """What waits ahead of the mark is in the heap, what is behind it only in the stock."""

    __slots__ = ("heap", "mark")

    def __init__(self) -> None:
        self.heap: list[_Place] = []
        self.mark = _TOP


class Frontier:
    """Queues of ranked entries, given out best first; each URL is leased to one taker at a time."""

    def __init__(
        self,
        load: Load,
        room: int = INCOMING,
        portion: int = OUTGOING,
        revise: Callable[[Entry], float] | None = None,
    ) -> None:
        self._load = load
        self._revise = revise
        self._room = room
        self._portion = portion
        self._queues: dict[TopicId, _Queue] = {}
        self._best: dict[UrlId, float] = {}  # the rank of what waits here; a URL's other places are void
        self._places = count()
        self._leased: set[UrlId] = set()
        self._deferred: dict[UrlId, Entry] = {}
        self._alarms: list[tuple[float, UrlId]] = []  # a heap: when what is deferred comes back
        self._left_until = inf  # the same for what was too much to remember

    @property
    def leased(self) -> int:
        return len(self._leased)

    @property
    def deferred(self) -> int:
        return len(self._deferred)

    def holds(self, url_id: UrlId) -> bool:
        """Whether an entry is still out, and nobody has settled it."""
        return url_id in self._leased

    def open(self, queues: Iterable[TopicId]) -> None:
        """There is, or may be, something in these queues of the stock."""
        for queue in queues:
            self._queues.setdefault(queue, _Queue())

    def offer(self, entries: Iterable[Entry]) -> None:
        """These were committed to the stock: new, or at a better rank than before."""
        for entry in entries:
            if entry.url_id in self._leased:
                continue
            waiting = self._deferred.get(entry.url_id)
            if waiting is None:
                self.open([entry.queue])
                self._push(self._queues[entry.queue], entry)
            elif entry.rank > waiting.rank:
                self._deferred[entry.url_id] = replace(
                    entry, attempts=waiting.attempts, not_before=waiting.not_before
                )

    def take(self, now: float) -> Entry | None:
        """The best entry that waits for nothing but us, which is leased from now on; None: there is none."""
        self._wake(now)
        for thoughts in range(_SECOND_THOUGHTS + 1):
            heads = [queue for name, queue in self._queues.items() if self._fill(name, queue, now)]
            if not heads:
                return None
            best = min(heads, key=_head) if len(heads) > 1 else heads[0]
            if thoughts == _SECOND_THOUGHTS or not self._lowered(best):
                break
        entry = heappop(best.heap)[-1]
        del self._best[entry.url_id]
        self._leased.add(entry.url_id)
        return entry

    def _lowered(self, queue: _Queue) -> bool:
        """Let the head of a queue stand further back if it is not as good as it was, in memory alone: where
        it is read from the stock it is thought over again."""
        if self._revise is None:
            return False
        key, tie, _, entry = queue.heap[0]
        rank = self._revise(entry)
        if -rank <= key:
            return False
        self._best[entry.url_id] = rank
        heapreplace(queue.heap, (-rank, tie, next(self._places), entry))
        return True

    def settle(self, url_ids: Iterable[UrlId]) -> None:
        """What came of these is committed: they wait no longer, whoever held them."""
        for url_id in url_ids:
            self._leased.discard(url_id)
            self._best.pop(url_id, None)
            self._deferred.pop(url_id, None)

    def defer(self, entry: Entry) -> None:
        """It waits again, from a moment on; its attempts are counted in it."""
        self._leased.discard(entry.url_id)
        if len(self._deferred) >= self._room:
            self._left_until = min(self._left_until, entry.not_before)
            return
        self._deferred[entry.url_id] = entry
        heappush(self._alarms, (entry.not_before, entry.url_id))

    def give_back(self, entry: Entry) -> None:
        """It was not used, and waits again."""
        self._leased.discard(entry.url_id)
        self.offer([entry])

    def leave(self, entry: Entry) -> None:
        """Leave it to the stock: it comes up again after `refresh`."""
        self._leased.discard(entry.url_id)

    def refresh(self) -> None:
        """Read the stock anew, from the best on: ranks have changed, or something was left to it."""
        self._queues = {name: _Queue() for name in self._queues}
        self._best = {}

    def next_at(self) -> float | None:
        """When the next of those that are deferred comes back; None: nothing is deferred."""
        while self._alarms and not self._rings(*self._alarms[0]):
            heappop(self._alarms)
        first = min(self._alarms[0][0] if self._alarms else inf, self._left_until)
        return None if first == inf else first

    def _rings(self, at: float, url_id: UrlId) -> bool:
        entry = self._deferred.get(url_id)
        return entry is not None and entry.not_before == at

    def _wake(self, now: float) -> None:
        while (at := self.next_at()) is not None and at <= now:
            if at == self._left_until:
                self._left_until = inf
                self.refresh()
            else:
                self.give_back(self._deferred.pop(heappop(self._alarms)[1]))

    def _push(self, queue: _Queue, entry: Entry) -> None:
        if _order(entry) > queue.mark or entry.rank <= self._best.get(entry.url_id, -inf):
            return
        self._best[entry.url_id] = entry.rank
        heappush(queue.heap, (*_order(entry), next(self._places), entry))
        if len(queue.heap) > 2 * self._room:
            self._trim(queue)

    def _trim(self, queue: _Queue) -> None:
        """Forget what is void, and, of too much, the worse half: it is in the stock."""
        queue.heap = sorted(place for place in queue.heap if self._waits(place))
        if len(queue.heap) > self._room:
            kept = (self._room + 1) // 2
            forgotten = queue.heap[kept:]
            del queue.heap[kept:]
            rank, number = min(_order(place[-1]) for place in forgotten)
            queue.mark = min(queue.heap[-1][:2], (rank, number - 1))  # whatever is forgotten is behind it
            for place in forgotten:
                self._best.pop(place[-1].url_id, None)

    def _waits(self, place: _Place) -> bool:
        return self._best.get(place[-1].url_id) == -place[0]

    def _fill(self, name: TopicId, queue: _Queue, now: float) -> bool:
        """See to it that the best entry of a queue heads its heap, out of the stock if need be."""
        while True:
            while queue.heap and not self._waits(queue.heap[0]):
                heappop(queue.heap)
            if queue.heap or queue.mark == _BOTTOM:
                return bool(queue.heap)
            self._refill(name, queue, now)

    def _refill(self, name: TopicId, queue: _Queue, now: float) -> None:
        found = self._load(
            name, self._portion, None if queue.mark == _TOP else _standing_at(queue.mark, name)
        )
        queue.mark = _order(found[-1]) if found else _BOTTOM
        for entry in found:
            if entry.url_id in self._leased or entry.url_id in self._deferred:
                continue
            if entry.not_before > now:
                self.defer(entry)
            else:
                self._push(queue, entry)


def _head(queue: _Queue) -> _Mark:
    return queue.heap[0][:2]


def _standing_at(mark: _Mark, queue: TopicId) -> Entry:
    """What stands at a mark, to read on from there."""
    return Entry(UrlId(-mark[1]), "", UrlKey(0), queue, -mark[0])
