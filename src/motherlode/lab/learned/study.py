"""All methods on all portals of a draw, and the means of their figures."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.features.meanings import Meanings
from motherlode.documents.features.spaces import SPACES, TERMS
from motherlode.lab.learned import baselines, trees
from motherlode.lab.learned.figures import Figures, MethodScores, mean, measured
from motherlode.lab.learned.pages import LabelledPages, Mask, Progress, silent
from motherlode.lab.learned.portals import (
    TREE,
    Draw,
    Lesson,
    SampledPortal,
    lesson,
    number_of_portals,
    portals,
)
from motherlode.learning.model_selection import FEATURE_COUNTS, choose_settings
from motherlode.learning.options import SETTINGS, SettingName, VotingRule
from motherlode.learning.plane_distances import PlaneDistances
from motherlode.learning.term_evidence import SEMANTIC
from motherlode.learning.tree import ROOT, TreeClassifier

ALL_SPACES = tuple(SPACES)
_SINGLE = VotingRule.WEIGHTED  # of one space alone, every rule says the same
_PAPER = (VotingRule.UNANIMOUS, VotingRule.WEIGHTED)  # of the learning and of the harvesting phase
_CHOSEN = 0  # in place of a number of features: the one that xi-alpha chooses


class Estimate(Struct, frozen=True):
    """Of one topic's plane in one space: what xi-alpha expects, and what unseen pages show."""

    topic: str
    space: str
    expected_precision: float
    expected_recall: float
    found: Figures


def estimates(
    tree: TreeClassifier,
    portal: SampledPortal,
    apart: Mapping[int, PlaneDistances],
    relevant: Mapping[str, Mask],
) -> Iterator[Estimate]:
    """For each topic that stands right below the root: every unseen page comes before its plane."""
    told = apart.get(ROOT)
    for topic in portal.topics:
        number = portal.numbers[topic]
        if told is None or portal.parents[number] != ROOT or not relevant[topic].any():
            continue
        for space, plane in tree.planes(number).items():
            column = int(np.searchsorted(told.topics, number))
            distances = told.distances[told.spaces.index(space), :, column]
            sure = np.nan_to_num(distances, nan=-1.0)
            found = measured(
                MethodScores({topic: sure}, {topic: sure > 0}), {topic: relevant[topic]}
            )[topic]
            yield Estimate(topic, space, plane.precision, plane.recall, found)


class Choice(Struct, frozen=True):
    """Of one topic: the space of the highest expected precision, the one that is best, and the
    first.
    """

    chosen: str
    chosen_average_precision: float
    best_average_precision: float
    first_average_precision: float


def choices(found: Sequence[Estimate]) -> Iterator[Choice]:
    """What choosing one space for each topic by xi-alpha comes to; of equals, the first
    is chosen.
    """
    for topic in dict.fromkeys(one.topic for one in found):
        of_topic = [one for one in found if one.topic == topic]
        chosen = max(of_topic, key=lambda one: one.expected_precision)
        yield Choice(
            chosen.space,
            chosen.found.average_precision,
            max(one.found.average_precision for one in of_topic),
            of_topic[0].found.average_precision,
        )


class MethodRow(Struct, frozen=True):
    """A method's means over every topic of every portal of a kind."""

    portal: str
    method: str
    examples: int
    topics: int
    precision: float
    recall: float
    f1: float
    average_precision: float


class Expected(Struct, frozen=True):
    """What xi-alpha expected of the planes of a setting in a space, beside what unseen pages
    showed.
    """

    portal: str
    setting: str
    space: str
    examples: int
    topics: int
    expected_precision: float
    precision: float
    expected_recall: float
    recall: float
    precision_too_high: float  # share of the topics of which too much was expected
    recall_too_high: float


class Chosen(Struct, frozen=True):
    """Average precision if xi-alpha chooses one space a topic, if the best were known, and of the
    first.
    """

    portal: str
    setting: str
    examples: int
    chosen: float
    best: float
    first: float
    how_often: dict[str, int]


class Features(Struct, frozen=True):
    """Average precision by the number of features, and of the number that xi-alpha chooses."""

    portal: str
    examples: int
    by_number: dict[int, float]
    chosen: float
    how_often: dict[int, int]


class StudyFindings(Struct, frozen=True):
    """All that a study found. `settings` has the names of what was compared."""

    web: str
    pages: int
    draw: Draw
    spaces: tuple[str, ...]
    rows: list[MethodRow]
    expected: list[Expected]
    chosen: list[Chosen]
    features: list[Features]


def study(
    web: str,
    pages: LabelledPages,
    draw: Draw,
    spaces: Sequence[str] = ALL_SPACES,
    told: Progress = silent,
    meanings: Meanings | None = None,
) -> StudyFindings:
    """Draw portals, let every method learn from each, and see what it makes of the other pages.

    With `meanings`, terms are also tried with what they mean.
    """
    baselines.check_library()
    notes = _Notes(pages, tuple(spaces), meanings)
    total = number_of_portals(draw) * len(draw.examples)
    for place, portal in enumerate(portals(pages, draw)):
        for turn, number in enumerate(draw.examples):
            told(place * len(draw.examples) + turn, total)
            notes.take(portal, number)
    told(total, total)
    named = tuple(spaces) if meanings is None else (*spaces, SEMANTIC)
    return StudyFindings(
        web,
        len(pages),
        draw,
        named,
        notes.rows(),
        notes.expected(),
        notes.chosen(),
        notes.features(),
    )


