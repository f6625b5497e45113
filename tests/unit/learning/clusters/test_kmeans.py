"""Clusters of documents: their number, their characteristic terms, reproducible with a seed."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from motherlode.documents.text.terms import Bag, bag_of
from motherlode.learning.clusters.impurity import impurity
from motherlode.learning.clusters.kmeans import (
    PATIENCE,
    DocumentClusters,
    SphericalKMeans,
    clustering_features,
)


def random_bags(kinds: Sequence[int], own: int = 30, common: int = 60, seed: int = 3) -> list[Bag]:
    """Return documents with some words of their kind and some that all kinds may have."""
    rng = np.random.default_rng(seed)
    documents = []
    for kind in kinds:
        words = np.concatenate(
            [rng.integers(0, 60, own) + 1_000 * (kind + 1), rng.integers(0, 900, common)],
        )
        terms, counts = np.unique(words, return_counts=True)
        documents.append(Bag(terms.astype(np.uint32), counts.astype(np.uint32)))
    return documents


def is_same_partition(first: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two clusterings agree but for the numbers of their clusters."""
    pairs = set(zip(first, other, strict=True))
    return len(pairs) == len(set(first)) == len(set(other))


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_the_number_of_clusters_is_found(number: int) -> None:
    kinds = [document % number for document in range(40 * number)]
    clustering = DocumentClusters().fit(random_bags(kinds, own=30 if number > 1 else 0))
    assert len(clustering.centres_) == number
    assert is_same_partition(clustering.clusters_.tolist(), kinds)
    assert min(clustering.impurities_, key=lambda count: clustering.impurities_[count]) == number
    assert max(clustering.impurities_) == number + PATIENCE


def test_the_result_depends_on_the_seed_but_not_on_the_order_of_documents() -> None:
    kinds = [0] * 30 + [1] * 20 + [2] * 10
    bags = random_bags(kinds)
    first, second = DocumentClusters(3, 7).fit(bags), DocumentClusters(3, 7).fit(bags)
    assert (first.clusters_ == second.clusters_).all()
    assert (first.cosines_ == second.cosines_).all()
    reversed_ = DocumentClusters(3, 7).fit(bags[::-1])
    assert (reversed_.clusters_[::-1] == first.clusters_).all()
    assert np.bincount(first.clusters_).tolist() == [30, 20, 10]  # the largest first


def test_characteristic_terms_are_missing_in_other_clusters() -> None:
    clustering = DocumentClusters(2).fit(random_bags([0] * 20 + [1] * 10))
    for cluster, kind in ((0, 0), (1, 1)):
        terms = [term for term, _ in clustering.characteristic(cluster, 10)]
        assert all(term // 1_000 == kind + 1 for term in terms)
        weights = [weight for _, weight in clustering.characteristic(cluster, 10)]
        assert weights == sorted(weights, reverse=True)


def test_a_name_that_one_document_repeats_is_less_characteristic() -> None:
    owls = ["owl night"] * 5 + ["owl night barney barney barney barney barney barney", "owl barney"]
    clustering = DocumentClusters(2).fit([bag_of(text) for text in (*owls, *["budget vote"] * 6)])
    terms = [term for term, _ in clustering.characteristic(0, 3)]
    assert terms[-1] == bag_of("barney").terms[0]


def test_the_most_central_document_resembles_all_others() -> None:
    texts = [
        "owl nest mouse",
        "owl nest hollow",
        "owl nest mouse hollow",
        "budget vote tax",
        "budget vote law",
    ]
    clustering = DocumentClusters(2).fit([bag_of(text) for text in texts])
    assert is_same_partition(clustering.clusters_.tolist(), [0, 0, 0, 1, 1])
    assert clustering.cosines_[:3].argmax() == 2


def test_copies_and_documents_without_words_are_clustered() -> None:
    empty = bag_of("")
    copies = [bag_of("owl mouse night")] * 4
    assert len(DocumentClusters(3).fit(copies).centres_) == 3
    mixed = DocumentClusters(2).fit([*copies, empty, empty])
    assert set(mixed.clusters_.tolist()) == {0, 1}
    assert np.isfinite(mixed.cosines_).all()
    assert DocumentClusters().fit([empty] * 12).clusters_.tolist() == [0] * 12


def test_words_of_nearly_all_documents_are_no_features() -> None:
    bags = [bag_of(f"bird {word}") for word in ("owl", "owl", "heron", "heron")]
    bird = bag_of("bird").terms[0]
    assert bird not in clustering_features(bags)
    assert len(clustering_features(bags)) == 2


def test_impurity_is_the_entropy_plus_the_cost_of_estimating_it() -> None:
    table = csr_array(np.array([[1, 0], [1, 0], [0, 1], [0, 1]] * 25))
    apart, mixed = np.array([0, 0, 1, 1] * 25), np.array([0, 1, 0, 1] * 25)
    one_cluster = np.zeros(100, np.int64)
    assert impurity(table, apart) < impurity(table, one_cluster) < impurity(table, mixed)
    # Two terms of entropy 1, and half of log2 100 for each, but for a constant.
    expected = 2 + 2 * np.log2(100) / 200
    assert impurity(table, one_cluster) == pytest.approx(expected, abs=0.02)
    assert impurity(table[:0], apart[:0]) == 0.0


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 12), max_size=6), min_size=1, max_size=12),
    st.integers(1, 15),
    st.integers(0, 2**63 - 1),
)
def test_no_cluster_is_empty(documents: list[list[int]], number: int, seed: int) -> None:
    rows = np.zeros((len(documents), 13))
    for row, words in enumerate(documents):
        rows[row, words] = 1.0
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit_rows = csr_array(rows / np.where(lengths > 0, lengths, 1.0))
    clustering = SphericalKMeans(number, seed).fit(unit_rows)
    sizes = np.bincount(clustering.clusters_, minlength=min(number, len(documents)))
    assert len(sizes) == min(number, len(documents))
    assert (sizes > 0).all()
    assert (np.diff(sizes) <= 0).all()
