"""The plan of crawls for websites that are compared, and the records of their results."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from motherlode.learning.sites.edge_weights import EdgeWeighting
from motherlode.policies.registry import (
    BREADTH_FIRST,
    ORACLE,
    SITES_BREADTH_FIRST,
    SITES_HOMEPAGE,
    SITES_ORACLE,
    SITES_PAGE_CRAWLER,
    WEBSITES,
    WEBSITES_2004,
)

AT = (25, 50, 100, 200)
NAMED_SITES = (3, 5)
MIN_SITES_TO_FIND = 3


class SiteContender(Struct, frozen=True):
    """A policy with its settings, under the name by which it is shown."""

    name: str
    policy: str
    settings: Mapping[str, object] = {}


PAGE_CRAWLER = "page crawler"
SITE_CONTENDERS = (
    *(
        SiteContender(
            f"{WEBSITES_2004} {weighting}", WEBSITES_2004, {"websites.edges": weighting.value}
        )
        for weighting in EdgeWeighting
    ),
    SiteContender(WEBSITES, WEBSITES),
    SiteContender(PAGE_CRAWLER, SITES_PAGE_CRAWLER),
    SiteContender("homepage crawler", SITES_HOMEPAGE),
    SiteContender(BREADTH_FIRST, SITES_BREADTH_FIRST),
    SiteContender(ORACLE, SITES_ORACLE),
)


class SiteCrawlPlan(Struct, frozen=True):
    """The experiment: the web, the subjects, and how many sites are named.

    `at` are the numbers of pages, without those of the preparation, after which there are figures.
    `unlike` is the number of sites on other subjects that are named as counterexamples.
    """

    web: str
    subjects: tuple[str, ...]
    named: tuple[int, ...] = NAMED_SITES
    unlike: Annotated[int, Meta(ge=0)] = 0
    at: tuple[int, ...] = AT
    contenders: tuple[str, ...] = tuple(contender.name for contender in SITE_CONTENDERS)
    seed: int = 1
    repeat: Annotated[int, Meta(ge=1)] = 1
    settings: Mapping[str, object] = {}


class SiteCrawlTask(Struct, frozen=True):
    """One crawl of the experiment."""

    subject: str
    named: int
    contender: str
    turn: int


class SiteFigures(Struct, frozen=True):
    """What a crawl has after a number of pages; the sites that were named do not count.

    `judged` counts the sites held for relevant, `found` those of them that are, `relevant` all
    examined sites that are. `pages` is less than `at` if nothing was left to read.
    """

    at: int
    pages: int
    requests: int
    examined: int
    relevant: int
    judged: int
    found: int


class SiteCrawlResult(Struct, frozen=True):
    """A crawl that is over.

    `preparation` are the pages of the named sites that were read before it. `hub_place` is how many
    sites were begun when the hub was, itself included; None: it never was, or it is relevant.
    """

    task: SiteCrawlTask
    to_find: int
    preparation: int
    figures: tuple[SiteFigures, ...]
    has_hub: bool
    hub_place: int | None
    wrong: tuple[str, ...]
    missed: tuple[str, ...]


class SiteCrawlRow(Struct, frozen=True):
    """A contender's figures after a number of pages: means over subjects and draws.

    `harvest_rate` is the share of relevant sites among the examined ones. Pages per relevant site,
    harvest rate and precision are ratios of sums. `of_oracle` is the share of the oracle's finds.
    """

    contender: str
    named: int
    at: int
    crawls: int
    pages: float
    requests: float
    preparation: float
    examined: float
    found: float
    to_find: float
    pages_per_relevant_site: float | None
    harvest_rate: float | None
    precision: float | None
    of_oracle: float | None


class HubRow(Struct, frozen=True):
    """When a contender examined the hub, in crawls for subjects that the hub is not on.

    `place` is the mean place among the examined sites, of the crawls that examined it.
    """

    contender: str
    named: int
    crawls: int
    examined: int
    place: float | None


def tasks(plan: SiteCrawlPlan) -> list[SiteCrawlTask]:
    """Return every crawl of the experiment."""
    return [
        SiteCrawlTask(subject, named, contender, turn)
        for turn in range(plan.repeat)
        for named in plan.named
        for contender in plan.contenders
        for subject in plan.subjects
    ]
