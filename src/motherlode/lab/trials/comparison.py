"""Policies side by side: the same web, seeds and budget for each, repeated over draws of the
seeds.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from motherlode.lab.copies import Copies, copies_in
from motherlode.lab.defaults import COMPARISON_SEEDS, CONNECTIONS, RANDOM_SEED, REPEATS
from motherlode.lab.linkgraph import LinkGraph, back_links, itinerary, link_graph
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Timing
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.trials.measures import LoggedFetch, Measures, average, measure
from motherlode.lab.trials.processes import spread
from motherlode.lab.trials.seeds import Seeds, check_seeds, draw_seeds
from motherlode.lab.trials.trial import Budget, TrialSetup, run_trial
from motherlode.policies.kind import LabelledWeb, load_policy
from motherlode.records import UsageError
from motherlode.urls import Address

BACK_LINK_LEVELS = 4  # that policies which need back-links are given
BACK_LINKS = 50  # of a URL, and pages of a level whose back-links are listed


class Comparison(Struct, frozen=True):
    """What to run."""

    web: str
    topics: tuple[str, ...]
    policies: tuple[str, ...]
    pages: Annotated[int, Meta(ge=1)]
    seeds: Seeds = COMPARISON_SEEDS
    seed: int = RANDOM_SEED
    repeat: Annotated[int, Meta(ge=1)] = REPEATS
    connections: Annotated[int, Meta(ge=1)] = CONNECTIONS
    requests: Annotated[int, Meta(ge=1)] | None = None  # None: 20 a page
    timing: Timing = Timing()


class Task(Struct, frozen=True):
    """One trial of a comparison."""

    topic: str
    policy: str
    turn: int


class Finished(Struct, frozen=True):
    """A trial that is over."""

    task: Task
    measures: Measures
    requests: int
    seconds: float
    virtual_seconds: float
    log: list[LoggedFetch]


class ComparisonRow(Struct, frozen=True):
    """A policy's result on a topic; means over the repeats."""

    policy: str
    topic: str
    pages: float
    requests: float
    max_requests: int
    relevant: float
    harvest_rate: float
    recall: float | None
    relevant_hosts: float
    seconds: float
    virtual_seconds: float
    failed: float
    pages_per_relevant_site: float | None
    precision_at: dict[int, float]
    curve: list[tuple[int, float]]
    web: str
    budget: int
    seeds: int
    seed: int
    repeat: int
    runs: list[Measures]


def tasks(comparison: Comparison) -> list[Task]:
    """Every trial, those on one topic together: they share what was read."""
    return [
        Task(topic, policy, turn)
        for topic in comparison.topics
        for turn in range(comparison.repeat)
        for policy in comparison.policies
    ]


