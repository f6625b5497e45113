"""Agreement of CB-OR with a general cone solver, and with the ordinal SVM of Chu and Keerthi."""

from typing import NamedTuple

import numpy as np

from bench.ordinal.solvers import Solvers, SvorChoice, fit_svor
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.ordinal.birch import cluster_levels
from motherlode.learning.ordinal.cone_dual import ConeProblem, solve_cone_dual
from motherlode.learning.ordinal.kernels import Kernel, ball_radii, kernel_matrix
from motherlode.learning.ordinal.regression import OrdinalRegression

PROBLEMS = 200
ALLOWED = 1e-6  # relative difference of objectives
TOLERANCE = 1e-8  # of our own solutions
MAX_STEPS = 5_000_000
SVOR_PROBLEMS, TRAINING_POINTS, VALIDATION_POINTS, TEST_POINTS = 10, 200, 1_000, 2_000
NORMS = tuple(np.geomspace(0.3, 100.0, 16).tolist())
COSTS = tuple(np.geomspace(0.01, 100.0, 13).tolist())
WIDTH = 0.5


def objectives(solvers: Solvers, problems: int = PROBLEMS) -> None:
    """Solve random small problems with both solvers, half of them with each kernel."""
    differences = {Kernel.LINEAR: [0.0], Kernel.GAUSSIAN: [0.0]}
    for number in range(problems):
        kernel = list(Kernel)[number % 2]
        problem = random_problem(number, kernel)
        ours = solve_cone_dual(problem, TOLERANCE, MAX_STEPS).objective
        theirs = solvers.solve(
            "cone",
            kernel=problem.kernel,
            margins=problem.margins,
            levels=problem.levels,
            norm=problem.norm,
        )["objective"]
        differences[kernel].append(abs(ours - theirs) / max(1.0, abs(theirs)))
    for kernel, values in differences.items():
        wrong = sum(value > ALLOWED for value in values)
        print(
            f"objective, {kernel} kernel: {len(values) - 1} problems, relative difference from "
            f"Clarabel {np.median(values[1:]):.1e} in the median, {max(values):.1e} at most, "
            f"{wrong} above {ALLOWED:g}"
        )


def random_problem(number: int, kernel: Kernel) -> ConeProblem:
    """Return a problem of 6 to 60 clusters in 1 to 8 dimensions, of 2 to 5 levels that overlap."""
    rng = np.random.default_rng(number)
    levels = np.sort(np.concatenate([np.arange(k := rng.integers(2, 6)), rng.integers(0, k, 55)]))
    levels = levels[rng.permutation(len(levels))[: rng.integers(6, 61)]]
    levels = np.unique(levels, return_inverse=True)[1].astype(np.int64)
    if levels.max() == 0:
        levels[: len(levels) // 2] = 1
    centres = rng.normal(size=(len(levels), rng.integers(1, 9)))
    centres[:, 0] += rng.choice([0.3, 1.0, 3.0]) * levels
    sigmas = rng.choice([0.0, 0.1, 0.5]) * rng.random(len(levels))
    width = float(rng.choice([0.1, 1.0]))
    return ConeProblem(
        kernel_matrix(centres, centres, kernel, width),
        ball_radii(sigmas, float(rng.choice([0.1, 0.5, 0.9])), kernel, width),
        levels,
        float(rng.choice([0.3, 1.0, 3.0, 10.0, 100.0])),
    )


def prediction_errors(solvers: Solvers, problems: int = SVOR_PROBLEMS) -> None:
    """Compare test errors where every point is a cluster: (1) and (2) are the same problem then.

    C leads to a w, and W is its length, so each C has its W. It is not known beforehand: both are
    chosen from fine grids, by the same validation points.
    """
    for kernel in Kernel:
        pairs = [_test_errors(solvers, kernel, _points(number)) for number in range(problems)]
        ours, theirs = np.array(pairs).T
        differences = ours - theirs
        print(
            f"test error, {kernel} kernel, every point a cluster: CB-OR {np.mean(ours):.4f}, "
            f"SVOR {np.mean(theirs):.4f}, mean difference {differences.mean():+.4f}, "
            f"from {differences.min():+.4f} to {differences.max():+.4f} in {problems} draws",
            flush=True,
        )


def _test_errors(solvers: Solvers, kernel: Kernel, points: "_Points") -> tuple[float, float]:
    """Return the test error of CB-OR and of SVOR, by the parameter that validates best."""
    clusters = cluster_levels(*points.training, max_clusters=len(points.training[1]))
    models = [
        OrdinalRegression(eta=0.0, norm=norm, kernel=kernel, width=WIDTH).fit_clusters(clusters)
        for norm in NORMS
    ]
    validated = [_error(model, points.validation) for model in models]
    ours = _error(models[int(np.argmin(validated))], points.test)
    choice = SvorChoice(COSTS, "linear" if kernel is Kernel.LINEAR else "rbf", WIDTH)
    errors = fit_svor(solvers, points.training, points.validation, choice)["errors"]
    best = SvorChoice((COSTS[int(np.argmin(errors))],), choice.kernel, WIDTH)
    return ours, fit_svor(solvers, points.training, points.test, best)["errors"][0]


def _error(model: OrdinalRegression, points: tuple[Floats, Ints]) -> float:
    return float((model.predict(points[0]) != points[1]).mean())


class _Points(NamedTuple):
    """Points with their levels."""

    training: tuple[Floats, Ints]
    validation: tuple[Floats, Ints]
    test: tuple[Floats, Ints]


def _points(number: int) -> _Points:
    rng = np.random.default_rng(1_000 + number)
    rows = rng.normal(size=(TRAINING_POINTS + VALIDATION_POINTS + TEST_POINTS, 4))
    ideal = rows[:, 0] + 0.5 * np.sin(2.0 * rows[:, 1]) + 0.3 * rng.normal(size=len(rows))
    levels = np.digitize(ideal, [-0.8, 0.0, 0.8]).astype(np.int64)
    ends = [TRAINING_POINTS, TRAINING_POINTS + VALIDATION_POINTS]
    return _Points(*zip(np.split(rows, ends), np.split(levels, ends), strict=True))
