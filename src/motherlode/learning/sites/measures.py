"""How well a crawl for sites does, and when it no longer pays (SPEC W7).

Ester, Kriegel and Schubert (VLDB 2004), sections 3.3 and 5.3: the website harvest rate is the share
of relevant sites among those examined within the latest pages; pprs is the number of pages for each
relevant site found within the latest pages.
"""

from collections import deque
from collections.abc import Iterable

from msgspec import Struct

HARVEST_WINDOW = 1_000  # pages
PPRS_WINDOW = 5_000  # pages


class ExaminedSite(Struct, frozen=True):
    """A site whose examination ended after a number of pages of the whole crawl."""

    at_page: int
    is_relevant: bool


def harvest_rate(
    sites: Iterable[ExaminedSite], page: int, window: int = HARVEST_WINDOW
) -> float | None:
    """Return the share of relevant sites among those examined in the window; None without any."""
    inside = [site.is_relevant for site in sites if page - window < site.at_page <= page]
    return sum(inside) / len(inside) if inside else None


def pages_per_relevant_site(
    sites: Iterable[ExaminedSite], page: int, window: int = PPRS_WINDOW
) -> float | None:
    """Return the pages of the window for each relevant site found in it; None without any."""
    relevant = sum(site.is_relevant for site in sites if page - window < site.at_page <= page)
    return min(page, window) / relevant if relevant else None


class RisingCost:
    """Notices that pprs has risen for good.

    That is so when it has been more than `factor` times its lowest value for a whole window of
    pages. The paper says "when the rate decreases significantly" and gives no value.
    """

    def __init__(self, factor: float, window: int = PPRS_WINDOW) -> None:
        self.factor = factor
        self.window = window
        self._recent: deque[ExaminedSite] = deque()
        self._lowest: float | None = None
        self._high_since: int | None = None

    def add(self, site: ExaminedSite) -> bool:
        """Count a site that was examined, and return whether pprs has risen for good."""
        page = site.at_page
        self._recent.append(site)
        while self._recent and self._recent[0].at_page <= page - self.window:
            self._recent.popleft()
        if page < self.window:
            return False
        rate = pages_per_relevant_site(self._recent, page, self.window)
        if rate is not None and (self._lowest is None or rate < self._lowest):
            self._lowest = rate
        if self._lowest is None or (rate is not None and rate <= self.factor * self._lowest):
            self._high_since = None
            return False
        if self._high_since is None:
            self._high_since = page
        return page - self._high_since >= self.window
