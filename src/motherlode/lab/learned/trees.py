"""The topic tree in each space, and the spaces together: fitted once, asked once, decided by every
rule.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from motherlode.documents.features.meanings import Meanings
from motherlode.lab.learned.figures import MethodScores
from motherlode.lab.learned.pages import LabelledPages, Mask
from motherlode.lab.learned.portals import Lesson, SampledPortal
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.options import TrainingSettings, VotingRule
from motherlode.learning.plane_distances import PlaneDistances, combine_spaces
from motherlode.learning.tree import ROOT, TreeClassifier


def fitted(
    lesson: Lesson,
    setting: TrainingSettings,
    spaces: Sequence[str],
    meanings: Meanings | None = None,
) -> TreeClassifier:
    untrained = TreeClassifier(setting, spaces, meanings=meanings)
    return untrained.fit(lesson.parents, lesson.documents, lesson.others)


def distances(
    tree: TreeClassifier, portal: SampledPortal, pages: LabelledPages
) -> dict[int, PlaneDistances]:
    """How far each unseen page is from the planes below each parent, in each space."""
    batches = {space: pages.batches[space] for space in tree.groups_}
    parents = sorted(set(portal.parents.values()))
    found = {parent: tree.plane_distances(parent, batches, portal.unseen) for parent in parents}
    return {parent: apart for parent, apart in found.items() if apart is not None}


def judged(
    portal: SampledPortal,
    apart: Mapping[int, PlaneDistances],
    spaces: Sequence[str],
    rule: VotingRule,
) -> MethodScores:
    """Where each page goes if these spaces decide by this rule, as `TreeClassifier.judge` has it.

    A page is on a topic as surely as it is on the least sure of those above it and the topic
    itself.
    """
    told = {
        parent: _Told(part.topics, *combine_spaces(part, rule))
        for parent, found in apart.items()
        if (part := found.in_spaces(spaces)).spaces
    }
    reached = _reached(portal, told)
    scores = {topic: _sure_of(topic, portal, told) for topic in portal.topics}
    accepted = {topic: np.isin(reached, _subtree(topic, portal)) for topic in portal.topics}
    return MethodScores(scores, accepted)


class _Told(Struct, frozen=True):
    """Of the topics below one parent: which pages each wants, and how sure it is."""

    topics: Ints
    wanted: Mask
    sure: Floats


def _reached(portal: SampledPortal, told: Mapping[int, _Told]) -> Ints:
    """The number of the topic where each page ends up."""
    reached = np.full(len(portal.unseen), ROOT)
    for parent in (ROOT, *portal.parents):  # a topic stands after those above it
        if parent in told:
            here = np.flatnonzero(reached == parent)
            wanted, sure = told[parent].wanted[here], told[parent].sure[here]
            best = np.where(wanted, sure, -np.inf).argmax(axis=1)
            yes = wanted.any(axis=1)
            reached[here[yes]] = told[parent].topics[best[yes]]
    return reached


def _sure_of(topic: str, portal: SampledPortal, told: Mapping[int, _Told]) -> Floats:
    """As sure as the least sure; where nothing was learned, nothing is wanted."""
    least = np.full(len(portal.unseen), np.inf)
    for number in portal.line(topic):
        there = told.get(portal.parents[number])
        if there is not None and number in there.topics:
            least = np.minimum(least, there.sure[:, int(np.searchsorted(there.topics, number))])
    return np.where(np.isfinite(least), least, -1.0)


def _subtree(topic: str, portal: SampledPortal) -> list[int]:
    """The numbers of a topic and of all below it."""
    found = [portal.numbers[topic]]
    for number, above in portal.parents.items():
        if above in found:
            found.append(number)
    return found
