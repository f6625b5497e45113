"""Read the sites of a CSV file, with the words that say which of them are wanted (SPEC W1)."""

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice
from pathlib import Path

from msgspec import Struct

from motherlode.documents.encoding import decode
from motherlode.records import BadInputError

MAX_CSV_BYTES = 64 * 1024 * 1024
MAX_TITLE_ROWS = 20  # above the headings
MAX_BROKEN_ROWS = 1_000  # after which the rest of a file is not read
URL_HEADINGS = ("url", "site", "homepage", "home page", "home", "website", "link")
LIKE_HEADINGS = ("choice", "like", "relevant", "status", "label")  # the first of them counts
LIKE_WORDS = frozenset({"yes", "y", "1", "true", "like", "accept", "relevant", "in"})
UNLIKE_WORDS = frozenset({"no", "n", "0", "false", "unlike", "reject", "irrelevant", "out"})
UNDECIDED_WORDS = frozenset({"", "undecided", "discovered", "unknown", "?"})  # neither

_ANSWERS = LIKE_WORDS | UNLIKE_WORDS
_DELIMITERS = ",;\t|"
_NAME = re.compile(
    r"(?:https?://|(?:[\w-]+\.)+[^\W\d_]{2,}\.?(?::\d+)?(?:[/?#]|\Z))", re.IGNORECASE
)
_MAX_SHOWN_CHARS = 60
_UNCLOSED = "a quotation mark is opened and never closed"
_UNDECIDED = "undecided"


class TableSite(Struct, frozen=True):
    """A site in a table, and whether it is relevant; or the problem with its line."""

    line: int
    url: str
    is_like: bool = True
    problem: str = ""


class SiteCsv(Struct, frozen=True):
    """The sites of a CSV file by line; bad lines are there with their problem.

    `undecided` counts the sites about which the table says neither yes nor no. `remark` is a
    sentence for the user about the column that was read, empty if its heading names it.
    """

    sites: tuple[TableSite, ...] = ()
    undecided: int = 0
    remark: str = ""


class _Row(Struct, frozen=True):
    """A row of a table with its first line, or the problem that it has."""

    line: int
    cells: Sequence[str] = ()
    problem: str = ""

    def cell(self, column: int) -> str:
        return self.cells[column].strip() if column < len(self.cells) else ""


class _Columns(Struct, frozen=True):
    """Which columns of a table have the URL and the word on it, and the row of headings."""

    url: int
    like: int | None
    heading: _Row | None
    remark: str = ""


def read_site_csv(path: Path) -> SiteCsv:
    """Read the sites of a CSV file.

    Commas, semicolons, tabs and bars divide columns. Raises `BadInputError` for a file without a
    column of sites, and for one that cannot be read.
    """
    rows = list(_rows(_text(path)))
    if not any(row.cells for row in rows):
        return SiteCsv(tuple(TableSite(row.line, "", problem=row.problem) for row in rows))
    columns = _columns(rows)
    if columns is None:
        broken = next((f" Line {row.line}: {row.problem}." for row in rows if row.problem), "")
        raise BadInputError(
            f"{path} has no column of sites; give it a heading such as url, site or homepage."
            f"{broken}"
        )
    first_line = 0 if columns.heading is None else columns.heading.line + 1
    read = [_site_in(row, columns) for row in rows if row.line >= first_line]
    sites = tuple(site for site in read if isinstance(site, TableSite))
    return SiteCsv(sites, read.count(_UNDECIDED), columns.remark)


def _columns(rows: Sequence[_Row]) -> _Columns | None:
    """Return the columns by their headings, or else by what is in them; None without sites."""
    for row in rows[: MAX_TITLE_ROWS + 1]:
        headings = [_heading(cell) for cell in row.cells]
        if any(map(_NAME.match, map(str.strip, row.cells))):
            break
        url = next((headings.index(name) for name in URL_HEADINGS if name in headings), None)
        if url is not None:
            return _with_answers(rows, url, row)
    width = max(len(row.cells) for row in rows)
    url = next(
        (column for column in range(width) if any(_NAME.match(row.cell(column)) for row in rows)),
        None,
    )
    if url is None:
        return None
    before = []
    for row in rows:
        if _NAME.match(row.cell(url)):
            break
        before.append(row)
    heading = next((row for row in before if row.cells and not _is_title(row, width)), None)
    return _with_answers(rows, url, heading)


def _is_title(row: _Row, width: int) -> bool:
    """Return whether a row above the table is a title or a remark rather than the headings."""
    texts = [cell.strip() for cell in row.cells if cell.strip()]
    return not texts or len(texts) < min(width, 2) or texts[0].startswith("# ")


