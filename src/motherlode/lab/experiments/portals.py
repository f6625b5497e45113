"""Portal generation for a single topic, from two pages (SPEC B30; BINGO!, 5.2, Tables 1 to 3).

As in the paper it is one crawl: it is paused when a budget is used up, stock is taken, and it goes
on.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated

from msgspec import Meta, Struct

from motherlode.lab.clock import run_virtually
from motherlode.lab.defaults import PORTAL_SEEDS, RANDOM_SEED, REPEATS
from motherlode.lab.experiments.figures import Sought, Top, mean_tops, tops
from motherlode.lab.experiments.stock import Extent, Stock, mean_extent, take_stock
from motherlode.lab.linkgraph import LinkGraph, link_graph
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.trials.comparison import Task
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.trials.processes import spread
from motherlode.lab.trials.seeds import Seeds, check_seeds, draw_seeds
from motherlode.lab.trials.trial import (
    Budget,
    TrialSetup,
    crawl_portal,
    plant_topic,
    policy_settings,
    throwaway,
)
from motherlode.policies.kind import load_policy
from motherlode.policies.registry import policy_names
from motherlode.records import UsageError
from motherlode.urls import Address, host_of

_MAX_HOPS = 25


class PortalExperiment(Struct, frozen=True):
    """What to run. `budgets` are pages, the smallest first; `best`: at how many of the surest to
    look; `known`: how many pages of a topic count as its best-known.
    """

    web: str
    topics: tuple[str, ...]
    policies: tuple[str, ...]
    budgets: tuple[int, ...]
    best: tuple[int, ...] = (100, 500, 1000, 5000)
    known: Annotated[int, Meta(ge=1)] = 20
    seeds: Seeds = PORTAL_SEEDS
    seed: int = RANDOM_SEED
    repeat: Annotated[int, Meta(ge=1)] = REPEATS


class Stage(Struct, frozen=True):
    """A crawl when a budget was used up."""

    budget: int
    extent: Extent
    tops: list[Top]


class Crawled(Struct, frozen=True):
    """One crawl. `topic_pages` and `known_pages` are what there was to find, seeds left out."""

    task: Task
    seeds: tuple[str, ...]
    topic_pages: int
    known_pages: int
    stages: list[Stage]
    seconds: float


class PortalRow(Struct, frozen=True):
    """A policy at a budget: means over topics and draws."""

    policy: str
    budget: int
    runs: int
    topic_pages: float
    known_pages: float
    extent: Extent
    tops: list[Top]


class PortalResult(Struct, frozen=True):
    """Everything there is to tell."""

    plan: PortalExperiment
    rows: list[PortalRow]
    runs: list[Crawled]


def tasks(plan: PortalExperiment) -> list[Task]:
    """Every crawl, those on one topic together."""
    return [
        Task(topic, policy, turn)
        for topic in plan.topics
        for turn in range(plan.repeat)
        for policy in plan.policies
    ]


class PortalBench:
    """A web laid open for many crawls."""

    def __init__(self, plan: PortalExperiment) -> None:
        self._plan = plan
        self._web = open_web(Path(plan.web))
        self._readings = Readings(self._web)
        self._links: LinkGraph | None = None

    def check(self) -> None:
        unknown = [name for name in self._plan.policies if name not in policy_names()]
        if unknown:
            raise UsageError(
                f"There is no policy '{unknown[0]}' here; there are {', '.join(policy_names())}."
            )
        for topic in self._plan.topics:
            check_seeds(self._web, self._seeds(topic, 0), self._plan.budgets[0])
        self._graph()  # read once, before there are many processes

    def run(self, task: Task) -> Crawled:
        began = perf_counter()
        seeds = self._seeds(task.topic, task.turn)
        told = {seed.url for seed in seeds}
        topic = self._web.labels().relevant(task.topic) - told
        sought = Sought(topic, best_known(self._graph(), topic, self._plan.known))
        stocks = self._crawl(task.policy, seeds)
        stages = [
            Stage(budget, stock.extent, tops(*stock.without(told), sought, self._plan.best))
            for budget, stock in zip(self._plan.budgets, stocks, strict=True)
        ]
        return Crawled(
            task=task,
            seeds=tuple(seed.url for seed in seeds),
            topic_pages=len(topic),
            known_pages=len(sought.known),
            stages=stages,
            seconds=perf_counter() - began,
        )

    def _crawl(self, policy: str, seeds: Sequence[Address]) -> Iterator[Stock]:
        """What the crawl holds, each time that it is paused."""
        web, kind = Replay(self._web, Timing()), load_policy(policy)
        with throwaway(plant_topic(seeds), policy_settings(kind), Timing()) as portal:
            for pages in _legs(self._plan.budgets):
                setup = TrialSetup(kind, seeds, Budget(pages), Timing())
                run_virtually(crawl_portal(portal, web, setup, self._readings))
                yield take_stock(portal, learns=kind.learns)

    def _graph(self) -> LinkGraph:
        if self._links is None:
            self._links = link_graph(self._web)
        return self._links

    def _seeds(self, topic: str, turn: int) -> tuple[Address, ...]:
        return draw_seeds(self._web.labels(), topic, self._plan.seeds, self._plan.seed + turn)


def generate(plan: PortalExperiment, jobs: int | None = None) -> Iterator[Crawled]:
    """Run every crawl, on so many processes, as they finish."""
    return spread(PortalBench, plan, tasks(plan), jobs)


def result(plan: PortalExperiment, crawled: Sequence[Crawled]) -> PortalResult:
    """One row a policy and budget, in the order they were asked for."""
    order = {task: place for place, task in enumerate(tasks(plan))}
    runs = sorted(crawled, key=lambda one: order[one.task])
    rows = [
        _row(policy, budget, [one for one in runs if one.task.policy == policy], place)
        for place, budget in enumerate(plan.budgets)
        for policy in plan.policies
    ]
    return PortalResult(plan, rows, runs)


def _row(policy: str, budget: int, runs: Sequence[Crawled], place: int) -> PortalRow:
    stages = [one.stages[place] for one in runs]
    return PortalRow(
        policy=policy,
        budget=budget,
        runs=len(runs),
        topic_pages=sum(one.topic_pages for one in runs) / len(runs),
        known_pages=sum(one.known_pages for one in runs) / len(runs),
        extent=mean_extent([stage.extent for stage in stages]),
        tops=mean_tops([stage.tops for stage in stages]),
    )


def _legs(budgets: Sequence[int]) -> list[int]:
    """How many pages to fetch from one pause to the next."""
    return [budget - before for before, budget in zip((0, *budgets), budgets, strict=False)]


def best_known(graph: LinkGraph, topic: Collection[str], most: int) -> frozenset[str]:
    """The pages of a topic that most pages of other hosts link to, at most so many; of equals, the
    first by address. What nobody links to from elsewhere is not known at all.
    """
    counts = _links_from_elsewhere(graph, frozenset(topic))
    best = sorted(counts, key=lambda url: (-counts[url], url))[:most]
    return frozenset(best)


def _links_from_elsewhere(graph: LinkGraph, topic: frozenset[str]) -> Counter[str]:
    """For each page of the topic, how many pages of other hosts link to it, by redirects or
    directly.
    """
    hosts = [host_of(url) for url in graph.urls]
    moved = _redirects(graph)
    counts: Counter[str] = Counter()
    for page, targets in enumerate(graph.targets):
        if page in moved:
            continue  # whoever links to it is counted instead
        for target in {_end(moved, target) for target in targets}:
            if graph.urls[target] in topic and hosts[target] != hosts[page]:
                counts[graph.urls[target]] += 1
    return counts


def _redirects(graph: LinkGraph) -> dict[int, int]:
    """Where each redirect leads to, as far as that is in the web."""
    return {page: graph.targets[page][0] for page in graph.moved if graph.targets[page]}


def _end(moved: dict[int, int], page: int) -> int:
    for _ in range(_MAX_HOPS):
        if page not in moved:
            break
        page = moved[page]
    return page
