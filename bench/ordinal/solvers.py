"""A process with the other solvers, which answers one problem after the other."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from msgspec import Struct

from bench.peers.environment import (
    SOLVERS_FOLDER,
    SOLVERS_GROUP,
    SOLVERS_PYTHON,
    make_environment,
)
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.ordinal.grid_search import validation_rows

_PROGRAM = Path(__file__).parent / "solver_process.py"


class Solvers:
    """The other solvers, in a process of their own."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process, self._folder = process, folder

    def solve(self, kind: str, **arrays: Any) -> dict[str, Any]:
        """Return the answer to a problem."""
        path = self._folder / "problem.npz"
        np.savez(path, **arrays)
        print(kind, path, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise SystemExit("bench: the process with the other solvers ended; see above.")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def other_solvers() -> Iterator[Solvers]:
    """Start the process; install the solvers first if they are not there."""
    problem = make_environment(SOLVERS_FOLDER, SOLVERS_GROUP)
    if problem:
        raise SystemExit(f"bench: {problem}")
    command = [str(SOLVERS_PYTHON), str(_PROGRAM)]
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process,
    ):
        yield Solvers(process, Path(folder))
        process.terminate()


class SvorChoice(Struct, frozen=True):
    """The values of C to choose from on validation data, the kernel and its width."""

    costs: tuple[float, ...]
    kernel: str  # in skordinal's words
    width: float


def svor_error(
    solvers: Solvers,
    training: tuple[Floats, Ints],
    test: tuple[Floats, Ints],
    choice: SvorChoice,
) -> tuple[float, float]:
    """Return the test error of SVOR with the C that is best on validation data, and its seconds."""
    rows, levels = training
    costs = choice.costs
    if len(costs) > 1:
        validates = validation_rows(levels, 0)
        learned, held = (rows[~validates], levels[~validates]), (rows[validates], levels[validates])
        tried = fit_svor(solvers, learned, held, choice)
        costs = (costs[int(np.argmin(tried["errors"]))],)
    answer = fit_svor(solvers, training, test, SvorChoice(costs, choice.kernel, choice.width))
    return answer["errors"][0], answer["seconds"][0]


def fit_svor(
    solvers: Solvers,
    training: tuple[Floats, Ints],
    test: tuple[Floats, Ints],
    choice: SvorChoice,
) -> dict[str, Any]:
    """Return the test errors of SVOR for each C of the choice, and the seconds of each fit."""
    return solvers.solve(
        "svor",
        rows=training[0],
        levels=training[1],
        test_rows=test[0],
        test_levels=test[1],
        costs=np.array(choice.costs),
        kernel_name=choice.kernel,
        width=choice.width,
    )
