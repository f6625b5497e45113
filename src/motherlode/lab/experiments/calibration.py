"""How far the probabilities and estimates of crawls are from the labels (SPEC B9).

Every topic is crawled from several numbers of examples. The probabilities of all crawls from the
same number are compared with the labels together, the estimates of precision crawl by crawl.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from motherlode.lab.clock import run_virtually
from motherlode.lab.defaults import RANDOM_SEED, REPEATS
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.trials.processes import spread
from motherlode.lab.trials.seeds import check_seeds, draw_seeds
from motherlode.lab.trials.trial import (
    Budget,
    TrialSetup,
    crawl_portal,
    plant_topic,
    policy_settings,
    throwaway,
)
from motherlode.learning.calibration import certainty
from motherlode.learning.precision import estimate_precision
from motherlode.policies.kind import load_policy
from motherlode.policies.registry import BINGO
from motherlode.portal import Portal
from motherlode.records import MeanProbability
from motherlode.store.tables.judgements import judged_pages, judgements_of
from motherlode.store.tables.pages import urls_of_pages
from motherlode.training.topic_model import latest_classifier
from motherlode.urls import Address

_BINS = 10


class CalibrationExperiment(Struct, frozen=True):
    """What to run; each topic is crawled from each of these numbers of examples."""

    web: str
    topics: tuple[str, ...]
    examples: tuple[int, ...] = (5, 20, 50)
    pages: int = 600
    seed: int = RANDOM_SEED
    repeat: Annotated[int, Meta(ge=1)] = REPEATS


class CalibrationTask(Struct, frozen=True):
    """One crawl, on a topic from one draw of examples."""

    topic: str
    examples: int
    turn: int


class AcceptedPage(Struct, frozen=True):
    """A page that a crawl put on the topic: its probability, and whether it is right."""

    probability: float
    right: bool


class CalibrationTrial(Struct, frozen=True):
    """The accepted pages of one crawl, without its examples, and the estimates of its precision."""

    task: CalibrationTask
    pages: tuple[AcceptedPage, ...]
    estimate: float | None
    xi_alpha: float

    @property
    def precision(self) -> float | None:
        return _mean([float(page.right) for page in self.pages])


class CalibrationRow(Struct, frozen=True):
    """All crawls from one number of examples.

    `error` is the expected calibration error of the probabilities. The errors of estimates are mean
    absolute errors, crawl by crawl.
    """

    examples: int
    crawls: int
    pages: int
    error: float
    precision: float | None
    estimate_error: float | None
    xi_alpha_error: float | None


class ProbabilityGroup(Struct, frozen=True):
    """The accepted pages of all crawls in one group: a certainty, or a tenth of probabilities."""

    name: str
    pages: int
    probability: float | None
    right: float | None


class CalibrationResult(Struct, frozen=True):
    """A row for each number of examples, and one for all of them together, with 0 examples.

    `certainties` and `tenths` group the pages of all crawls; the first have users' words for names.
    """

    experiment: CalibrationExperiment
    rows: list[CalibrationRow]
    certainties: list[ProbabilityGroup] = []
    tenths: list[ProbabilityGroup] = []


def expected_calibration_error(
    probabilities: Sequence[float], outcomes: Sequence[bool], bins: int = _BINS
) -> float:
    """Return the mean difference of probability and outcome over bins of equal width.

    Each bin counts by its size (Naeini, Cooper and Hauskrecht, AAAI 2015).

    >>> round(expected_calibration_error([0.9, 0.9, 0.2, 0.2], [True, True, False, False]), 2)
    0.15
    """
    values, rights = np.asarray(probabilities, float), np.asarray(outcomes, float)
    if not len(values):
        return 0.0
    bin_of = np.minimum((values * bins).astype(int), bins - 1)
    gaps = np.bincount(bin_of, values - rights, minlength=bins)
    return float(np.abs(gaps).sum() / len(values))


class CalibrationBench:
    """A web, open for many crawls."""

    def __init__(self, experiment: CalibrationExperiment) -> None:
        self._experiment = experiment
        self._web = open_web(Path(experiment.web))
        self._readings = Readings(self._web)

    def check(self) -> None:
        for task in calibration_tasks(self._experiment):
            check_seeds(self._web, self._seeds(task), self._experiment.pages)

    def run(self, task: CalibrationTask) -> CalibrationTrial:
        seeds, timing, kind = self._seeds(task), Timing(), load_policy(BINGO)
        relevant = self._web.labels().relevant(task.topic)
        with throwaway(plant_topic(seeds), policy_settings(kind), timing) as portal:
            setup = TrialSetup(kind, seeds, Budget(self._experiment.pages), timing)
            run_virtually(crawl_portal(portal, Replay(self._web, timing), setup, self._readings))
            pages = tuple(_accepted_pages(portal, relevant, {seed.url for seed in seeds}))
            xi_alpha = _xi_alpha(portal)
        mean = _mean([page.probability for page in pages])
        known = None if mean is None else MeanProbability(mean, len(pages))
        estimate = estimate_precision(known, task.examples)
        value = None if estimate is None else estimate.value
        return CalibrationTrial(task, pages, value, xi_alpha)

    def _seeds(self, task: CalibrationTask) -> tuple[Address, ...]:
        seed = self._experiment.seed + task.turn
        return draw_seeds(self._web.labels(), task.topic, task.examples, seed)


def _accepted_pages(
    portal: Portal, relevant: Collection[str], seeds: Collection[str]
) -> Iterator[AcceptedPage]:
    with portal.store.reading() as session:
        pages = judged_pages(session)
        urls, judgements = urls_of_pages(session, pages), judgements_of(session, pages)
    for page, judgement in judgements.items():
        if urls[page] not in seeds and judgement.probability is not None:
            yield AcceptedPage(judgement.probability, urls[page] in relevant)


def _xi_alpha(portal: Portal) -> float:
    tree = portal.tree()
    with portal.store.reading() as session:
        classifier = latest_classifier(session, tree)
    if classifier is None:
        return 0.0
    planes = [plane for topic in classifier.parents for plane in classifier.planes(topic).values()]
    return max((plane.precision for plane in planes), default=0.0)


def calibration_tasks(experiment: CalibrationExperiment) -> list[CalibrationTask]:
    """Return every crawl of an experiment."""
    return [
        CalibrationTask(topic, examples, turn)
        for topic in experiment.topics
        for examples in experiment.examples
        for turn in range(experiment.repeat)
    ]


def run_calibration(
    experiment: CalibrationExperiment, jobs: int | None = None
) -> Iterator[CalibrationTrial]:
    """Yield each crawl as it finishes, on this many processes."""
    return spread(CalibrationBench, experiment, calibration_tasks(experiment), jobs)


def calibration_result(
    experiment: CalibrationExperiment, trials: Sequence[CalibrationTrial]
) -> CalibrationResult:
    """Return a row for each number of examples, one for all crawls, and the groups of pages."""
    rows = [
        _row(number, [trial for trial in trials if trial.task.examples == number])
        for number in experiment.examples
    ]
    pages = [page for trial in trials for page in trial.pages]
    return CalibrationResult(
        experiment=experiment,
        rows=[*rows, _row(0, trials)],
        certainties=_groups(pages, lambda page: certainty(page.probability)),
        tenths=_groups(
            pages, lambda page: f"{min(int(page.probability * _BINS), _BINS - 1) / _BINS:.1f}"
        ),
    )


def _groups(
    pages: Sequence[AcceptedPage], name_of: Callable[[AcceptedPage], str]
) -> list[ProbabilityGroup]:
    """Return groups of pages by name, the most probable first."""
    groups: dict[str, list[AcceptedPage]] = {}
    for page in sorted(pages, key=lambda page: -page.probability):
        groups.setdefault(name_of(page), []).append(page)
    return [
        ProbabilityGroup(
            name=name,
            pages=len(group),
            probability=_mean([page.probability for page in group]),
            right=_mean([float(page.right) for page in group]),
        )
        for name, group in groups.items()
    ]


def _row(examples: int, trials: Sequence[CalibrationTrial]) -> CalibrationRow:
    pages = [page for trial in trials for page in trial.pages]
    known = [(trial, trial.precision) for trial in trials]
    estimates = [
        abs(trial.estimate - precision)
        for trial, precision in known
        if precision is not None and trial.estimate is not None
    ]
    xi_alphas = [
        abs(trial.xi_alpha - precision) for trial, precision in known if precision is not None
    ]
    precisions = [precision for _, precision in known if precision is not None]
    return CalibrationRow(
        examples=examples,
        crawls=len(trials),
        pages=len(pages),
        error=expected_calibration_error(
            [page.probability for page in pages], [page.right for page in pages]
        ),
        precision=_mean(precisions),
        estimate_error=_mean(estimates),
        xi_alpha_error=_mean(xi_alphas),
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
