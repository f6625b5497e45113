"""The part of a page that belongs to each title link: its record.

A record is the largest element around its title link that holds no other title link. Where records
are several siblings (rows, dt and dd), each goes on until the next begins.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from motherlode.documents.result_lists.page_tree import PageTree

MAX_LONE_LEVELS: Final = 3  # around the only title link of a page
MAX_SIBLINGS: Final = 12  # of one record
_ENOUGH = frozenset({"li", "article", "tr", "section", "main", "body", "table", "ul", "ol"})


@dataclass(frozen=True, slots=True)
class Region:
    """The elements of a record, from `first` up to `end`, and the title link's own element."""

    title: int
    first: int
    end: int


def regions_of(tree: PageTree, titles: list[int]) -> list[Region]:
    """Return the record of each title link; `titles` are numbers of elements in order."""
    if len(titles) == 1:
        top = _lone_top(tree, titles[0])
        return [Region(titles[0], top, tree.ends[top])]
    before = [-1, *titles[:-1]]
    after = [*titles[1:], len(tree.tags)]
    tops = [_top(tree, *place) for place in zip(titles, before, after, strict=True)]
    return _with_siblings(tree, titles, tops)


def _top(tree: PageTree, title: int, before: int, after: int) -> int:
    """Return the largest element around a title link that holds neither neighbour."""
    top = title
    while (parent := tree.parents[top]) > before and tree.ends[parent] <= after:
        top = parent
    return top


def _lone_top(tree: PageTree, title: int) -> int:
    top = title
    for _ in range(MAX_LONE_LEVELS):
        parent = tree.parents[top]
        if tree.tags[top] in _ENOUGH or parent < 0 or tree.tags[parent] == "body":
            break
        top = parent
    return top


def _with_siblings(tree: PageTree, titles: list[int], tops: list[int]) -> list[Region]:
    steps = [_siblings_between(tree, first, second) for first, second in pairwise(tops)]
    usual = Counter(step for step in steps if step).most_common(1)
    span = usual[0][0] if usual and usual[0][1] * 2 > len(steps) else 1
    regions = []
    for title, top, step in zip(titles, tops, [*steps, 0], strict=True):
        end = _behind_siblings(tree, top, min(step, span) if step else span)
        regions.append(Region(title, top, end))
    return regions


def _siblings_between(tree: PageTree, first: int, second: int) -> int:
    """Return how many siblings further the second is; 0 if they are no near siblings."""
    if tree.parents[first] != tree.parents[second]:
        return 0
    number, steps = first, 0
    while number < second and steps < MAX_SIBLINGS:
        number, steps = tree.ends[number], steps + 1
    return steps if number == second else 0


def _behind_siblings(tree: PageTree, top: int, count: int) -> int:
    parent, end = tree.parents[top], tree.ends[top]
    limit = tree.ends[parent] if parent >= 0 else end
    for _ in range(count - 1):
        if end >= limit:
            break
        end = tree.ends[end]
    return end
