"""The one-cone dual (SPEC F2), by problems that are solved by hand."""

import numpy as np
import pytest

from motherlode.learning.ordinal.cone_dual import ConeProblem, ConeSolution, solve_cone_dual


def solve(points: list[float], levels: list[int], norm: float, radius: float = 0.0) -> ConeSolution:
    centres = np.array(points)
    radii = np.full(len(points), radius)
    problem = ConeProblem(np.outer(centres, centres), radii, np.array(levels), norm)
    return solve_cone_dual(problem, tolerance=1e-9)


def slope(points: list[float], solution: ConeSolution) -> float:
    return float(np.array(points) @ solution.weights)


def test_two_points_that_a_short_w_cannot_separate_share_the_error() -> None:
    """|w| <= 1 and one unit apart: 2 (1 + W r) - W |x - y| = 1 is missing, whatever b is."""
    points = [0.0, 1.0]
    solution = solve(points, [0, 1], norm=1.0)
    assert solution.objective == pytest.approx(-1.0)
    assert slope(points, solution) == pytest.approx(1.0)
    assert 0.0 <= solution.thresholds[0] <= 1.0
    assert solution.alpha.tolist() == [1.0, 0.0]
    assert solution.alpha_star.tolist() == [0.0, 1.0]


def test_the_radius_of_balls_adds_to_the_error() -> None:
    """Each ball needs W r = 0.5 more: 2 (1 + 0.5) - 1 = 2 is missing."""
    assert solve([0.0, 1.0], [0, 1], norm=1.0, radius=0.5).objective == pytest.approx(-2.0)


def test_weights_say_what_the_error_of_a_cluster_counts() -> None:
    """Two points in the wrong order: the threshold leaves the error to the lighter one."""
    centres = np.array([[1.0], [0.0], [0.0]])
    levels, weights = np.array([0, 1, 1]), np.array([1.0, 5.0, 5.0])
    problem = ConeProblem(centres @ centres.T, np.zeros(3), levels, 1.0, weights)
    solution = solve_cone_dual(problem, tolerance=1e-9)
    assert solution.alpha[0] == pytest.approx(1.0)
    assert solution.alpha_star.sum() == pytest.approx(1.0)
    value = 1.0 * slope([1.0, 0.0, 0.0], solution)
    assert value == pytest.approx(-1.0)  # w points the other way, as far as it may


def test_weighted_clusters_are_the_points_that_they_stand_for() -> None:
    rng = np.random.default_rng(3)
    rows, levels = rng.normal(size=(12, 2)), np.repeat([0, 1, 2], 4)
    rows[:, 0] += levels
    copies = np.array([1, 3, 2, 1] * 3)
    alone = ConeProblem(rows @ rows.T, np.zeros(12), levels, 1.0, copies.astype(float))
    many, of_many = np.repeat(rows, copies, axis=0), np.repeat(levels, copies)
    all_points = ConeProblem(many @ many.T, np.zeros(len(many)), of_many, 1.0)
    objectives = [solve_cone_dual(each, 1e-9).objective for each in (alone, all_points)]
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-7)


def test_points_that_are_separated_have_no_error_and_a_w_that_separates_them() -> None:
    """The optimum is the tip of the cone, where (7) would divide by 0."""
    points = [0.0, 4.0, 8.0]
    solution = solve(points, [0, 1, 2], norm=100.0)
    assert solution.objective == pytest.approx(0.0, abs=1e-8)
    values = np.array(points) * slope(points, solution)
    assert values[0] + 1.0 <= solution.thresholds[0] + 1e-6
    assert solution.thresholds[0] <= values[1] - 1.0 + 1e-6
    assert values[1] + 1.0 <= solution.thresholds[1] + 1e-6


def test_a_w_shorter_than_allowed_is_found_though_pairs_do_not_lead_there() -> None:
    """Four points around one centre: no w helps, each of four units is missed by d = 1."""
    rows = np.array([[10.0, 0.0], [-10.0, 0.0], [0.0, 10.0], [0.0, -10.0]])
    problem = ConeProblem(rows @ rows.T, np.zeros(4), np.array([0, 0, 1, 1]), 1.0)
    solution = solve_cone_dual(problem, tolerance=1e-9)
    assert solution.objective == pytest.approx(-4.0)
    assert np.linalg.norm(rows.T @ solution.weights) == pytest.approx(0.0, abs=1e-6)


def test_levels_in_the_wrong_order_get_one_threshold() -> None:
    """Level 2 lies between 0 and 1: S_1 > S*_1 ties both thresholds together."""
    points = [0.0, 2.0, 1.0]
    solution = solve(points, [0, 1, 2], norm=1.0)
    assert np.all(np.diff(solution.thresholds) >= 0.0)
    assert solution.gap == pytest.approx(0.0, abs=1e-6)


def test_a_level_in_the_middle_is_bounded_on_both_sides() -> None:
    """A point alone in the middle with W too short: both of its sides lack what they lack."""
    points = [0.0, 1.0, 2.0]
    solution = solve(points, [0, 1, 2], norm=1.0)
    assert solution.objective == pytest.approx(-2.0)
    assert solution.alpha_star[0] == 0.0
    assert solution.alpha[2] == 0.0


@pytest.mark.parametrize("norm", [0.5, 3.0, 50.0])
def test_the_gap_certifies_the_objective(norm: float) -> None:
    rng = np.random.default_rng(4)
    levels = rng.integers(0, 4, 60)
    rows = rng.normal(size=(60, 3)) + levels[:, None] * 0.5
    problem = ConeProblem(rows @ rows.T, rng.random(60) * 0.1, levels, norm)
    solution = solve_cone_dual(problem, tolerance=1e-8)
    assert abs(solution.gap) <= 1e-8 * abs(solution.objective)
    assert np.linalg.norm(rows.T @ solution.weights) <= norm * (1.0 + 1e-9)
    sums = [
        solution.alpha[levels <= level].sum() - solution.alpha_star[levels <= level + 1].sum()
        for level in range(3)
    ]
    assert min(sums[:2]) >= -1e-9
    assert sums[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_at_the_tip_rounding_errors_do_not_count(seed: int) -> None:
    """The best w is shorter than W, so v' K v is 0, but for what is left of large terms."""
    rng = np.random.default_rng(seed)
    levels = np.sort(rng.integers(0, 4, 59))
    rows = rng.normal(size=(59, 2))
    rows[:, 0] += levels
    problem = ConeProblem(rows @ rows.T, np.zeros(59), levels, 100.0)
    solution = solve_cone_dual(problem, tolerance=1e-8, max_steps=5_000_000)
    assert np.linalg.norm(rows.T @ solution.weights) < 100.0
    assert abs(solution.gap) <= 1e-8 * abs(solution.objective)


def test_steps_are_bounded() -> None:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(60, 3))
    problem = ConeProblem(rows @ rows.T, np.zeros(60), rng.integers(0, 3, 60), 10.0)
    solution = solve_cone_dual(problem, tolerance=1e-8, max_steps=5)
    assert solution.steps == 5
    assert solution.gap > 0.0
