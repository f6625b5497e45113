"""CSV (RFC 4180): a page a row, for spreadsheets."""

import csv
from collections.abc import Iterable
from io import TextIOWrapper
from typing import BinaryIO

from motherlode.export.records import MemberRecord, PageRecord, shown_time, told_member
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
MEMBER_COLUMNS = (
    "url",
    "title",
    "subject",
    "merit",
    "curated",
    "source",
    "found_on",
    "fetched_at",
    "language",
    "mime",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would calculate


def write_csv(pages: Iterable[PageRecord], out: BinaryIO, *, texts: bool = False) -> int:
    """Write pages under a heading; returns how many."""
    rows = (_row(page, texts=texts) for page in pages)
    return _write_rows((*COLUMNS, "text") if texts else COLUMNS, rows, out)


def write_member_csv(members: Iterable[MemberRecord], out: BinaryIO, *, texts: bool = False) -> int:
    """Write the members of collections under a heading, and return their number."""
    rows = (_member_row(member, texts=texts) for member in members)
    return _write_rows((*MEMBER_COLUMNS, "text") if texts else MEMBER_COLUMNS, rows, out)


def write_csv_rows(heading: Iterable[str], rows: Iterable[list[object]], out: BinaryIO) -> int:
    """Write rows under a heading, and return their number; texts in cells stay texts."""
    harmless = ([_cell(one) if isinstance(one, str) else one for one in row] for row in rows)
    return _write_rows(heading, harmless, out)


def _write_rows(heading: Iterable[str], rows: Iterable[list[object]], out: BinaryIO) -> int:
    lines = TextIOWrapper(out, "utf-8", newline="", write_through=True)
    try:
        table = csv.writer(lines)
        table.writerow(heading)
        number = 0
        for number, row in enumerate(rows, 1):  # noqa: B007 - the last one counts
            table.writerow(row)
        return number
    finally:
        lines.detach()  # it is not ours to close


def _member_row(member: MemberRecord, *, texts: bool) -> list[object]:
    row: list[object] = [
        _cell(value) if isinstance(value, str) else _figure(value)
        for value in told_member(member).values()
    ]
    return [*row, _cell(member.text or "")] if texts else row


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
