"""Choose eta, W and s on a validation split (SPEC F2, F5).

The paper tunes eta and W by grid search on validation data for its crawler (section 4.2), and on
the test set for its tables. Here it is validation data always.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Self

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.learning.matrix import Ints
from motherlode.learning.ordinal.birch import MAX_CLUSTERS, Rows, cluster_levels
from motherlode.learning.ordinal.cone_dual import TOLERANCE
from motherlode.learning.ordinal.kernels import Kernel
from motherlode.learning.ordinal.regression import OrdinalRegression, placed_levels

ETAS = (0.1, 0.5, 0.9)
NORMS = (1.0, 3.0, 10.0, 30.0, 100.0)
WIDTHS = (0.1, 1.0, 10.0)
VALIDATION_SHARE = 0.25
MIN_POINTS = 4  # of a level, of which one validates; a level of fewer only trains
_MAX_STEPS = 200_000  # of one candidate

Mask = npt.NDArray[np.bool_]
Measure = Callable[[Ints, Ints], float]


def error_rate(levels: Ints, predicted: Ints) -> float:
    """Return the share of points with a wrong level, as in the paper's tables.

    >>> error_rate(np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2]))
    0.25
    """
    return float((levels != predicted).mean())


def mean_level_error(levels: Ints, predicted: Ints) -> float:
    """Return the mean distance in levels, in which all levels count the same.

    This is the macroaveraged mean absolute error of Baccianella, Esuli and Sebastiani, "Evaluation
    measures for ordinal regression" (ISDA 2009), which a level with few points needs.

    >>> mean_level_error(np.array([0, 1, 1, 1, 1]), np.array([2, 1, 1, 1, 1]))
    1.0
    """
    distances = np.abs(levels - predicted)
    return float(np.mean([distances[levels == level].mean() for level in np.unique(levels)]))


class Candidate(Struct, frozen=True):
    """Parameters, and the error on validation data."""

    eta: float
    norm: float
    width: float
    error: float


class OrdinalGridSearch:
    """Fits every combination of parameters, and then the best again to all points.

    Of equal ones the first counts: the smallest W, then the largest eta. `seed` draws the split.
    """

    def __init__(  # noqa: PLR0913 - parameters of an estimator
        self,
        *,
        kernel: Kernel = Kernel.LINEAR,
        etas: Sequence[float] = ETAS,
        norms: Sequence[float] = NORMS,
        widths: Sequence[float] = WIDTHS,
        max_clusters: int = MAX_CLUSTERS,
        tolerance: float = TOLERANCE,
        measure: Measure = error_rate,
        weighted: bool = False,
        seed: int = 0,
    ) -> None:
        self.kernel = kernel
        self.etas = etas
        self.norms = norms
        self.widths = widths
        self.max_clusters = max_clusters
        self.tolerance = tolerance
        self.measure = measure
        self.weighted = weighted
        self.seed = seed

    def fit(self, rows: Rows, levels: Ints) -> Self:
        """Choose parameters, and learn with them.

        Raises `ValueError` if there are fewer than two levels, or a value is not finite.
        """
        places, known = placed_levels(rows, levels)
        validates = validation_rows(places, self.seed)
        self.candidates_ = list(self._candidates(rows, places, validates))
        self.best_ = min(self.candidates_, key=lambda candidate: candidate.error)
        self.model_ = self._model(self.best_.eta, self.best_.norm, self.best_.width)
        clusters = cluster_levels(rows, places, max_clusters=self.max_clusters)
        self.model_.fit_clusters(clusters, known)
        return self

    def _candidates(self, rows: Rows, places: Ints, validates: Mask) -> Iterator[Candidate]:
        clusters = cluster_levels(
            rows[~validates], places[~validates], max_clusters=self.max_clusters
        )
        held, truth = rows[validates], places[validates]
        widths = self.widths if self.kernel is Kernel.GAUSSIAN else (1.0,)
        etas = sorted(self.etas, reverse=True)
        for width, norm, eta in product(widths, sorted(self.norms), etas):
            model = self._model(eta, norm, width).fit_clusters(clusters)
            error = self.measure(truth, model.predict(held)) if len(truth) else 0.0
            yield Candidate(eta, norm, width, error)

    def _model(self, eta: float, norm: float, width: float) -> OrdinalRegression:
        return OrdinalRegression(
            eta=eta,
            norm=norm,
            kernel=self.kernel,
            width=width,
            max_clusters=self.max_clusters,
            tolerance=self.tolerance,
            max_steps=_MAX_STEPS,
            weighted=self.weighted,
        )


def validation_rows(places: Ints, seed: int) -> Mask:
    """Return a mask of the points that validate: a share of each level, drawn by the seed."""
    rng = np.random.default_rng(seed)
    mask = np.zeros(len(places), bool)
    for level in np.unique(places):
        rows = np.flatnonzero(places == level)
        if len(rows) >= MIN_POINTS:
            number = max(1, int(len(rows) * VALIDATION_SHARE))
            mask[rng.permutation(rows)[:number]] = True
    return mask
