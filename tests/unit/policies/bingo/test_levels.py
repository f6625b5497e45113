"""Planes that archetypes drew too close are moved out to where the user's own examples put them."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from motherlode.documents.features.spaces import Sample
from motherlode.documents.text.terms import bag_of
from motherlode.learning.calibration import (
    plane_offset,
    probabilities,
    reach_beyond,
    surroundings_of,
)
from motherlode.learning.scorer import BagBatch
from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.levels import (
    _rest_shares,
    distance_to_bulk,
    hand_down,
    level_planes,
    outward_shift,
)
from motherlode.records import Topic, TopicId
from motherlode.topics import TopicTree
from motherlode.training.corpus import PageBatch

TREE = TopicTree([Topic(TopicId(1), None, ""), Topic(TopicId(2), TopicId(1), "owls")])
OTHERS = [
    "goal match ball team",
    "court law judge crime",
    "soup salt pan oven",
    "coin bank money purse",
]
OWN = ["owl night wood nest", "owl mouse field barn"]
ARCHETYPES = ["owl owl owl owl feather", "owl owl owl feather feather", "owl owl feather owl owl"]
PAGES = [
    "owl in the wood",
    "owl and nest in the barn of the field",
    "owl and mouse in a field at night in the wood",
    "the court of law",
    "soup and salt",
]
values = st.lists(st.floats(-1, 1), min_size=1, max_size=30)


def samples(texts: list[str]) -> list[Sample]:
    return [{"terms": bag_of(text)} for text in texts]


def batch_of(texts: list[str]) -> PageBatch:
    """Return a batch with more pages, of which these are selected."""
    batch = BagBatch.from_bags([bag_of(text) for text in (*OWN, *texts)])
    return PageBatch(np.arange(len(batch)), {"terms": batch}, np.arange(len(OWN), len(batch)))


def fitted(texts: list[str]) -> TreeClassifier:
    return TreeClassifier().fit({2: 1}, {2: samples(texts)}, {1: samples(OTHERS)})


@given(values, st.randoms())
def test_as_many_pages_are_accepted_as_by_the_other_plane(
    own_distances: list[float],
    random: Random,
) -> None:
    distances = np.array([random.uniform(-0.4, 1) for _ in own_distances])
    moved = distances + outward_shift(distances, np.array(own_distances))
    wanted = sum(distance > 0 for distance in own_distances)
    assert (moved > 0).sum() >= wanted
    assert (moved >= distances).all()  # outwards only


def test_a_topic_accepts_as_many_pages_as_by_the_users_examples() -> None:
    own, narrow = fitted(OWN), fitted(ARCHETYPES)
    by_own = sum(verdict.topic == 2 for verdict in own.judge(samples(PAGES)))
    before = sum(verdict.topic == 2 for verdict in narrow.judge(samples(PAGES)))
    levelled = level_planes(narrow, [own], TREE, [batch_of(PAGES)])
    after = levelled.distances(samples(PAGES))[2]
    assert before < by_own
    assert (after > 0).sum() >= by_own
    order = narrow.distances(samples(PAGES))[2].argsort()
    assert (after.argsort() == order).all()  # the archetypes still decide the order
    assert (narrow.distances(samples(PAGES))[2] <= after).all()


def test_two_classifiers_of_the_user_move_a_plane_by_the_mean_of_their_shifts() -> None:
    narrow, batch = fitted(ARCHETYPES), batch_of(PAGES)
    before = narrow.distances(samples(PAGES))[2]

    def shift(*own: TreeClassifier) -> float:
        after = level_planes(narrow, own, TREE, [batch]).distances(samples(PAGES))[2]
        return float((after - before).mean())

    wide, strict = fitted(OWN), fitted(ARCHETYPES)
    assert shift(wide) > shift(strict)
    assert shift(wide, strict) == pytest.approx((shift(wide) + shift(strict)) / 2, abs=1e-6)


def test_without_pages_nothing_is_moved() -> None:
    narrow = fitted(ARCHETYPES)
    assert level_planes(narrow, [fitted(OWN)], TREE, []).groups_ == narrow.groups_


def test_planes_know_where_the_pages_of_the_crawl_lie() -> None:
    """On webs where a topic stands apart, its pages were said to be doubtful."""
    own = fitted(OWN)
    pages = [*OTHERS * 20, *PAGES]
    levelled = level_planes(own, [own], TREE, [batch_of(pages)])
    (plane,) = levelled.planes(2).values()
    (before,) = own.planes(2).values()
    moved = plane.surroundings.moved
    unmoved = levelled.distances(samples(pages))[2] - moved
    assert plane.surroundings == replace(surroundings_of(unmoved), moved=moved)
    assert plane.surroundings != before.surroundings
    assert TreeClassifier.unpack(levelled.pack()).planes(2)["terms"] == plane


def test_a_plane_moves_outwards_where_its_topic_stands_apart_and_probabilities_stay() -> None:
    """Pages just outside were on the topic, too: nine of ten on generated webs."""
    own = fitted([*OWN, *PAGES[:3]] * 8)
    pages = [*OTHERS * 20, *PAGES[:3] * 10]
    levelled = level_planes(own, [own], TREE, [batch_of(pages)])
    (plane,) = levelled.planes(2).values()
    assert 0 < plane.surroundings.moved <= 0.08
    unmoved = replace(plane.surroundings, moved=0.0)
    distances = levelled.distances(samples(pages))[2]
    assert levelled.topic_probabilities(samples(pages))[2] == pytest.approx(
        probabilities(
            distances - plane.surroundings.moved,
            plane_offset(plane.held_out, plane.examples, unmoved),
        )
    )


def test_a_plane_in_a_crowd_stays_where_it_is() -> None:
    assert reach_beyond(-1.0, 50) == 0.0
    assert reach_beyond(2.0, 2) < reach_beyond(2.0, 50)


def test_a_topic_hands_its_plane_down_to_its_only_sub_topic() -> None:
    """Pages that the sub-topic's plane rejected stayed on a topic that had no examples."""
    others = {1: samples(OTHERS), 2: samples([*OTHERS, "owl mouse field barn", "owl barn mouse"])}
    classifier = TreeClassifier().fit({2: 1, 3: 2}, {3: samples(OWN[:1])}, others)
    pages = samples(PAGES)
    before = [verdict.topic for verdict in classifier.judge(pages)]
    after = [verdict.topic for verdict in hand_down(classifier, {2: 3}).judge(pages)]
    assert 2 in before
    assert after == [3 if topic == 2 else topic for topic in before]
    assert hand_down(classifier, {}).groups_ == classifier.groups_


