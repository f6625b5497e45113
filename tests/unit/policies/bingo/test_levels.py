"""Planes that archetypes drew too close are moved out to where the person's own examples put them."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.terms import bag_of
from motherlode.learning.scorer import BagBatch
from motherlode.learning.tree import Sample, TreeClassifier
from motherlode.policies.bingo.levels import gap, level, shift
from motherlode.records import Topic, TopicId
from motherlode.topics import TopicTree
from motherlode.training.corpus import Read

TREE = TopicTree([Topic(TopicId(1), None, ""), Topic(TopicId(2), TopicId(1), "owls")])
OTHERS = ["goal match ball team", "court law judge crime", "soup salt pan oven", "coin bank money purse"]
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


def read(texts: list[str]) -> Read:
    """Of twice as many, of which the others are not asked for."""
    batch = BagBatch.from_bags([bag_of(text) for text in (*OWN, *texts)])
    return Read(np.arange(len(batch)), {"terms": batch}, np.arange(len(OWN), len(batch)))


def taught(texts: list[str]) -> TreeClassifier:
    return TreeClassifier().fit({2: 1}, {2: samples(texts)}, {1: samples(OTHERS)})


@given(values, st.randoms())
def test_as_many_are_within_as_by_the_other(theirs: list[float], chance: Random) -> None:
    ours = [chance.uniform(-0.4, 1) for _ in theirs]
    moved = np.array(ours) + shift(np.array(ours), np.array(theirs))
    wanted = sum(value > 0 for value in theirs)
    assert (moved > 0).sum() >= wanted
    assert (moved >= np.array(ours)).all()  # outwards only


def test_a_topic_takes_as_many_pages_as_by_the_persons_examples() -> None:
    own, narrow = taught(OWN), taught(ARCHETYPES)
    by_own = sum(said.topic == 2 for said in own.judge(samples(PAGES)))
    before = sum(said.topic == 2 for said in narrow.judge(samples(PAGES)))
    levelled = level(narrow, own, TREE, [read(PAGES)])
    after = levelled.distances(samples(PAGES))[2]
    assert before < by_own
    assert (after > 0).sum() >= by_own
    order = narrow.distances(samples(PAGES))[2].argsort()
    assert (after.argsort() == order).all()  # which pages is still for the archetypes to say
    assert (narrow.distances(samples(PAGES))[2] <= after).all()


def test_without_pages_nothing_is_moved() -> None:
    narrow = taught(ARCHETYPES)
    assert level(narrow, taught(OWN), TREE, []).groups_ == narrow.groups_


@given(st.lists(st.floats(-1, 1), max_size=200))
def test_a_plane_is_never_moved_inwards_nor_as_far_as_most_pages(distances: list[float]) -> None:
    moved = gap(np.array(distances))
    assert moved >= 0.0
    assert sum(distance + moved > 0 for distance in distances) <= max(
        len(distances) / 2, sum(distance > 0 for distance in distances)
    )


def test_a_plane_is_moved_into_the_gap_between_it_and_the_bulk_of_the_pages() -> None:
    bulk, on_topic = np.linspace(-0.55, -0.45, 80), np.linspace(-0.25, 0.1, 20)
    moved = gap(np.concatenate([bulk, on_topic]))
    assert (bulk + moved < 0).all()
    assert (on_topic > 0).sum() == 6
    assert (on_topic + moved > 0).sum() >= 15


def test_few_pages_and_pages_that_are_mostly_on_the_topic_have_no_bulk() -> None:
    assert gap(np.full(49, -0.5)) == 0.0
    assert gap(np.full(50, -0.5)) > 0.0
    assert gap(np.concatenate([np.full(40, -0.5), np.linspace(0.01, 0.3, 60)])) == 0.0


def test_planes_below_topics_that_hardly_want_a_page_are_moved_as_well() -> None:
    """Else what comes through the first gap ends at the next plane."""
    tree = TopicTree(
        [
            Topic(TopicId(1), None, ""),
            Topic(TopicId(2), TopicId(1), "birds"),
            Topic(TopicId(3), TopicId(2), "owls"),
        ]
    )
    others = [*samples(OTHERS), *samples(["plane and wing", "nest of wasps"])]
    own = TreeClassifier().fit({2: 1, 3: 2}, {3: samples(OWN)}, {1: others, 2: others})
    bulk = [f"{word} of the {other}" for word in ("court", "soup", "coin", "law") for other in OTHERS]
    faint = ["a barn with hay, corn, wheat, straw, cows, horses, pigs and hens"] * 5
    pages = [*bulk, *bulk, *bulk, *bulk, *faint]
    assert all(said.topic != 3 for said in own.judge(samples(faint)))
    levelled = level(own, own, tree, [read(pages)])
    assert all(said.topic == 3 for said in levelled.judge(samples(faint)))
    assert all(said.topic == 1 for said in levelled.judge(samples(bulk)))
