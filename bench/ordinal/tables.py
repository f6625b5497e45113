"""Tables 1 and 2 and Figure 1 of the paper: training time with clustering, and test error.

Parameters are chosen on validation data, not on the test set as in the paper. Times are of one fit
with the chosen parameters, clustering included, ours and theirs in the same run.
"""

import csv
import gzip
import resource
from pathlib import Path
from time import perf_counter

import numpy as np

from bench.ordinal.solvers import Solvers, SvorChoice, svor_error
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.ordinal.birch import cluster_levels
from motherlode.learning.ordinal.grid_search import OrdinalGridSearch
from motherlode.learning.ordinal.kernels import Kernel, ball_radii, kernel_matrix
from motherlode.learning.ordinal.regression import OrdinalRegression

CLASSES = 5
MAX_CLUSTERS = 600  # of a level
BENCHMARKS = {
    "california_housing": (10_320, 13_762, 15_482, 17_202, 20_230),
    "census_house_16h": (5_690, 11_393, 15_191, 22_331),
}
SYNTHETIC_SIZES = (10_000, 12_500, 15_000, 1_500_000, 5_000_000)
SYNTHETIC_TEST = 20_000
CONE_CLUSTERS = (250, 500, 1_000, 2_000)
MAX_CLARABEL_CLUSTERS = 1_000
COSTS = (1.0, 10.0, 100.0)
CONE_TOLERANCE = 1e-6


def synthetic(solvers: Solvers, limit: int) -> None:
    """Table 2: five levels in two dimensions, each a mixture of five Gaussians."""
    OrdinalRegression(max_clusters=5).fit(*_mixture(500, 1))  # so that what is compiled is
    test_rows, test_levels = _mixture(SYNTHETIC_TEST, 2)
    for size in SYNTHETIC_SIZES:
        rows, levels = _mixture(size, 1)
        begin = perf_counter()
        model = OrdinalRegression(
            kernel=Kernel.GAUSSIAN, width=0.05, eta=0.5, norm=30.0, max_clusters=10
        ).fit(rows, levels)
        seconds = perf_counter() - begin
        error = float((model.predict(test_rows) != test_levels).mean())
        text = f"{size:>9,} points: CB-OR {seconds:6.2f} s, error {error:.3f}"
        if size <= limit:
            choice = SvorChoice((1.0,), "rbf", 0.05)
            answer = svor_error(solvers, (rows, levels), (test_rows, test_levels), choice)
            text += f"; SVOR {answer[1]:.1f} s, error {answer[0]:.3f}, "
            text += f"{answer[1] / seconds:,.0f} times as long"
        print(text, flush=True)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {megabytes:,.0f} MB")


def cones(solvers: Solvers) -> None:
    """Figure 1: each point is a cluster; one fit by CB-OR, and by a general cone solver."""
    OrdinalRegression(max_clusters=5).fit(*_mixture(500, 1))
    for size in CONE_CLUSTERS:
        rows, levels = _mixture(size, 3)
        model = OrdinalRegression(
            kernel=Kernel.GAUSSIAN,
            width=0.05,
            eta=0.5,
            norm=10.0,
            max_clusters=size,
            tolerance=CONE_TOLERANCE,
        )
        begin = perf_counter()
        model.fit(rows, levels)
        seconds = perf_counter() - begin
        text = f"{size:>5,} clusters: CB-OR {seconds:.2f} s (gap {model.solution_.gap:.1e})"
        if size <= MAX_CLARABEL_CLUSTERS:
            text += _clarabel(solvers, model, seconds)
        print(text, flush=True)


def _clarabel(solvers: Solvers, model: OrdinalRegression, seconds: float) -> str:
    clusters = model.clusters_
    radii = ball_radii(clusters.sigmas, model.eta, model.kernel, model.width)
    answer = solvers.solve(
        "cone",
        kernel=kernel_matrix(clusters.centres, clusters.centres, model.kernel, model.width),
        margins=1.0 + model.norm * radii,
        levels=clusters.levels,
        norm=model.norm,
        tolerance=CONE_TOLERANCE,
    )
    difference = abs(answer["objective"] - model.solution_.objective)
    return (
        f"; Clarabel {answer['seconds']:.2f} s, {answer['seconds'] / seconds:,.0f} times as long, "
        f"objectives differ by {difference / max(1.0, abs(answer['objective'])):.0e}"
    )


