"""How often a visitor may ask: a bucket each, which fills again with time."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

_VISITORS = 4_096  # that are remembered


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class Rate:
    """`burst` requests at once, and `each_second` more with every second."""

    def __init__(self, burst: int, each_second: float, clock: Callable[[], float] = monotonic) -> None:
        self._burst, self._each_second, self._clock = burst, each_second, clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def wait(self, visitor: str) -> float:
        """Take one. Returns 0, or the seconds after which there is one again."""
        bucket = self._filled(visitor)
        if bucket.left < 1:
            return (1 - bucket.left) / self._each_second
        bucket.left -= 1
        return 0.0

    def left(self, visitor: str) -> bool:
        """Whether there is one to be taken."""
        return self._filled(visitor).left >= 1

    def _filled(self, visitor: str) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.setdefault(visitor, _Bucket(self._burst, now))
        self._buckets.move_to_end(visitor)
        while len(self._buckets) > _VISITORS:
            self._buckets.popitem(last=False)
        bucket.left = min(self._burst, bucket.left + (now - bucket.at) * self._each_second)
        bucket.at = now
        return bucket
