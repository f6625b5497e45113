"""Agreement of CB-OR with a general cone solver, and with the ordinal SVM of Chu and Keerthi."""

import numpy as np

from bench.ordinal.solvers import Solvers, SvorChoice, svor_error
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.ordinal.cone_dual import ConeProblem, solve_cone_dual
from motherlode.learning.ordinal.grid_search import OrdinalGridSearch
from motherlode.learning.ordinal.kernels import Kernel, ball_radii, kernel_matrix

PROBLEMS = 200
ALLOWED = 1e-6  # relative difference of objectives
TOLERANCE = 1e-8  # of our own solutions
MAX_STEPS = 5_000_000
SVOR_PROBLEMS, TRAINING_POINTS, TEST_POINTS = 10, 200, 2_000
NORMS = (0.3, 1.0, 3.0, 10.0, 30.0)
COSTS = (0.01, 0.1, 1.0, 10.0)
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

    W and C are chosen on validation data: the W that C leads to is not known beforehand.
    """
    for kernel in Kernel:
        ours, theirs = [], []
        for number in range(problems):
            rows, levels, test_rows, test_levels = _points(number)
            search = OrdinalGridSearch(
                kernel=kernel,
                etas=(0.0,),
                norms=NORMS,
                widths=(WIDTH,),
                max_clusters=len(rows),
            ).fit(rows, levels)
            ours.append(float((search.model_.predict(test_rows) != test_levels).mean()))
            theirs.append(
                svor_error(
                    solvers,
                    (rows, levels),
                    (test_rows, test_levels),
                    SvorChoice(COSTS, "linear" if kernel is Kernel.LINEAR else "rbf", WIDTH),
                )[0]
            )
        differences = np.array(ours) - np.array(theirs)
        print(
            f"test error, {kernel} kernel, every point a cluster: CB-OR {np.mean(ours):.4f}, "
            f"SVOR {np.mean(theirs):.4f}, mean difference {differences.mean():+.4f}, "
            f"from {differences.min():+.4f} to {differences.max():+.4f} in {problems} draws"
        )


def _points(number: int) -> tuple[Floats, Ints, Floats, Ints]:
    rng = np.random.default_rng(1_000 + number)
    rows = rng.normal(size=(TRAINING_POINTS + TEST_POINTS, 4))
    ideal = rows[:, 0] + 0.5 * np.sin(2.0 * rows[:, 1]) + 0.3 * rng.normal(size=len(rows))
    levels = np.digitize(ideal, [-0.8, 0.0, 0.8]).astype(np.int64)
    split = TRAINING_POINTS
    return rows[:split], levels[:split], rows[split:], levels[split:]
