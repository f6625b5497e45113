"""The harvest over time, as `reports/harvest.csv` has it, whoever wrote it."""

import csv
import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from motherlode.crawl.log import HARVEST

_TAIL = 512 * 1024  # bytes that are looked at: some ten thousand rows
_SHOWN = 240  # points of a chart
_CELLS = 4


class Row(Struct, frozen=True):
    """So many pages had been kept at a moment, and so many of them were on a topic."""

    time: float
    pages: int
    relevant: int


class HarvestPoint(Struct, frozen=True):
    """What a stretch of the crawl that ended at so many pages brought.

    `rate`: the part of its pages that is on a topic; `total`: the same from the first page on.
    `pace`: pages a second; None: the crawl was at rest in between.
    """

    time: float
    pages: int
    rate: float
    total: float
    pace: float | None


def harvest_rows(portal: Path) -> list[Row]:
    """The latest rows; what is no row is left out."""
    return rows_in(tail_of(portal / HARVEST, _TAIL))


def rows_in(text: str) -> list[Row]:
    return [row for cells in csv.reader(text.splitlines()) if (row := _row(cells)) is not None]


def points_of(rows: Sequence[Row], starts: Iterable[float]) -> list[HarvestPoint]:
    """The stretches between rows, so few that a chart can show them. `starts`: when runs began."""
    began = sorted(starts)
    kept = _thinned(list({int(row.time): row for row in rows}.values()))  # a batch may write several at once
    first = [Row(kept[0].time, 0, 0)] if kept else []
    stretches = pairwise([*first, *kept])
    return [_point(one, other, began) for one, other in stretches if other.pages > one.pages]


def _point(one: Row, other: Row, starts: Sequence[float]) -> HarvestPoint:
    pages, seconds = other.pages - one.pages, other.time - one.time
    rested = any(one.time < start <= other.time for start in starts)
    return HarvestPoint(
        other.time,
        other.pages,
        max(0.0, min(1.0, (other.relevant - one.relevant) / pages)),
        other.relevant / other.pages,
        pages / seconds if seconds > 0 and not rested else None,
    )


def _thinned(rows: Sequence[Row]) -> list[Row]:
    if len(rows) <= _SHOWN:
        return list(rows)
    step = (len(rows) - 1) / (_SHOWN - 1)
    return [rows[round(place * step)] for place in range(_SHOWN)]


def _row(cells: Sequence[str]) -> Row | None:
    if len(cells) != _CELLS or not (cells[1].isdecimal() and cells[2].isdecimal()) or not int(cells[1]):
        return None
    try:
        at = datetime.fromisoformat(cells[0]).timestamp()
    except (ValueError, OverflowError):
        return None
    return Row(at, int(cells[1]), int(cells[2]))


def tail_of(path: Path, size: int) -> str:
    """The whole lines in the last bytes of a file; nothing where there is none."""
    try:
        with path.open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - size)
            file.seek(start)
            text = file.read(size)
    except OSError:
        return ""
    whole = text[: text.rfind(b"\n") + 1]
    return (whole.partition(b"\n")[2] if start else whole).decode(errors="replace")
