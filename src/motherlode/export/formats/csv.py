"""CSV (RFC 4180): a page a row, for spreadsheets."""

import csv
from collections.abc import Iterable
from io import TextIOWrapper
from typing import BinaryIO

from motherlode.export.records import PageRecord, shown_time
from motherlode.export.text_cleaner import plain
from motherlode.records.digests import shown_digest

COLUMNS = (
    "url",
    "title",
    "topic",
    "confidence",
    "fetched_at",
    "language",
    "mime",
    "status",
    "size",
    "digest",
    "gone",
    "margin",
    "probability",
    "certainty",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would calculate


def write_csv(pages: Iterable[PageRecord], out: BinaryIO, *, texts: bool = False) -> int:
    """Write pages under a heading; returns how many."""
    lines = TextIOWrapper(out, "utf-8", newline="", write_through=True)
    try:
        table = csv.writer(lines)
        table.writerow((*COLUMNS, "text") if texts else COLUMNS)
        number = 0
        for number, page in enumerate(pages, 1):  # noqa: B007 - the last one counts
            table.writerow(_row(page, texts=texts))
        return number
    finally:
        lines.detach()  # it is not ours to close


def _row(page: PageRecord, *, texts: bool) -> list[object]:
    row: list[object] = [
        _cell(page.url),
        _cell(page.title),
        _cell(page.topic or ""),
        _figure(page.confidence),
        shown_time(page.fetched_at),
        _cell(page.language),
        _cell(page.mime),
        page.status,
        page.size,
        shown_digest(page.digest),
        "true" if page.gone else "false",
        _figure(page.margin),
        _figure(page.probability),
        page.certainty or "",
    ]
    return [*row, _cell(page.text or "")] if texts else row


def _figure(value: float | None) -> float | str:
    return "" if value is None else value


def _cell(text: str) -> str:
    """Words that stay words: what looks like a formula has an apostrophe before it."""
    cell = plain(text)
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
