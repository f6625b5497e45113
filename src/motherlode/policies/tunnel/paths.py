"""Path records, and the tables and figures that the paper makes of them (section 5; SPEC T5).

A path leads from one nugget to the next by links that the crawl followed; its length is 2 plus the
number of duds between them. A seed counts as a nugget, whatever it scores. A path is complete if it
ends in a nugget, terminated if its last dud is beyond the cutoff, and incomplete otherwise.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import ceil
from statistics import fmean, pstdev
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")

BRACKET = 0.05  # width of the brackets of correlations
GOOD_PARENT = (0.45, 0.5)  # correlations of good parents in Table 3
LOW_PARENT = 0.25  # between the low and the high dud parents of Figure 1


class PathRecord(Struct, frozen=True):
    """A page of a tunnelling crawl; `parent` is the place of its parent among the records.

    `distance` is that from its nearest nugget ancestor, 0 for a nugget and a seed.
    """

    url: str
    correlation: float
    parent: int | None
    parent_distance: float
    distance: float

    @property
    def level(self) -> int:
        """1 + the distance of its parent, rounded up."""
        return 1 + ceil(self.parent_distance)


class LevelRow(Struct, frozen=True):
    """Table 2: the pages at a level. Seeds are not included."""

    level: int
    pages: int
    mean: float
    highest: float


class BracketRow(Struct, frozen=True):
    """Table 3: the pages of a bracket, of all and of the children of good parents, with shares."""

    bracket: float
    pages: int
    share: float
    children: int
    children_share: float


class LengthRow(Struct, frozen=True):
    """Table 4: the children of nuggets in a bracket, and the paths on from them to the next nugget.

    The length is 0 if the child links to a nugget. `reaching` are the children with any path.
    """

    bracket: float
    pages: int
    reaching: int
    mean: float | None
    deviation: float | None


class HistoryRow(Struct, frozen=True):
    """Figure 1: pages whose parent is a dud, by the grandparent's correlation.

    `share` is the share of nuggets among them.
    """

    parent: str  # low or high
    grandparent: float
    pages: int
    share: float


class DistanceRow(Struct, frozen=True):
    """Figure 2: the mean correlation of the pages at a distance (rounded up) from a nugget."""

    distance: int
    pages: int
    mean: float


class PathReport(Struct, frozen=True):
    """The paper's tables and figures from the path records of a crawl."""

    pages: int
    nuggets: int
    mean_correlation: float
    completed: int
    terminated: int
    incomplete: int
    lengths: dict[int, int]  # the number of completed paths of each length
    levels: tuple[LevelRow, ...]
    brackets: tuple[BracketRow, ...]
    next_nuggets: tuple[LengthRow, ...]
    history: tuple[HistoryRow, ...]
    distances: tuple[DistanceRow, ...]


def report_on(records: Sequence[PathRecord], threshold: float, cutoff: float) -> PathReport:
    """Return the report on the path records of a crawl, in the order of their discovery."""
    found = [record for record in records if record.parent is not None]
    lengths = _completed_lengths(records, threshold)
    ends = _dead_ends(records, threshold)
    terminated = sum(records[place].distance > cutoff for place in ends)
    return PathReport(
        pages=len(records),
        nuggets=sum(record.correlation >= threshold for record in records),
        mean_correlation=fmean(record.correlation for record in records) if records else 0.0,
        completed=lengths.total(),
        terminated=terminated,
        incomplete=len(ends) - terminated,
        lengths=dict(sorted(lengths.items())),
        levels=tuple(_levels(found)),
        brackets=tuple(_brackets(records, found)),
        next_nuggets=tuple(_next_nuggets(records, threshold)),
        history=tuple(_history(records, threshold)),
        distances=tuple(_distances(records)),
    )


