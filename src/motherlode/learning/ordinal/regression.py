"""CB-OR: levels of points by clusters and one second-order cone (SPEC F2).

Babaria, Nath, Krishnan, Sivaramakrishnan, Bhattacharyya and Murty, "Focused crawling with scalable
ordinal regression solvers" (ICML 2007). Each level is clustered (`birch`), the clusters become
balls (`kernels`), and w is found that has most of every ball between the thresholds of its level
(`cone_dual`). The level of a point is the number of thresholds below w.x; the argmax that the paper
prints is a misprint.
"""

from typing import Self

import numpy as np
from scipy.sparse import csr_array, issparse

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.ordinal.birch import MAX_CLUSTERS, LevelClusters, Rows, cluster_levels
from motherlode.learning.ordinal.cone_dual import (
    MAX_STEPS,
    TOLERANCE,
    ConeProblem,
    solve_cone_dual,
)
from motherlode.learning.ordinal.kernels import Kernel, ball_radii, kernel_matrix

MIN_LEVELS = 2
MAX_ALL_CLUSTERS = 12_000  # their kernel is a table of 1.2 GB


class OrdinalRegression:
    """Learns the level of a point from points of known levels.

    `eta` is the share of each cluster that has to be on its side of the thresholds, at most 1.
    `norm` is W, the longest w. `width` is s of the Gaussian kernel. Levels are whole numbers; those
    without a point are never predicted. `weighted`: the errors of a cluster count like its points;
    in the paper all clusters count the same. `max_clusters` and `radius` are those of BIRCH, a
    level.

    >>> rows, levels = np.array([[0.0], [0.2], [2.0], [2.2], [4.0]]), np.array([0, 0, 1, 1, 3])
    >>> OrdinalRegression().fit(rows, levels).predict(np.array([[-1.0], [2.1], [9.0]])).tolist()
    [0, 1, 3]
    """

    def __init__(  # noqa: PLR0913 - parameters of an estimator
        self,
        *,
        eta: float = 0.7,
        norm: float = 10.0,
        kernel: Kernel = Kernel.LINEAR,
        width: float = 1.0,
        max_clusters: int = MAX_CLUSTERS,
        radius: float = 0.0,
        tolerance: float = TOLERANCE,
        max_steps: int = MAX_STEPS,
        weighted: bool = False,
    ) -> None:
        self.eta = eta
        self.norm = norm
        self.kernel = kernel
        self.width = width
        self.max_clusters = max_clusters
        self.radius = radius
        self.tolerance = tolerance
        self.max_steps = max_steps
        self.weighted = weighted

    def fit(self, rows: Rows, levels: Ints) -> Self:
        """Cluster the points of each level, and learn from the clusters.

        Raises `ValueError` if there are fewer than two levels, or a value is not finite.
        """
        places, known = placed_levels(rows, levels)
        clusters = cluster_levels(rows, places, max_clusters=self.max_clusters, radius=self.radius)
        return self.fit_clusters(clusters, known)

    def fit_clusters(self, clusters: LevelClusters, levels: Ints | None = None) -> Self:
        """Learn from clusters. `levels` are the levels at their places; None: 0, 1, 2, ..."""
        self._check_parameters()
        self.clusters_ = clusters
        self.levels_: Ints = np.arange(int(clusters.levels.max()) + 1) if levels is None else levels
        if len(self.levels_) < MIN_LEVELS:
            raise ValueError("Levels can only be learned from points of two levels or more.")
        if len(clusters.levels) > MAX_ALL_CLUSTERS:
            raise ValueError(
                f"{len(clusters.levels):,} clusters are too many to solve for; up to "
                f"{MAX_ALL_CLUSTERS:,} are allowed. Set max_clusters lower or radius higher."
            )
        solution = solve_cone_dual(
            ConeProblem(
                kernel_matrix(clusters.centres, clusters.centres, self.kernel, self.width),
                ball_radii(clusters.sigmas, self.eta, self.kernel, self.width),
                clusters.levels,
                self.norm,
                clusters.sizes / clusters.sizes.mean() if self.weighted else None,
            ),
            self.tolerance,
            self.max_steps,
        )
        self.solution_ = solution
        self.thresholds_: Floats = solution.thresholds
        self.weights_: Floats | None = None  # w, which only the linear kernel has
        if self.kernel is Kernel.LINEAR:
            self.weights_ = solution.weights @ clusters.centres
        return self

    def decision(self, rows: Rows) -> Floats:
        """Return w.x of each point (7); it is lower the lower the level."""
        if self.weights_ is not None:
            return np.asarray(rows @ self.weights_, np.float64)
        used = np.flatnonzero(self.solution_.weights)
        centres = self.clusters_.centres[used]
        kernel = kernel_matrix(rows, centres, self.kernel, self.width)
        return np.asarray(kernel @ self.solution_.weights[used], np.float64)

    def predict(self, rows: Rows) -> Ints:
        """Return the level of each point."""
        return self.levels_[places_of(self.decision(rows), self.thresholds_)]

    def _check_parameters(self) -> None:
        if not 0.0 <= self.eta < 1.0:
            raise ValueError(f"eta is {self.eta}; it has to be from 0 to below 1.")
        for name, value in (("norm", self.norm), ("width", self.width)):
            if not (np.isfinite(value) and value > 0.0):
                raise ValueError(f"{name} is {value}; it has to be above 0.")


def places_of(values: Floats, thresholds: Floats) -> Ints:
    """Return the number of thresholds below each value.

    >>> places_of(np.array([-1.0, 0.5, 3.0]), np.array([0.0, 1.0])).tolist()
    [0, 1, 2]
    """
    return np.searchsorted(thresholds, values, side="left").astype(np.int64)


def placed_levels(rows: Rows, levels: Ints) -> tuple[Ints, Ints]:
    """Return the place of each point's level among those with points, and these levels.

    Raises `ValueError` if they are fewer than two, or if the points cannot be used.
    """
    levels = np.asarray(levels)
    if levels.ndim != 1 or rows.shape[0] != len(levels):
        raise ValueError(f"There are {rows.shape[0]} points, and {len(levels)} levels.")
    if levels.dtype.kind not in "iu":
        raise ValueError("Levels have to be whole numbers.")
    values = csr_array(rows).data if issparse(rows) else rows
    if not np.isfinite(values).all():
        raise ValueError("A point has a value that is missing (NaN) or infinite.")
    if rows.shape[1] == 0:
        raise ValueError("The points have no features.")
    known, places = np.unique(levels, return_inverse=True)
    if len(known) < MIN_LEVELS:
        raise ValueError("Levels can only be learned from points of two levels or more.")
    return places.astype(np.int64), known.astype(np.int64)
