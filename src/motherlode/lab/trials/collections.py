"""Many subjects collected in one crawl: contenders side by side on a labelled web (SPEC T8).

Every contender has the same hits, seeds and budget. The hits are pages of each subject, drawn by
chance; the seeds are labelled pages on none of the subjects. A collection is the best 50 pages by
the centroids of the hits. Neither hits nor seeds count as found.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from motherlode.crawl.decisions import DraftOutcome
from motherlode.crawl.progress import Progress
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import unpack
from motherlode.lab.clock import run_virtually
from motherlode.lab.generated.dice import Dice
from motherlode.lab.linkgraph import itinerary, link_graph
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.trials.processes import spread
from motherlode.lab.trials.trial import Budget, TrialSetup, crawl_portal, throwaway
from motherlode.learning.matrix import Floats
from motherlode.policies.kind import LabelledWeb, load_policy
from motherlode.policies.registry import (
    BEST_FIRST,
    BREADTH_FIRST,
    ORACLE,
    TUNNEL,
    TUNNEL_2002,
)
from motherlode.policies.tunnel.subjects import fit_model
from motherlode.portal import Portal
from motherlode.records import Example, Origin, TopicId, UsageError
from motherlode.store.queries.path_records import path_rows
from motherlode.store.tables import frontier
from motherlode.store.tables.pages import vectors_of_all
from motherlode.topics import Planting
from motherlode.topics.tree_builder import Planted
from motherlode.urls import Address, address

COLLECTION_PAGES = 50
SMALL_COLLECTION_PAGES = 25
MIN_SEED_LINKS = 5
MAX_SEED_DRAWS = 500
_UNPLACED = TopicId(0)


class Contender(Struct, frozen=True):
    """A policy with its settings, under the name by which it is shown."""

    name: str
    policy: str
    settings: dict[str, object] = {}


CONTENDERS = (
    Contender(BREADTH_FIRST, BREADTH_FIRST),
    Contender(BEST_FIRST, BEST_FIRST),
    Contender(
        "tunnel-2002 0.35/0",
        TUNNEL_2002,
        {"tunnel.threshold": 0.35, "tunnel.cutoff": 0.0, "tunnel.adaptive": False},
    ),
    Contender("tunnel-2002 0.5/20", TUNNEL_2002, {"tunnel.adaptive": False}),
    Contender("tunnel-2002 0.5/20 adaptive", TUNNEL_2002),
    Contender("tunnel-2002 0.5/3", TUNNEL_2002, {"tunnel.cutoff": 3.0, "tunnel.adaptive": False}),
    Contender("tunnel-2002 0.5/3 adaptive", TUNNEL_2002, {"tunnel.cutoff": 3.0}),
    Contender(TUNNEL, TUNNEL),
    Contender(ORACLE, ORACLE),
)


class CollectionPlan(Struct, frozen=True):
    """The experiment: the web, the subjects and how many hits and seeds are drawn."""

    web: str
    subjects: tuple[str, ...]
    pages: Annotated[int, Meta(ge=1)]
    at: tuple[int, ...] = ()
    contenders: tuple[str, ...] = tuple(contender.name for contender in CONTENDERS)
    hits: Annotated[int, Meta(ge=1)] = 7
    seeds: Annotated[int, Meta(ge=1)] = 3
    seed: int = 1
    repeat: Annotated[int, Meta(ge=1)] = 1
    settings: dict[str, object] = {}


class CollectionTask(Struct, frozen=True):
    """One crawl of the experiment."""

    contender: str
    turn: int


class CollectionFigures(Struct, frozen=True):
    """The collections after a number of pages.

    `relevant` counts the relevant pages in all collections, `found` those among all fetched pages.
    `empty` counts subjects without a relevant page in their collection. `precision_25`,
    `precision_50` and `recall` are means over the subjects.
    """

    pages: int
    nuggets: int
    found: int
    relevant: int
    precision_25: float
    precision_50: float
    recall: float
    empty: int


class CollectionResult(Struct, frozen=True):
    """A crawl that is over, with its figures after each number of pages.

    `finds` are the places in the crawl of the relevant pages that were fetched.
    """

    task: CollectionTask
    figures: tuple[CollectionFigures, ...]
    frontier: int
    requests: int
    finds: tuple[int, ...]


class CollectionRow(Struct, frozen=True):
    """A contender's figures after a number of pages; means over the draws.

    `half_of_oracle` is after how many pages it had found half of what the oracle finds in all; None
    if it never had.
    """

    contender: str
    pages: int
    nuggets: float
    found: float
    relevant: float
    precision_25: float
    precision_50: float
    recall: float
    empty: float
    frontier: float
    requests: float
    half_of_oracle: float | None


def tasks(plan: CollectionPlan) -> list[CollectionTask]:
    """Return every crawl of the experiment."""
    return [
        CollectionTask(contender, turn)
        for turn in range(plan.repeat)
        for contender in plan.contenders
    ]


def collect(plan: CollectionPlan, jobs: int | None = None) -> Iterator[CollectionResult]:
    """Run every crawl, on as many processes as there are cores unless told, as they finish."""
    return spread(CollectionBench, plan, tasks(plan), jobs)


class CollectionBench:
    """A web that is opened once for many crawls."""

    def __init__(self, plan: CollectionPlan) -> None:
        self._plan = plan
        self._web = open_web(Path(plan.web))
        self._labels = self._web.labels()
        self._readings = Readings(self._web)

    def check(self) -> None:
        """Raise a `LodeError` for whatever is wrong with the plan."""
        known = {contender.name for contender in CONTENDERS}
        for name in self._plan.contenders:
            if name not in known:
                raise UsageError(f"There is no contender '{name}'; there are {', '.join(known)}.")
        for subject in self._plan.subjects:
            if len(self._labels.relevant(subject)) <= self._plan.hits:
                raise UsageError(
                    f"'{subject}' has too few pages for {self._plan.hits} hits; draw fewer."
                )
        self._seeds(0)

    def run(self, task: CollectionTask) -> CollectionResult:
        """Crawl by one contender, and return its figures."""
        plan = self._plan
        contender = next(each for each in CONTENDERS if each.name == task.contender)
        kind, hits, seeds = load_policy(contender.policy), self._hits(task), self._seeds(task.turn)
        settings = {
            "crawl.seeds": [seed.url for seed in seeds],
            "tunnel.max_hits": plan.hits,
            "tunnel.min_hits": min(plan.hits, 4),
            **({"crawl.policy": kind.name} if kind.is_for_portals else {}),
            **plan.settings,
            **contender.settings,
        }
        wanted = sum(map(len, hits.values()))
        setup = TrialSetup(
            kind=kind,
            seeds=seeds,
            budget=Budget(plan.pages + wanted),
            timing=Timing(),
            chance=plan.seed + task.turn,
            labels=self._labelled(hits, seeds),
        )
        journal = RequestCounter()
        with throwaway(_planting(hits), settings, Timing()) as portal:
            replay = Replay(self._web)
            run_virtually(crawl_portal(portal, replay, setup, self._readings, journal))
            return self._measured(task, portal, hits, journal.requests - wanted)

    def _measured(
        self,
        task: CollectionTask,
        portal: Portal,
        hits: Mapping[str, Sequence[str]],
        requests: int,
    ) -> CollectionResult:
        """Return the figures of a crawl by the centroids of its hits."""
        known = {url for urls in hits.values() for url in urls}
        with portal.store.reading() as session:
            model = fit_model(session, portal, with_meanings=task.contender == TUNNEL)
            if model is None:
                raise UsageError("No subject has hits that can be read.")
            rows = [row for row in path_rows(session) if row.url not in known]
            vectors = vectors_of_all(session, {row.page for row in rows}, TERMS)
            waiting = frontier.size(session)
        bags = [unpack(vectors.get(row.page, b"")) for row in rows]
        correlations = model.centroids.correlations(bags)
        names = [portal.tree().path(TopicId(int(topic)))[0] for topic in model.centroids.subjects]
        places = {name.casefold(): place for place, name in enumerate(names)}
        subjects = [subject for subject in hits if _name(subject).casefold() in places]
        columns = [places[_name(subject).casefold()] for subject in subjects]
        seeds = {seed.url for seed in self._seeds(task.turn)}
        relevant = [self._labels.relevant(subject) - known - seeds for subject in subjects]
        measure = _Measure(
            [row.url for row in rows],
            correlations[:, columns],
            relevant,
            portal.config.tunnel.threshold,
            portal.config.tunnel.min_merit,
            by_labels=task.contender == ORACLE,
        )
        at = self._plan.at or (self._plan.pages,)
        everything = frozenset().union(*relevant)
        return CollectionResult(
            task,
            tuple(measure.after(pages) for pages in at),
            waiting,
            requests,
            tuple(place for place, row in enumerate(rows, 1) if row.url in everything),
        )

    def _hits(self, task: CollectionTask) -> dict[str, tuple[str, ...]]:
        """Return the hits of each subject; the same turn draws the same ones."""
        hits: dict[str, tuple[str, ...]] = {}
        taken: set[str] = set()
        for subject in self._plan.subjects:
            dice = Dice("hits", self._plan.seed + task.turn, subject)
            left = sorted(self._labels.relevant(subject) - taken)
            drawn = tuple(
                left.pop(dice.below(len(left))) for _ in range(min(self._plan.hits, len(left)))
            )
            taken.update(drawn)
            hits[subject] = drawn
        return hits

    def _seeds(self, turn: int) -> tuple[Address, ...]:
        """Return labelled pages with links that are on none of the subjects."""
        on = frozenset().union(*(self._labels.relevant(name) for name in self._plan.subjects))
        left = sorted(url for url, _ in self._labels.items() if url not in on)
        dice = Dice("off-topic seeds", self._plan.seed + turn)
        seeds: list[Address] = []
        for _ in range(min(MAX_SEED_DRAWS, len(left))):
            url = left.pop(dice.below(len(left)))
            documents = self._readings.examples([url])
            if documents and len(documents[0].links) >= MIN_SEED_LINKS:
                seeds.append(address(url))
            if len(seeds) == self._plan.seeds:
                return tuple(seeds)
        raise UsageError("The web has too few labelled pages off all subjects to begin from.")

    def _labelled(self, hits: Mapping[str, Sequence[str]], seeds: Sequence[Address]) -> LabelledWeb:
        """Return what the oracle knows; the hits count as found."""
        known = {url for urls in hits.values() for url in urls}
        on = frozenset().union(*(self._labels.relevant(name) for name in self._plan.subjects))
        relevant = on - known

        def way() -> dict[str, int]:
            order = itinerary(link_graph(self._web), [seed.url for seed in seeds], relevant, {})
            return {url: place for place, url in enumerate(order)}

        return LabelledWeb(relevant, way)


class RequestCounter:
    """Counts the requests of a crawl."""

    def __init__(self) -> None:
        self.requests = 0

    def note(self, _drafts: Sequence[DraftOutcome], progress: Progress) -> None:
        self.requests = progress.requests


class _Measure:
    """The collections of a crawl after any number of pages."""

    def __init__(
        self,
        urls: Sequence[str],
        correlations: Floats,
        relevant: Sequence[frozenset[str]],
        threshold: float,
        min_merit: float,
        *,
        by_labels: bool,
    ) -> None:
        self._urls, self._relevant = urls, relevant
        self._threshold, self._min_merit, self._by_labels = threshold, min_merit, by_labels
        self._nearest = correlations.argmax(axis=1)
        self._merits = correlations.max(axis=1) if len(correlations) else np.zeros(0)

    def after(self, pages: int) -> CollectionFigures:
        """Return the figures of the collections after a number of pages."""
        collections = [self._collection(subject, pages) for subject in range(len(self._relevant))]
        right = [
            [url in relevant for url in urls]
            for urls, relevant in zip(collections, self._relevant, strict=True)
        ]
        fetched = set(self._urls[:pages])
        return CollectionFigures(
            pages=pages,
            nuggets=int((self._merits[:pages] >= self._threshold).sum()),
            found=len(fetched & frozenset().union(*self._relevant)),
            relevant=sum(map(sum, right)),
            precision_25=_mean_share(hits[:SMALL_COLLECTION_PAGES] for hits in right),
            precision_50=_mean_share(right),
            recall=fmean(
                sum(hits) / max(1, len(relevant))
                for hits, relevant in zip(right, self._relevant, strict=True)
            ),
            empty=sum(not any(hits) for hits in right),
        )

    def _collection(self, subject: int, pages: int) -> list[str]:
        if self._by_labels:  # the ceiling of all judges
            relevant = self._relevant[subject]
            return [url for url in self._urls[:pages] if url in relevant][:COLLECTION_PAGES]
        is_near = (self._nearest[:pages] == subject) & (self._merits[:pages] >= self._min_merit)
        near = np.flatnonzero(is_near)
        order = near[np.argsort(-self._merits[near], kind="stable")][:COLLECTION_PAGES]
        return [self._urls[place] for place in order.tolist()]


def collection_rows(
    plan: CollectionPlan, results: Sequence[CollectionResult]
) -> list[CollectionRow]:
    """Return a row for each contender and number of pages, in the order of the plan."""
    halves = {
        result.task.turn: len(result.finds) / 2
        for result in results
        if result.task.contender == ORACLE
    }
    at = plan.at or (plan.pages,)
    return [
        _row(contender, place, [one for one in results if one.task.contender == contender], halves)
        for contender in plan.contenders
        for place in range(len(at))
    ]


def _row(
    contender: str, place: int, results: Sequence[CollectionResult], halves: Mapping[int, float]
) -> CollectionRow:
    figures = [result.figures[place] for result in results]
    reached = [_reached(result, halves.get(result.task.turn)) for result in results]
    known = [pages for pages in reached if pages is not None]
    return CollectionRow(
        contender=contender,
        pages=figures[0].pages,
        nuggets=fmean(one.nuggets for one in figures),
        found=fmean(one.found for one in figures),
        relevant=fmean(one.relevant for one in figures),
        precision_25=fmean(one.precision_25 for one in figures),
        precision_50=fmean(one.precision_50 for one in figures),
        recall=fmean(one.recall for one in figures),
        empty=fmean(one.empty for one in figures),
        frontier=fmean(result.frontier for result in results),
        requests=fmean(result.requests for result in results),
        half_of_oracle=fmean(known) if known and len(known) == len(reached) else None,
    )


def _reached(result: CollectionResult, half: float | None) -> int | None:
    """Return after how many pages a crawl had half of the oracle's finds."""
    if half is None:
        return None
    place = max(0, int(np.ceil(half)) - 1)
    return result.finds[place] if place < len(result.finds) else None


def _mean_share(groups: "Iterator[list[bool]] | Sequence[list[bool]]") -> float:
    return fmean(fmean(hits) if hits else 0.0 for hits in groups)


def _planting(hits: Mapping[str, Sequence[str]]) -> Planting:
    """Return a topic for each subject, with its hits."""
    return Planting(
        tuple(
            Planted(
                (_name(subject),),
                tuple(Example(_UNPLACED, url, origin=Origin.HIT) for url in urls),
            )
            for subject, urls in hits.items()
        )
    )


def _name(subject: str) -> str:
    """Return the name of a subject's topic: its whole path, as names of paths may repeat."""
    return subject.replace("/", " ")
