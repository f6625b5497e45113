"""Planes that archetypes drew too close are moved out to where the person's own examples put them."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.terms import bag_of
from motherlode.engine.levelling import level, shift
from motherlode.engine.library import Read
from motherlode.learning.scoring import Batch
from motherlode.learning.tree import Sample, TreeClassifier
from motherlode.records import Topic, TopicId
from motherlode.topics import TopicTree

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
    batch = Batch.of([bag_of(text) for text in (*OWN, *texts)])
    return Read(np.arange(len(batch)), {"terms": batch}, np.arange(len(OWN), len(batch)))


def taught(texts: list[str]) -> TreeClassifier:
    return TreeClassifier().fit({2: 1}, {2: samples(texts)}, {1: samples(OTHERS)})


@given(values, st.randoms())
def test_as_many_are_within_as_by_the_other(theirs: list[float], chance: Random) -> None:
    ours = [chance.uniform(-0.4, 1) for _ in theirs]
    moved = np.array(ours) + shift(np.array(ours), np.array(theirs))
    wanted = sum(value > 0 for value in theirs)
    assert (moved >= -1e-12).sum() >= wanted
    assert (moved >= np.array(ours)).all()  # outwards only


def test_a_topic_takes_as_many_pages_as_by_the_persons_examples() -> None:
    own, narrow = taught(OWN), taught(ARCHETYPES)
    by_own = sum(said.topic == 2 for said in own.judge(samples(PAGES)))
    before = sum(said.topic == 2 for said in narrow.judge(samples(PAGES)))
    levelled = level(narrow, own, TREE, [read(PAGES)])
    after = levelled.distances(samples(PAGES))[2]
    assert before < by_own
    assert (after >= -1e-6).sum() >= by_own
    order = narrow.distances(samples(PAGES))[2].argsort()
    assert (after.argsort() == order).all()  # which pages is still for the archetypes to say
    assert (narrow.distances(samples(PAGES))[2] <= after).all()


def test_without_pages_nothing_is_moved() -> None:
    narrow = taught(ARCHETYPES)
    assert level(narrow, taught(OWN), TREE, []).groups_ == narrow.groups_
