"""How much of a crawl is on a topic is for the person's examples to say; which pages, archetypes know better.

Archetypes are the pages that a topic is surest of, so a plane that is learned from them lies close around
them: it puts pages into a better order, and takes too few. So each plane is moved outwards until its topic
takes as many of the crawl's pages as it would by the person's own examples alone.

A few examples lie close together themselves, more so if they are of one site. What they could not tell a
crawl can: where the bulk of all pages lies, which is on something else. If there is a gap between that and
the plane that the examples give, the plane is first moved into it (docs/quality.md, "Into the gap").
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, partial

import numpy as np
from msgspec.structs import replace

from motherlode.learning.matrix import Floats
from motherlode.learning.tree import ROOT, UNKNOWN_CONFIDENCE, TreeClassifier
from motherlode.records import TopicId
from motherlode.topics import TopicTree
from motherlode.training.corpus import Read

_FURTHEST = 0.5  # a plane is moved so far at most
_HAIR = 1e-6  # what lies on a plane is not within it
_EDGE = 3.0  # deviations from the median: where the bulk of the pages ends
_WAY = 0.5  # of the way to that edge
_ENOUGH = 50  # pages, to speak of a bulk
_TO_STANDARD = 1.4826  # from median deviations to standard ones, were it a normal distribution


def level(
    classifier: TreeClassifier, own: TreeClassifier, tree: TopicTree, pages: Iterable[Read]
) -> TreeClassifier:
    """The classifier with its planes moved; `own` was learned from the person's examples alone."""
    pages = tuple(pages)
    own = _into_the_gap(own, pages)
    parents = _parents(classifier)
    ours: dict[int, list[Floats]] = defaultdict(list)
    theirs: dict[int, list[Floats]] = defaultdict(list)
    line = cache(partial(_line, tree))
    for read in pages:  # in the spaces of both
        below = own.judge_rows(read.batches, read.asked).topics
        for parent in parents:
            within = [topic for topic in np.unique(below).tolist() if parent in line(topic)]
            asked = read.asked[np.isin(below, within)]
            here = classifier.distances_for_rows(read.batches, asked, parent)
            there = own.distances_for_rows(read.batches, asked, parent)
            for topic in here.keys() & there.keys():
                ours[topic].append(here[topic])
                theirs[topic].append(there[topic])
    moved = {topic: shift(np.concatenate(ours[topic]), np.concatenate(theirs[topic])) for topic in ours}
    return _moved(classifier, moved)


def shift(ours: Floats, theirs: Floats) -> float:
    """How far a plane is moved outwards, so that as many of the same pages are within it as by the other.

    >>> round(shift(np.array([0.2, -0.1, -0.3]), np.array([0.1, 0.1, -0.2])), 3)
    0.1
    """
    known = np.sort(ours[ours > UNKNOWN_CONFIDENCE])
    wanted = min(int((theirs > 0).sum()), len(known))
    if not wanted:
        return 0.0
    last = float(known[-wanted])
    return min(_HAIR - last, _FURTHEST) if last <= 0 else 0.0


def gap(distances: Floats) -> float:
    """How far a plane is moved outwards, by the distances of all pages of a crawl from it.

    The lower half of them tells how wide the bulk is: in the upper one are the pages on the topic. If those
    are the most, there is no bulk to be told from them, and nothing is moved.

    >>> round(gap(np.array([*np.linspace(-0.5, -0.4, 99), 0.1])), 2)
    0.17
    """
    known = distances[distances > UNKNOWN_CONFIDENCE]
    if len(known) < _ENOUGH:
        return 0.0
    middle = float(np.median(known))
    width = _TO_STANDARD * float(np.median(middle - known[known <= middle]))
    return _WAY * max(0.0, -(middle + _EDGE * width))


def _into_the_gap(own: TreeClassifier, pages: Sequence[Read]) -> TreeClassifier:
    """Every plane is asked about every page, also below topics that do not want it: those are its bulk."""
    found: dict[int, list[Floats]] = defaultdict(list)
    for read in pages:
        for parent in _parents(own):
            for topic, distances in own.distances_for_rows(read.batches, read.asked, parent).items():
                found[topic].append(distances)
    return _moved(own, {topic: gap(np.concatenate(parts)) for topic, parts in found.items()})


def _parents(classifier: TreeClassifier) -> set[int]:
    return {group.parent for groups in classifier.groups_.values() for group in groups}


def _line(tree: TopicTree, topic: int) -> frozenset[int]:
    """A topic and all above it."""
    line, here = {ROOT, topic}, tree[TopicId(topic)]
    while here.parent is not None:
        line.add(int(here.parent))
        here = tree[here.parent]
    return frozenset(line)


def _moved(classifier: TreeClassifier, shifts: dict[int, float]) -> TreeClassifier:
    moved = TreeClassifier(classifier.settings, classifier.spaces, classifier.rule)
    moved.__dict__.update(classifier.__getstate__())
    moved.groups_ = {
        space: tuple(
            replace(
                group,
                planes=tuple(
                    replace(plane, bias=plane.bias + shifts.get(plane.topic, 0.0)) for plane in group.planes
                ),
            )
            for group in groups
        )
        for space, groups in classifier.groups_.items()
    }
    return moved