def _with_answers(rows: Sequence[_Row], url: int, heading: _Row | None) -> _Columns:
    """Return the columns with that of yes and no, by its heading or by what is in it."""
    headings = [] if heading is None else [_heading(cell) for cell in heading.cells]
    named = next((headings.index(name) for name in LIKE_HEADINGS if name in headings), None)
    if named is not None and named != url:
        return _Columns(url, named, heading)
    first_line = 0 if heading is None else heading.line + 1
    body = [row for row in rows if row.cells and row.line >= first_line]
    width = max((len(row.cells) for row in body), default=0)
    answers = next(
        (column for column in range(width) if column != url and _holds_answers(body, column)), None
    )
    if answers is not None:
        title = heading.cell(answers)[:_MAX_SHOWN_CHARS] if heading is not None else ""
        name = f"the column {title!r}" if title else f"column {answers + 1}"
        return _Columns(url, answers, heading, f"{name} says which sites are wanted")
    remark = "no column of yes and no was found, so all its sites are taken as wanted"
    return _Columns(url, None, heading, remark if width > 1 else "")


def _heading(cell: str) -> str:
    """Return a heading as it is compared: `Relevant?` is `relevant`."""
    return cell.strip().strip("?:*#").strip().casefold()


def _holds_answers(rows: Sequence[_Row], column: int) -> bool:
    """Return whether most cells of a column are yes or no; numbers alone need both 0 and 1."""
    words = [word for row in rows if (word := row.cell(column).casefold())]
    answers = {word for word in words if word in _ANSWERS}
    if not answers or answers in ({"0"}, {"1"}):
        return False
    return sum(word in _ANSWERS or word in UNDECIDED_WORDS for word in words) * 2 > len(words)


def _site_in(row: _Row, columns: _Columns) -> TableSite | str | None:
    """Return the site of a row, `_UNDECIDED` for one without an answer, None for an empty row."""
    if row.problem or not any(cell.strip() for cell in row.cells):
        return TableSite(row.line, "", problem=row.problem) if row.problem else None
    text = row.cell(columns.url)
    if not _NAME.match(text) or "\n" in text:
        shown = repr(text[:_MAX_SHOWN_CHARS]) if text else "nothing"
        return TableSite(row.line, text, problem=f"{shown} is not an address on the Web")
    word = "yes" if columns.like is None else row.cell(columns.like).casefold()
    if word in _ANSWERS:
        return TableSite(row.line, text, is_like=word in LIKE_WORDS)
    if word in UNDECIDED_WORDS:
        return _UNDECIDED
    shown = repr(word[:_MAX_SHOWN_CHARS])
    return TableSite(row.line, text, problem=f"{shown} is neither yes nor no")


def _rows(text: str) -> Iterator[_Row]:
    """Yield the rows of a table. A quotation mark that is not closed costs its own line only."""
    lines = list(StringIO(text, newline=""))
    delimiter = _delimiter(lines)
    start = 0
    for _ in range(MAX_BROKEN_ROWS):
        rows, broken = _unbroken_rows(lines, start, delimiter)
        yield from rows
        if broken is None:
            return
        yield broken
        start = broken.line
    if start < len(lines):
        yield _Row(start + 1, problem="so many lines before are broken that the rest is not read")


def _unbroken_rows(
    lines: Sequence[str], start: int, delimiter: str
) -> tuple[list[_Row], _Row | None]:
    """Return the rows from a line on up to one that is broken, and that one; None at the end."""
    reader = csv.reader(islice(lines, start, None), delimiter=delimiter)
    rows: list[_Row] = []
    first = start
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return rows, None
        except csv.Error as error:
            is_long = start + reader.line_num > first + 1
            problem = _UNCLOSED if is_long else f"it cannot be read as CSV ({error})"
            return rows, _Row(first + 1, problem=problem)
        end = start + reader.line_num
        if (end > first + 1 or end == len(lines)) and _is_unclosed(lines[first:end], delimiter):
            return rows, _Row(first + 1, problem=_UNCLOSED)
        if cells:
            rows.append(_Row(first + 1, cells))
        first = end


def _is_unclosed(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether a quotation mark in a row is not closed where its cell ends."""
    try:
        list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        return len(lines) > 1 or "unexpected end of data" in str(error)
    return False


def _delimiter(lines: Sequence[str]) -> str:
    """Return what divides columns: most of it is in the first line with a heading or a site."""
    written = [line for line in lines[:MAX_TITLE_ROWS] if line.strip()]
    for line in written:
        delimiter = max(_DELIMITERS, key=line.count)
        cells = [cell.strip().strip('"') for cell in line.split(delimiter)]
        if any(_heading(cell) in URL_HEADINGS or _NAME.match(cell) for cell in cells):
            return delimiter
    return max(_DELIMITERS, key=written[0].count) if written else _DELIMITERS[0]


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_CSV_BYTES:
            raise BadInputError(f"{path} is too large for a list of sites.")
        return decode(path.read_bytes()).removeprefix("\ufeff")
    except FileNotFoundError as error:
        raise BadInputError(f"There is no file {path}.") from error
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}.") from error
