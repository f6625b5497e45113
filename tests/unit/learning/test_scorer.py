"""Distances from planes, beside the same by plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motherlode.documents.terms import Bag
from motherlode.learning.matrix import Floats
from motherlode.learning.planes import PlaneGroup, TopicPlane
from motherlode.learning.scorer import BagBatch, Scorer

# Many near each other, so that some share a bucket, and those at both ends.
TERMS = st.one_of(
    st.integers(2, 300), st.integers(1 << 16, (1 << 16) + 40), st.sampled_from([0, 2**31, 2**32 - 1])
)
BAGS = st.dictionaries(TERMS, st.integers(1, 50), max_size=30)


def bag(counts: dict[int, int]) -> Bag:
    terms = sorted(counts)
    return Bag(np.array(terms, np.uint32), np.array([counts[term] for term in terms], np.uint32))


def made(features: list[int], topics: int, seed: int, rare: float) -> PlaneGroup:
    """A group with random planes; each topic has weights for some of the features."""
    dice = np.random.default_rng(seed)
    planes = []
    for topic in range(2, 2 + topics):
        places = np.flatnonzero(dice.random(len(features)) < 0.7).astype(np.uint32)
        weights = dice.normal(size=len(places)).astype(np.float32)
        bias = float(dice.normal())
        planes.append(TopicPlane(topic, places.tobytes(), weights.tobytes(), bias, 3, 0.1, 0.9, 0.8))
    idf = dice.random(len(features)).astype(np.float32) + np.float32(0.1)
    return PlaneGroup(1, np.array(features, np.uint32).tobytes(), idf.tobytes(), rare, tuple(planes))


def plainly(group: PlaneGroup, document: Bag) -> list[float]:
    """The same by dense vectors over all terms that there are."""
    features = np.frombuffer(group.features, np.uint32)
    everything = np.union1d(features, document.terms)
    idf = np.full(len(everything), group.unseen_idf)
    idf[np.searchsorted(everything, features)] = np.frombuffer(group.idf, np.float32)
    row: Floats = np.zeros(len(everything))
    row[np.searchsorted(everything, document.terms)] = 1.0 + np.log(document.counts)
    row = row * idf
    if not np.isin(document.terms, features).any():
        return [float("nan")] * len(group.planes)
    row /= np.linalg.norm(row)
    distances = []
    for topic_plane in group.planes:
        plane = np.zeros(len(everything))
        at = np.searchsorted(everything, features[np.frombuffer(topic_plane.feature_indices, np.uint32)])
        plane[at] = np.frombuffer(topic_plane.weights, np.float32)
        distances.append(float(row @ plane) + topic_plane.bias)
    return distances


@given(
    st.lists(BAGS, min_size=1, max_size=6),
    st.sets(TERMS, min_size=1, max_size=40),
    st.integers(1, 5),
    st.integers(0, 1_000),
    st.sampled_from([0.0, 2.5]),
)
@settings(max_examples=150, deadline=None)
def test_distances_are_those_of_plain_vectors(
    documents: list[dict[int, int]], features: set[int], topics: int, seed: int, rare: float
) -> None:
    group = made(sorted(features), topics, seed, rare)
    bags = [bag(counts) for counts in documents]
    distances = Scorer(group).distances(BagBatch.from_bags(bags), np.arange(len(bags)))
    assert distances.shape == (len(bags), topics)
    for row, document in zip(distances.tolist(), bags, strict=True):
        assert row == pytest.approx(plainly(group, document), abs=1e-5, nan_ok=True)


def test_rows_are_judged_in_the_order_asked_for() -> None:
    group = made([5, 7, 9], 2, 1, 0.0)
    bags = [bag({5: 1}), bag({7: 2}), bag({5: 1, 9: 4})]
    scorer, batch = Scorer(group), BagBatch.from_bags(bags)
    every = scorer.distances(batch, np.arange(3))
    assert scorer.distances(batch, np.array([2, 0])).tolist() == every[[2, 0]].tolist()
    assert scorer.distances(batch, np.array([], np.int64)).shape == (0, 2)


def test_of_what_has_no_feature_nothing_is_known() -> None:
    distances = Scorer(made([5, 7], 3, 1, 1.0)).distances(
        BagBatch.from_bags([bag({}), bag({6: 2})]), np.arange(2)
    )
    assert np.isnan(distances).all()


def test_no_documents_are_a_batch_too() -> None:
    assert len(BagBatch.from_bags([])) == 0
    assert len(BagBatch.from_bags([bag({}), bag({1: 1})])) == 2


def test_a_topic_may_have_no_weights_at_all() -> None:
    empty = TopicPlane(2, b"", b"", -0.25, 1, 1.0, 0.0, 0.0)
    group = PlaneGroup(
        1, np.array([5], np.uint32).tobytes(), np.array([1.0], np.float32).tobytes(), 0.0, (empty,)
    )
    assert Scorer(group).distances(BagBatch.from_bags([bag({5: 1})]), np.arange(1)).tolist() == [[-0.25]]


@given(st.lists(BAGS, max_size=6))
def test_packed_bags_come_out_as_they_were(documents: list[dict[int, int]]) -> None:
    bags = [bag(counts) for counts in documents]
    batch = BagBatch.from_packed([bag.pack() for bag in bags])
    assert len(batch) == len(bags)
    assert [batch.bag(row).pack() for row in range(len(batch))] == [bag.pack() for bag in bags]
    assert batch.starts.tolist() == BagBatch.from_bags(bags).starts.tolist()


def test_a_term_counts_however_often_it_is_there() -> None:
    group, often = made([5, 7], 1, 1, 2.0), bag({5: 3, 7: 1_000_000, 9: 5_000})
    (distances,) = Scorer(group).distances(BagBatch.from_bags([often]), np.arange(1)).tolist()
    assert distances == pytest.approx(plainly(group, often), abs=1e-5)
