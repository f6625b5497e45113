"""The sites of a portal as users see them: ranked in a table, and as a graph.

Lists, exports, pictures and explanations are made of it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from statistics import fmean

from msgspec import Struct

from motherlode.learning.sites.edge_weights import EdgeWeighting, edge_weight, site_rank
from motherlode.policies.websites.stored_sites import (
    EVEN,
    LinkedSite,
    PortalSites,
    SiteState,
    portal_sites,
    resolve_mirror,
)
from motherlode.portal.config import Config
from motherlode.records import ChoiceKind
from motherlode.store.session import Session
from motherlode.store.tables.collection_choices import standing_choices

LIKE, UNLIKE = "like", "unlike"  # named by the user as an example, before any choice


class SiteStanding(StrEnum):
    """How far a site is, as tables show it; the first four are those of `SiteState`."""

    OPEN = SiteState.OPEN.value
    EXAMINED = SiteState.EXAMINED.value
    UNREACHABLE = SiteState.UNREACHABLE.value
    MIRROR = SiteState.MIRROR.value
    NAMED = "named"  # by the user, and not examined
    WAITING = "waiting"  # others link or redirect to it, and it was not examined


class SiteFilter(StrEnum):
    """Which sites a table shows."""

    ALL = "all"  # all but those that wait
    RELEVANT = "relevant"
    OTHERS = "others"
    UNDECIDED = "undecided"  # the user has made no choice about them
    WAITING = "waiting"


class ListedSite(Struct, frozen=True):
    """A site in one line of a table.

    `probability` is that of being relevant; None where nothing is known. `choice` is the user's:
    accept, reject, like, unlike or empty. `linked_by` counts the sites that link to it, `referrers`
    the relevant ones among them. `rank` is the mean weight of the edges to it; None without any.
    """

    site: str
    home: str
    title: str
    probability: float | None
    is_relevant: bool
    standing: SiteStanding
    reason: str
    pages: int
    choice: str
    referrers: int
    linked_by: int
    rank: float | None
    mirrors: tuple[str, ...] = ()


class SiteLink(Struct, frozen=True):
    """The edge between a site and another, which is called `site` here.

    `pages` is the number of pages with links, `mean_probability` that of these pages, `weight` what
    the edge weighs. `probability` and `is_relevant` are those of the other site.
    """

    site: str
    probability: float | None
    is_relevant: bool
    pages: int
    mean_probability: float
    weight: float


@dataclass(frozen=True)
class SiteTable:
    """All sites of a portal with the user's choices; what was worked out once is kept."""

    sites: PortalSites
    choices: Mapping[str, ChoiceKind]
    weighting: EdgeWeighting

    @cached_property
    def rows(self) -> list[ListedSite]:
        """All sites but mirrors, the likeliest relevant ones first."""
        sites = self.sites
        names = {**sites.given, **sites.verdicts, **sites.pages, **sites.linked}
        rows = (self._row(name) for name in names if name not in sites.mirrors)
        return sorted(rows, key=_likeliest_first)

    @cached_property
    def row_of(self) -> dict[str, ListedSite]:
        return {row.site: row for row in self.rows}

    @property
    def is_empty(self) -> bool:
        """Whether no page of any site was read."""
        return not self.sites.pages and not self.sites.verdicts

    def is_relevant(self, site: str) -> bool:
        """Return whether a site counts as relevant; the user's word comes before the crawl's."""
        if site in self.sites.given:
            return self.sites.given[site]
        verdict = self.sites.verdicts.get(site)
        return verdict is not None and verdict.is_relevant

    def relevant_sites(self) -> set[str]:
        return {row.site for row in self.rows if row.is_relevant}

    @property
    def examined_count(self) -> int:
        """The number of sites that a crawl has decided; open and unreachable ones do not count."""
        return sum(row.standing is SiteStanding.EXAMINED for row in self.rows)

    def filtered(self, shown: SiteFilter) -> list[ListedSite]:
        """Return the rows that a filter lets through, in their order."""
        return [row for row in self.rows if _passes(row, shown)]

    def referrers(self, site: str) -> list[SiteLink]:
        """Return the sites that link to a site, the heaviest edges first."""
        linked = self.sites.linked.get(site)
        edges = {} if linked is None else linked.edges
        return _heaviest_first(self._link(source, source, linked) for source in edges)

    def targets(self, site: str) -> list[SiteLink]:
        """Return the sites that a site links to, the likeliest relevant ones first."""
        targets = self._targets.get(site, ())
        links = [self._link(target, site, self.sites.linked[target]) for target in targets]
        return sorted(links, key=lambda link: (-(link.probability or 0.0), -link.pages, link.site))

    def edges(self, among: Iterable[str]) -> Iterator[tuple[str, SiteLink]]:
        """Yield the edges among some sites: the site with the links, and the edge to the other."""
        names = list(among)
        known = set(names)
        for source in names:
            for target in self._targets.get(source, ()):
                if target in known:
                    yield source, self._link(target, source, self.sites.linked[target])

    @cached_property
    def _targets(self) -> dict[str, list[str]]:
        targets: dict[str, list[str]] = {}
        for target, linked in self.sites.linked.items():
            for source in linked.edges:
                targets.setdefault(source, []).append(target)
        return targets

    @cached_property
    def _mirrors(self) -> dict[str, list[str]]:
        mirrors: dict[str, list[str]] = {}
        for mirror in self.sites.mirrors:
            mirrors.setdefault(resolve_mirror(mirror, self.sites.mirrors), []).append(mirror)
        return mirrors

    def _link(self, other: str, source: str, linked: LinkedSite | None) -> SiteLink:
        edge = linked.edges[source] if linked is not None else None
        probabilities = [] if edge is None else edge.probabilities
        confidence = self.sites.probability_of(source)
        return SiteLink(
            site=other,
            probability=self.sites.probability_of(other),
            is_relevant=self.is_relevant(other),
            pages=len(probabilities),
            mean_probability=fmean(probabilities),
            weight=edge_weight(
                self.weighting, EVEN if confidence is None else confidence, probabilities
            ),
        )

    def _row(self, site: str) -> ListedSite:
        sites = self.sites
        verdict, pages = sites.verdicts.get(site), sites.pages.get(site, [])
        referrers = self.referrers(site)
        return ListedSite(
            site=site,
            home=self.home_of(site),
            title=self._title(site),
            probability=sites.probability_of(site),
            is_relevant=self.is_relevant(site),
            standing=self._standing(site),
            reason="" if verdict is None or verdict.reason is None else verdict.reason.value,
            pages=max(len(pages), 0 if verdict is None else verdict.pages),
            choice=self._choice(site),
            referrers=sum(link.is_relevant for link in referrers),
            linked_by=len(referrers),
            rank=site_rank([link.weight for link in referrers]) if referrers else None,
            mirrors=tuple(self._mirrors.get(site, ())),
        )

    def home_of(self, site: str) -> str:
        """Return the URL of a site's home page, as far as it is known."""
        sites = self.sites
        verdict, pages, linked = (
            sites.verdicts.get(site),
            sites.pages.get(site),
            sites.linked.get(site),
        )
        if verdict is not None and verdict.home:
            return verdict.home
        url = pages[0].url if pages else linked.entries[0] if linked and linked.entries else ""
        return sites.rules.home_of(url or f"http://{site}/").url

    def _title(self, site: str) -> str:
        """Return the title of a site's home page, or of its first page; without one, its name."""
        home, pages = self.home_of(site), self.sites.pages.get(site, [])
        titles = [page.title for page in pages if page.url == home and page.title]
        titles += [page.title for page in pages[:1] if page.title]
        linked = self.sites.linked.get(site)
        return next(iter(titles), linked.names[0] if linked and linked.names else "")

    def _standing(self, site: str) -> SiteStanding:
        verdict = self.sites.verdicts.get(site)
        if verdict is not None and verdict.state is not SiteState.MIRROR:
            return SiteStanding(verdict.state.value)
        if site in self.sites.given:
            return SiteStanding.NAMED
        return SiteStanding.WAITING

    def _choice(self, site: str) -> str:
        if site in self.choices:
            return self.choices[site].value
        if site in self.sites.given:
            return LIKE if self.sites.given[site] else UNLIKE
        return ""


def site_table(session: Session, config: Config) -> SiteTable:
    """Read the sites of a portal with the user's choices."""
    sites = portal_sites(session, config)
    choices = {sites.site_of(choice.url): choice.kind for choice in standing_choices(session)}
    return SiteTable(sites, choices, config.websites.edges)


def _likeliest_first(row: ListedSite) -> tuple[bool, float, int, float, str]:
    is_unknown = row.probability is None
    return is_unknown, -(row.probability or 0.0), -row.referrers, -(row.rank or 0.0), row.site


def _heaviest_first(links: Iterable[SiteLink]) -> list[SiteLink]:
    return sorted(links, key=lambda link: (-link.weight, -link.pages, link.site))


def _passes(row: ListedSite, shown: SiteFilter) -> bool:
    waits = row.standing is SiteStanding.WAITING
    match shown:
        case SiteFilter.ALL:
            return not waits
        case SiteFilter.RELEVANT:
            return row.is_relevant
        case SiteFilter.OTHERS:
            return not row.is_relevant and not waits
        case SiteFilter.UNDECIDED:
            return not row.choice and not waits
    return waits
