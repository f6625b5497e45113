"""Rate limits per visitor: token buckets for requests, changes and wrong tokens."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from motherlode.app.server.keys import Keys
from motherlode.app.server.rules import Refusal, RequestHead

MAX_VISITORS = 4_096  # that are remembered


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled_at: float


class RateLimit:
    """A token bucket for each visitor: `burst` requests at once, then `per_second` more."""

    def __init__(
        self, burst: int, per_second: float, clock: Callable[[], float] = monotonic
    ) -> None:
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, visitor: str) -> float:
        """Take a token. Returns 0, or the seconds until there is one again."""
        bucket = self._refilled_bucket(visitor)
        if bucket.tokens < 1:
            return (1 - bucket.tokens) / self._per_second
        bucket.tokens -= 1
        return 0.0

    def has_token(self, visitor: str) -> bool:
        return self._refilled_bucket(visitor).tokens >= 1

    def _refilled_bucket(self, visitor: str) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.setdefault(visitor, _Bucket(self._burst, now))
        self._buckets.move_to_end(visitor)
        while len(self._buckets) > MAX_VISITORS:
            self._buckets.popitem(last=False)
        added = (now - bucket.filled_at) * self._per_second
        bucket.tokens = min(self._burst, bucket.tokens + added)
        bucket.filled_at = now
        return bucket


class RateLimits:
    """The rate limits of a server."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._reads = RateLimit(400, 100.0, clock)
        self._changes = RateLimit(40, 4.0, clock)
        self._wrong_tokens = RateLimit(10, 0.1, clock)

    def refusal(self, head: RequestHead) -> Refusal | None:
        """Return the refusal of a visitor who sends too many requests, or None."""
        limit = self._reads if head.is_safe else self._changes
        return _too_many(limit.take(head.visitor))

    def check_token(self, keys: Keys, visitor: str, token: str) -> Refusal | None:
        """Return None for the right token, else a refusal.

        After too many wrong tokens even the right one is refused: otherwise a visitor could go on
        guessing at the rate of ordinary requests.
        """
        if not self._wrong_tokens.has_token(visitor):
            return _too_many(max(1.0, self._wrong_tokens.take(visitor)))
        if keys.is_token(token):
            return None
        self._wrong_tokens.take(visitor)
        return Refusal(401, "That is not the token.", {"WWW-Authenticate": "Bearer"})


def _too_many(wait_seconds: float) -> Refusal | None:
    if not wait_seconds:
        return None
    wait = str(max(1, round(wait_seconds)))
    return Refusal(429, f"Too many requests; try again in {wait} s.", {"Retry-After": wait})
