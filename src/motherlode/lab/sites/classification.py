"""Classification of sites by cross-validation (Ester, Kriegel and Schubert 2004, Table 2).

The labelled sites are divided into folds, the relevant ones and the others each by chance. The
sites of each fold are judged by a classifier that was fitted to the other folds. F, precision and
recall are those of all sites of a subject together.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from motherlode.lab.generated.dice import Dice
from motherlode.lab.loader import open_web
from motherlode.lab.sites.labelled_sites import LabelledSites
from motherlode.lab.sites.site_classifiers import (
    Classification,
    ContrastClassifier,
    HomepageClassifier,
    PublishedClassifier,
    SiteClassifier,
)
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.trials.processes import spread
from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.options import (
    ACCURATE_THRESHOLD,
    FAST_THRESHOLD,
    WebsitesOptions,
)
from motherlode.records import UsageError

ALL_SUBJECTS = "mean"
MIN_SITES = 3  # of a subject, two of which are learned from at least
FOLDS = 10

WEBSITES_ONE_PAGE = f"{WEBSITES} home page"
PUBLISHED_ACCURATE = f"{WEBSITES_2004} {ACCURATE_THRESHOLD}"
PUBLISHED_FAST = f"{WEBSITES_2004} {FAST_THRESHOLD}"
HOMEPAGE = "homepage"
CLASSIFIERS = (WEBSITES, PUBLISHED_ACCURATE, PUBLISHED_FAST, HOMEPAGE, WEBSITES_ONE_PAGE)


class ClassificationPlan(Struct, frozen=True):
    """The experiment: the web, the subjects, and how the sites are divided."""

    web: str
    subjects: tuple[str, ...]
    classifiers: tuple[str, ...] = CLASSIFIERS
    folds: Annotated[int, Meta(ge=2)] = FOLDS
    seed: int = 1
    repeat: Annotated[int, Meta(ge=1)] = 1
    options: WebsitesOptions = WebsitesOptions()


class ClassificationTask(Struct, frozen=True):
    """The cross-validation of one classifier on one subject."""

    subject: str
    classifier: str
    turn: int


class Classified(Struct, frozen=True):
    """A site that was judged, with what is true of it."""

    site: str
    truth: bool
    verdict: Classification


class ClassificationResult(Struct, frozen=True):
    """A cross-validation that is over."""

    task: ClassificationTask
    sites: tuple[Classified, ...]


class ClassificationRow(Struct, frozen=True):
    """How well a classifier does on a subject, or on the mean of all; means over the draws.

    `sites` are the relevant ones, `pages` the pages read of each site, relevant or not.
    """

    classifier: str
    subject: str
    sites: float
    f: float
    precision: float
    recall: float
    pages: float
    wrong: tuple[str, ...] = ()


def tasks(plan: ClassificationPlan) -> list[ClassificationTask]:
    """Return every cross-validation of the experiment."""
    return [
        ClassificationTask(subject, classifier, turn)
        for turn in range(plan.repeat)
        for classifier in plan.classifiers
        for subject in plan.subjects
    ]


def classify(plan: ClassificationPlan, jobs: int | None = None) -> Iterator[ClassificationResult]:
    """Run every cross-validation, on as many processes as there are cores unless told."""
    return spread(ClassificationBench, plan, tasks(plan), jobs)


class ClassificationBench:
    """The labelled sites of a web, each page of which is read once."""

    def __init__(self, plan: ClassificationPlan) -> None:
        self._plan = plan
        web = open_web(Path(plan.web))
        self._sites = LabelledSites(web, Readings(web))

    def check(self) -> None:
        """Raise a `LodeError` for whatever is wrong with the plan."""
        for classifier in self._plan.classifiers:
            if classifier not in CLASSIFIERS:
                raise UsageError(
                    f"There is no classifier '{classifier}'; there are {', '.join(CLASSIFIERS)}."
                )
        for subject in self._plan.subjects:
            sites = len(self._sites.of_subject(subject))
            if sites < MIN_SITES or sites > len(self._sites.labels) - MIN_SITES:
                raise UsageError(f"'{subject}' has {sites} sites, and the other subjects too few.")

    def run(self, task: ClassificationTask) -> ClassificationResult:
        """Judge every labelled site by a classifier that has not seen it."""
        plan = self._plan
        relevant = self._sites.of_subject(task.subject)
        others = [site for site in self._sites.labels if site not in relevant]
        dice = Dice("folds", plan.seed + task.turn, task.subject)
        groups = [_folds(sites, plan.folds, dice) for sites in (relevant, others)]
        judged: list[Classified] = []
        for fold in range(plan.folds):
            if not any(group[fold] for group in groups):
                continue
            classifier = self._classifier(task.classifier, task.turn).fit(
                *[[site for place, part in enumerate(group) if place != fold for site in part]
                  for group in groups]
            )  # fmt: skip
            judged += [
                Classified(site, truth, classifier.judge(site))
                for group, truth in zip(groups, (True, False), strict=True)
                for site in group[fold]
            ]
        return ClassificationResult(task, tuple(judged))

    def _classifier(self, name: str, turn: int) -> SiteClassifier:
        options, seed = self._plan.options, self._plan.seed + turn
        if name == HOMEPAGE:
            return HomepageClassifier(self._sites, seed)
        if name == WEBSITES:
            return ContrastClassifier(self._sites, options)
        if name == WEBSITES_ONE_PAGE:
            return ContrastClassifier(self._sites, options, most=1)
        threshold = ACCURATE_THRESHOLD if name == PUBLISHED_ACCURATE else FAST_THRESHOLD
        return PublishedClassifier(self._sites, replace(options, threshold=threshold), seed)


def classification_rows(
    plan: ClassificationPlan, results: Sequence[ClassificationResult]
) -> list[ClassificationRow]:
    """Return a row for each classifier and subject, and one for the mean of the subjects."""
    rows: list[ClassificationRow] = []
    for classifier in plan.classifiers:
        of_classifier = [
            _row([result for result in results if _is_of(result.task, classifier, subject)])
            for subject in plan.subjects
        ]
        rows += of_classifier
        if len(of_classifier) > 1:
            rows.append(_mean_row(of_classifier))
    return rows


def f_measure(precision: float, recall: float) -> float:
    """Return the harmonic mean.

    >>> f_measure(0.5, 1.0), f_measure(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def precision_and_recall(sites: Sequence[Classified]) -> tuple[float, float]:
    """Return the share of relevant sites among those judged so, and the reverse."""
    right = sum(site.truth and site.verdict.is_relevant for site in sites)
    judged = sum(site.verdict.is_relevant for site in sites)
    relevant = sum(site.truth for site in sites)
    return right / judged if judged else 0.0, right / relevant if relevant else 0.0


def _is_of(task: ClassificationTask, classifier: str, subject: str) -> bool:
    return task.classifier == classifier and task.subject == subject


def _row(results: Sequence[ClassificationResult]) -> ClassificationRow:
    """Return the means over the draws of one classifier and subject."""
    shares = [precision_and_recall(result.sites) for result in results]
    wrong = {
        site.site
        for result in results
        for site in result.sites
        if site.truth != site.verdict.is_relevant
    }
    return ClassificationRow(
        classifier=results[0].task.classifier,
        subject=results[0].task.subject,
        sites=fmean(sum(site.truth for site in result.sites) for result in results),
        f=fmean(f_measure(*pair) for pair in shares),
        precision=fmean(precision for precision, _ in shares),
        recall=fmean(recall for _, recall in shares),
        pages=fmean(site.verdict.pages for result in results for site in result.sites),
        wrong=tuple(sorted(wrong)),
    )


def _mean_row(rows: Sequence[ClassificationRow]) -> ClassificationRow:
    """Return the means over the subjects."""
    return ClassificationRow(
        classifier=rows[0].classifier,
        subject=ALL_SUBJECTS,
        sites=fmean(row.sites for row in rows),
        f=fmean(row.f for row in rows),
        precision=fmean(row.precision for row in rows),
        recall=fmean(row.recall for row in rows),
        pages=fmean(row.pages for row in rows),
    )


def _folds(sites: Sequence[str], folds: int, dice: Dice) -> list[list[str]]:
    """Divide sites by chance into groups of nearly one size."""
    left = sorted(sites)
    mixed = [left.pop(dice.below(len(left))) for _ in range(len(left))]
    return [mixed[fold::folds] for fold in range(folds)]
