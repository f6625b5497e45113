"""Crawlers that those for websites are compared with in the lab (SPEC W8).

Each begins with the same pages of the named sites. One examines home pages only, one takes sites in
order of discovery, and one knows the labels. The page crawler is in `page_crawler`.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from msgspec import structs

from motherlode.policies.kind import PolicyKind, PolicySetup
from motherlode.policies.policy import Moves, PolicyDefaults, Visit
from motherlode.policies.registry import (
    SITES_BREADTH_FIRST,
    SITES_HOMEPAGE,
    SITES_ORACLE,
    SITES_PAGE_CRAWLER,
)
from motherlode.policies.websites.examination import Examination, WaitingPage
from motherlode.policies.websites.kind import (
    make_websites_2004,
    store_homepage_classes,
    store_page_classes,
    wanted_pages,
)
from motherlode.policies.websites.page_crawler import PageCrawler, make_page_crawler
from motherlode.policies.websites.site_follows import QUEUE_NAMES, SITES_QUEUE
from motherlode.policies.websites.site_graph import WaitingSite
from motherlode.policies.websites.steering import WebsitePolicy
from motherlode.policies.websites.stored_sites import SiteState, SiteVerdict, site_note
from motherlode.records import Follow, Judgement, UsageError
from motherlode.urls import address, host_of
from motherlode.urls.site_rules import SiteRules

IN_ORDER = 0.5  # the rank of every site: those discovered first come first


class HomepageJudge:
    """Decides by the home page alone, and reads no other."""

    def page_rank(self, page: WaitingPage) -> float:
        return -float(page.order)

    def probability(self, site: Examination) -> float:
        return site.read[0].probability

    def is_decided(self, site: Examination) -> bool:  # noqa: ARG002
        return True


@dataclass(frozen=True, slots=True)
class SiteOracle(PolicyDefaults):
    """Reads one page of each relevant site, on the shortest way from one to the next."""

    name: ClassVar[str] = SITES_ORACLE
    place: Mapping[str, int]  # of the pages that it reads
    relevant: Container[str]  # pages of relevant sites

    def seed(self) -> Iterable[Follow]:
        pages = [(place, address(url)) for url, place in self.place.items()]
        return [Follow(page.url, page.key, SITES_QUEUE, -float(place)) for place, page in pages]

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        probability = float(visit.url in self.relevant)
        home = SiteRules().home_of(visit.url).url
        verdict = SiteVerdict(home, SiteState.EXAMINED, probability, pages=1)
        return Moves(notes=[site_note(host_of(visit.url), verdict)])


def _homepage_crawler(setup: PolicySetup) -> WebsitePolicy:
    policy = make_websites_2004(setup)
    policy.name = SITES_HOMEPAGE
    policy.options = structs.replace(policy.options, max_pages=1)
    policy.judge_site = HomepageJudge()
    return policy


def _breadth_first(setup: PolicySetup) -> WebsitePolicy:
    policy = make_websites_2004(setup)
    policy.name = SITES_BREADTH_FIRST
    policy.graph.rank = _in_order
    policy.graph.rerank_all()
    return policy


def _in_order(_waiting: WaitingSite, _known: dict[str, float]) -> float:
    return IN_ORDER


def _oracle(setup: PolicySetup) -> SiteOracle:
    if setup.labels is None:
        raise UsageError("The oracle needs a web with labels; use it in lode lab only.")
    return SiteOracle(setup.labels.itinerary(), setup.labels.relevant)


def _page_crawler(setup: PolicySetup) -> PageCrawler:
    return make_page_crawler(setup.portal, SITES_PAGE_CRAWLER)


_LIKE_SITE_CRAWLERS = PolicyKind(
    name="",
    rank_meaning="",
    make=lambda _setup: None,
    before_crawl=store_page_classes,
    training=None,
    wanted=wanted_pages,
    queue_names=lambda _tree: QUEUE_NAMES,
    queues_of_topics=lambda _topics: (),
)
SITES_HOMEPAGE_KIND = replace(
    _LIKE_SITE_CRAWLERS,
    name=SITES_HOMEPAGE,
    rank_meaning="how likely the site is relevant, by the sites and pages that link to it",
    make=_homepage_crawler,
    before_crawl=store_homepage_classes,
)
SITES_BREADTH_FIRST_KIND = replace(
    _LIKE_SITE_CRAWLERS,
    name=SITES_BREADTH_FIRST,
    rank_meaning="one rank for all sites: those discovered first come first",
    make=_breadth_first,
)
SITES_PAGE_CRAWLER_KIND = replace(
    _LIKE_SITE_CRAWLERS,
    name=SITES_PAGE_CRAWLER,
    rank_meaning="the mean probability of the pages that link to it",
    make=_page_crawler,
)
SITES_ORACLE_KIND = replace(
    _LIKE_SITE_CRAWLERS,
    name=SITES_ORACLE,
    rank_meaning="minus its place on the shortest way to the relevant sites",
    make=_oracle,
    before_crawl=None,
    needs_labels=True,
)
