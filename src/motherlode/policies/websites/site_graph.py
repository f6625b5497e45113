"""The external level of a crawl for websites: known sites, links between them, and what is next.

Sites that wait to be examined are ranked by the edges to them. Their number is small beside that of
the pages, so they are in memory; after a restart they are made from the stored links.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from msgspec import Struct

from motherlode.policies.websites.stored_sites import (
    MAX_ENTRIES,
    MAX_NAMES,
    PortalSites,
    add_distinct,
    resolve_mirror,
)
from motherlode.records import UrlKey
from motherlode.urls.site_rules import SiteRules


class TransversalLink(Struct, frozen=True):
    """A link from a page of one site to another site."""

    target: str
    url: str
    name: str


@dataclass(slots=True)
class WaitingSite:
    """A site that is linked to. `edges` has the probabilities of the linking pages, by site."""

    site: str
    depth: int
    found_on: UrlKey
    edges: dict[str, list[float]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)


# Returns the rank of a waiting site, given the probability of each known site.
RankSite = Callable[[WaitingSite, dict[str, float]], float]


class SiteGraph:
    """Known sites with their probabilities, and the waiting ones by rank.

    Of equal ranks, the site that was discovered first comes first.
    """

    def __init__(self, rules: SiteRules, rank: RankSite, mirrors: dict[str, str]) -> None:
        self.rules = rules
        self.mirrors = mirrors
        self.known: dict[str, float] = {}
        self.rank = rank
        self._linked: dict[str, WaitingSite] = {}  # also those that are known by now
        self._targets: dict[str, dict[str, None]] = {}  # of each site, in order of discovery
        self._order: dict[str, int] = {}
        self._numbers = count()
        self._heap: list[tuple[float, int, str]] = []
        self._ranks: dict[str, float] = {}  # of waiting sites; other heap items are void

    def site_of(self, url: str) -> str:
        """Return the site of a URL, mirrors resolved."""
        return resolve_mirror(self.rules.site_of(url), self.mirrors)

    def add_links(
        self,
        source: str,
        page: UrlKey,
        depth: int,
        probability: float,
        links: Sequence[TransversalLink],
    ) -> None:
        """Add the links of a page to other sites; each site counts once a page."""
        for target in dict.fromkeys(link.target for link in links):
            waiting = self._linked.get(target)
            if waiting is None:
                waiting = self._linked[target] = WaitingSite(target, depth + 1, page)
                self._order[target] = next(self._numbers)
            waiting.edges.setdefault(source, []).append(probability)
            self._targets.setdefault(source, {})[target] = None
        for link in links:
            waiting = self._linked[link.target]
            add_distinct(waiting.names, [link.name], MAX_NAMES)
            add_distinct(waiting.entries, [link.url], MAX_ENTRIES)
        self._rerank({link.target for link in links})

    def adopt(self, waiting: WaitingSite) -> None:
        """Add a site with all edges to it, as they were stored; `rerank_all` ranks it."""
        self._linked[waiting.site] = waiting
        self._order[waiting.site] = next(self._numbers)
        for source in waiting.edges:
            self._targets.setdefault(source, {})[waiting.site] = None

    def set_probability(self, site: str, probability: float) -> None:
        """Note how likely a site is relevant, which changes the ranks of those that it links to."""
        self.known[site] = probability
        self._ranks.pop(site, None)
        self._rerank(self._targets.get(site, ()))

    def set_probabilities(self, probabilities: dict[str, float]) -> None:
        """Note new probabilities of known sites, and rank all waiting sites anew."""
        self.known.update(probabilities)
        self.rerank_all()

    def rerank_all(self) -> None:
        """Rank all waiting sites anew."""
        self._heap, self._ranks = [], {}
        self._rerank(self._linked)

    def merge(self, mirror: str, site: str) -> None:
        """Note that a site leads to another one: links to it are links to that one."""
        self.mirrors[mirror] = site
        self.known.pop(mirror, None)
        self._ranks.pop(mirror, None)
        moved = self._linked.pop(mirror, None)
        if moved is None or resolve_mirror(site, self.mirrors) == mirror:
            return
        kept = self._linked.setdefault(site, WaitingSite(site, moved.depth, moved.found_on))
        self._order.setdefault(site, self._order[mirror])
        for source, probabilities in moved.edges.items():
            if source != site:
                kept.edges.setdefault(source, []).extend(probabilities)
                self._targets.setdefault(source, {})[site] = None
        add_distinct(kept.names, moved.names, MAX_NAMES)
        add_distinct(kept.entries, moved.entries, MAX_ENTRIES)
        self._rerank([site])

    def take(self) -> tuple[WaitingSite, float] | None:
        """Take the best waiting site, with its rank; None if none waits."""
        best = self._best()
        if best is None:
            return None
        heappop(self._heap)
        del self._ranks[best]
        waiting = self._linked[best]
        return waiting, self.rank(waiting, self.known)

    def best_rank(self) -> float | None:
        """Return the rank of the best waiting site; None if none waits."""
        best = self._best()
        return None if best is None else self._ranks[best]

    def waiting_site(self, site: str) -> WaitingSite | None:
        """Return what is known of the links to a site; None if no page links to it."""
        return self._linked.get(site)

    def __len__(self) -> int:
        """The number of waiting sites."""
        return len(self._ranks)

    def _best(self) -> str | None:
        while self._heap:
            cost, _, site = self._heap[0]
            if self._ranks.get(site) == -cost:
                return site
            heappop(self._heap)
        return None

    def _rerank(self, sites: Iterable[str]) -> None:
        for site in sites:
            waiting = self._linked.get(site)
            if waiting is None or site in self.known or site in self.mirrors:
                continue
            if not any(source in self.known for source in waiting.edges):
                continue
            rank = self.rank(waiting, self.known)
            if self._ranks.get(site) != rank:
                self._ranks[site] = rank
                heappush(self._heap, (-rank, self._order[site], site))


def site_graph(sites: PortalSites, rank: RankSite) -> SiteGraph:
    """Return the graph of the sites that a portal has stored."""
    graph = SiteGraph(sites.rules, rank, dict(sites.mirrors))
    for site in {**sites.verdicts, **sites.given}:
        if site not in sites.mirrors:
            graph.known[site] = sites.probability_of(site) or 0.0
    for target, linked in sites.linked.items():
        waiting = WaitingSite(target, linked.depth, linked.found_on)
        waiting.edges = {source: list(e.probabilities) for source, e in linked.edges.items()}
        waiting.names, waiting.entries = list(linked.names), list(linked.entries)
        graph.adopt(waiting)
    graph.rerank_all()
    return graph
