"""Page numbers: what the numbers in addresses and between links say about which page is next."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from motherlode.documents.result_lists.page_links import LinkedAnswer, PageLink
from motherlode.documents.result_lists.page_tree import PageTree

MAX_NUMBER_DIGITS: Final = 6
PAGER_LEVELS: Final = 4  # elements around a number that may be its list of pages
_NUMBER = re.compile(r"\d+")
_PAGE_PART = re.compile(
    r"(?:[?&;/_-]|^)(?:page|paged|pg|p|pn|pageno|pagenum|page_?number|start|offset|from|first|seite|"
    r"pagina|pagina_?nr|side|sida|str|strana|strona|halaman|currentpage|curpage|list|b|s|limitstart)"
    r"[=/_-]?(\d{1,6})(?=$|[^\d\w])",
    re.IGNORECASE,
)


def page_steps(page: LinkedAnswer) -> dict[str, int]:
    """Return by how much the one number of each link's address that changes exceeds the page's.

    An address with a page number where the page's own has none counts from page 1.
    """
    own_shape, own_numbers = _shape(page.url)
    steps = {}
    for link in page.links:
        shape, numbers = _shape(link.url)
        step = (
            _step(own_numbers, numbers) if shape == own_shape else _from_first(page.url, link.url)
        )
        if step:
            steps[link.url] = step
    return steps


def _shape(url: str) -> tuple[str, list[int]]:
    url = url.partition("://")[2].removeprefix("www.")[:1_000]
    return _NUMBER.sub("#", url), [int(text[:18]) for text in _NUMBER.findall(url)]


def _step(own: list[int], other: list[int]) -> int:
    changes = [new - old for old, new in zip(own, other, strict=True) if new != old]
    return changes[0] if len(changes) == 1 else 0


def _from_first(own: str, url: str) -> int:
    parts = _PAGE_PART.findall(url[:1_000])
    if not parts:
        return 0
    own_parts = _PAGE_PART.findall(own[:1_000])
    number = int(parts[-1])
    return number - int(own_parts[-1]) if own_parts else (number - 1 or 1)


def numbered_next(page: LinkedAnswer) -> list[PageLink]:
    """Return the links whose number follows the current page's in a list of pages.

    The current page is the number that the list shows and does not link.
    """
    tree, lists = page.tree, defaultdict[int, list[PageLink]](list)
    for link in page.links:
        if is_number(link.text):
            for element in tree.above(link.element)[:PAGER_LEVELS]:
                lists[element].append(link)
    return [
        link for element, links in lists.items() for link in _after_current(tree, element, links)
    ]


def _after_current(tree: PageTree, element: int, links: list[PageLink]) -> Iterable[PageLink]:
    linked = {int(link.text) for link in links}
    texts = tree.texts[tree.first_texts[element] : tree.last_texts[element]][:200]
    shown = {int(text) for text in texts if is_number(text)}
    current = {number for number in shown - linked if number + 1 in linked}
    if len(current) == 1:
        wanted = current.pop() + 1
        yield from (link for link in links if int(link.text) == wanted)


def is_number(text: str) -> bool:
    """Return whether a text is a number that may be a page's."""
    return text.isascii() and text.isdigit() and len(text) <= MAX_NUMBER_DIGITS