class ComparisonBench:
    """A web laid open for many trials: what is read once serves all of them."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._web = open_web(Path(comparison.web))
        self._readings = Readings(self._web)
        self._graph: LinkGraph | None = None
        self._same: Copies | None = None

    def check(self) -> None:
        """Everything that can be wrong with a comparison, before it takes any time."""
        for name in self._comparison.policies:
            load_policy(name)
        for topic in self._comparison.topics:
            seeds = self._seeds(topic, 0)
            check_seeds(self._web, seeds, self._comparison.pages)
            self._check_requests(len(seeds))
        kinds = [load_policy(name) for name in self._comparison.policies]
        if any(kind.needs_labels or kind.needs_back_links for kind in kinds):
            link_graph(self._web)

    def _check_requests(self, seeds: int) -> None:
        requests = self._budget().max_requests
        if requests < seeds:
            raise UsageError(f"{seeds} seeds need more than {requests} requests; allow more.")

    def _budget(self) -> Budget:
        plan = self._comparison
        return Budget(plan.pages, min(plan.connections, plan.pages), plan.requests)

    def run(self, task: Task) -> Finished:
        comparison = self._comparison
        seeds = self._seeds(task.topic, task.turn)
        relevant = self._web.labels().relevant(task.topic)
        kind = load_policy(task.policy)
        setup = TrialSetup(
            kind=kind,
            seeds=seeds,
            budget=self._budget(),
            timing=comparison.timing,
            chance=comparison.seed + task.turn,
            labels=LabelledWeb(relevant, lambda: self._way([seed.url for seed in seeds], relevant)),
            back_links=self._back_links(seeds) if kind.needs_back_links else (),
        )
        trial = run_trial(self._web, setup, self._readings)
        measures = self._measured(trial.log, relevant, seeds)
        return Finished(
            task, measures, trial.requests, trial.seconds, trial.virtual_seconds, trial.log
        )

    def _measured(
        self, log: Sequence[LoggedFetch], relevant: frozenset[str], seeds: Sequence[Address]
    ) -> Measures:
        """The figures of a log in which one content is one find, however many copies of it there
        are.
        """
        copies = self._copies()
        contents = frozenset(copies.get(url, url) for url in relevant)
        total = len(contents - {copies.get(seed.url, seed.url) for seed in seeds})
        known = [replace(one, url=copies.get(one.url, one.url)) for one in log]
        return measure(known, contents.__contains__, total, self._comparison.pages)

    def _copies(self) -> Copies:
        if self._same is None:
            self._same = copies_in(self._web)
        return self._same

    def _seeds(self, topic: str, turn: int) -> tuple[Address, ...]:
        plan = self._comparison
        return draw_seeds(self._web.labels(), topic, plan.seeds, plan.seed + turn)

    def _way(self, seeds: Sequence[str], relevant: frozenset[str]) -> Mapping[str, int]:
        way = itinerary(self._links(), seeds, relevant, self._copies())
        return {url: place for place, url in enumerate(way)}

    def _back_links(self, seeds: Sequence[Address]) -> tuple[tuple[str, str], ...]:
        urls = [seed.url for seed in seeds]
        return tuple(back_links(self._links(), urls, BACK_LINK_LEVELS, BACK_LINKS))

    def _links(self) -> LinkGraph:
        if self._graph is None:
            self._graph = link_graph(self._web)
        return self._graph


def compare(comparison: Comparison, jobs: int | None = None) -> Iterator[Finished]:
    """Run every trial, on so many processes (as many as there are cores, if not told), as they
    finish.
    """
    return spread(ComparisonBench, comparison, tasks(comparison), jobs)


def rows(comparison: Comparison, finished: Sequence[Finished]) -> list[ComparisonRow]:
    """One row a policy and topic, in the order they were asked for."""
    return [
        _row(comparison, topic, policy, group)
        for topic in comparison.topics
        for policy in comparison.policies
        if (
            group := [
                one for one in finished if (one.task.topic, one.task.policy) == (topic, policy)
            ]
        )
    ]


def _row(comparison: Comparison, topic: str, policy: str, group: list[Finished]) -> ComparisonRow:
    runs = [one.measures for one in sorted(group, key=lambda one: one.task.turn)]
    mean = average(runs)
    seeds = comparison.seeds
    return ComparisonRow(
        policy=policy,
        topic=topic,
        pages=_whole(mean.pages),
        requests=_whole(fmean(one.requests for one in group)),
        max_requests=Budget(comparison.pages, requests=comparison.requests).max_requests,
        relevant=_whole(mean.relevant),
        harvest_rate=mean.harvest_rate,
        recall=mean.recall,
        relevant_hosts=_whole(mean.relevant_hosts),
        seconds=sum(one.seconds for one in group),
        virtual_seconds=sum(one.virtual_seconds for one in group),
        failed=_whole(mean.failed),
        pages_per_relevant_site=mean.pages_per_relevant_site,
        precision_at=mean.precision_at,
        curve=[(pages, _whole(found)) for pages, found in mean.curve],
        web=comparison.web,
        budget=comparison.pages,
        seeds=seeds if isinstance(seeds, int) else len(seeds),
        seed=comparison.seed,
        repeat=comparison.repeat,
        runs=runs if len(runs) > 1 else [],
    )


def _whole(figure: float) -> float:
    """Whole figures are shown as such."""
    return int(figure) if figure == int(figure) else figure
