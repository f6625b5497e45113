"""References to addresses. What the pages of a site repeat, as menus do, is worked out once.

What a reference meant is remembered twice: under what it is made whole to, for all pages; and as it stands,
for those of its site, where menus are found at once.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from motherlode.records import UrlKey
from motherlode.urls import Address, UrlError, UrlRules, address

_REMEMBERED, _LONGEST = 50_000, 500  # references, and characters of one
_SITES, _OF_A_SITE = 200, 500  # sites, and references of one
# Kinds of references that are made whole by what stands before them. Others may mean the page itself, or
# begin with characters that browsers overlook.
_WHOLE = ("http://", "https://")
_ON_SITE = re.compile(r"/(?:[^/\\\0-\x20]|\Z)")
_IN_FOLDER = re.compile(r"[^/\\?#:\0-\x20][^:]*\Z")
_ELSEWHERE = re.compile(r"//[^/\\\0-\x20]")
_FOR_OTHERS = ("mailto:", "javascript:", "tel:")  # there is nothing to be fetched

Resolve = Callable[[str], Address | None]
Meanings = dict[str, Address | None]
_NEW = Address("", UrlKey(0), "")  # stands for what is not remembered


def resolver(base: str, rules: UrlRules) -> Resolve:
    """From a reference in a page to the address that it means; nothing, if it is none for a crawler.

    Most are made whole by what is before them, and what that means does not depend on the page.
    """
    known = _known(rules)
    scheme, site, folder, page = _above(base)
    on_site = _on_site(site, rules)

    def resolve(reference: str) -> Address | None:
        found = on_site.get(reference, _NEW)
        if found is _NEW:  # it is in no menu, or whole
            found = known.get(reference, _NEW)
        return found if found is not _NEW else meant(reference)

    def meant(reference: str) -> Address | None:
        if len(reference) > _LONGEST:
            return _address(reference, base, rules)
        if reference.startswith(_WHOLE):
            return _meaning(reference, known, rules)
        if _IN_FOLDER.match(reference):
            return _meaning(folder + reference, known, rules)
        if reference.startswith("?"):
            return _meaning(page + reference, known, rules)
        start = site if _ON_SITE.match(reference) else scheme if _ELSEWHERE.match(reference) else ""
        if not start:
            return None if reference.startswith(_FOR_OTHERS) else _address(reference, base, rules)
        found = _meaning(start + reference, known, rules)
        if len(on_site) < _OF_A_SITE:
            on_site[reference] = found
        return found

    return resolve


@lru_cache(_SITES)
def _on_site(_site: str, _rules: UrlRules) -> Meanings:
    """What references mean in all pages of a site under some rules, as far as they are remembered."""
    return {}


@lru_cache(16)
def _known(_rules: UrlRules) -> Meanings:
    """What whole references mean under some rules, as far as they are remembered.

    When there are too many, all are forgotten: to note at each which were asked for last would take longer.
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
    """What stands before a page's references: the scheme, the site, the folder that it is in, its path.

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
