"""CB-OR as an estimator: usual, degenerate and unusable training sets (SPEC F2)."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.ordinal.grid_search import (
    OrdinalGridSearch,
    mean_level_error,
    validation_rows,
)
from motherlode.learning.ordinal.kernels import Kernel, ball_radii, kernel_matrix
from motherlode.learning.ordinal.layers import merged_levels
from motherlode.learning.ordinal.regression import OrdinalRegression


def overlapping(number: int = 300, seed: int = 0) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, 3, number)
    rows = rng.normal(size=(number, 4))
    rows[:, 1] += 3.0 * levels
    return rows, levels


@pytest.mark.parametrize("kernel", list(Kernel))
def test_levels_of_new_points_are_predicted(kernel: Kernel) -> None:
    rows, levels = overlapping()
    model = OrdinalRegression(kernel=kernel, width=0.05, max_clusters=30).fit(rows, levels)
    new_rows, new_levels = overlapping(seed=1)
    assert (model.predict(new_rows) == new_levels).mean() > 0.85
    assert np.all(np.diff(model.thresholds_) >= 0.0)


def test_the_lowest_level_is_at_the_low_end() -> None:
    rows, levels = overlapping()
    values = OrdinalRegression().fit(rows, levels).decision(rows)
    means = [values[levels == level].mean() for level in range(3)]
    assert means == sorted(means)


def test_fit_stores_nothing_before_it_is_called_and_returns_itself() -> None:
    model = OrdinalRegression(eta=0.3, norm=2.0)
    assert not any(name.endswith("_") for name in vars(model))
    assert model.fit(*overlapping()) is model


def test_two_fits_are_equal_to_the_last_digit() -> None:
    rows, levels = overlapping()
    first, second = (OrdinalGridSearch(seed=3).fit(rows, levels).model_ for _ in range(2))
    assert first.thresholds_.tobytes() == second.thresholds_.tobytes()
    assert first.decision(rows).tobytes() == second.decision(rows).tobytes()


def test_sparse_rows_with_4000_features() -> None:
    rng = np.random.default_rng(2)
    levels = np.repeat([0, 1, 2], 60)
    dense = (rng.random((180, 4_500)) < 0.01).astype(float)
    for row, level in zip(dense, levels, strict=True):
        row[level * 20 : level * 20 + 20] += rng.random(20) < 0.5
    model = OrdinalRegression(norm=5.0, max_clusters=20).fit(csr_array(dense), levels)
    assert model.weights_ is not None
    assert model.weights_.shape == (4_500,)
    assert (model.predict(csr_array(dense)) == levels).mean() > 0.9
    assert np.array_equal(model.predict(dense), model.predict(csr_array(dense)))


def test_levels_without_points_are_never_predicted() -> None:
    rows = np.array([[0.0], [0.1], [5.0], [5.1]])
    model = OrdinalRegression().fit(rows, np.array([1, 1, 4, 4]))
    assert model.levels_.tolist() == [1, 4]
    assert set(model.predict(np.linspace(-9.0, 9.0, 50).reshape(-1, 1)).tolist()) == {1, 4}


def test_one_point_a_level_is_enough() -> None:
    model = OrdinalRegression().fit(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2]))
    assert model.predict(np.array([[0.0], [1.0], [2.0]])).tolist() == [0, 1, 2]


def test_the_same_point_in_two_levels_gets_one_of_them() -> None:
    model = OrdinalRegression().fit(np.ones((4, 2)), np.array([0, 0, 1, 1]))
    assert set(model.predict(np.ones((3, 2))).tolist()) <= {0, 1}
    assert np.isfinite(model.thresholds_).all()


@pytest.mark.parametrize("kernel", list(Kernel))
def test_features_that_are_all_equal_say_nothing(kernel: Kernel) -> None:
    levels = np.array([0, 1, 2] * 10)
    model = OrdinalRegression(kernel=kernel).fit(np.full((30, 3), 7.0), levels)
    assert np.isfinite(model.decision(np.zeros((1, 3)))).all()
    assert len(set(model.predict(np.full((5, 3), 7.0)).tolist())) == 1


@pytest.mark.parametrize(
    ("rows", "levels", "message"),
    [
        (np.ones((3, 1)), np.array([2, 2, 2]), "two levels or more"),
        (np.ones((0, 1)), np.array([], int), "two levels or more"),
        (np.array([[np.nan], [1.0]]), np.array([0, 1]), r"missing \(NaN\) or infinite"),
        (csr_array(np.array([[np.inf], [1.0]])), np.array([0, 1]), "infinite"),
        (np.ones((2, 0)), np.array([0, 1]), "no features"),
        (np.ones((2, 1)), np.array([0, 1, 2]), "2 points, and 3 levels"),
        (np.ones((2, 1)), np.array([0.5, 1.0]), "whole numbers"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(rows: Any, levels: Ints, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OrdinalRegression().fit(rows, levels)


@pytest.mark.parametrize(
    "settings",
    [{"eta": 1.0}, {"eta": -0.1}, {"norm": 0.0}, {"norm": float("nan")}, {"width": -1.0}],
)
def test_parameters_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="has to be"):
        OrdinalRegression(**settings).fit(np.array([[0.0], [1.0]]), np.array([0, 1]))  # type: ignore[arg-type]


def test_a_gaussian_ball_holds_the_images_of_the_ball_of_its_cluster() -> None:
    sigma, eta, width = 0.4, 0.9, 0.7
    (radius,) = ball_radii(np.array([sigma]), eta, Kernel.GAUSSIAN, width)
    edge, centre = np.array([[3.0 * sigma]]), np.zeros((1, 1))
    (similarity,) = kernel_matrix(edge, centre, Kernel.GAUSSIAN, width).ravel()
    assert radius**2 == pytest.approx(2.0 - 2.0 * similarity)


def test_the_grid_is_searched_on_points_that_were_not_learned_from() -> None:
    rows, levels = overlapping()
    search = OrdinalGridSearch(
        kernel=Kernel.GAUSSIAN, etas=(0.5,), norms=(1.0, 20.0), widths=(0.01, 100.0)
    ).fit(rows, levels)
    assert len(search.candidates_) == 4
    assert search.best_.width == 0.01
    assert search.best_.error == min(candidate.error for candidate in search.candidates_)


def test_every_level_that_has_enough_points_validates() -> None:
    places = np.array([0] * 40 + [1] * 4 + [2] * 3)
    mask = validation_rows(places, seed=0)
    assert [int(mask[places == level].sum()) for level in range(3)] == [10, 1, 0]


def test_every_level_counts_the_same_in_the_mean_error() -> None:
    levels = np.array([0, 1, 1, 1])
    assert mean_level_error(levels, np.array([2, 1, 1, 1])) == 1.0
    assert mean_level_error(levels, np.array([0, 0, 1, 1])) == pytest.approx(1.0 / 6.0)


@pytest.mark.parametrize(
    ("sizes", "merged"),
    [
        ({0: 5, 1: 50, 2: 50}, {0: 0, 1: 1, 2: 2}),
        ({0: 5, 1: 2, 2: 50}, {0: 0, 1: 1, 2: 1}),
        ({0: 5, 1: 50, 2: 3}, {0: 0, 1: 1, 2: 1}),
        ({0: 5, 1: 3}, {0: 0, 1: 1}),
        ({0: 5}, {0: 0}),
    ],
)
def test_thin_levels_join_their_neighbours(sizes: dict[int, int], merged: dict[int, int]) -> None:
    assert merged_levels(sizes, smallest=10) == merged
