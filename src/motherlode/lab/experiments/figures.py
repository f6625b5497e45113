"""How good a ranked list of pages is, by the labels: the figures of Tables 2 and 3 and of Figure 5.

A list has no seeds in it, and neither has what it is measured by: what a crawler was handed it has
not found.
"""

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate
from statistics import fmean, median

from msgspec import Struct

ANSWERS = 10  # that a person looks at
TAKEN, FETCHED = 0, -1  # in the place of how many


class Sought(Struct, frozen=True):
    """What there is to find: the pages of a topic, and the best-known of them."""

    topic: frozenset[str]
    known: frozenset[str]


class Top(Struct, frozen=True):
    """The first pages of a list by how good they are; means, where there were several runs.

    `best`: how many were asked for; `TAKEN`: all that were put on the topic; `FETCHED`: all there
    are. `known`: how many of the topic's best-known pages are among them.
    """

    best: int
    pages: float
    on_topic: float
    precision: float | None
    recall: float | None
    known: float
    runs: int = 1


class Ranking(Struct, frozen=True):
    """Which share of the first ten of a list is right, and where the first right page stands."""

    precision: float
    first: int | None


class Rankings(Struct, frozen=True):
    """The same of several lists. `first` is the median over those lists that have a right page at
    all.
    """

    precision: float
    first: float | None
    without: int
    runs: int


def tops(
    ranked: Sequence[str], taken: int | None, sought: Sought, sizes: Collection[int]
) -> list[Top]:
    """The best pages of a list, as many as each size says and there are, then all that were taken,
    and all.

    What was taken is at the head of the list. Pages that were rejected stand behind it, the nearest
    first. Where nothing is decided (None) there is no telling what was taken.
    """
    right = [0, *accumulate(int(url in sought.topic) for url in ranked)]
    famous = [0, *accumulate(int(url in sought.known) for url in ranked)]

    def top(best: int, pages: int) -> Top:
        hits = right[pages]
        return Top(
            best,
            pages,
            hits,
            _quotient(hits, pages),
            _quotient(hits, len(sought.topic)),
            famous[pages],
        )

    there = [top(size, size) for size in sorted(sizes) if size <= len(ranked)]
    decided = [] if taken is None else [top(TAKEN, taken)]
    return [*there, *decided, top(FETCHED, len(ranked))]


def mean_tops(runs: Sequence[Sequence[Top]]) -> list[Top]:
    """The mean of each size over the runs that have so many pages; what was taken, and all, come
    last.
    """
    by: dict[int, list[Top]] = {}
    for run in runs:
        for one in run:
            by.setdefault(one.best, []).append(one)
    sizes = sorted(size for size in by if size > 0)
    return [_mean_top(by[size]) for size in (*sizes, TAKEN, FETCHED) if size in by]


def ranking(ranked: Sequence[str], topic: AbstractSet[str]) -> Ranking:
    """What somebody sees who looks at the first ten of a list."""
    right = [url in topic for url in ranked]
    first = right.index(True) + 1 if True in right else None
    return Ranking(sum(right[:ANSWERS]) / ANSWERS, first)


def mean_ranking(runs: Sequence[Ranking]) -> Rankings:
    firsts = [run.first for run in runs if run.first is not None]
    return Rankings(
        precision=fmean(run.precision for run in runs),
        first=float(median(firsts)) if firsts else None,
        without=len(runs) - len(firsts),
        runs=len(runs),
    )


def _mean_top(group: Sequence[Top]) -> Top:
    return Top(
        best=group[0].best,
        pages=fmean(one.pages for one in group),
        on_topic=fmean(one.on_topic for one in group),
        precision=mean_known(one.precision for one in group),
        recall=mean_known(one.recall for one in group),
        known=fmean(one.known for one in group),
        runs=len(group),
    )


def mean_known(figures: Iterable[float | None]) -> float | None:
    """The mean of those that there are."""
    there = [figure for figure in figures if figure is not None]
    return fmean(there) if there else None


def _quotient(part: int, whole: int) -> float | None:
    return part / whole if whole else None
