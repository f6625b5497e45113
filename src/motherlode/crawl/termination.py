"""Until when a crawl goes on: what is a reason to end it, and how long nothing may happen before that.

Decisions only; the crawl asks for them, and waits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from motherlode.crawl.context import Control
from motherlode.crawl.counters import Tally
from motherlode.crawl.progress import Limits
from motherlode.crawl.scheduler import Dispatch
from motherlode.records import RunEnd

_TICK = 0.25  # seconds between looks at how it goes
_IDLE_TICK = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """`now` tells the time of day, `seconds` how long the crawl has taken; `rest` is how long hosts may ask
    to be left alone at most. Whoever asks says whether it is `busy` with something beside fetches."""

    limits: Limits
    control: Control
    tally: Tally
    dispatch: Dispatch
    rest: float
    now: Callable[[], float]
    seconds: Callable[[], float]

    def reached(self) -> RunEnd | None:
        """The end that somebody has set, if it is here."""
        if self.control.stopping:
            return self.control.end
        if self.tally.pages >= self.limits.pages:
            return RunEnd.PAGES
        if self.limits.seconds is not None and self.seconds() >= self.limits.seconds:
            return RunEnd.TIME
        return None

    def is_vain(self) -> bool:
        """Whether nothing comes any more, or not as long as anybody waits."""
        at = self.dispatch.retry_at()
        return at is None or at - self.now() > self.limits.patience

    def is_idle(self, *, busy: bool) -> bool:
        """Whether nothing is under way that could lead to anything, or not for long: hosts that asked to be
        left alone are waited for no longer than those that are to be asked again."""
        if busy:
            return False
        idle = self.dispatch.idle()
        rest = max(self.limits.patience, self.rest)  # usual rests are no reason to end
        return not self.dispatch.under_way or (idle is not None and idle.until - self.now() > rest)

    def pause(self, *, busy: bool) -> float:
        """How long nothing may happen."""
        left = inf if self.limits.seconds is None else self.limits.seconds - self.seconds()
        at = self.dispatch.retry_at()
        later = inf if at is None else at - self.now()
        return max(0.0, min(_IDLE_TICK if self.is_idle(busy=busy) else _TICK, left, later))
