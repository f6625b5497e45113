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
from numba import njit

from motherlode.learning.matrix import Floats, Ints

TOLERANCE = 1e-3
MAX_STEPS = 2_000_000
_MAX_ROUNDS = 200
_FIRST_VIOLATION = 0.1  # that the first round leaves
_LEAST_VIOLATION = 1e-2  # that a round leaves, times the tolerance
_STIFFNESS = 10.0  # c of the first round, times the mean of the kernel's diagonal
_STIFFENING = 2.0  # of c in a round
_MAX_STIFFNESS = 1e4  # as the first
_ROUNDING = 1e-13
_REFRESH = 10_000  # steps, after which products are worked out anew
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
        pull, lower, upper, taken = _descend(
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
            stiffness = min(stiffness * _STIFFENING, _MAX_STIFFNESS / max(scale, _ROUNDING))
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


@njit(cache=True)
def _descend(
    kernel: Floats,
    clusters: tuple[Floats, Ints, Floats],
    duals: tuple[Floats, Floats, Floats],
    settings: tuple[float, float, float],
    max_steps: int,
) -> tuple[Floats, Floats, Floats, int]:
    """Move pairs until none violates the conditions by more than the last of the settings.

    Returns the weights of the centres in w_0 + c z, the bounds of all thresholds, and the steps.
    """
    margins, levels, most = clusters
    alpha, alpha_star, origin = duals
    norm, stiffness, tolerance = settings
    number, thresholds = len(levels), int(levels.max())
    slack = _slack(alpha, alpha_star, levels)
    bounds = np.zeros((2, thresholds))
    pull = origin + stiffness * (alpha_star - alpha)
    product = kernel @ pull
    square, steps = 0.0, 0
    while True:
        if steps % _REFRESH == 0:
            pull = origin + stiffness * (alpha_star - alpha)
            product = kernel @ pull
            square = float(pull @ product)
        length = np.sqrt(max(square, 0.0))
        values = product * min(1.0, norm / length) if length > norm else product
        low, up, violation = _worst_pair(
            values, margins, (levels, most), (alpha, alpha_star), (slack, bounds)
        )
        if violation <= tolerance or steps >= max_steps:
            return pull, bounds[0], bounds[1], steps
        steps += 1
        up = _best_partner(
            low, up, (values, margins), (levels, most), (alpha, alpha_star, slack), kernel
        )
        first, second = low % number, up % number
        largest, limit = _largest_step((alpha, alpha_star), (low, up), (levels, most), slack)
        apart = kernel[first, first] - 2 * kernel[first, second] + kernel[second, second]
        sign_first = 1.0 if low < number else -1.0
        sign_second = 1.0 if up < number else -1.0
        gain = sign_first * margins[first] - sign_second * margins[second]
        slope = product[second] - product[first]
        step = _best_step((apart, slope, square, gain), (norm, stiffness), largest)
        _move((alpha, alpha_star), (low, up), (levels, most), slack, (step, largest, limit))
        change = stiffness * step
        square += 2.0 * change * slope + change**2 * apart
        pull[first] -= change
        pull[second] += change
        for k in range(number):
            product[k] += change * (kernel[second, k] - kernel[first, k])


@njit(cache=True)
def _slack(alpha: Floats, alpha_star: Floats, levels: Ints) -> Floats:
    """Return S_i - S*_i of each threshold; the last is 0 always."""
    thresholds = int(levels.max())
    slack = np.zeros(thresholds)
    for k in range(len(levels)):
        for t in range(thresholds - 1):
            if levels[k] <= t:
                slack[t] += alpha[k]
            if levels[k] <= t + 1:
                slack[t] -= alpha_star[k]
    slack[slack < _ROUNDING * len(levels)] = 0.0
    return slack


@njit(cache=True)
def _best_partner(
    low: int,
    up: int,
    scores: tuple[Floats, Floats],
    clusters: tuple[Ints, Floats],
    state: tuple[Floats, Floats, Floats],
    kernel: Floats,
) -> int:
    """Return the variable whose step with `low` gains most; `up` violates the conditions most."""
    values, margins = scores
    levels, most = clusters
    alpha, alpha_star, slack = state
    number, last = len(levels), len(slack)
    own = low % number
    begin = _threshold(low, levels)
    bound = values[own] + (margins[own] if low < number else -margins[own])
    while begin > 0 and slack[begin - 1] > 0.0:
        begin -= 1
    best, partner = -1.0, up
    for k in range(number):
        level = levels[k]
        apart = max(kernel[own, own] - 2.0 * kernel[own, k] + kernel[k, k], 1e-12)
        if begin <= level < last and alpha[k] > 0.0:
            violation = bound - values[k] - margins[k]
            if violation > 0.0 and violation * violation > best * apart:
                best, partner = violation * violation / apart, k
        if level > begin and alpha_star[k] < most[k]:
            violation = bound - values[k] + margins[k]
            if violation > 0.0 and violation * violation > best * apart:
                best, partner = violation * violation / apart, k + number
    return partner


@njit(cache=True)
def _worst_pair(
    values: Floats,
    margins: Floats,
    clusters: tuple[Ints, Floats],
    duals: tuple[Floats, Floats],
    state: tuple[Floats, Floats],
) -> tuple[int, int, float]:
    """Return the pair that violates (8) to (10) most, and by how much; sets the bounds.

    A variable is numbered like its cluster; alpha* come after all alpha.
    """
    levels, most = clusters
    alpha, alpha_star = duals
    slack, bounds = state
    number, thresholds = len(levels), len(slack)
    own = np.empty((2, thresholds))  # b_low and b_up of (8)
    own[0], own[1] = -np.inf, np.inf
    at = np.zeros((2, thresholds), np.int64)
    for k in range(number):
        level = levels[k]
        if level < thresholds:
            value = values[k] + margins[k]
            if alpha[k] < most[k] and value > own[0, level]:
                own[0, level], at[0, level] = value, k
            if alpha[k] > 0.0 and value < own[1, level]:
                own[1, level], at[1, level] = value, k
        if level > 0:
            value = values[k] - margins[k]
            if alpha_star[k] > 0.0 and value > own[0, level - 1]:
                own[0, level - 1], at[0, level - 1] = value, k + number
            if alpha_star[k] < most[k] and value < own[1, level - 1]:
                own[1, level - 1], at[1, level - 1] = value, k + number
    return _worst_bounds(own, at, slack, bounds)


@njit(cache=True)
def _worst_bounds(own: Floats, at: Ints, slack: Floats, bounds: Floats) -> tuple[int, int, float]:
    """Set B_low and B_up of (9) and (10). Return the pair behind the worst, and its violation."""
    thresholds = len(slack)
    low, up, violation = 0, 0, -np.inf
    for t in range(thresholds):
        last = t
        while last < thresholds - 1 and slack[last] > 0.0:
            last += 1
        first = t
        while first > 0 and slack[first - 1] > 0.0:
            first -= 1
        lowest = int(np.argmax(own[0, : last + 1]))
        highest = first + int(np.argmin(own[1, first:]))
        bounds[0, t], bounds[1, t] = own[0, lowest], own[1, highest]
        if bounds[0, t] - bounds[1, t] > violation:
            violation = bounds[0, t] - bounds[1, t]
            low, up = at[0, lowest], at[1, highest]
    return low, up, violation


@njit(cache=True)
def _threshold(variable: int, levels: Ints) -> int:
    """Return the threshold that a variable belongs to."""
    number = len(levels)
    return int(levels[variable] if variable < number else levels[variable - number] - 1)


@njit(cache=True)
def _largest_step(
    duals: tuple[Floats, Floats],
    pair: tuple[int, int],
    clusters: tuple[Ints, Floats],
    slack: Floats,
) -> tuple[float, int]:
    """Return how far the pair may move, and the threshold that ends it; -1: a variable does."""
    levels, most = clusters
    alpha, alpha_star = duals
    low, up = pair
    number = len(levels)
    first = most[low] - alpha[low] if low < number else alpha_star[low - number]
    second = alpha[up] if up < number else most[up - number] - alpha_star[up - number]
    largest, limit = min(first, second), -1
    for t in range(_threshold(up, levels), _threshold(low, levels)):
        if slack[t] < largest:
            largest, limit = slack[t], t
    return largest, limit


@njit(cache=True)
def _best_step(
    terms: tuple[float, float, float, float], settings: tuple[float, float], largest: float
) -> float:
    """Return the minimum of (11), rounded at the tip, from 0 to `largest`.

    The terms are |phi_l - phi_m|^2, the slope of |w_0 + c z|^2 / (2 c), that square, and e of (11).
    """
    apart, slope, square, gain = terms
    norm, stiffness = settings
    if apart <= 1e-14 * max(square, 1.0):
        return largest if gain > 0.0 else 0.0
    step = min(max((gain - slope) / (stiffness * apart), 0.0), largest)
    change = stiffness * step
    if square + 2.0 * change * slope + change**2 * apart <= norm**2:
        return step  # in the rounded part
    a, b, c = norm**2 * apart, norm**2 * slope / stiffness, (norm / stiffness) ** 2 * square
    if a <= gain * gain:
        return largest if gain > 0.0 else 0.0
    determinant = max(a * c - b * b, 0.0)
    step = (gain * float(np.sqrt(determinant / (a - gain * gain))) - b) / a
    return min(max(step, 0.0), largest)


@njit(cache=True)
def _move(
    duals: tuple[Floats, Floats],
    pair: tuple[int, int],
    clusters: tuple[Ints, Floats],
    slack: Floats,
    move: tuple[float, float, int],
) -> None:
    """Change both variables. What reaches a bound, but for rounding, is set to it."""
    levels, most = clusters
    alpha, alpha_star = duals
    low, up = pair
    step, largest, limit = move
    number = len(levels)
    if low < number:
        alpha[low] = _bounded(alpha[low] + step, most[low])
    else:
        alpha_star[low - number] = _bounded(alpha_star[low - number] - step, most[low - number])
    if up < number:
        alpha[up] = _bounded(alpha[up] - step, most[up])
    else:
        alpha_star[up - number] = _bounded(alpha_star[up - number] + step, most[up - number])
    first, second = _threshold(low, levels), _threshold(up, levels)
    for t in range(first, second):
        slack[t] += step
    for t in range(second, first):
        slack[t] -= step
        if slack[t] < _ROUNDING or (step >= largest and t == limit):
            slack[t] = 0.0


@njit(cache=True)
def _bounded(value: float, most: float) -> float:
    """Return a variable between 0 and the most, and on the bound if it is close to it."""
    if value < _ROUNDING:
        return 0.0
    return most if value > most - _ROUNDING else value
