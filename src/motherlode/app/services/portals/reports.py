"""The reports of a crawl: its harvest over time (`reports/harvest.csv`), and its log."""

import csv
import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from motherlode.crawl.log import CRAWL_LOG, HARVEST
from motherlode.export.text_cleaner import plain

_HARVEST_TAIL_BYTES = 512 * 1024  # some ten thousand rows
_LOG_TAIL_BYTES = 4 * 2**20  # of a longer log, the rest is in its file
MAX_POINTS = 240  # of a chart
_CELLS = 4


class HarvestRow(Struct, frozen=True):
    """The number of pages at a time, and of those that were on a topic."""

    time: float
    pages: int
    relevant: int


class HarvestPoint(Struct, frozen=True):
    """The harvest of a part of the crawl, which ended at `pages`.

    `rate`: the share of its pages on a topic; `total`: the share since the first page.
    `pace`: pages a second, or None if the crawl was not running in between.
    """

    time: float
    pages: int
    rate: float
    total: float
    pace: float | None


def harvest_rows(portal: Path) -> list[HarvestRow]:
    """Return the latest rows of the harvest report; malformed rows are left out."""
    return rows_in(tail_of(portal / HARVEST, _HARVEST_TAIL_BYTES))


def rows_in(text: str) -> list[HarvestRow]:
    return [row for cells in csv.reader(text.splitlines()) if (row := _row(cells)) is not None]


def points_of(rows: Sequence[HarvestRow], starts: Iterable[float]) -> list[HarvestPoint]:
    """Return the parts between rows, as many as a chart can show. `starts`: when runs began."""
    began = sorted(starts)
    # A batch may write several rows at the same second.
    chosen = _thin_out(list({int(row.time): row for row in rows}.values()))
    first = [HarvestRow(chosen[0].time, 0, 0)] if chosen else []
    parts = pairwise([*first, *chosen])
    return [_point(before, after, began) for before, after in parts if after.pages > before.pages]


def _point(before: HarvestRow, after: HarvestRow, starts: Sequence[float]) -> HarvestPoint:
    pages, seconds = after.pages - before.pages, after.time - before.time
    was_stopped = any(before.time < start <= after.time for start in starts)
    return HarvestPoint(
        time=after.time,
        pages=after.pages,
        rate=max(0.0, min(1.0, (after.relevant - before.relevant) / pages)),
        total=after.relevant / after.pages,
        pace=pages / seconds if seconds > 0 and not was_stopped else None,
    )


def _thin_out(rows: Sequence[HarvestRow]) -> list[HarvestRow]:
    if len(rows) <= MAX_POINTS:
        return list(rows)
    step = (len(rows) - 1) / (MAX_POINTS - 1)
    return [rows[round(place * step)] for place in range(MAX_POINTS)]


def _row(cells: Sequence[str]) -> HarvestRow | None:
    if (
        len(cells) != _CELLS
        or not (cells[1].isdecimal() and cells[2].isdecimal())
        or not int(cells[1])
    ):
        return None
    try:
        at = datetime.fromisoformat(cells[0]).timestamp()
    except (ValueError, OverflowError):
        return None
    return HarvestRow(at, int(cells[1]), int(cells[2]))


def tail_of(path: Path, size: int) -> str:
    """Return the whole lines in the last bytes of a file, or nothing if there is no file."""
    try:
        with path.open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - size)
            file.seek(start)
            text = file.read(size)
    except OSError:
        return ""
    whole = text[: text.rfind(b"\n") + 1]
    return (whole.partition(b"\n")[2] if start else whole).decode(errors="replace")


def log_lines(portal: Path, match: str = "", limit: int = 200) -> list[str]:
    """Return the last lines of the log that contain a text, safe to show; case is ignored."""
    folded = match.casefold()
    lines = tail_of(portal / CRAWL_LOG, _LOG_TAIL_BYTES).split("\n")[:-1]
    return [plain(line) for line in lines if folded in line.casefold()][-limit:]
