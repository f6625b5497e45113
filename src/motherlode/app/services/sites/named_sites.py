"""The sites that a user names: as words, in bookmarks, and in tables (SPEC W1)."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from pathlib import Path

from msgspec import Struct

from motherlode.app.requests.sites import SitesRequest
from motherlode.documents.encoding import decode
from motherlode.records import BadInputError, UsageError
from motherlode.sources.bookmarks import read_bookmarks
from motherlode.topics import OTHERS, plant
from motherlode.urls import UrlError, UrlRules, address
from motherlode.urls.site_rules import SiteRules

MAX_CSV_BYTES = 64 * 1024 * 1024
URL_HEADINGS = ("url", "site", "homepage", "home page", "home", "website", "link")
LIKE_HEADINGS = ("like", "relevant", "status", "label", "choice")
LIKE_WORDS = frozenset({"yes", "y", "1", "true", "like", "accept", "relevant", "in"})
UNLIKE_WORDS = frozenset({"no", "n", "0", "false", "unlike", "reject", "irrelevant", "out"})
UNDECIDED_WORDS = frozenset({"", "undecided", "discovered", "unknown", "?"})  # neither

_DELIMITERS = ",;\t|"
_NAME = re.compile(
    r"(?:https?://|(?:[\w-]+\.)+[^\W\d_]{2,}\.?(?::\d+)?(?:[/?#]|\Z))", re.IGNORECASE
)
_MAX_SHOWN_CHARS = 60


class NamedSites(Struct, frozen=True):
    """Home pages of sites that the user has named, and sentences about what could not be used."""

    like: tuple[str, ...]
    unlike: tuple[str, ...]
    problems: tuple[str, ...] = ()


class TableSite(Struct, frozen=True):
    """A site in a table, and whether it is relevant; or the problem with its line."""

    line: int
    url: str
    is_like: bool = True
    problem: str = ""


def named_sites(request: SitesRequest, site_rules: SiteRules, rules: UrlRules) -> NamedSites:
    """Return all sites that a request names, each once.

    Raises `UsageError` for a word that is no URL, and for a site that is named both ways, and
    `BadInputError` for a file that names no site.
    """
    names = _Names(site_rules, rules)
    for is_like, words in ((True, request.like), (False, request.unlike)):
        for word in words:
            names.add_word(word, is_like=is_like)
    if request.bookmarks:
        names.add_bookmarks(Path(request.bookmarks))
    if request.csv:
        names.add_table(Path(request.csv))
    return names.named()


def home_page(word: str, site_rules: SiteRules, rules: UrlRules) -> str:
    """Return the home page of the site of a URL, which may lack its scheme. Raises `UrlError`."""
    url = address(word if "://" in word else f"http://{word}", rules=rules).url
    return site_rules.home_of(url).url


class _Names:
    """Collects the sites of a request; the first word about a site counts."""

    def __init__(self, site_rules: SiteRules, rules: UrlRules) -> None:
        self._site_rules, self._rules = site_rules, rules
        self._homes: dict[str, tuple[str, bool]] = {}  # by site
        self._problems: list[str] = []

    def named(self) -> NamedSites:
        homes = list(self._homes.values())
        return NamedSites(
            like=tuple(home for home, is_like in homes if is_like),
            unlike=tuple(home for home, is_like in homes if not is_like),
            problems=tuple(self._problems),
        )

    def add_word(self, word: str, *, is_like: bool) -> None:
        try:
            home = home_page(word.strip(), self._site_rules, self._rules)
        except UrlError as error:
            raise UsageError(
                f"{word[:_MAX_SHOWN_CHARS]!r} is not an address on the Web: {error.kind}."
            ) from error
        if not self._add(home, is_like=is_like):
            raise UsageError(f"{home} is named by --like and by --unlike; choose one.")

    def add_bookmarks(self, path: Path) -> None:
        planting = plant(read_bookmarks(path), path.stem, self._rules)
        if not planting.examples:
            raise BadInputError(f"{path} holds no bookmark of a site.")
        for kind, number in planting.skipped.items():
            self._problems.append(f"{path}: {number:,} bookmarks are left out: {kind}.")
        for planted in planting.topics:
            is_like = planted.path[-1:] != (OTHERS,)
            for example in planted.examples:
                home = self._site_rules.home_of(str(example.url)).url
                if not self._add(home, is_like=is_like):
                    self._problems.append(f"{path}: {home} is named both ways; the first counts.")

    def add_table(self, path: Path) -> None:
        rows = list(read_site_table(path))
        number = 0
        for row in rows:
            problem = row.problem or self._add_row(row)
            number += not problem
            if problem:
                self._problems.append(f"{path}, line {row.line}: {problem}.")
        if not number:
            more = f" {self._problems[-1]}" if self._problems else ""
            raise BadInputError(f"{path} names no site.{more}")

    def _add_row(self, row: TableSite) -> str:
        """Add the site of a row, and return the problem with it; empty if there is none."""
        try:
            home = home_page(row.url, self._site_rules, self._rules)
        except UrlError as error:
            return f"{row.url[:_MAX_SHOWN_CHARS]!r} is not an address on the Web: {error.kind}"
        if self._add(home, is_like=row.is_like):
            return ""
        return f"{home} was named the other way before, which counts"

    def _add(self, home: str, *, is_like: bool) -> bool:
        """Add a site; return False if it was named the other way before."""
        site = self._site_rules.site_of(home)
        _, known = self._homes.setdefault(site, (home, is_like))
        return known == is_like


def read_site_table(path: Path) -> Iterator[TableSite]:
    """Yield the sites of a CSV file by line; bad lines are yielded with their problem.

    Commas, semicolons, tabs and bars divide columns, whichever the first line has most of.
    """
    rows = list(_rows(_text(path)))
    first = next((cells for _, cells, problem in rows if not problem), None)
    if first is None:
        return
    columns = _columns(first, [cells for _, cells, _ in rows])
    if columns is None:
        raise BadInputError(
            f"{path} has no column of sites; give it a heading such as url, site or homepage."
        )
    for line, cells, problem in rows:
        if problem:
            yield TableSite(line, "", problem=problem)
        elif not (columns.has_heading and cells is first):
            yield from _site_in(line, cells, columns)


class _Columns(Struct, frozen=True):
    """Which columns of a table have the URL and the word on it."""

    url: int
    like: int | None
    has_heading: bool


def _columns(first: Sequence[str], rows: Sequence[Sequence[str]]) -> _Columns | None:
    headings = [cell.strip().casefold() for cell in first]
    by_name = (headings.index(name) for name in URL_HEADINGS if name in headings)
    like = next((headings.index(name) for name in LIKE_HEADINGS if name in headings), None)
    url = next(by_name, None)
    if url is not None:
        return _Columns(url, like, has_heading=True)
    width = max(map(len, rows), default=0)
    holds_sites: Callable[[int], bool] = lambda column: any(  # noqa: E731
        column < len(row) and _NAME.match(row[column].strip()) for row in rows
    )
    url = next(filter(holds_sites, range(width)), None)
    if url is None:
        return None
    has_heading = url >= len(first) or not _NAME.match(first[url].strip())
    return _Columns(url, like if has_heading else None, has_heading=has_heading)


def _site_in(line: int, cells: Sequence[str], columns: _Columns) -> Iterator[TableSite]:
    """Yield the site of a line; nothing for an empty line and for a site that is undecided."""
    text = cells[columns.url].strip() if columns.url < len(cells) else ""
    if not any(cell.strip() for cell in cells):
        return
    if not _NAME.match(text):
        shown = repr(text[:_MAX_SHOWN_CHARS]) if text else "nothing"
        yield TableSite(line, text, problem=f"{shown} is not an address on the Web")
        return
    if columns.like is None:
        yield TableSite(line, text)
        return
    word = cells[columns.like].strip().casefold() if columns.like < len(cells) else ""
    if word in LIKE_WORDS or word in UNLIKE_WORDS:
        yield TableSite(line, text, is_like=word in LIKE_WORDS)
    elif word not in UNDECIDED_WORDS:
        shown = repr(word[:_MAX_SHOWN_CHARS])
        yield TableSite(line, text, problem=f"{shown} is neither yes nor no")


def _rows(text: str) -> Iterator[tuple[int, list[str], str]]:
    """Yield the rows of a table with their line numbers, or the problem that one has."""
    heading = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=heading.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield reader.line_num, [], f"it is no row of a table ({error})"
        else:
            if row:
                yield reader.line_num, row, ""


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_CSV_BYTES:
            raise BadInputError(f"{path} is too large for a list of sites.")
        return decode(path.read_bytes()).removeprefix("\ufeff")
    except FileNotFoundError as error:
        raise BadInputError(f"There is no file {path}.") from error
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}.") from error
