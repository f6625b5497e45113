"""Our BIRCH beside scikit-learn's: time, and distance of the points to their nearest centres.

The threshold of scikit-learn's is searched until it has about as many clusters as ours.
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np
from sklearn.cluster import Birch as ScikitBirch
from sklearn.metrics import pairwise_distances_argmin_min

from motherlode.learning.matrix import Floats
from motherlode.learning.ordinal.birch import Birch

MAX_CLUSTERS = 600
STEPS = 10  # of the search for a threshold
CASES = ((15_000, 8), (15_000, 16), (200_000, 2))


def birch_peers() -> None:
    """Print both for tables of several sizes."""
    Birch(max_clusters=5).fit(_points(100, 2))  # so that what is compiled is
    for count, width in CASES:
        _compare(f"{count:,} points in {width} dimensions", _points(count, width))


def _points(count: int, width: int) -> Floats:
    """Return points around a hundred centres."""
    rng = np.random.default_rng(1)
    centres = rng.normal(scale=3.0, size=(100, width))
    return centres[rng.integers(0, 100, count)] + rng.normal(size=(count, width))


def _compare(name: str, rows: Floats) -> None:
    ours = Birch(max_clusters=MAX_CLUSTERS)
    our_seconds = _seconds(partial(ours.fit, rows))
    theirs, their_seconds = _scikit_birch(rows, len(ours.centres_), ours.radius_)
    print(
        f"{name}: scikit-learn takes {their_seconds / our_seconds:.1f} times as long; "
        f"clusters {len(ours.centres_):,} and {len(theirs.subcluster_centers_):,}, "
        f"mean squared distance {_distance(rows, ours.centres_):.3f} and "
        f"{_distance(rows, theirs.subcluster_centers_):.3f}",
        flush=True,
    )


def _scikit_birch(rows: Floats, wanted: int, radius: float) -> tuple[ScikitBirch, float]:
    """Return scikit-learn's with about as many clusters as wanted, and the seconds of its fit."""
    low, high = radius * 0.5, radius * 2.0
    for _ in range(STEPS):
        theirs = ScikitBirch(threshold=(low + high) / 2, n_clusters=None)
        seconds = _seconds(partial(theirs.fit, rows))
        count = len(theirs.subcluster_centers_)
        if abs(count - wanted) <= wanted // 20:
            break
        low, high = ((low + high) / 2, high) if count > wanted else (low, (low + high) / 2)
    return theirs, seconds


def _seconds(work: Callable[[], object]) -> float:
    begin = perf_counter()
    work()
    return perf_counter() - begin


def _distance(rows: Floats, centres: Floats) -> float:
    _, distances = pairwise_distances_argmin_min(rows, centres)
    return float((distances**2).mean())
