"""Groups of links that may be the title links of a list of results.

Links are grouped by their place in the tree: by paths of tags and classes of several lengths, and
as the first or most telling link of elements that repeat. Each set of links is one group.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from motherlode.documents.result_lists.page_links import LinkedAnswer, PageLink
from motherlode.documents.result_lists.page_tree import PageTree

MAX_GROUPS: Final = 400
MAX_PATH: Final = 30  # elements of a path, from the inside out
MAX_LEVELS: Final = 8  # elements around a link that may be its record
MAX_INSIDE: Final = 60  # links of an element that are compared
NEAR: Final = 4
MIN_TEXT: Final = 2
_LINE = frozenset({"b", "i", "em", "strong", "span", "font", "mark", "u", "small"})

Path = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """Numbers of links, in order, and which rule grouped them."""

    members: tuple[int, ...]
    kind: str


def link_groups(page: LinkedAnswer) -> list[LinkGroup]:
    """Return the groups of a page, those with the most text first, each set of links once."""
    groups: dict[tuple[int, ...], LinkGroup] = {}
    for kind, members in (*_by_path(page), *_by_repeated_element(page)):
        if members:
            groups.setdefault(members, LinkGroup(members, kind))
    sizes = {members: _size(page, members) for members in groups}
    return [groups[members] for members in sorted(groups, key=lambda key: -sizes[key])][:MAX_GROUPS]


def _size(page: LinkedAnswer, members: Iterable[int]) -> int:
    return sum(min(len(page.links[member].text), 100) for member in members)


def _by_path(page: LinkedAnswer) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield links with the same path, for each way to name a path."""
    chains = [path_of(page.tree, link.element) for link in page.links]
    for kind, name in _PATH_NAMES.items():
        groups: dict[Path, list[int]] = defaultdict(list)
        for number, chain in enumerate(chains):
            if len(page.links[number].text) >= MIN_TEXT:
                groups[name(page.tree, chain)].append(number)
        yield from ((kind, tuple(members)) for members in groups.values())


def path_of(tree: PageTree, number: int) -> list[int]:
    """Return an element and those around it, from the inside out."""
    chain = [number]
    while len(chain) < MAX_PATH and (number := tree.parents[number]) >= 0:
        chain.append(number)
    return chain


def _tags(tree: PageTree, chain: list[int]) -> Path:
    return tuple(tree.tags[number] for number in chain)


def _classes(tree: PageTree, chain: list[int]) -> Path:
    return tuple((tree.tags[number], tree.classes[number]) for number in chain)


def _tags_and_near_classes(tree: PageTree, chain: list[int]) -> Path:
    return _tags(tree, chain) + tuple(tree.classes[number] for number in chain[:2])


def _without_line_tags(tree: PageTree, chain: list[int]) -> Path:
    named = [number for number in chain[1:] if tree.tags[number] not in _LINE]
    return _classes(tree, named[:NEAR])


_PATH_NAMES: dict[str, Callable[[PageTree, list[int]], Path]] = {
    "tags": _tags,
    "near": _tags_and_near_classes,
    "full": _classes,
    "last3": lambda tree, chain: _classes(tree, chain[:3]),
    "last5": lambda tree, chain: _classes(tree, chain[:5]),
    "last7": lambda tree, chain: _classes(tree, chain[:7]),
    "blocks": _without_line_tags,
}


def _by_repeated_element(page: LinkedAnswer) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield one link of each element that repeats: its heading, its longest, or its first."""
    inside = links_inside(page)
    repeated: dict[Path, list[int]] = defaultdict(list)
    for number in inside:
        tree = page.tree
        near = path_of(tree, number)[:3]
        repeated[(0, *_classes(tree, near[:2]))].append(number)
        repeated[(1, near[1] if len(near) > 1 else -1, *_classes(tree, near[:1]))].append(number)
        repeated[(2, near[1] if len(near) > 1 else -1, tree.tags[number])].append(number)
    for elements in repeated.values():
        if len(elements) > 1:
            for kind, choose in _CHOICES.items():
                members = {choose(page, inside[element]) for element in elements}
                yield kind, tuple(sorted(members - {-1}))


def links_inside(page: LinkedAnswer) -> dict[int, list[int]]:
    """Return the links of each element that is at most so many levels around one."""
    inside: dict[int, list[int]] = defaultdict(list)
    for number, link in enumerate(page.links):
        for element in path_of(page.tree, link.element)[1:MAX_LEVELS]:
            if len(inside[element]) < MAX_INSIDE:
                inside[element].append(number)
    return inside


def _first(page: LinkedAnswer, numbers: list[int]) -> int:
    return next((number for number in numbers if has_words(page.links[number])), -1)


def _longest(page: LinkedAnswer, numbers: list[int]) -> int:
    worded = [number for number in numbers if has_words(page.links[number])]
    return max(worded, key=lambda number: len(page.links[number].text), default=-1)


def _heading(page: LinkedAnswer, numbers: list[int]) -> int:
    headings = (number for number in numbers if page.links[number].is_heading)
    return next(headings, -1)


def has_words(link: PageLink) -> bool:
    """Return whether the text of a link could be a title."""
    return len(link.text) >= MIN_TEXT and not link.is_picture and not link.text.isdigit()


_CHOICES: dict[str, Callable[[LinkedAnswer, list[int]], int]] = {
    "first": _first,
    "longest": _longest,
    "heading": _heading,
}
