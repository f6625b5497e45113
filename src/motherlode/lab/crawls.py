"""Trials of the policies that learn: the very crawl that a person starts, on a portal that is thrown away.

Engine, store and lessons are the real ones; only the web is a replay and time is virtual, so that a trial can
be repeated to the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from motherlode.crawl.context import Company, Journal
from motherlode.crawl.decisions import Draft
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import fetch_examples
from motherlode.crawl.progress import Limits, Progress
from motherlode.documents.analysing import Analysed, Manner
from motherlode.documents.raw import Raw
from motherlode.lab.clock import run_virtually
from motherlode.lab.measures import Fetched
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.trials import Budget, Readings, Trial
from motherlode.lab.web import LabWeb
from motherlode.policies import Policy
from motherlode.policies.bingo.teacher import Teacher, learning_share
from motherlode.policies.options import PolicyName
from motherlode.portal import Portal, create_portal
from motherlode.store.pages import page_log
from motherlode.topics import Planting, plant_seeds
from motherlode.urls import Address, UrlRules, host_of
from motherlode.workers.worker_pool import InlineWorkerPool

CRAWLERS = (PolicyName.BINGO.value, PolicyName.BINGO_2003.value)
_TOPIC = ("topic",)
_SAME_WEB = {"robots.sitemaps": False, "robots.page_rules": False}  # for all who are compared


class _Remembering(InlineWorkerPool):
    """Reads no page of a web twice, however many trials there are."""

    def __init__(self, readings: Readings) -> None:
        super().__init__(Manner())
        self._readings = readings

    async def read_documents(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        return [[Analysed(raw.url, raw.mime, self._readings.read(raw))] for raw in raws]


class _Asked:
    """A journal of the documents that came, each by the URL that it was at. Copies of pages that were there
    already are among them: baselines, which keep whatever comes, use up their budget by them as well."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    def note(self, drafts: Sequence[Draft], _progress: Progress) -> None:
        for draft in drafts:
            fetched = draft.fetched
            came = fetched is not None and fetched.response is not None
            if fetched is not None and (draft.outcome.page is not None or (came and fetched.copy_of)):
                self.urls.append(fetched.final.url)


@contextmanager
def throwaway(planting: Planting, settings: Mapping[str, object], timing: Timing) -> Iterator[Portal]:
    """A portal with these topics, so configured, open for a crawl, and gone afterwards.

    What pages of a recorded web ask of crawlers does not count, as it does not for baselines and oracle: all
    are measured on the same links, and pages that are not to be indexed have labels as well.
    """
    delay = {"politeness.delay": timing.delay, "politeness.host_connections": timing.connections}
    with TemporaryDirectory(prefix="lode-trial-") as folder:
        place = Path(folder) / "portal"
        create_portal(place, planting, {**_SAME_WEB, **delay, **settings})
        with Portal.crawling(place, "trial") as portal:
            yield portal


def run_crawl(
    web: LabWeb,
    settings: Mapping[str, object],
    seeds: Sequence[Address],
    budget: Budget,
    timing: Timing,
    readings: Readings,
) -> Trial:
    """Crawl from these examples of one topic, so configured, until the budget is used up."""
    began = perf_counter()
    with throwaway(plant_topic(seeds), settings, timing) as portal:
        asked = _Asked()
        seconds = run_virtually(learn_and_crawl(portal, Replay(web, timing), budget, readings, asked))
        with portal.store.reading() as session:
            scores = {url: score for url, _, score in page_log(session, members=False)}
    told = {seed.url for seed in seeds}
    fetched = [Fetched(url, host_of(url), seed=url in told, score=scores.get(url)) for url in asked.urls]
    return Trial(fetched[: budget.pages], perf_counter() - began, seconds)


def plant_topic(seeds: Sequence[Address]) -> Planting:
    """One topic, by its examples."""
    return plant_seeds([(_TOPIC, [seed.url for seed in seeds])], UrlRules())


async def learn_and_crawl(
    portal: Portal, web: Replay, budget: Budget, readings: Readings, journal: Journal | None = None
) -> float:
    """Go on by the portal's own policy, which learns, for so many pages more, the examples among them.

    Returns the virtual seconds it took.
    """
    workers = _Remembering(readings)
    fetched = await fetch_examples(portal, web, workers, Company(workers, journal=journal))
    teacher = Teacher(portal, learn_pages=learning_share(portal.config.crawl, budget.pages))
    policy = await teacher.begin(workers)
    limits = _limits(max(0, budget.pages - fetched), budget.connections)
    return (
        await crawl(portal, web, policy, limits, Company(workers, teacher=teacher, journal=journal))
    ).seconds


async def crawl_by(portal: Portal, web: Replay, policy: Policy, budget: Budget, readings: Readings) -> float:
    """Go on by a policy that learns nothing on the way, for so many pages more.

    Returns the virtual seconds it took.
    """
    limits = _limits(budget.pages, budget.connections)
    return (await crawl(portal, web, policy, limits, Company(_Remembering(readings)))).seconds


def _limits(pages: int, connections: int) -> Limits:
    return Limits(pages, connections, "trial", patience=0.0, ahead=connections)