def bracket_of(correlation: float) -> float:
    """Return the upper end of a correlation's bracket; 0 belongs to the first one.

    >>> bracket_of(0.0), bracket_of(0.05), bracket_of(0.051), bracket_of(1.0)
    (0.05, 0.05, 0.1, 1.0)
    """
    steps = max(1, -int(-round(correlation / BRACKET, 9) // 1))
    return round(min(1.0, steps * BRACKET), 2)


def _is_nugget(records: Sequence[PathRecord], place: int, threshold: float) -> bool:
    """Return whether a page is a nugget or a seed, which counts as one."""
    record = records[place]
    return record.parent is None or record.correlation >= threshold


def _completed_lengths(records: Sequence[PathRecord], threshold: float) -> Counter[int]:
    """Return how many paths of each length end in a nugget."""
    lengths: Counter[int] = Counter()
    for record in records:
        if record.parent is not None and record.correlation >= threshold:
            duds, parent = 0, record.parent
            while not _is_nugget(records, parent, threshold):
                duds += 1
                above = records[parent].parent
                assert above is not None  # noqa: S101 - a page without a parent is a seed
                parent = above
            lengths[2 + duds] += 1
    return lengths


def _dead_ends(records: Sequence[PathRecord], threshold: float) -> list[int]:
    """Return the duds from which no further page was fetched: the ends of paths without a
    nugget.
    """
    parents = {record.parent for record in records}
    return [
        place
        for place in range(len(records))
        if place not in parents and not _is_nugget(records, place, threshold)
    ]


def _levels(found: Sequence[PathRecord]) -> Iterable[LevelRow]:
    for level, group in _grouped(found, lambda record: record.level):
        values = [record.correlation for record in group]
        yield LevelRow(int(level), len(values), fmean(values), max(values))


def _brackets(records: Sequence[PathRecord], found: Sequence[PathRecord]) -> Iterable[BracketRow]:
    low, high = GOOD_PARENT
    good = [
        record
        for record in found
        if record.parent is not None and low < records[record.parent].correlation <= high
    ]
    everybody = Counter(bracket_of(record.correlation) for record in found)
    children = Counter(bracket_of(record.correlation) for record in good)
    for bracket in sorted(everybody):
        pages, own = everybody[bracket], children[bracket]
        share = own / len(good) if good else 0.0
        yield BracketRow(bracket, pages, pages / len(found), own, share)


def _next_nuggets(records: Sequence[PathRecord], threshold: float) -> Iterable[LengthRow]:
    """Yield Table 4, by the shortest way from each child of a nugget to the next nugget below
    it.
    """
    steps: dict[int, int] = {}  # from a page to the nearest nugget below it
    for place in reversed(range(len(records))):  # children come after their parents
        parent = records[place].parent
        if parent is None:
            continue
        is_nugget = records[place].correlation >= threshold
        below = 1 if is_nugget else steps[place] + 1 if place in steps else None
        if below is not None and below < steps.get(parent, below + 1):
            steps[parent] = below
    children = [
        (record, place)
        for place, record in enumerate(records)
        if record.parent is not None and _is_nugget(records, record.parent, threshold)
    ]
    for bracket, group in _grouped(children, lambda pair: bracket_of(pair[0].correlation)):
        lengths = [steps[place] - 1 for _, place in group if place in steps]
        yield LengthRow(
            bracket,
            len(group),
            len(lengths),
            fmean(lengths) if lengths else None,
            pstdev(lengths) if lengths else None,
        )


def _history(records: Sequence[PathRecord], threshold: float) -> Iterable[HistoryRow]:
    groups: dict[tuple[str, float], list[bool]] = defaultdict(list)
    for record in records:
        parent = None if record.parent is None else records[record.parent]
        if parent is None or parent.parent is None or parent.correlation >= threshold:
            continue
        kind = "low" if parent.correlation <= LOW_PARENT else "high"
        grandparent = bracket_of(records[parent.parent].correlation)
        groups[kind, grandparent].append(record.correlation >= threshold)
    for (kind, grandparent), nuggets in sorted(groups.items()):
        yield HistoryRow(kind, grandparent, len(nuggets), fmean(nuggets))


def _distances(records: Sequence[PathRecord]) -> Iterable[DistanceRow]:
    for distance, group in _grouped(records, lambda record: ceil(record.distance)):
        values = [record.correlation for record in group]
        yield DistanceRow(int(distance), len(values), fmean(values))


def _grouped(things: Iterable[T], key: Callable[[T], float]) -> list[tuple[float, list[T]]]:
    groups: dict[float, list[T]] = defaultdict(list)
    for thing in things:
        groups[key(thing)].append(thing)
    return sorted(groups.items(), key=lambda pair: pair[0])
