"""Linear support vector machines that keep their dual variables (SPEC B7-B9).

Dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008, algorithm 3, with
its shrinking) on   min w.w / 2 + sum C_i max(0, 1 - y_i w.x_i).   The bias is the weight of a
feature that every document has. The estimates of xi-alpha need the dual variables, which other fast
solvers do not return.
"""

from typing import Self

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.sparse import csr_array

from motherlode.learning.matrix import Floats, Ints

_MAX_ROUNDS = 10_000


class LinearSvm:
    """A hyperplane between the documents of a topic (+1) and others (-1).

    With `balanced`, both classes have the same total cost (SPEC B7: two positive documents against
    fifty and more). `tolerance` is on the range of the projected gradients.
    """

    def __init__(
        self, cost: float = 1.0, *, balanced: bool = True, tolerance: float = 1e-3, seed: int = 0
    ) -> None:
        self.cost = cost
        self.balanced = balanced
        self.tolerance = tolerance
        self.seed = seed

    def fit(self, rows: csr_array, labels: Ints) -> Self:
        signs = np.where(np.asarray(labels) > 0, 1.0, -1.0)
        costs = self._costs(signs)
        weights, bias, duals, rounds = _descend(
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int64),
            rows.data.astype(np.float64),
            signs,
            costs,
            (rows.shape[1], self.tolerance, self.seed),
        )
        self.weights_: Floats = weights
        self.bias_: float = bias
        self.duals_: Floats = duals
        self.slacks_: Floats = np.maximum(0.0, 1.0 - signs * (rows @ weights + bias))
        self.rounds_: int = rounds
        return self

    def decision(self, rows: csr_array) -> Floats:
        """Return the decision value of each document, positive if it is on the topic."""
        values: Floats = rows @ self.weights_ + self.bias_
        return values

    def confidence(self, rows: csr_array) -> Floats:
        """Return the signed distance of each document from the hyperplane (SPEC B8)."""
        length = float(np.linalg.norm(self.weights_))
        return self.decision(rows) / length if length else self.decision(rows)

    def _costs(self, signs: Floats) -> Floats:
        if not self.balanced:
            return np.full(len(signs), self.cost)
        positive = max(int((signs > 0).sum()), 1)
        negative = max(len(signs) - positive, 1)
        share = len(signs) / 2.0
        return self.cost * np.where(signs > 0, share / positive, share / negative)


@njit(cache=True)
def _descend(
    starts: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64],
    data: Floats,
    signs: Floats,
    costs: Floats,
    settings: tuple[int, float, int],
) -> tuple[Floats, float, Floats, int]:
    """Return the weights, the bias, the dual variables, and the number of rounds."""
    width, tolerance, seed = settings
    count = len(signs)
    weights = np.zeros(width + 1)  # the last is the bias
    duals = np.zeros(count)
    squares = np.ones(count)
    for i in range(count):
        squares[i] += (data[starts[i] : starts[i + 1]] ** 2).sum()
    np.random.seed(seed)
    order = np.arange(count)
    active, rounds = count, 0
    # The range of projected gradients in the last round: variables beyond it are set aside.
    highest, lowest = np.inf, -np.inf
    while rounds < _MAX_ROUNDS:
        rounds += 1
        order[:active] = np.random.permutation(order[:active])  # a new order in every round
        active, high, low = _round(
            (starts, columns, data),
            (signs, costs, squares),
            (weights, duals, order),
            (active, highest, lowest),
        )
        if high - low > tolerance:
            highest, lowest = (high if high > 0 else np.inf), (low if low < 0 else -np.inf)
        elif active == count:
            break
        else:  # check the variables that were set aside
            active, highest, lowest = count, np.inf, -np.inf
    return weights[:-1].copy(), weights[-1], duals, rounds


@njit(cache=True)
def _round(
    rows: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats],
    documents: tuple[Floats, Floats, Floats],
    state: tuple[Floats, Floats, npt.NDArray[np.int64]],
    bounds: tuple[int, float, float],
) -> tuple[int, float, float]:
    """Update each active variable. Return how many stay active, and their range of gradients."""
    starts, columns, data = rows
    signs, costs, squares = documents
    weights, duals, order = state
    active, highest, lowest = bounds
    high, low, position = -np.inf, np.inf, 0
    while position < active:
        i = order[position]
        row, values = columns[starts[i] : starts[i + 1]], data[starts[i] : starts[i + 1]]
        gradient = signs[i] * _value(weights, row, values) - 1.0
        if _is_settled(gradient, duals[i], costs[i], highest, lowest):
            active -= 1
            order[position], order[active] = order[active], order[position]
            continue
        projected = _project(gradient, duals[i], costs[i])
        high, low = max(high, projected), min(low, projected)
        if projected != 0.0:
            old = duals[i]
            duals[i] = min(max(old - gradient / squares[i], 0.0), costs[i])
            _add(weights, row, values, (duals[i] - old) * signs[i])
        position += 1
    return active, high, low


@njit(cache=True)
def _is_settled(gradient: float, dual: float, cost: float, highest: float, lowest: float) -> bool:
    """Return whether a variable will most likely stay at its bound."""
    return (dual <= 0.0 and gradient > highest) or (dual >= cost and gradient < lowest)


@njit(cache=True)
def _value(weights: Floats, row: npt.NDArray[np.int64], values: Floats) -> float:
    total = weights[-1]
    for position in range(len(row)):
        total += weights[row[position]] * values[position]
    return float(total)


@njit(cache=True)
def _project(gradient: float, dual: float, cost: float) -> float:
    """Return the projected gradient: the part that the bounds of the variable allow."""
    if dual <= 0.0:
        return min(gradient, 0.0)
    if dual >= cost:
        return max(gradient, 0.0)
    return gradient


@njit(cache=True)
def _add(weights: Floats, row: npt.NDArray[np.int64], values: Floats, step: float) -> None:
    weights[-1] += step
    for position in range(len(row)):
        weights[row[position]] += step * values[position]
