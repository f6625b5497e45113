"""Calibrate each topic's threshold on the user's own examples.

Archetypes are the most confident pages of a topic, so a plane that is learned from them lies close
around them: it ranks pages better, and accepts too few. So each plane is moved outwards until its
topic accepts as many of the crawl's pages as it would by the user's own examples alone.

A few examples lie close together themselves, more so if they are from one site. But a crawl shows
where the bulk of all pages lies, which is off the topic. If there is a gap between the bulk and the
plane of the examples, that plane is first moved into the gap. If there is still a gap when the
planes are levelled, they are moved once more, and less so the more examples there are: those show
how far a topic reaches (docs/quality.md, "Into the gap").

Last, a plane is moved outwards where pages on the plane itself would be probable: where the topic
stands apart from all else on this web (docs/decisions/2026-11-19-reach.md).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from statistics import fmean

import numpy as np
from msgspec.structs import replace

from motherlode.learning.calibration import (
    TYPICAL_PAGES,
    TYPICAL_SURROUNDINGS,
    plane_offset,
    reach_beyond,
    surroundings_of,
)
from motherlode.learning.matrix import Floats
from motherlode.learning.plane_distances import UNKNOWN_CONFIDENCE
from motherlode.learning.planes import TopicPlane
from motherlode.learning.tree import ROOT, TreeClassifier
from motherlode.records import TopicId
from motherlode.topics import TopicTree
from motherlode.training.corpus import PageBatch

_MAX_SHIFT = 0.5  # of a plane
_MARGIN = 1e-6  # a page on the plane is not accepted
_BULK_DEVIATIONS = 3.0  # from the median: where the bulk of the pages ends
_GAP_SHARE = 0.5  # a plane is moved by half of the way to the bulk
_TRUST_PRIOR = 10  # with n examples, the rest of the gap counts by 10 / (10 + n)
_MIN_BULK_PAGES = 50
_TO_STANDARD_DEVIATION = 1.4826  # from the median deviation, for a normal distribution


def level_planes(
    classifier: TreeClassifier,
    own: Sequence[TreeClassifier],
    tree: TopicTree,
    batches: Iterable[PageBatch],
) -> TreeClassifier:
    """Return the classifier with its planes moved by the mean of their shifts, and surroundings.

    `own` are classifiers of the user's examples: without any counterexamples and, if there are
    some, with them. Pages that a user calls wrong lie close to the topic, so the second accepts
    too few; the first takes no notice of them (docs/quality.md, "Feedback").
    """
    batches = tuple(batches)
    shifts = [_shifts(classifier, of_user, tree, batches) for of_user in own]
    topics = set.intersection(*map(set, shifts))
    means = {topic: fmean(of_user[topic] for of_user in shifts) for topic in topics}
    levelled = _with_shifts(classifier, means)
    moved = _move_into_gap(levelled, batches, _rest_shares(own[0]))
    return _reach_out(_with_surroundings(moved, batches))


def hand_down(classifier: TreeClassifier, subtopics: Mapping[int, int]) -> TreeClassifier:
    """Return the classifier with the planes of some topics given to their only sub-topics.

    `subtopics` has the sub-topic of each such topic, higher topics first. Whatever the topic
    accepts, its sub-topic accepts then.
    """
    handed = TreeClassifier(classifier.settings, classifier.spaces, classifier.rule)
    handed.__dict__.update(classifier.__getstate__())
    for topic, subtopic in subtopics.items():
        handed.groups_ = {
            space: (
                *(group for group in groups if group.parent != topic),
                *(
                    replace(
                        group,
                        parent=topic,
                        planes=(replace(plane, topic=subtopic),),
                        profiles=group.profiles.only([index]),
                    )
                    for group in groups
                    for index, plane in enumerate(group.planes)
                    if plane.topic == topic
                ),
            )
            for space, groups in handed.groups_.items()
        }
    return handed


def _rest_shares(own: TreeClassifier) -> dict[int, float]:
    """Return the share by which each levelled plane is moved into what is left of the gap."""
    examples = {
        topic: max(plane.examples for plane in own.planes(topic).values()) for topic in own.parents
    }
    return {
        topic: _GAP_SHARE * _TRUST_PRIOR / (_TRUST_PRIOR + count)
        for topic, count in examples.items()
    }


def _shifts(
    classifier: TreeClassifier,
    own: TreeClassifier,
    tree: TopicTree,
    batches: Sequence[PageBatch],
) -> dict[int, float]:
    """Return the shift of each topic's plane to the level of a classifier of the user's
    examples.
    """
    own = _move_into_gap(own, batches, dict.fromkeys(own.parents, _GAP_SHARE))
    parents = _parents(classifier)
    distances: dict[int, list[Floats]] = defaultdict(list)
    own_distances: dict[int, list[Floats]] = defaultdict(list)
    line = cache(partial(_line, tree))
    for batch in batches:  # in the feature spaces of both classifiers
        topics = own.judge_rows(batch.batches, batch.selected).topics
        for parent in parents:
            below = [topic for topic in np.unique(topics).tolist() if parent in line(topic)]
            rows = batch.selected[np.isin(topics, below)]
            by_topic = classifier.distances_for_rows(batch.batches, rows, parent)
            own_by_topic = own.distances_for_rows(batch.batches, rows, parent)
            for topic in by_topic.keys() & own_by_topic.keys():
                distances[topic].append(by_topic[topic])
                own_distances[topic].append(own_by_topic[topic])
    return {
        topic: outward_shift(np.concatenate(parts), np.concatenate(own_distances[topic]))
        for topic, parts in distances.items()
    }


def outward_shift(distances: Floats, own_distances: Floats) -> float:
    """Return how far to move a plane so that it accepts as many of the same pages as another.

    >>> round(outward_shift(np.array([0.2, -0.1, -0.3]), np.array([0.1, 0.1, -0.2])), 3)
    0.1
    """
    known = np.sort(distances[distances > UNKNOWN_CONFIDENCE])
    wanted = min(int((own_distances > 0).sum()), len(known))
    if not wanted:
        return 0.0
    last = float(known[-wanted])
    return min(_MARGIN - last, _MAX_SHIFT) if last <= 0 else 0.0


def distance_to_bulk(distances: Floats) -> float:
    """Return how far the bulk lies from a plane, given the distances of all pages of a crawl.

    The lower half of the distances shows how wide the bulk is: the upper half has the pages on the
    topic. If most pages are on the topic, no bulk can be told from them, and the distance is 0.

    >>> round(distance_to_bulk(np.array([*np.linspace(-0.5, -0.4, 99), 0.1])), 2)
    0.34
    """
    known = distances[distances > UNKNOWN_CONFIDENCE]
    if len(known) < _MIN_BULK_PAGES:
        return 0.0
    median = float(np.median(known))
    width = _TO_STANDARD_DEVIATION * float(np.median(median - known[known <= median]))
    return max(0.0, -(median + _BULK_DEVIATIONS * width))


def _move_into_gap(
    classifier: TreeClassifier, batches: Sequence[PageBatch], shares: Mapping[int, float]
) -> TreeClassifier:
    """Move every plane by its topic's share of the way to the bulk of all pages.

    Pages that the topics above reject are included: they are the bulk.
    """
    shifts = {
        topic: shares.get(topic, 0.0) * distance_to_bulk(distances)
        for topic, distances in _distances_of_all(classifier, batches).items()
    }
    return _with_shifts(classifier, shifts)


def _distances_of_all(
    classifier: TreeClassifier, batches: Sequence[PageBatch]
) -> dict[int, Floats]:
    """Return the distances of all pages from the plane of each topic."""
    distances: dict[int, list[Floats]] = defaultdict(list)
    for batch in batches:
        for parent in _parents(classifier):
            by_topic = classifier.distances_for_rows(batch.batches, batch.selected, parent)
            for topic, of_topic in by_topic.items():
                distances[topic].append(of_topic)
    return {topic: np.concatenate(parts) for topic, parts in distances.items()}


def _with_surroundings(classifier: TreeClassifier, batches: Sequence[PageBatch]) -> TreeClassifier:
    """Return the classifier with planes that know where the pages of the crawl lie."""
    surroundings = {
        topic: surroundings_of(distances)
        for topic, distances in _distances_of_all(classifier, batches).items()
    }

    def surrounded(plane: TopicPlane) -> TopicPlane:
        return replace(plane, surroundings=surroundings.get(plane.topic, plane.surroundings))

    return _with_planes(classifier, surrounded)


def _reach_out(classifier: TreeClassifier) -> TreeClassifier:
    """Move the planes outwards whose topics stand apart from the other pages of the crawl."""

    def reaching(plane: TopicPlane) -> TopicPlane:
        around = plane.surroundings
        typical = replace(around, pages=TYPICAL_PAGES)  # a longer crawl does not make it narrower
        offset = plane_offset(plane.held_out, plane.examples, typical)
        reach = reach_beyond(offset, plane.examples)
        if around == TYPICAL_SURROUNDINGS or not reach:
            return plane
        return replace(
            plane, bias=plane.bias + reach, surroundings=replace(around, moved=around.moved + reach)
        )

    return _with_planes(classifier, reaching)


def _parents(classifier: TreeClassifier) -> set[int]:
    return {group.parent for groups in classifier.groups_.values() for group in groups}


def _line(tree: TopicTree, topic: int) -> frozenset[int]:
    """Return a topic and all topics above it."""
    line, current = {ROOT, topic}, tree[TopicId(topic)]
    while current.parent is not None:
        line.add(int(current.parent))
        current = tree[current.parent]
    return frozenset(line)


def _with_shifts(classifier: TreeClassifier, shifts: Mapping[int, float]) -> TreeClassifier:
    def moved(plane: TopicPlane) -> TopicPlane:
        return replace(plane, bias=plane.bias + shifts.get(plane.topic, 0.0))

    return _with_planes(classifier, moved)


def _with_planes(
    classifier: TreeClassifier, change: Callable[[TopicPlane], TopicPlane]
) -> TreeClassifier:
    """Return the classifier with every plane changed."""
    changed = TreeClassifier(classifier.settings, classifier.spaces, classifier.rule)
    changed.__dict__.update(classifier.__getstate__())
    changed.groups_ = {
        space: tuple(
            replace(group, planes=tuple(change(plane) for plane in group.planes))
            for group in groups
        )
        for space, groups in classifier.groups_.items()
    }
    return changed
