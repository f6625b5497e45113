"""Sites that were decided and are read on: because a verdict is doubtful, or for more links."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from motherlode.learning.sites.page_value import page_value
from motherlode.policies.websites.examination import Examination
from motherlode.policies.websites.stored_sites import EVEN

MAX_DECIDED_SITES = 500  # that may be read on
MAX_LINK_PAGES = 100  # of one site that is read on for links


@dataclass(slots=True)
class DecidedSites:
    """Decided sites with pages that wait, the least probable of which are forgotten.

    `probabilities` are those of all known sites, by the latest model.
    """

    probabilities: Mapping[str, float]
    sites: dict[str, Examination] = field(default_factory=dict)

    def add(self, examination: Examination) -> None:
        """Add a site whose examination has ended."""
        self.sites[examination.site] = examination
        if len(self.sites) > MAX_DECIDED_SITES:
            del self.sites[min(self.sites, key=self._probability)]

    def get(self, site: str) -> Examination | None:
        """Return the examination of a decided site; None if it is not here."""
        return self.sites.get(site)

    def take_doubtful(self, least: float) -> Examination | None:
        """Take the site of which another page has the most value, if that is above `least`."""
        best = max(self._readable(), key=self._value, default=None)
        if best is None or self._value(best) <= least:
            return None
        return self._take(best)

    def take_for_links(self) -> Examination | None:
        """Take the relevant site of which the fewest pages were read; None if there is none."""
        relevant = (
            examination
            for examination in self._readable()
            if self._probability(examination.site) > EVEN and len(examination.read) < MAX_LINK_PAGES
        )
        fewest = min(relevant, key=lambda examination: len(examination.read), default=None)
        return None if fewest is None else self._take(fewest)

    def _readable(self) -> Iterator[Examination]:
        return (examination for examination in self.sites.values() if examination.waiting)

    def _take(self, examination: Examination) -> Examination:
        """Remove a site, which has its probability by the latest model from now on."""
        examination.probability = self._probability(examination.site)
        return self.sites.pop(examination.site)

    def _value(self, examination: Examination) -> float:
        return page_value(self._probability(examination.site), max(1, len(examination.read)))

    def _probability(self, site: str) -> float:
        return self.probabilities.get(site, 0.0)
