"""A trial: the very crawl that a user starts, on a portal that is thrown away.

Every policy, baseline or learner, runs on the same engine, frontier and store, and has the same
budget of pages and of requests. Only the web is a replay and time is virtual, so that a trial can
be repeated to the page.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.context import CrawlContext, OutcomeLog
from motherlode.crawl.counters import CrawlCounters, requests_of
from motherlode.crawl.decisions import DraftOutcome
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import UNLIMITED_PAGES, Limits, Progress
from motherlode.crawl.retraining import RetrainingPlan
from motherlode.lab.clock import run_virtually
from motherlode.lab.defaults import CONNECTIONS
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.trials.document_cache import CachingWorkerPool, Readings
from motherlode.lab.trials.measures import LoggedFetch
from motherlode.lab.web import LabWeb
from motherlode.policies.kind import LabelledWeb, PolicyKind, PolicySetup
from motherlode.policies.policy import Policy
from motherlode.portal import Portal, create_portal
from motherlode.records import BadInputError
from motherlode.store.tables.pages import page_log
from motherlode.topics import Planting, plant_seeds
from motherlode.urls import Address, UrlRules, host_of

REQUESTS_PER_PAGE = 20  # that a trial may make, unless it is told otherwise
_TOPIC = ("topic",)
# What pages of a recorded web ask of crawlers does not count: all policies are measured on the same
# links, and pages that are not to be indexed have labels as well.
_SAME_WEB = {"robots.sitemaps": False, "robots.page_rules": False}


class Budget(Struct, frozen=True):
    """When a trial ends: after so many documents, or so many requests; None: 20 for each
    document.
    """

    pages: int
    connections: int = CONNECTIONS
    requests: int | None = None

    @property
    def max_requests(self) -> int:
        return self.pages * REQUESTS_PER_PAGE if self.requests is None else self.requests


class TrialSetup(Struct, frozen=True):
    """What a trial begins with. `chance` is the seed of random choices; `labels` are the
    oracle's. `back_links` are pages with the URLs that they link to, for policies that need them.
    """

    kind: PolicyKind
    seeds: Sequence[Address]
    budget: Budget
    timing: Timing
    chance: int = 1
    labels: LabelledWeb | None = None
    back_links: tuple[tuple[str, str], ...] = ()


class Trial(Struct, frozen=True):
    """What happened: the page log, the requests, and how long it took, really and virtually."""

    log: list[LoggedFetch]
    requests: int
    seconds: float
    virtual_seconds: float


class _TrialJournal:
    """Writes down every document that came, by the URL that it was at, and every request that
    failed.

    Copies of pages that were there already are documents, too: they have used up a request. Pages
    that were fetched to learn from, before the crawl, are left out.
    """

    def __init__(self, training: Collection[str] = ()) -> None:
        self.log: list[LoggedFetch] = []
        self._training = training
        self.requests = 0
        self._pages = 0

    def note(self, drafts: Sequence[DraftOutcome], _progress: Progress) -> None:
        for draft in drafts:
            fetched, entry = draft.fetched, draft.outcome.entry
            if fetched is None or (entry.depth == 0 and entry.url in self._training):
                continue
            requests = requests_of(fetched)
            self.requests += requests
            is_copy = fetched.response is not None and bool(fetched.copy_of)
            is_document = draft.outcome.page is not None or is_copy
            if is_document or (requests and fetched.failure is not None):
                url = fetched.final.url
                self.log.append(LoggedFetch(url, host_of(url), is_document, seed=entry.depth == 0))


@contextmanager
def throwaway(
    planting: Planting, settings: Mapping[str, object], timing: Timing
) -> Iterator[Portal]:
    """Return a portal with these topics, so configured, open for a crawl, and gone afterwards."""
    delay = {"politeness.delay": timing.delay, "politeness.host_connections": timing.connections}
    with TemporaryDirectory(prefix="lode-trial-") as folder:
        place = Path(folder) / "portal"
        create_portal(place, planting, {**_SAME_WEB, **delay, **settings})
        with Portal.crawling(place, "trial") as portal:
            yield portal


def run_trial(web: LabWeb, setup: TrialSetup, readings: Readings) -> Trial:
    """Crawl from the examples of one topic until the budget is used up or nothing waits any
    more.
    """
    training = {page for page, _ in setup.back_links} - {seed.url for seed in setup.seeds}
    began, journal = perf_counter(), _TrialJournal(training)
    pages = setup.budget.pages
    setup = replace(setup, budget=replace(setup.budget, pages=pages + len(training)))
    with (
        TemporaryDirectory(prefix="lode-links-") as folder,
        throwaway(plant_topic(setup.seeds), _settings(setup, Path(folder)), setup.timing) as portal,
    ):
        replay = Replay(web, setup.timing)
        crawling = crawl_portal(portal, replay, setup, readings, journal)
        virtual_seconds = run_virtually(crawling)
        with portal.store.reading() as session:
            scores = {url: score for url, _, score in page_log(session, members=False)}
    log = _within(journal.log, scores, pages)
    return Trial(log, journal.requests, perf_counter() - began, virtual_seconds)


def _settings(setup: TrialSetup, folder: Path) -> dict[str, object]:
    """Return the settings of a trial's portal; links are written into a file in the folder."""
    settings = policy_settings(setup.kind)
    if setup.kind.needs_back_links:
        file = folder / "links.tsv"
        file.write_text("".join(f"{page}\t{target}\n" for page, target in setup.back_links))
        settings["ordinal.edge_files"] = [str(file)]
    return settings


