"""Make the policies from what a portal has stored, so that a crawl goes on where it was."""

from collections.abc import Iterator
from dataclasses import dataclass

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import unpack
from motherlode.learning.sites.measures import ExaminedSite, RisingCost
from motherlode.learning.sites.site_posterior import smoothed_prior
from motherlode.policies.websites.decided_sites import MAX_DECIDED_SITES
from motherlode.policies.websites.examination import Examination, ReadPage, SiteJudge
from motherlode.policies.websites.judges import ContrastJudge, PaperJudge
from motherlode.policies.websites.model import SiteClassesModel, SiteContrastModel
from motherlode.policies.websites.ranks import EdgeRank, NamedEdgeRank
from motherlode.policies.websites.site_follows import PAGES_QUEUE, SITES_QUEUE
from motherlode.policies.websites.site_graph import SiteGraph, site_graph
from motherlode.policies.websites.steering import WebsitePolicy
from motherlode.policies.websites.stored_sites import PortalSites, SitePage, SiteState
from motherlode.portal.config import Config
from motherlode.records import Entry, UrlKey, UrlState
from motherlode.store.session import Session
from motherlode.store.tables import frontier
from motherlode.store.tables.pages import known_url, links_from, vectors_of_all
from motherlode.urls import Address, address, host_of, url_key


def paper_policy(
    session: Session, config: Config, sites: PortalSites, model: SiteClassesModel, name: str
) -> WebsitePolicy:
    """Return the crawler of 2004 as it is now."""

    def prior() -> float:
        return smoothed_prior(len(policy.relevant), len(policy.examined))

    policy = WebsitePolicy(
        name=name,
        options=config.websites,
        crawl_options=config.crawl,
        model=model,
        judge_site=PaperJudge(config.websites, model.formula.error_, prior),
        graph=site_graph(sites, EdgeRank(config.websites.edges)),
        named=frozenset(sites.given),
    )
    _restore(session, config, sites, policy)
    return policy


def our_policy(
    session: Session, config: Config, sites: PortalSites, model: SiteContrastModel, name: str
) -> WebsitePolicy:
    """Return our crawler as it is now."""
    rank = NamedEdgeRank(config.websites.edges, model.formula)
    graph = site_graph(sites, rank)
    policy = WebsitePolicy(
        name=name,
        options=config.websites,
        crawl_options=config.crawl,
        model=model,
        judge_site=ContrastJudge(rank, graph),
        graph=graph,
        named=frozenset(sites.given),
        reads_on=True,
    )
    _restore(session, config, sites, policy)
    return policy


def _restore(session: Session, config: Config, sites: PortalSites, policy: WebsitePolicy) -> None:
    """Give a policy its open sites, those to read on, and the history of its cost."""
    policy.pages = sum(len(of) for site, of in sites.pages.items() if site not in sites.given)
    policy.examined = {
        site
        for site, verdict in sites.verdicts.items()
        if verdict.state is SiteState.EXAMINED and site not in sites.given
    }
    policy.relevant = {site for site in policy.examined if sites.verdicts[site].is_relevant}
    reader = _Reader(session, sites, policy.graph, policy.judge_site)
    for site, stored in sites.verdicts.items():
        if stored.state is SiteState.OPEN and site not in sites.given:
            policy.open[site] = reader.examination(site, stored.home)
    for entry in _waiting_entries(session):
        site = policy.graph.site_of(entry.url)
        if site not in policy.graph.known and site not in sites.mirrors:
            policy.open[site] = reader.examination(site, entry.url)
            policy.graph.set_probability(site, policy.open[site].probability)
        if site in policy.open:
            policy.under_way[entry.key] = site
            policy.open[site].meet(entry.key)
    for site in sites.pages.keys() - policy.graph.known.keys() - policy.open.keys():
        first = sites.rules.home_of(sites.pages[site][0].url)
        policy.early[site] = reader.examination(site, first.url)
    policy.resume(set(policy.under_way.values()))
    if policy.reads_on:
        for site in _decided_sites(sites):
            verdict = sites.verdicts.get(site)
            home = sites.pages[site][0].url if verdict is None else verdict.home
            examination = reader.examination(site, home)
            examination.decide(max(1, verdict.page_at_end if verdict else 0))
            policy.decided.add(examination)
    policy.rising_cost = _rising_cost(config, sites)


def _rising_cost(config: Config, sites: PortalSites) -> RisingCost | None:
    """Return the history of what relevant sites have cost; None if it does not end the crawl."""
    if not config.websites.rising_cost:
        return None
    rising_cost = RisingCost(config.websites.rising_cost)
    for verdict in sorted(sites.verdicts.values(), key=lambda each: each.page_at_end):
        if verdict.state is SiteState.EXAMINED:
            rising_cost.add(ExaminedSite(verdict.page_at_end, verdict.is_relevant))
    return rising_cost


def _decided_sites(sites: PortalSites) -> list[str]:
    """Return named relevant sites, and those that were examined, the likeliest first."""
    named = [site for site, is_relevant in sites.given.items() if is_relevant]
    examined = [
        site
        for site, verdict in sites.verdicts.items()
        if verdict.state is SiteState.EXAMINED and site not in sites.given
    ]
    examined.sort(key=lambda site: -sites.verdicts[site].probability)
    return [site for site in (*named, *examined) if site in sites.pages][:MAX_DECIDED_SITES]


def _waiting_entries(session: Session) -> Iterator[Entry]:
    for queue, size in frontier.sizes(session).items():
        if queue in (SITES_QUEUE, PAGES_QUEUE):
            yield from frontier.waiting(session, queue, size)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the pages of a site, and where their links lead."""

    session: Session
    sites: PortalSites
    graph: SiteGraph
    judge: SiteJudge

    def examination(self, site: str, home: str) -> Examination:
        linked = self.sites.linked.get(site)
        entries = [address(url) for url in (home, *(linked.entries if linked else ()))]
        is_named = self.sites.given.get(site, False)
        examination = Examination(site, entries[0], is_named, entries)
        states: dict[UrlKey, bool] = {}
        if not self._is_open(entries[0].key, states):
            examination.meet(entries[0].key)
        pages = self.sites.pages.get(site, [])
        vectors = vectors_of_all(self.session, {page.page for page in pages}, TERMS)
        for page in pages:
            inside, leaving = self._links(site, page, states)
            terms = unpack(vectors.get(page.page, b""))
            read = ReadPage(
                key=page.key,
                probability=page.probability,
                leaving=leaving,
                depth=page.depth,
            )
            examination.add_page(read, terms, inside, self.judge)
        return examination

    def _links(
        self, site: str, page: SitePage, states: dict[UrlKey, bool]
    ) -> tuple[list[Address], int]:
        """Return the open links of a page within its site, and the number of other sites."""
        inside: list[Address] = []
        outside: set[str] = set()
        for link in links_from(self.session, page.page):
            target = self.graph.site_of(link.url)
            if target != site:
                outside.add(target)
                continue
            key = url_key(link.url, host_of(link.url))
            if self._is_open(key, states):
                inside.append(Address(link.url, key, host_of(link.url)))
        return inside, len(outside)

    def _is_open(self, key: UrlKey, states: dict[UrlKey, bool]) -> bool:
        if key not in states:
            known = known_url(self.session, key)
            states[key] = known is None or known.state is UrlState.OPEN
        return states[key]