class _Notes:
    """The figures of each topic, by what they are of."""

    def __init__(
        self, pages: LabelledPages, spaces: tuple[str, ...], meanings: Meanings | None
    ) -> None:
        self._pages = pages
        self._spaces = spaces
        self._meanings = meanings
        self._on: dict[str, Mask] = {}
        self._figures: defaultdict[tuple[str, str, int], list[Figures]] = defaultdict(list)
        self._estimates: defaultdict[tuple[str, str, str, int], list[Estimate]] = defaultdict(list)
        self._choices: defaultdict[tuple[str, str, int], list[Choice]] = defaultdict(list)
        self._numbers: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        self._by_number: defaultdict[tuple[str, int, int], list[float]] = defaultdict(list)

    def take(self, portal: SampledPortal, number: int) -> None:
        taught = lesson(portal, self._pages, number, self._spaces)
        relevant = {topic: self._relevant(topic)[portal.unseen] for topic in portal.topics}

        def note(method: str, judged: MethodScores) -> None:
            self._figures[portal.kind, method, number] += measured(judged, relevant).values()

        for name in SettingName:
            apart = self._fitted(name, portal, number, taught, relevant)
            learned = {space for one in apart.values() for space in one.spaces}
            for method, spaces, rule in _methods(name, self._spaces):
                if learned & set(spaces):  # else it had nothing to tell the topics from
                    note(method, trees.judged(portal, apart, spaces, rule))
        if self._meanings is not None:
            tree = trees.fitted(taught, SETTINGS[SettingName.DEFAULT], (TERMS,), self._meanings)
            apart = trees.distances(tree, portal, self._pages)
            note(f"{TERMS}, {SEMANTIC}", trees.judged(portal, apart, (TERMS,), _SINGLE))
        made = baselines.matrices(portal, taught, self._pages)
        for method, learn in baselines.BASELINES.items():
            note(method, baselines.judged(portal, learn(made)))
        self._count_features(portal, number, taught, relevant)

    def _fitted(
        self,
        name: SettingName,
        portal: SampledPortal,
        number: int,
        taught: Lesson,
        relevant: Mapping[str, Mask],
    ) -> dict[int, PlaneDistances]:
        tree = trees.fitted(taught, SETTINGS[name], self._spaces)
        apart = trees.distances(tree, portal, self._pages)
        if portal.kind != TREE:
            found = list(estimates(tree, portal, apart, relevant))
            self._choices[portal.kind, name, number] += choices(found)
            for one in found:
                self._estimates[portal.kind, name, one.space, number].append(one)
        return apart

    def _count_features(
        self, portal: SampledPortal, number: int, taught: Lesson, relevant: Mapping[str, Mask]
    ) -> None:
        default = SETTINGS[SettingName.DEFAULT]
        best = choose_settings(taught.parents, taught.documents, taught.others, default)
        self._numbers[portal.kind, number].append(best.selected_terms)
        for selected in FEATURE_COUNTS:
            setting = replace(default, selected_terms=selected)
            apart = trees.distances(trees.fitted(taught, setting, (TERMS,)), portal, self._pages)
            figures = measured(trees.judged(portal, apart, (TERMS,), _SINGLE), relevant).values()
            values = [one.average_precision for one in figures]
            self._by_number[portal.kind, number, selected] += values
            if selected == best.selected_terms:
                self._by_number[portal.kind, number, _CHOSEN] += values

    def rows(self) -> list[MethodRow]:
        return [_row(*key, figures) for key, figures in self._figures.items()]

    def expected(self) -> list[Expected]:
        return [_expected(*key, found) for key, found in self._estimates.items()]

    def chosen(self) -> list[Chosen]:
        return [
            Chosen(
                *key,
                fmean(one.chosen_average_precision for one in found),
                fmean(one.best_average_precision for one in found),
                fmean(one.first_average_precision for one in found),
                dict(Counter(one.chosen for one in found).most_common()),
            )
            for key, found in self._choices.items()
        ]

    def features(self) -> list[Features]:
        return [
            Features(
                kind,
                number,
                {
                    selected: fmean(self._by_number[kind, number, selected])
                    for selected in FEATURE_COUNTS
                },
                fmean(self._by_number[kind, number, _CHOSEN]),
                dict(sorted(Counter(numbers).items())),
            )
            for (kind, number), numbers in self._numbers.items()
        ]

    def _relevant(self, topic: str) -> Mask:
        if topic not in self._on:
            self._on[topic] = self._pages.on(topic)
        return self._on[topic]


def _methods(
    name: SettingName, spaces: tuple[str, ...]
) -> list[tuple[str, tuple[str, ...], VotingRule]]:
    """What is made of the planes of a setting: the name of each method, its spaces, its rule."""
    together = tuple(VotingRule) if len(spaces) > 1 else ()
    if name is SettingName.DEFAULT:
        alone = [(space, (space,), _SINGLE) for space in spaces]
        return alone + [(str(rule), spaces, rule) for rule in together]
    paper = [rule for rule in together if rule in _PAPER]
    return [(str(name), (TERMS,), _SINGLE), *((f"{name}, {rule}", spaces, rule) for rule in paper)]


def _row(kind: str, method: str, number: int, figures: Sequence[Figures]) -> MethodRow:
    means = mean(figures)
    f1 = fmean(one.f1 for one in figures)
    return MethodRow(
        kind,
        method,
        number,
        len(figures),
        means.precision,
        means.recall,
        f1,
        means.average_precision,
    )


def _expected(
    kind: str, setting: str, space: str, number: int, found: Sequence[Estimate]
) -> Expected:
    return Expected(
        kind,
        setting,
        space,
        number,
        len(found),
        fmean(one.expected_precision for one in found),
        fmean(one.found.precision for one in found),
        fmean(one.expected_recall for one in found),
        fmean(one.found.recall for one in found),
        fmean(one.expected_precision > one.found.precision for one in found),
        fmean(one.expected_recall > one.found.recall for one in found),
    )