def benchmarks(solvers: Solvers, folder: Path | None, limit: int) -> None:
    """Table 1: California housing and Census, five classes of equal frequency."""
    if folder is None:
        print("skipped: --tables names the directory of the regression tables")
        return
    OrdinalRegression(max_clusters=5).fit(*_mixture(500, 1))
    for name, sizes in BENCHMARKS.items():
        rows, levels = read_table(folder / f"{name}.csv.gz")
        for size in sizes:
            _benchmark(solvers, name, (rows, levels), size, limit)


def _benchmark(
    solvers: Solvers, name: str, table: tuple[Floats, Ints], size: int, limit: int
) -> None:
    order = np.random.default_rng(size).permutation(len(table[1]))
    train, test = order[:size], order[size:]
    means, scales = table[0][train].mean(axis=0), table[0][train].std(axis=0)
    rows = (table[0] - means) / np.where(scales > 0.0, scales, 1.0)
    levels = table[1]
    search = OrdinalGridSearch(
        kernel=Kernel.GAUSSIAN,
        etas=(0.01,),
        norms=(100.0, 300.0),
        widths=(0.03, 0.1),
        max_clusters=MAX_CLUSTERS,
        weighted=True,
    ).fit(rows[train], levels[train])
    best = search.best_
    model = OrdinalRegression(
        kernel=Kernel.GAUSSIAN,
        eta=best.eta,
        norm=best.norm,
        width=best.width,
        max_clusters=MAX_CLUSTERS,
        weighted=True,
    )
    begin = perf_counter()
    model.fit(rows[train], levels[train])
    seconds = perf_counter() - begin
    begin = perf_counter()
    cluster_levels(rows[train], levels[train], max_clusters=MAX_CLUSTERS)
    clustering = perf_counter() - begin
    error = float((model.predict(rows[test]) != levels[test]).mean())
    text = (
        f"{name} {size:>6,} points: CB-OR {seconds:.2f} s (clustering {clustering:.2f} s), "
        f"error {error:.3f} (eta {best.eta:g}, W {best.norm:g}, s {best.width:g})"
    )
    part = train[:limit] if size > limit else train
    if limit:
        held = (rows[test], levels[test])
        choice = SvorChoice(COSTS, "rbf", 0.1)
        answer = svor_error(solvers, (rows[part], levels[part]), held, choice)
        text += f"; SVOR of {len(part):,} points {answer[1]:.1f} s, error {answer[0]:.3f}"
        text += f", {answer[1] / seconds:,.0f} times as long"
    print(text, flush=True)


def read_table(path: Path) -> tuple[Floats, Ints]:
    """Return the numbers of a regression table, and its target cut into classes of equal size.

    Columns of words are left out; an empty cell is the column's median.
    """
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))[1:]
    columns = [_numbers(column) for column in zip(*lines, strict=True)]
    known = [column for column in columns if column is not None]
    table = np.stack(known, axis=1)
    target = table[:, -1]
    cuts = np.quantile(target, np.arange(1, CLASSES) / CLASSES)
    return table[:, :-1], np.searchsorted(cuts, target, side="left").astype(np.int64)


def _numbers(cells: tuple[str, ...]) -> Floats | None:
    try:
        values = np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return None
    return np.where(np.isnan(values), np.nanmedian(values), values)


def _mixture(size: int, seed: int) -> tuple[Floats, Ints]:
    """Return points of five levels in two dimensions, each of five Gaussians, overlapping."""
    shape = np.random.default_rng(0)
    centres = shape.normal(scale=4.0, size=(CLASSES, 5, 2))
    centres[:, :, 0] += 8.0 * np.arange(CLASSES)[:, None]
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, CLASSES, size)
    rows = rng.normal(size=(size, 2))
    rows += centres[levels, rng.integers(0, 5, size)]
    return rows, levels
