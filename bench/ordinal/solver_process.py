"""The other solvers, one problem at a time. Runs in `.venv-solvers`, without Motherlode.

`python solver_process.py` reads a line for each problem from its input, `KIND FILE.npz`, and
answers with a line of JSON. `cone`: equation (5) of the paper by Clarabel. `svor`: the ordinal SVM
of Chu and Keerthi by their SMO method, in skordinal.
"""

import json
import sys
from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np

Arrays = Mapping[str, Any]
RANK = 1e-12  # of the largest eigenvalue: smaller ones of a kernel are rounding errors
CLARABEL_TOLERANCE = 1e-9


def solve_cone(problem: Arrays) -> dict[str, Any]:
    """Return the optimum of the dual with one second-order cone, as a minimum."""
    import cvxpy as cp  # noqa: PLC0415 - each kind of problem loads its own solver

    begin = perf_counter()
    levels, margins, norm = problem["levels"], problem["margins"], float(problem["norm"])
    number, last = len(levels), int(levels.max())
    values, vectors = np.linalg.eigh(problem["kernel"])
    kept = values > RANK * max(values.max(), 1e-300)
    root = (vectors[:, kept] * np.sqrt(values[kept])).T
    alpha, star, rho = cp.Variable(number), cp.Variable(number), cp.Variable()
    limits = [
        cp.norm(root @ (star - alpha), 2) <= rho,
        alpha >= 0,
        star >= 0,
        alpha <= (levels < last).astype(float),
        star <= (levels > 0).astype(float),
    ]
    for threshold in range(last):
        slack = cp.sum(alpha[levels <= threshold]) - cp.sum(star[levels <= threshold + 1])
        limits.append(slack >= 0 if threshold < last - 1 else slack == 0)
    task = cp.Problem(cp.Minimize(norm * rho - margins @ (alpha + star)), limits)
    task.solve(
        solver=cp.CLARABEL,
        tol_gap_rel=float(problem.get("tolerance", CLARABEL_TOLERANCE)),
        tol_gap_abs=float(problem.get("tolerance", CLARABEL_TOLERANCE)),
        tol_feas=float(problem.get("tolerance", CLARABEL_TOLERANCE)),
    )
    seconds = perf_counter() - begin
    return {"objective": float(task.value), "status": task.status, "seconds": seconds}


def fit_svor(problem: Arrays) -> dict[str, Any]:
    """Return the test error for each C, and the seconds that each fit took."""
    from skordinal.classifiers import SVOR  # noqa: PLC0415 - see above

    errors, seconds = [], []
    for cost in problem["costs"]:
        begin = perf_counter()
        model = SVOR(
            C=float(cost),
            kernel=str(problem["kernel_name"]),
            gamma=float(problem["width"]),
            constraints="explicit",
        )
        model.fit(problem["rows"], problem["levels"])
        seconds.append(perf_counter() - begin)
        predicted = model.predict(problem["test_rows"])
        errors.append(float((predicted != problem["test_levels"]).mean()))
    return {"errors": errors, "seconds": seconds}


KINDS = {"cone": solve_cone, "svor": fit_svor}


def main() -> None:
    for line in sys.stdin:
        kind, _, path = line.strip().partition(" ")
        with np.load(path) as arrays:
            answer = KINDS[kind](dict(arrays))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
