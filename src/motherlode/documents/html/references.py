"""References to addresses. What the pages of a site repeat, as menus do, is worked out once.

What a reference meant is remembered twice: under what it is made whole to, for all pages; and as it
stands, for those of its site, where menus are found at once.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat

from motherlode.records import UrlKey
from motherlode.urls import Address, UrlError, UrlRules, address

_REMEMBERED, _LONGEST = 50_000, 500  # references, and characters of one
_SITES, _OF_A_SITE = 200, 1000  # sites, and references of one
# Kinds of references that are made whole by what stands before them. Others may mean the page
# itself, or begin with characters that browsers overlook.
_WHOLE = ("http://", "https://")
_ON_SITE = re.compile(r"/(?:[^/\\\0-\x20]|\Z)")
_IN_FOLDER = re.compile(r"[^/\\?#:\0-\x20][^:]*\Z")
_ELSEWHERE = re.compile(r"//[^/\\\0-\x20]")
_FOR_OTHERS = ("mailto:", "javascript:", "tel:")  # there is nothing to be fetched

Meanings = dict[str | None, Address | None]
_NEW = Address("", UrlKey(0), "")  # stands for what is not remembered


class ReferenceResolver:
    """From a reference in a page to the address that it means; nothing, if it is none for a
    crawler.

    Most are made whole by what is before them, and what that means does not depend on the page.
    """

    def __init__(self, base: str, rules: UrlRules) -> None:
        self._base, self._rules = base, rules
        self._scheme, self._site, self._folder, self._page = _above(base)
        self._known = _known(rules)
        self._on_site = _on_site(self._site, rules)

    def __call__(self, reference: str) -> Address | None:
        """What a reference means."""
        found = self._on_site.get(reference, _NEW)
        return found if found is not _NEW else self._meant(reference)

    def all(self, references: Sequence[str | None]) -> list[Address | None]:
        """What each link of a page leads to; nothing, if it is none, or leads to a place in the
        page.
        """
        found = [*map(self._on_site.get, references, repeat(_NEW))]
        for place, target in enumerate(found):
            if target is _NEW:
                reference = references[place]
                found[place] = self._meant(reference) if reference and reference[0] != "#" else None
        return found

    def _meant(self, reference: str) -> Address | None:
        if len(reference) > _LONGEST:
            return _address(reference, self._base, self._rules)
        if reference.startswith(_WHOLE):
            found = _meaning(reference, self._known, self._rules)
        elif _IN_FOLDER.match(reference):
            return _meaning(self._folder + reference, self._known, self._rules)
        elif reference.startswith("?"):
            return _meaning(self._page + reference, self._known, self._rules)
        elif _ON_SITE.match(reference):
            found = _meaning(self._site + reference, self._known, self._rules)
        elif _ELSEWHERE.match(reference):
            found = _meaning(self._scheme + reference, self._known, self._rules)
        else:
            other = reference.startswith(_FOR_OTHERS)
            return None if other else _address(reference, self._base, self._rules)
        if len(self._on_site) < _OF_A_SITE:
            self._on_site[reference] = found
        return found


@lru_cache(_SITES)
def _on_site(_site: str, _rules: UrlRules) -> Meanings:
    """What references mean in all pages of a site under some rules, as far as they are
    remembered.
    """
    return {}


@lru_cache(16)
def _known(_rules: UrlRules) -> Meanings:
    """What whole references mean under some rules, as far as they are remembered.

    When there are too many, all are forgotten: to note at each which were asked for last would take
    longer.
    """
    return {}


def _meaning(whole: str, known: Meanings, rules: UrlRules) -> Address | None:
    """What a whole reference means, which is remembered."""
    found = known.get(whole, _NEW)
    if found is _NEW:
        if len(known) >= _REMEMBERED:
            known.clear()
        found = known[whole] = _address(whole, None, rules)
    return found


def _above(base: str) -> tuple[str, str, str, str]:
    """What stands before a page's references: the scheme, the site, the folder that it is in, its
    path.

    >>> _above("http://a.test/dir/page.html?from=/x")
    ('http:', 'http://a.test', 'http://a.test/dir/', 'http://a.test/dir/page.html')
    """
    path = base.partition("#")[0].partition("?")[0]
    end = path.find("/", len("https://"))
    scheme = path.partition("//")[0]
    if end < 0:
        return scheme, path, f"{path}/", path
    return scheme, path[:end], path[: path.rindex("/") + 1], path


def _address(reference: str, base: str | None, rules: UrlRules) -> Address | None:
    try:
        return address(reference, base, rules)
    except UrlError:
        return None
