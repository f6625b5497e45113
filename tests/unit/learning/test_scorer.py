"""Distances from planes, compared with plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from motherlode.documents.text.terms import Bag
from motherlode.learning.matrix import Floats
from motherlode.learning.planes import PlaneGroup, TopicPlane
from motherlode.learning.scorer import BagBatch, Scorer

# Many terms near each other, so that some share a bucket, and terms at both ends.
TERMS = st.one_of(
    st.integers(2, 300),
    st.integers(1 << 16, (1 << 16) + 40),
    st.sampled_from([0, 2**31, 2**32 - 1]),
)
BAGS = st.dictionaries(TERMS, st.integers(1, 50), max_size=30)


def bag(counts: dict[int, int]) -> Bag:
    terms = sorted(counts)
    return Bag(np.array(terms, np.uint32), np.array([counts[term] for term in terms], np.uint32))


def random_group(features: list[int], topics: int, seed: int, unseen_idf: float) -> PlaneGroup:
    """Return a group of random planes; each topic has weights for some of the features."""
    rng = np.random.default_rng(seed)
    planes = []
    for topic in range(2, 2 + topics):
        indices = np.flatnonzero(rng.random(len(features)) < 0.7).astype(np.uint32)
        weights = rng.normal(size=len(indices)).astype(np.float32)
        plane = TopicPlane(
            topic=topic,
            feature_indices=indices.tobytes(),
            weights=weights.tobytes(),
            bias=float(rng.normal()),
            examples=3,
            error=0.1,
            precision=0.9,
            recall=0.8,
        )
        planes.append(plane)
    idf = rng.random(len(features)).astype(np.float32) + np.float32(0.1)
    terms = np.array(features, np.uint32)
    return PlaneGroup(1, terms.tobytes(), idf.tobytes(), unseen_idf, tuple(planes))


def dense_distances(group: PlaneGroup, document: Bag) -> list[float]:
    """Return the distances of a document, computed with dense vectors over all terms."""
    features = np.frombuffer(group.features, np.uint32)
    all_terms = np.union1d(features, document.terms)
    idf = np.full(len(all_terms), group.unseen_idf)
    idf[np.searchsorted(all_terms, features)] = np.frombuffer(group.idf, np.float32)
    row: Floats = np.zeros(len(all_terms))
    row[np.searchsorted(all_terms, document.terms)] = 1.0 + np.log(document.counts)
    row = row * idf
    if not np.isin(document.terms, features).any():
        return [float("nan")] * len(group.planes)
    row /= np.linalg.norm(row)
    distances = []
    for topic_plane in group.planes:
        plane = np.zeros(len(all_terms))
        terms = features[np.frombuffer(topic_plane.feature_indices, np.uint32)]
        plane[np.searchsorted(all_terms, terms)] = np.frombuffer(topic_plane.weights, np.float32)
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
def test_distances_equal_the_distances_of_dense_vectors(
    documents: list[dict[int, int]], features: set[int], topics: int, seed: int, unseen_idf: float
) -> None:
    group = random_group(sorted(features), topics, seed, unseen_idf)
    bags = [bag(counts) for counts in documents]
    distances = Scorer(group).distances(BagBatch.from_bags(bags), np.arange(len(bags)))
    assert distances.shape == (len(bags), topics)
    for row, document in zip(distances.tolist(), bags, strict=True):
        assert row == pytest.approx(dense_distances(group, document), abs=1e-5, nan_ok=True)


def test_rows_are_scored_in_the_given_order() -> None:
    group = random_group([5, 7, 9], 2, 1, 0.0)
    bags = [bag({5: 1}), bag({7: 2}), bag({5: 1, 9: 4})]
    scorer, batch = Scorer(group), BagBatch.from_bags(bags)
    distances = scorer.distances(batch, np.arange(3))
    assert scorer.distances(batch, np.array([2, 0])).tolist() == distances[[2, 0]].tolist()
    assert scorer.distances(batch, np.array([], np.int64)).shape == (0, 2)


def test_the_distance_of_a_document_without_features_is_nan() -> None:
    scorer = Scorer(random_group([5, 7], 3, 1, 1.0))
    batch = BagBatch.from_bags([bag({}), bag({6: 2})])
    assert np.isnan(scorer.distances(batch, np.arange(2))).all()


def test_a_batch_may_be_empty() -> None:
    assert len(BagBatch.from_bags([])) == 0
    assert len(BagBatch.from_bags([bag({}), bag({1: 1})])) == 2


def test_a_plane_may_have_no_weights() -> None:
    group = random_group([5], 1, 1, 0.0)
    empty = replace(group.planes[0], feature_indices=b"", weights=b"", bias=-0.25)
    batch = BagBatch.from_bags([bag({5: 1})])
    scorer = Scorer(replace(group, planes=(empty,)))
    assert scorer.distances(batch, np.arange(1)).tolist() == [[-0.25]]


@given(st.lists(BAGS, max_size=6))
def test_packed_bags_are_unpacked_unchanged(documents: list[dict[int, int]]) -> None:
    bags = [bag(counts) for counts in documents]
    batch = BagBatch.from_packed([bag.pack() for bag in bags])
    assert len(batch) == len(bags)
    assert [batch.bag(row).pack() for row in range(len(batch))] == [bag.pack() for bag in bags]
    assert batch.starts.tolist() == BagBatch.from_bags(bags).starts.tolist()


def test_terms_of_any_frequency_count() -> None:
    group, document = random_group([5, 7], 1, 1, 2.0), bag({5: 3, 7: 1_000_000, 9: 5_000})
    batch = BagBatch.from_bags([document])
    (distances,) = Scorer(group).distances(batch, np.arange(1)).tolist()
    assert distances == pytest.approx(dense_distances(group, document), abs=1e-5)