def policy_settings(kind: PolicyKind) -> dict[str, object]:
    """Return the settings of a portal that is crawled by a policy."""
    return {"crawl.policy": kind.name} if kind.is_for_portals else {}


def plant_topic(seeds: Sequence[Address]) -> Planting:
    """Return one topic, by its examples."""
    return plant_seeds([(_TOPIC, [seed.url for seed in seeds])], UrlRules())


async def crawl_portal(
    portal: Portal,
    web: Replay,
    setup: TrialSetup,
    readings: Readings,
    journal: OutcomeLog | None = None,
) -> float:
    """Crawl a portal by a policy within the budget, examples included; return the virtual
    seconds.
    """
    workers, counters = CachingWorkerPool(readings), CrawlCounters()
    context = CrawlContext(workers, log=journal, counters=counters)
    budget = setup.budget
    within = Limits(UNLIMITED_PAGES, patience=0.0, requests=budget.max_requests)
    await prepare(portal, web, setup.kind.wanted, context=context, within=within)
    limits = Limits(
        budget.pages,
        budget.connections,
        command="trial",
        patience=0.0,
        ahead=budget.connections,
        requests=budget.max_requests,
    )
    if setup.kind.before_crawl is not None:
        setup.kind.before_crawl(portal)
    if setup.kind.make_retrainer is None:
        policy = _policy(portal, setup)
        return (await crawl(portal, web, policy, limits, context)).seconds
    retrainer = setup.kind.make_retrainer(portal, RetrainingPlan(pages=budget.pages))
    policy = await retrainer.begin(workers)
    context = CrawlContext(workers, log=journal, counters=counters, retrainer=retrainer)
    return (await crawl(portal, web, policy, limits, context)).seconds


def _policy(portal: Portal, setup: TrialSetup) -> Policy:
    policy = setup.kind.make(PolicySetup(portal, setup.chance, setup.labels))
    if policy is None:
        raise BadInputError(f"There is nothing to crawl by {setup.kind.name} from.")
    return policy


def _within(
    log: Sequence[LoggedFetch], scores: Mapping[str, float | None], pages: int
) -> list[LoggedFetch]:
    """Return the log up to the last document of the budget, with the scores of its pages."""
    kept: list[LoggedFetch] = []
    documents = 0
    for fetch in log:
        if documents == pages:
            break
        documents += fetch.document
        score = scores.get(fetch.url) if fetch.document else None
        kept.append(LoggedFetch(fetch.url, fetch.host, fetch.document, fetch.seed, score))
    return kept
