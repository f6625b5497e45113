"""The steps of CB-OR: pairs of variables of (6), moved until none violates the conditions.

Babaria and others (ICML 2007), equations (8) to (11). A pair is the most violating variable, and
the one that gains most with it (Fan, Chen and Lin, JMLR 6, 2005, to second order). `cone_dual` says
how the tip of the cone is rounded.
"""

import numpy as np
from numba import njit

from motherlode.learning.matrix import Floats, Ints

ROUNDING = 1e-13
_REFRESH = 10_000  # steps, after which products are worked out anew


@njit(cache=True)
def descend(
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
    slack[slack < ROUNDING * len(levels)] = 0.0
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
        if slack[t] < ROUNDING or (step >= largest and t == limit):
            slack[t] = 0.0


@njit(cache=True)
def _bounded(value: float, most: float) -> float:
    """Return a variable between 0 and the most, and on the bound if it is close to it."""
    if value < ROUNDING:
        return 0.0
    return most if value > most - ROUNDING else value
