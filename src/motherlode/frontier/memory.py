"""A frontier in memory, for trials: best rank first, then in order of discovery."""

from collections.abc import Iterable
from heapq import heappop, heappush

from motherlode.records import Entry, Follow, UrlId, UrlKey


class MemoryFrontier:
    """Each URL is taken once; while it waits, a rediscovery may raise its rank, never lower it."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Follow]] = []
        self._best: dict[UrlKey, float] = {}  # the rank of what waits; infinite for what was taken
        self._offered = 0

    def __len__(self) -> int:
        return sum(rank != _TAKEN for rank in self._best.values())

    def offer(self, follows: Iterable[Follow]) -> None:
        for follow in follows:
            known = self._best.get(follow.key)
            if known is None or follow.rank > known:
                self._best[follow.key] = follow.rank
                self._offered += 1
                heappush(self._heap, (-follow.rank, self._offered, follow))

    def take(self) -> Entry | None:
        """The best that waits; None if nothing does."""
        while self._heap:
            _, _, follow = heappop(self._heap)
            if self._best[follow.key] == follow.rank:
                self._best[follow.key] = _TAKEN
                return Entry(
                    UrlId(0), follow.url, follow.key, follow.queue, follow.rank, follow.depth, follow.distance
                )
        return None


_TAKEN = float("inf")
