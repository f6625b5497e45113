"""The one-cone dual of CB-OR, solved pair by pair (SPEC F2).

Babaria and others (ICML 2007), equation (6): with v = alpha* - alpha, d = 1 + W r,

    min  W sqrt(v' K v) - d'(alpha + alpha*)
    s.t. 0 <= alpha <= 1, 0 <= alpha* <= 1, S*_i <= S_i for i < r - 1, S*_{r-1} = S_{r-1}

alpha belongs to the threshold above a cluster, alpha* to that below it. S_i and S*_i are sums over
the clusters up to threshold i. A pair that violates the optimality conditions (8) to (10) is moved
to the minimum of (11), until none violates them by more than a tolerance: the most violating
variable, and the one that gains most with it (Fan, Chen and Lin, JMLR 6, 2005, to second order).

Readings. In the last three lines of (8) the radius is r_{i+1}; in (14) it is alpha*_{i+1}. (9) and
(10) look one threshold beyond a positive multiplier S_i - S*_i; several in a row tie all their
thresholds together, so whole runs are looked at here.

Weights. The paper's sum of errors counts a cluster of one point like one of a thousand, and with
clusters of overlapping levels that costs accuracy (docs/quality.md). With weights, the bound of
alpha and alpha* is not 1 but the weight of the cluster.

The cone's tip. (7) divides by rho = sqrt(v' K v), which is 0 at the start, and also at the end when
the shortest best w is shorter than W. No pair leads along the tip. So the cone is rounded there:
with z = sum v_j phi_j, W |z| is replaced by the most that w.z - |w - w_0|^2 / (2 c) reaches within
|w| <= W, and w_0 moves to the w found, round by round (the proximal point method, Rockafellar,
SIAM J. Control 14, 1976). With w_0 = 0 and c |z| > W nothing is rounded, and w is that of (7).
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from msgspec import Struct

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.ordinal.cone_descent import ROUNDING, descend

TOLERANCE = 1e-3
MAX_STEPS = 2_000_000
_MAX_ROUNDS = 200
_FIRST_VIOLATION = 0.1  # that the first round leaves
_LEAST_VIOLATION = 1e-2  # that a round leaves, times the tolerance
_STIFFNESS = 10.0  # c of the first round, times the mean of the kernel's diagonal
_STIFFENING = 2.0  # of c in a round
_MAX_STIFFNESS = 1e4  # as the first
_CANCELLED = 1e-10  # of the sum of its terms: a smaller square is mostly rounding error
_RANK = 1e-12  # of the largest eigenvalue of a kernel; smaller ones are rounding errors
_MAX_ROOT = 2_000  # clusters, whose kernel is decomposed where that is needed


class ConeProblem(Struct, frozen=True):
    """The centres' kernel, the balls' radii, the levels of the clusters, and W.

    `weights` are what the errors of each cluster count, 1 in the paper; they bound alpha, alpha*.
    """

    kernel: Floats
    radii: Floats
    levels: Ints  # from 0 on, each with a cluster at least
    norm: float  # W
    weights: Floats | None = None

    @property
    def bounds(self) -> Floats:
        """The most that alpha and alpha* of each cluster can be."""
        return np.ones(len(self.radii)) if self.weights is None else self.weights

    @property
    def margins(self) -> Floats:
        """The vector d of (6)."""
        return 1.0 + self.norm * self.radii


@dataclass(frozen=True, slots=True)
class ConeSolution:
    """The solution of a problem.

    `weights` are those of the centres in w. `objective` is that of (6). `gap` is how far it is from
    the least at most: the objective of (4), for which w and the thresholds are a solution, minus
    that of (5).
    """

    alpha: Floats
    alpha_star: Floats
    weights: Floats
    thresholds: Floats
    objective: float
    gap: float
    steps: int


def solve_cone_dual(
    problem: ConeProblem, tolerance: float = TOLERANCE, max_steps: int = MAX_STEPS
) -> ConeSolution:
    """Return a solution of (6), with the thresholds between levels.

    Its gap is at most `tolerance` times the objective, unless it takes more than `max_steps`.
    """
    means = problem.kernel.mean(axis=0)
    # Of centres minus their mean: the sum of v is 0, so w.x changes by the same for all.
    kernel = np.ascontiguousarray(problem.kernel - means - means[:, None] + means.mean())
    scale = float(np.trace(kernel)) / len(kernel)
    stiffness = _STIFFNESS / scale if scale > 0.0 else 1.0
    lengths = _Lengths(kernel)
    number = len(kernel)
    duals = np.zeros(number), np.zeros(number)
    origin, steps, violation = np.zeros(number), 0, _FIRST_VIOLATION
    solution: ConeSolution | None = None
    for _ in range(_MAX_ROUNDS):
        pull, lower, upper, taken = descend(
            kernel,
            (problem.margins, problem.levels, problem.bounds),
            (*duals, origin),
            (problem.norm, stiffness, violation),
            max_steps - steps,
        )
        steps += taken
        reached = _solution(problem, lengths, duals, pull, (_between(lower, upper), steps))
        solution = min(solution or reached, reached, key=lambda each: each.gap)
        enough = tolerance * max(1.0, abs(solution.objective))
        if solution.gap <= enough or steps >= max_steps:
            break
        violation = max(violation / 3.0, tolerance * _LEAST_VIOLATION)
        if origin.any() or pull @ kernel @ pull <= problem.norm**2:
            origin = reached.weights
            stiffness = min(stiffness * _STIFFENING, _MAX_STIFFNESS / max(scale, ROUNDING))
    assert solution is not None  # noqa: S101 - there is one round at least
    shift = float(((problem.kernel - kernel) @ solution.weights).mean())
    return replace(solution, thresholds=solution.thresholds + shift)


class _Lengths:
    """Lengths of sums of points, by their kernel.

    At the tip of the cone v' K v is the small difference of large terms, and its root is 1e-8 of
    them where it should be 0. There it is worked out by the eigenvectors, as the sum of squares.
    """

    def __init__(self, kernel: Floats) -> None:
        self.kernel = kernel
        self._diagonal: Floats = np.sqrt(np.maximum(np.diag(kernel), 0.0))

    def of(self, weights: Floats) -> float:
        """Return the length of the sum of the points with these weights."""
        square = float(weights @ self.kernel @ weights)
        terms = float(np.abs(weights) @ self._diagonal) ** 2
        if square <= _CANCELLED * terms and len(self.kernel) <= _MAX_ROOT:
            return float(np.linalg.norm(self._root @ weights))
        return float(np.sqrt(max(square, 0.0)))

    @cached_property
    def _root(self) -> Floats:
        values, vectors = np.linalg.eigh(self.kernel)
        known = values > _RANK * max(float(values[-1]), 0.0)
        root: Floats = np.sqrt(values[known])[:, None] * vectors[:, known].T
        return root


def _solution(
    problem: ConeProblem,
    lengths: "_Lengths",
    duals: tuple[Floats, Floats],
    pull: Floats,
    reached: tuple[Floats, int],
) -> ConeSolution:
    """Return what the variables amount to, with the certificate of how good it is."""
    alpha, alpha_star = duals
    thresholds, steps = reached
    length = lengths.of(pull)
    weights = pull * min(1.0, problem.norm / length) if length > 0.0 else pull
    objective = problem.norm * lengths.of(alpha_star - alpha) - float(
        problem.margins @ (alpha + alpha_star)
    )
    errors = _errors(lengths.kernel @ weights, problem, thresholds)
    return ConeSolution(
        alpha.copy(), alpha_star.copy(), weights, thresholds, objective, errors + objective, steps
    )


def _errors(values: Floats, problem: ConeProblem, thresholds: Floats) -> float:
    """Return the objective of (4): the weighted sum of all xi and xi*."""
    bounds = np.concatenate([[-np.inf], thresholds, [np.inf]])
    above = np.maximum(values + problem.margins - bounds[problem.levels + 1], 0.0)
    below = np.maximum(bounds[problem.levels] - values + problem.margins, 0.0)
    return float(problem.bounds @ (above + below))


def _between(lower: Floats, upper: Floats) -> Floats:
    """Return thresholds in the middle of their bounds; where one is missing, the other."""
    low = np.where(np.isfinite(lower), lower, upper)
    high = np.where(np.isfinite(upper), upper, lower)
    return np.maximum.accumulate((low + high) / 2.0)
