"""The page crawler of Ester, Kriegel and Schubert (2004), section 5.1, with post-processing.

One frontier holds all pages. A page ranks by the mean probability of the pages that link to it. A
guard reads no more than so many pages of a site. After each page, the site classifier judges its
site by all pages read of it. Like the paper's site crawler it begins with the links of the named
sites. It is for the lab: its frontier is in memory alone, and does not outlive the process.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from motherlode.documents.features.spaces import TERMS
from motherlode.learning.sites.site_posterior import SiteEvidence, smoothed_prior
from motherlode.policies.follows import links_within
from motherlode.policies.options import CrawlOptions
from motherlode.policies.policy import NO_MOVES, Miss, Moves, PolicyDefaults, Visit
from motherlode.policies.websites.model import SiteClassesModel, fit_page_classes
from motherlode.policies.websites.site_follows import PAGES_QUEUE
from motherlode.policies.websites.stored_sites import (
    EVEN,
    PortalSites,
    SiteState,
    SiteVerdict,
    portal_sites,
    site_note,
)
from motherlode.portal import Portal
from motherlode.records import SITE_CLASSES_MODEL, Follow, Judgement, Note, UrlKey
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import links_from
from motherlode.topics import TopicTree
from motherlode.training.models import load_model
from motherlode.urls import Address, host_of, url_key
from motherlode.urls.site_rules import SiteRules


@dataclass(slots=True)
class _WaitingUrl:
    """A URL that waits, with the probabilities of the pages that link to it."""

    address: Address
    depth: int
    found_on: UrlKey
    order: int
    total: float = 0.0
    links: int = 0

    @property
    def rank(self) -> float:
        return self.total / self.links


@dataclass(slots=True)
class GuardedFrontier:
    """All known pages by rank, without those of sites of which enough were read."""

    rules: SiteRules
    cap: int
    met: set[UrlKey] = field(default_factory=set)  # read, under way or given up
    pages: Counter[str] = field(default_factory=Counter)  # read, by site
    waiting: dict[UrlKey, _WaitingUrl] = field(default_factory=dict)
    heap: list[tuple[float, int, UrlKey]] = field(default_factory=list)

    def add(self, link: Address, probability: float, depth: int, found_on: UrlKey) -> None:
        """Add a link on a page of this probability."""
        if link.key in self.met:
            return
        known = self.waiting.get(link.key)
        if known is None:
            known = _WaitingUrl(link, depth, found_on, len(self.met) + len(self.waiting))
            self.waiting[link.key] = known
        known.total += probability
        known.links += 1
        heappush(self.heap, (-known.rank, known.order, link.key))

    def count(self, url: str, key: UrlKey) -> None:
        """Count a page that was read."""
        self.met.add(key)
        self.waiting.pop(key, None)
        self.pages[self.rules.site_of(url)] += 1

    def take(self) -> _WaitingUrl | None:
        """Take the best page that the guard lets through; None if there is none."""
        while self.heap:
            cost, _, key = heappop(self.heap)
            known = self.waiting.get(key)
            if known is None or known.rank != -cost:
                continue
            del self.waiting[key]
            self.met.add(key)
            if self.pages[self.rules.site_of(known.address.url)] < self.cap:
                return known
        return None


@dataclass(slots=True, kw_only=True)
class PageCrawler(PolicyDefaults):
    """A focused crawler for pages, whose sites are judged by all pages read of them."""

    name: str
    model: SiteClassesModel
    frontier: GuardedFrontier
    crawl_options: CrawlOptions
    named: frozenset[str] = frozenset()
    evidence: dict[str, SiteEvidence] = field(default_factory=dict)
    relevant: set[str] = field(default_factory=set)
    first: list[Follow] | None = None
    read: int = 0

    @property
    def spaces(self) -> Sequence[str]:
        return (TERMS,)

    def seed(self) -> Iterable[Follow]:
        if self.first is None:
            self.first = self._next()
        return self.first

    def judge(self, visits: Sequence[Visit]) -> list[Judgement]:
        return self.model.judge([visit.sample for visit in visits])

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        assert judgement is not None  # noqa: S101 - this policy judges every page
        if not visit.entry.url_id:  # a file inside an archive
            return NO_MOVES
        probability = judgement.confidence + EVEN
        self.read += 1
        self.frontier.met.add(visit.entry.key)
        self.frontier.count(visit.url, visit.key)
        for link in links_within(visit.document.links, self.crawl_options):
            target = Address(link.url, link.key, host_of(link.url))
            self.frontier.add(target, probability, visit.entry.depth + 1, visit.key)
        return Moves(self._next(), self._judged_site(visit, probability))

    def missed(self, _miss: Miss) -> Moves:
        return Moves(self._next())

    def not_queued(self, _follow: Follow) -> Moves:
        return Moves(self._next())

    def unwritten_notes(self) -> Sequence[Note]:
        return ()

    def _next(self) -> list[Follow]:
        page = self.frontier.take()
        if page is None:
            return []
        url, key = page.address.url, page.address.key
        return [Follow(url, key, PAGES_QUEUE, page.rank, page.depth, found_on=page.found_on)]

    def _judged_site(self, visit: Visit, probability: float) -> list[Note]:
        """Judge the site of a page by all its pages: the post-processing."""
        site = self.frontier.rules.site_of(visit.url)
        if site in self.named:
            return []
        evidence = self.evidence.get(site, SiteEvidence())
        evidence = evidence.with_page(probability, self.model.formula.error_)
        self.evidence[site] = evidence
        self.relevant.discard(site)
        posterior = evidence.posterior(smoothed_prior(len(self.relevant), len(self.evidence) - 1))
        if posterior > EVEN:
            self.relevant.add(site)
        home = self.frontier.rules.home_of(visit.url).url
        verdict = SiteVerdict(
            home, SiteState.EXAMINED, posterior, evidence.pages, page_at_end=self.read
        )
        return [site_note(site, verdict)]


def make_page_crawler(portal: Portal, name: str) -> PageCrawler:
    """Return the page crawler with the links of all pages that are stored."""
    with portal.store.reading() as session:
        sites = portal_sites(session, portal.config)
        stored = ledger.latest_model(session, SITE_CLASSES_MODEL)
        tree = TopicTree(topic_rows.all_topics(session))
        model: SiteClassesModel | None = None if stored is None else load_model(stored, tree)
        model = model or fit_page_classes(session, sites)
        frontier = _stored_links(session, sites, portal.config.websites.max_pages)
    return PageCrawler(
        name=name,
        model=model,
        frontier=frontier,
        crawl_options=portal.config.crawl,
        named=frozenset(sites.given),
    )


def _stored_links(session: Session, sites: PortalSites, cap: int) -> GuardedFrontier:
    """Return the frontier after the pages of the named sites were read."""
    frontier = GuardedFrontier(sites.rules, cap)
    pages = [page for of_site in sites.pages.values() for page in of_site]
    for page in pages:
        frontier.count(page.url, page.key)
    for page in pages:
        for link in links_from(session, page.page):
            key = url_key(link.url, host_of(link.url))
            target = Address(link.url, key, host_of(link.url))
            frontier.add(target, page.probability, page.depth + 1, page.key)
    return frontier