@given(st.lists(st.floats(-1, 1), max_size=200))
def test_the_bulk_is_never_inside_and_beyond_it_are_not_most_pages(distances: list[float]) -> None:
    moved = distance_to_bulk(np.array(distances))
    assert moved >= 0.0
    assert sum(distance + moved > 0 for distance in distances) <= max(
        len(distances) / 2, sum(distance > 0 for distance in distances)
    )


def test_a_plane_is_moved_into_the_gap_between_it_and_the_bulk_of_the_pages() -> None:
    bulk, on_topic = np.linspace(-0.55, -0.45, 80), np.linspace(-0.25, 0.1, 20)
    moved = distance_to_bulk(np.concatenate([bulk, on_topic])) / 2
    assert (bulk + moved < 0).all()
    assert (on_topic > 0).sum() == 6
    assert (on_topic + moved > 0).sum() >= 15


def test_what_is_left_of_the_gap_counts_less_the_more_examples_there_are() -> None:
    few, many = (_rest_shares(fitted(documents)) for documents in (OWN[:2], OWN[:2] * 10))
    assert 0 < many[2] < few[2] < 0.5


def test_few_pages_and_pages_that_are_mostly_on_the_topic_have_no_bulk() -> None:
    assert distance_to_bulk(np.full(49, -0.5)) == 0.0
    assert distance_to_bulk(np.full(50, -0.5)) > 0.0
    assert distance_to_bulk(np.concatenate([np.full(40, -0.5), np.linspace(0.01, 0.3, 60)])) == 0.0


def test_planes_below_topics_that_reject_most_pages_are_moved_too() -> None:
    """Else a page that passes the first plane by the gap is rejected by the next."""
    tree = TopicTree(
        [
            Topic(TopicId(1), None, ""),
            Topic(TopicId(2), TopicId(1), "birds"),
            Topic(TopicId(3), TopicId(2), "owls"),
        ]
    )
    others = [*samples(OTHERS), *samples(["plane and wing", "nest of wasps"])]
    own = TreeClassifier().fit({2: 1, 3: 2}, {3: samples(OWN)}, {1: others, 2: others})
    bulk = [
        f"{word} of the {other}"
        for word in (
            "court",
            "soup",
            "coin",
            "law",
        )
        for other in OTHERS
    ]
    faint = ["a barn with hay, corn, wheat, straw, cows, horses, pigs and hens"] * 5
    pages = [*bulk, *bulk, *bulk, *bulk, *faint]
    assert all(verdict.topic != 3 for verdict in own.judge(samples(faint)))
    levelled = level_planes(own, [own], tree, [batch_of(pages)])
    assert all(verdict.topic == 3 for verdict in levelled.judge(samples(faint)))
    assert all(verdict.topic == 1 for verdict in levelled.judge(samples(bulk)))
