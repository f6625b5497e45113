"""Interleaved timing: candidates take turns, so that a noisy minute hits all of them."""

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter


def interleaved(candidates: Mapping[str, Callable[[], None]], rounds: int = 7) -> dict[str, float]:
    """The median seconds of each candidate."""
    taken: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            start = perf_counter()
            run()
            taken[name].append(perf_counter() - start)
    return {name: median(seconds) for name, seconds in taken.items()}
