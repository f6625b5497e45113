"""The sites that a user names: as words, in bookmarks, and in tables (SPEC W1)."""

import re
from pathlib import Path

from msgspec import Struct

from motherlode.app.requests.sites import MAX_NAMED_SITES, SitesRequest
from motherlode.app.services.sites.site_csv import TableSite, read_site_csv
from motherlode.app.text import count
from motherlode.records import BadInputError, UsageError
from motherlode.sources.bookmarks import read_bookmarks
from motherlode.topics import OTHERS, plant
from motherlode.urls import Address, UrlError, UrlRules, address
from motherlode.urls.site_rules import SiteRules

_MAX_SHOWN_CHARS = 60
_OTHER_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?!//|\d)", re.IGNORECASE)


class NamedSites(Struct, frozen=True):
    """Home pages of sites that the user has named.

    `problems` are sentences about what could not be used, `remarks` about how files were read.
    """

    like: tuple[str, ...]
    unlike: tuple[str, ...]
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def named_sites(request: SitesRequest, site_rules: SiteRules, rules: UrlRules) -> NamedSites:
    """Return all sites that a request names, each once.

    Raises `UsageError` for a word that is no URL, and for a site that is named both ways, and
    `BadInputError` for a file that names no site, and for more than `MAX_NAMED_SITES` sites.
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


def address_of(word: str, rules: UrlRules) -> Address:
    """Return the address of a site or page that may lack its scheme. Raises `UrlError`.

    >>> address_of("example.org:8080/a", UrlRules()).url
    'http://example.org:8080/a'
    """
    text = word.strip()
    if "://" in text:
        return address(text, rules=rules)
    scheme = _OTHER_SCHEME.match(text)
    if scheme is not None:
        raise UrlError(f"scheme {scheme[1].casefold()!r}", text)
    if "@" in re.split(r"[/?#]", text, maxsplit=1)[0]:
        raise UrlError("e-mail address", text)
    return address(f"http://{text}", rules=rules)


class _Names:
    """Collects the sites of a request; the first word about a site counts."""

    def __init__(self, site_rules: SiteRules, rules: UrlRules) -> None:
        self._site_rules, self._rules = site_rules, rules
        self._homes: dict[str, tuple[str, bool]] = {}  # by site
        self._problems: list[str] = []
        self._remarks: list[str] = []

    def named(self) -> NamedSites:
        homes = list(self._homes.values())
        return NamedSites(
            like=tuple(home for home, is_like in homes if is_like),
            unlike=tuple(home for home, is_like in homes if not is_like),
            problems=tuple(self._problems),
            remarks=tuple(self._remarks),
        )

    def add_word(self, word: str, *, is_like: bool) -> None:
        try:
            home = self._home(word)
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
            verb = "is" if number == 1 else "are"
            self._problems.append(f"{path}: {count(number, 'bookmark')} {verb} left out: {kind}.")
        for planted in planting.topics:
            is_like = planted.path[-1:] != (OTHERS,)
            for example in planted.examples:
                home = self._site_rules.home_of(str(example.url)).url
                if not self._add(home, is_like=is_like):
                    self._problems.append(
                        f"{path}: {home} is already named as {_kind(not is_like)}, which counts."
                    )

    def add_table(self, path: Path) -> None:
        table = read_site_csv(path)
        first_problem, number = len(self._problems), 0
        for row in table.sites:
            problem = row.problem or self._add_row(row)
            number += not problem
            if problem:
                self._problems.append(f"{path}, line {row.line}: {problem}.")
        if not number and not table.undecided:
            more = "".join(f" {problem}" for problem in self._problems[first_problem:][:1])
            raise BadInputError(f"{path} names no site.{more}")
        if table.remark:
            self._remarks.append(f"{path}: {table.remark}.")
        if table.undecided:
            left_out = f"{count(table.undecided, 'site')} without yes or no"
            verb = "is" if table.undecided == 1 else "are"
            self._remarks.append(f"{path}: {left_out} {verb} left out.")

    def _add_row(self, row: TableSite) -> str:
        """Add the site of a row, and return the problem with it; empty if there is none."""
        try:
            home = self._home(row.url)
        except UrlError as error:
            return f"{row.url[:_MAX_SHOWN_CHARS]!r} is not an address on the Web: {error.kind}"
        if self._add(home, is_like=row.is_like):
            return ""
        return f"{home} is already named as {_kind(not row.is_like)}, which counts"

    def _home(self, word: str) -> str:
        """Return the home page of the site of a URL, which may lack its scheme."""
        return self._site_rules.home_of(address_of(word, self._rules).url).url

    def _add(self, home: str, *, is_like: bool) -> bool:
        """Add a site; return False if it was named the other way before."""
        site = self._site_rules.site_of(home)
        _, known = self._homes.setdefault(site, (home, is_like))
        if len(self._homes) > MAX_NAMED_SITES:
            raise BadInputError(
                f"More than {MAX_NAMED_SITES:,} sites are named, the most that one command takes. "
                "Name those that you know best; the crawl finds the others."
            )
        return known == is_like


def _kind(is_like: bool) -> str:  # noqa: FBT001 - it is what the name says
    return "like" if is_like else "unlike"
