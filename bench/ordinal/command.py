"""`python -m bench ordinal [PART ...] [--tables DIR]`: agreement with other solvers, and speed."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench.ordinal import agreement, tables
from bench.ordinal.birch_peers import birch_peers
from bench.ordinal.solvers import Solvers, other_solvers

PARTS = ("birch", "agreement", "synthetic", "cones", "benchmarks")


def main(arguments: Sequence[str]) -> None:
    options = _parser().parse_args(arguments)
    unknown = set(options.part) - set(PARTS)
    if unknown:
        raise SystemExit(f"bench: no part {min(unknown)!r}; there are {', '.join(PARTS)}.")
    parts = options.part or PARTS
    if "birch" in parts:
        print("== ordinal birch", flush=True)
        birch_peers()
    with_solvers = [part for part in parts if part != "birch"]
    if not with_solvers:
        return
    with other_solvers() as solvers:
        work = _work(solvers, options.tables, options.limit)
        for part in with_solvers:
            print(f"== ordinal {part}", flush=True)
            work[part]()


def _work(solvers: Solvers, folder: Path | None, limit: int) -> Mapping[str, Callable[[], None]]:
    def agree() -> None:
        agreement.objectives(solvers)
        agreement.prediction_errors(solvers)

    return {
        "agreement": agree,
        "synthetic": lambda: tables.synthetic(solvers, limit),
        "cones": lambda: tables.cones(solvers),
        "benchmarks": lambda: tables.benchmarks(solvers, folder, limit),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench ordinal", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"parts to run: {', '.join(PARTS)}")
    parser.add_argument(
        "--tables", type=Path, help="directory with california_housing and census_house_16h"
    )
    parser.add_argument(
        "--limit", type=int, default=3_000, help="points that SVOR is given at most"
    )
    return parser
