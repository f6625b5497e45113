"""Clusters of the points of one level, in one pass, by clustering features (SPEC F2).

A clustering feature is the number N of points in a cluster, their sum LS and the sum SS of their
squared lengths (Zhang, Ramakrishnan and Livny, "BIRCH", SIGMOD 1996, section 4). Its radius is

    R^2 = SS / N - |LS / N|^2

A point joins the cluster with the nearest centre unless the radius would exceed the threshold. When
there are too many clusters the threshold grows, and the clusters are inserted anew like points
(section 5.1.1). The clusters are in one flat list, not in the paper's tree: the search for the
nearest is exact.

CB-OR models each cluster by a covariance sigma^2 I, so R^2 = m sigma^2 in m dimensions.
"""

from typing import Self, TypeAlias

import numpy as np
from msgspec import Struct
from numba import njit
from scipy.sparse import csr_array, issparse

from motherlode.learning.matrix import Floats, Ints

MAX_CLUSTERS = 100
_GROWTH = 1.5  # of the threshold, at least, when there are too many clusters

Rows: TypeAlias = Floats | csr_array


class LevelClusters(Struct, frozen=True):
    """The clusters of all levels. `levels` are places: 0 is the lowest level that has points."""

    centres: Floats  # a row for each cluster
    sigmas: Floats  # of one dimension
    sizes: Ints
    levels: Ints


class Birch:
    """Clusters points in the order in which they come.

    `radius` is the threshold to begin with: 0 keeps distinct points apart until there are more than
    `max_clusters`.

    >>> fitted = Birch(max_clusters=2).fit(np.array([[0.0], [0.2], [5.0]]))
    >>> fitted.centres_.round(2).tolist(), fitted.sigmas_.round(2).tolist()
    ([[0.1], [5.0]], [0.1, 0.0])
    """

    def __init__(self, *, max_clusters: int = MAX_CLUSTERS, radius: float = 0.0) -> None:
        self.max_clusters = max_clusters
        self.radius = radius

    def fit(self, rows: Rows) -> Self:
        """Cluster the rows of a dense or sparse matrix."""
        if self.max_clusters < 1 or not self.radius >= 0.0:
            raise ValueError("BIRCH needs room for one cluster, and a radius of 0 or more")
        features = _Features(rows.shape[1], self.max_clusters)
        squared = self.radius**2
        if issparse(rows):
            table = csr_array(rows)
            squared = _cluster_sparse(
                table.indptr.astype(np.int64),
                table.indices.astype(np.int64),
                table.data.astype(np.float64),
                features.arrays,
                squared,
            )
        else:
            squared = _cluster_dense(
                np.ascontiguousarray(rows, np.float64), features.arrays, squared
            )
        self.radius_ = float(np.sqrt(squared))
        self.sizes_: Ints = features.sizes
        self.centres_: Floats = features.centres
        self.sigmas_: Floats = np.sqrt(features.squared_radii / rows.shape[1])
        return self


class _Features:
    """Clustering features as arrays. Sums have a row for each dimension, which the search reads."""

    def __init__(self, width: int, capacity: int) -> None:
        self._used = np.zeros(1, np.int64)
        self._counts = np.zeros(capacity, np.float64)
        self._sums = np.zeros((width, capacity), np.float64)
        self._squares = np.zeros(capacity, np.float64)
        self._lengths = np.zeros(capacity, np.float64)  # |LS|^2

    @property
    def arrays(self) -> tuple[Ints, Floats, Floats, Floats, Floats]:
        return self._used, self._counts, self._sums, self._squares, self._lengths

    @property
    def sizes(self) -> Ints:
        return self._counts[: self._used[0]].astype(np.int64)

    @property
    def centres(self) -> Floats:
        used = int(self._used[0])
        return np.ascontiguousarray((self._sums[:, :used] / self._counts[:used]).T)

    @property
    def squared_radii(self) -> Floats:
        used = int(self._used[0])
        counts, lengths = self._counts[:used], self._lengths[:used]
        radii = self._squares[:used] / counts - lengths / counts**2
        radii[counts == 1.0] = 0.0
        noise = 1e-12 * np.maximum(self._squares[:used] / counts, 0.0)
        return np.where(radii <= noise, 0.0, radii)


@njit(cache=True)
def _cluster_dense(
    rows: Floats, features: tuple[Ints, Floats, Floats, Floats, Floats], threshold: float
) -> float:
    """Insert all rows. Return the square of the last threshold."""
    columns = np.arange(rows.shape[1])
    dots = np.zeros(len(features[1]))
    for i in range(rows.shape[0]):
        square = (rows[i] ** 2).sum()
        while not _insert(columns, rows[i], (1.0, square), features, (threshold, dots)):
            threshold = _rebuild(features, threshold, dots)
    return threshold


