"""Learn the weights of groups: the expected F1 of the group that a softmax would choose.

The folds of the cross-validation are brands, so that no site is in both parts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bench.records.measures import link_figures
from bench.records.pages import LabelledPage, mean_over_sites
from motherlode.documents.result_lists.best_group import described_groups

FOLDS, PENALTY = 8, 0.03
LEAST = 0.6  # F1 of a page's best group, below which its labels teach nothing
MIN_DEVIATION = 0.05  # of a feature that is nearly always the same
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """The groups of a page: their features, and the F1 of each."""

    site: str
    brand: str
    features: list[dict[str, float]]
    gains: Array


def examples_of(pages: Sequence[LabelledPage]) -> list[Example]:
    """Return an example for each page with links of records."""
    return [_example(page) for page in pages if page.links]


def _example(page: LabelledPage) -> Example:
    groups, features = described_groups(page.page)
    links = [[page.page.links[member] for member in group.members] for group in groups]
    gains = np.array([link_figures(members, page.links).f1 for members in links])
    return Example(page.site, page.brand, features, gains)


def learn(examples: Sequence[Example]) -> dict[str, float]:
    """Return the weights that maximise the logarithm of the expected gain, brands counting alike."""
    useful = [example for example in examples if example.gains.max(initial=0) >= LEAST]
    names = sorted({name for each in useful for row in each.features for name in row})
    table = np.array([[row.get(n, 0.0) for n in names] for e in useful for row in e.features])
    deviation = np.maximum(table.std(axis=0), MIN_DEVIATION)
    weights = _maximise((table - table.mean(axis=0)) / deviation, useful) / deviation
    return dict(zip(names, map(float, weights), strict=True))


def _maximise(table: Array, examples: Sequence[Example]) -> Array:
    sizes = np.array([len(example.gains) for example in examples])
    starts, owner = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
    gains = (np.concatenate([example.gains for example in examples]) + 0.01) ** 2
    counts = Counter(example.brand for example in examples)
    shares = np.array([1 / counts[example.brand] for example in examples]) / len(counts)

    def loss(weights: Array) -> tuple[float, Array]:
        scores = table @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        chances = raised / np.add.reduceat(raised, starts)[owner]
        expected = np.add.reduceat(chances * gains, starts)
        slope = shares[owner] * (chances - chances * gains / expected[owner])
        value = PENALTY * weights @ weights - shares @ np.log(expected)
        return float(value), table.T @ slope + 2 * PENALTY * weights

    start = np.zeros(table.shape[1])
    solution: Array = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return solution


def cross_validated(examples: Sequence[Example], seed: int) -> dict[int, float]:
    """Return the F1 of each example's chosen group, by weights learned without its brand."""
    brands = sorted({example.brand for example in examples})
    order = np.random.default_rng(seed).permutation(len(brands))
    folds = {brands[place]: rank % FOLDS for rank, place in enumerate(order)}
    gains: dict[int, float] = {}
    for fold in range(FOLDS):
        weights = learn([example for example in examples if folds[example.brand] != fold])
        for number, example in enumerate(examples):
            if folds[example.brand] == fold:
                gains[number] = _gain(example, weights)
    return gains


def _gain(example: Example, weights: Mapping[str, float]) -> float:
    scores = [
        sum(weights.get(name, 0.0) * value for name, value in row.items())
        for row in example.features
    ]
    return float(example.gains[int(np.argmax(scores))]) if scores else 0.0


def site_mean(examples: Sequence[Example], gains: Mapping[int, float], chosen: range) -> float:
    """Return the mean over sites of the F1 of some examples."""
    return mean_over_sites((examples[number].site, gains[number]) for number in chosen)
