"""Trials of the policies that learn: the very crawl that a person starts, on a portal that is thrown away.

Engine, store and lessons are the real ones; only the web is a replay and time is virtual, so that a trial can
be repeated to the page.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from motherlode.documents.analysing import Analysed, Manner
from motherlode.documents.raw import Raw
from motherlode.engine import Company, Limits, crawl
from motherlode.engine.crew import Alone
from motherlode.engine.examples import fetch_examples
from motherlode.engine.teaching import Teacher, learning_share
from motherlode.lab.clock import run_virtually
from motherlode.lab.measures import Fetched
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.trials import Budget, Readings, Trial
from motherlode.lab.web import LabWeb
from motherlode.policies.options import PolicyName
from motherlode.portal import Portal, create_portal
from motherlode.store.pages import page_log
from motherlode.topics import plant_seeds
from motherlode.urls import Address, UrlRules, host_of

CRAWLERS = (PolicyName.BINGO.value, PolicyName.BINGO_2003.value)
_TOPIC = ("topic",)


class _Remembering(Alone):
    """Reads no page of a web twice, however many trials there are."""

    def __init__(self, readings: Readings) -> None:
        super().__init__(Manner())
        self._readings = readings

    async def read(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        return [[Analysed(raw.url, raw.mime, self._readings.read(raw))] for raw in raws]


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
    with TemporaryDirectory(prefix="lode-trial-") as folder:
        place = Path(folder) / "portal"
        planting = plant_seeds([(_TOPIC, [seed.url for seed in seeds])], UrlRules())
        delay = {"politeness.delay": timing.delay, "politeness.host_connections": timing.connections}
        create_portal(place, planting, {"robots.sitemaps": False, **delay, **settings})
        with Portal.crawling(place, "trial") as portal:
            seconds = run_virtually(_crawled(portal, Replay(web, timing), budget, readings))
            with portal.store.reading() as session:
                log = list(page_log(session, members=False))
    told = {seed.url for seed in seeds}
    fetched = [Fetched(url, host_of(url), seed=url in told, score=score) for url, _, score in log]
    return Trial(fetched[: budget.pages], perf_counter() - began, seconds)


async def _crawled(portal: Portal, web: Replay, budget: Budget, readings: Readings) -> float:
    """Returns the virtual seconds it took."""
    crew = _Remembering(readings)
    fetched = await fetch_examples(portal, web, crew)
    learn_pages = learning_share(portal.config.crawl, budget.pages)
    teacher = Teacher(portal, learn_pages=learn_pages)
    policy = await teacher.begin(crew)
    limits = Limits(
        max(0, budget.pages - fetched), budget.connections, "trial", patience=0.0, ahead=budget.connections
    )
    return (await crawl(portal, web, policy, limits, Company(crew, teacher=teacher))).seconds