@njit(cache=True)
def _cluster_sparse(
    starts: Ints,
    indices: Ints,
    data: Floats,
    features: tuple[Ints, Floats, Floats, Floats, Floats],
    threshold: float,
) -> float:
    """Insert all rows. Return the square of the last threshold."""
    dots = np.zeros(len(features[1]))
    for i in range(len(starts) - 1):
        columns, values = indices[starts[i] : starts[i + 1]], data[starts[i] : starts[i + 1]]
        square = (values**2).sum()
        while not _insert(columns, values, (1.0, square), features, (threshold, dots)):
            threshold = _rebuild(features, threshold, dots)
    return threshold


@njit(cache=True)
def _insert(
    columns: Ints,
    values: Floats,
    entry: tuple[float, float],
    features: tuple[Ints, Floats, Floats, Floats, Floats],
    search: tuple[float, Floats],
) -> bool:
    """Add a point or cluster to the nearest cluster, or as a new one. False: there is no room.

    An entry is its number of points and the sum of their squared lengths; `values` is their sum.
    """
    used, counts, sums, squares, lengths = features
    count, square = entry
    threshold, dots = search
    number = used[0]
    length = (values**2).sum()
    dots[:number] = 0.0
    for k in range(len(columns)):
        value = values[k]
        row = sums[columns[k]]
        for c in range(number):
            dots[c] += value * row[c]
    nearest, best = -1, np.inf
    for c in range(number):
        apart = lengths[c] / counts[c] ** 2 - 2.0 * dots[c] / (counts[c] * count)
        if apart < best:
            nearest, best = c, apart
    if nearest >= 0:
        total = counts[nearest] + count
        joint_length = lengths[nearest] + 2.0 * dots[nearest] + length
        mean_square = (squares[nearest] + square) / total
        if mean_square - joint_length / total**2 <= threshold + 1e-12 * mean_square:
            counts[nearest] = total
            squares[nearest] += square
            lengths[nearest] = joint_length
            for k in range(len(columns)):
                sums[columns[k], nearest] += values[k]
            return True
    if number == len(counts):
        return False
    used[0] = number + 1
    counts[number], squares[number], lengths[number] = count, square, length
    sums[:, number] = 0.0
    for k in range(len(columns)):
        sums[columns[k], number] = values[k]
    return True


@njit(cache=True)
def _rebuild(
    features: tuple[Ints, Floats, Floats, Floats, Floats], threshold: float, dots: Floats
) -> float:
    """Raise the threshold until there are fewer clusters. Return its square."""
    used, counts, sums, squares, _lengths = features
    old_counts, old_sums = counts.copy(), sums.T.copy()
    old_squares = squares.copy()
    columns = np.arange(sums.shape[0])
    before = used[0]
    is_full = True
    while is_full:
        threshold = max(_median_joint_radius(features), threshold * _GROWTH**2)
        used[0] = 0
        for c in range(before):
            _insert(
                columns,
                old_sums[c],
                (old_counts[c], old_squares[c]),
                features,
                (threshold, dots),
            )
        is_full = used[0] == before and threshold < np.inf
    return threshold


@njit(cache=True)
def _median_joint_radius(features: tuple[Ints, Floats, Floats, Floats, Floats]) -> float:
    """Return the median of the squared radii that clusters would have with their nearest."""
    used, counts, sums, squares, lengths = features
    number = used[0]
    if number == 1:
        return np.inf
    dots = np.zeros((number, number))
    for f in range(sums.shape[0]):
        row = sums[f]
        for c in range(number):
            if row[c] != 0.0:
                for other in range(number):
                    dots[c, other] += row[c] * row[other]
    radii = np.full(number, np.inf)
    for c in range(number):
        for other in range(number):
            if other != c:
                total = counts[c] + counts[other]
                joint = lengths[c] + lengths[other] + 2.0 * dots[c, other]
                radius = (squares[c] + squares[other]) / total - joint / total**2
                radii[c] = min(radii[c], radius)
    return float(max(np.median(radii), 1e-300))


def cluster_levels(
    rows: Rows, levels: Ints, *, max_clusters: int = MAX_CLUSTERS, radius: float = 0.0
) -> LevelClusters:
    """Return the clusters of each level, of which at most `max_clusters` have the same level.

    `levels` are places from 0 on, each with a point at least.
    """
    number = int(levels.max()) + 1
    fitted = [
        Birch(max_clusters=max_clusters, radius=radius).fit(rows[levels == level])
        for level in range(number)
    ]
    counts = [len(each.sizes_) for each in fitted]
    return LevelClusters(
        centres=np.concatenate([each.centres_ for each in fitted]),
        sigmas=np.concatenate([each.sigmas_ for each in fitted]),
        sizes=np.concatenate([each.sizes_ for each in fitted]),
        levels=np.repeat(np.arange(number), counts),
    )
