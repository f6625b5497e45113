"""Clusters of a level in one pass (SPEC F2), by values worked out by hand."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from motherlode.learning.ordinal.birch import Birch, cluster_levels


def test_sigma_is_of_one_dimension() -> None:
    """Four corners of a square are sqrt(2) from their centre: R^2 = 2 = 2 sigma^2."""
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    fitted = Birch(max_clusters=1).fit(corners)
    assert fitted.centres_.tolist() == [[0.0, 0.0]]
    assert fitted.sigmas_.tolist() == pytest.approx([1.0])
    assert fitted.sizes_.tolist() == [4]


def test_a_point_joins_only_a_cluster_that_stays_within_the_radius() -> None:
    points = np.array([[0.0], [1.0], [4.0]])
    assert Birch(radius=0.6).fit(points).sizes_.tolist() == [2, 1]
    assert Birch(radius=0.4).fit(points).sizes_.tolist() == [1, 1, 1]


def test_duplicates_are_one_cluster_without_extent() -> None:
    fitted = Birch().fit(np.full((50, 3), 0.1))
    assert fitted.sizes_.tolist() == [50]
    assert fitted.sigmas_.tolist() == [0.0]


def test_clusters_are_joined_until_there_is_room() -> None:
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(4) * 100.0, 250)
    points = np.stack([groups, groups], axis=1) + rng.normal(size=(1000, 2))
    fitted = Birch(max_clusters=8).fit(rng.permutation(points))
    assert 4 <= len(fitted.sizes_) <= 8
    assert fitted.sizes_.sum() == 1000
    nearest = np.abs(fitted.centres_[:, :1] - np.arange(4) * 100.0).min(axis=1)
    assert nearest.max() < 3.0
    assert np.all((fitted.sigmas_ > 0.0) & (fitted.sigmas_ < 1.5))


def test_sparse_rows_have_the_clusters_of_dense_ones() -> None:
    rows = (np.random.default_rng(1).random((200, 30)) > 0.8).astype(float)
    dense, sparse = Birch(max_clusters=9).fit(rows), Birch(max_clusters=9).fit(csr_array(rows))
    assert dense.sizes_.tolist() == sparse.sizes_.tolist()
    assert np.allclose(dense.centres_, sparse.centres_)
    assert np.allclose(dense.sigmas_, sparse.sigmas_)


def test_levels_are_clustered_apart() -> None:
    rows = np.array([[0.0], [0.0], [0.0], [5.0]])
    clusters = cluster_levels(rows, np.array([0, 1, 1, 1]))
    assert clusters.levels.tolist() == [0, 1, 1]
    assert clusters.sizes.tolist() == [1, 2, 1]


def test_nothing_can_be_clustered_without_room() -> None:
    with pytest.raises(ValueError, match="room for one cluster"):
        Birch(max_clusters=0).fit(np.zeros((1, 1)))
