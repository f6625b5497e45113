"""How far it is worth tunnelling on this web, learned from the pages that tunnels have led to.

Pages are counted by the distance of their parent, rounded up: bracket 0 has the children of nuggets
and seeds. A bracket is worth its pages
if its share of nuggets may be at least `MIN_SHARE` of the share among all pages; "may be" is the
upper end of Wilson's interval (E. B. Wilson, 1927), so that a bracket with few pages stays open.
The cutoff ends before the first bracket that is not worth it. It can also grow: where the last
bracket before the cutoff surely is worth its pages (the lower end), tunnels go one bracket on.
"""

from collections import Counter
from math import ceil, sqrt

MIN_SHARE = 0.25  # of the share of nuggets among all pages
MIN_PAGES = 200  # before anything is learned
MIN_CUTOFF = 2.0
MAX_GROWTH = 2.0  # times the configured cutoff
_Z = 1.96  # 95%


class LearnedCutoff:
    """Counts pages and nuggets by the distance of their parents, and derives the cutoff."""

    def __init__(self, cutoff: float) -> None:
        self._configured = cutoff
        self._pages: Counter[int] = Counter()
        self._nuggets: Counter[int] = Counter()
        self._fresh = 0
        self.cutoff = cutoff

    def add(self, parent_distance: float, *, is_nugget: bool) -> None:
        """Count a page whose parent has this distance."""
        bracket = ceil(parent_distance)
        self._pages[bracket] += 1
        self._nuggets[bracket] += is_nugget
        self._fresh += 1
        if self._fresh >= MIN_PAGES:
            self._fresh = 0
            self.cutoff = self._learn()

    def share(self, bracket: int) -> float | None:
        """Return the share of nuggets in a bracket; None without pages."""
        pages = self._pages[bracket]
        return self._nuggets[bracket] / pages if pages else None

    def _learn(self) -> float:
        """Return the cutoff by all counts so far; without any nugget, the configured one."""
        total = self._nuggets.total() / self._pages.total()
        if not self._configured or not total:
            return self._configured
        worth, last = MIN_SHARE * total, max(self._pages)
        for bracket in range(last + 1):
            if self._interval(bracket)[1] < worth:
                return max(MIN_CUTOFF, bracket - 1.0)
        if last < ceil(self._configured) or self._interval(last)[0] < worth:
            return self._configured
        return min(MAX_GROWTH * self._configured, last + 1.0)

    def _interval(self, bracket: int) -> tuple[float, float]:
        return wilson_interval(self._nuggets[bracket], self._pages[bracket])


def wilson_interval(hits: int, trials: int) -> tuple[float, float]:
    """Return the 95% interval of a share, given how many of the trials were hits.

    >>> [round(end, 3) for end in wilson_interval(0, 20)]
    [0.0, 0.161]
    """
    if not trials:
        return 0.0, 1.0
    share, square = hits / trials, _Z * _Z
    scale = 1.0 + square / trials
    centre = (share + square / (2 * trials)) / scale
    margin = _Z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials)) / scale
    return max(0.0, centre - margin), min(1.0, centre + margin)
