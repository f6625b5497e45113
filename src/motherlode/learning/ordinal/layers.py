"""The layers of pages around the seeds, by the fewest links to one of them (SPEC F1).

Babaria and others (ICML 2007), section 3.1, after the context graphs of Diligenti and others (VLDB
2000): seeds are level 0, pages that link to a page of level i are level i + 1, and the smallest
level counts.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from motherlode.learning.matrix import Ints

LINKS_PER_LEVEL = 3.0  # one link in so many leads to a goal at level 1, in as many more at level 2
PRIOR_LINKS = 3.0  # with the mean share of goals, added to the links of a page

Mask = npt.NDArray[np.bool_]
T = TypeVar("T", bound=Hashable)


def layers_around(
    seeds: Iterable[T], linking_to: Callable[[list[T]], Iterable[T]], levels: int
) -> dict[T, int]:
    """Return the level of each page that is fewer than `levels` links from a seed.

    `linking_to` returns the pages that link to any of some pages.

    >>> links = {"b": ["a"], "c": ["b", "a"], "d": ["c"]}
    >>> def linking_to(pages):
    ...     return [page for page in links if set(pages) & set(links[page])]
    >>> layers_around(["a"], linking_to, levels=3)
    {'a': 0, 'b': 1, 'c': 1, 'd': 2}
    """
    known = dict.fromkeys(seeds, 0)
    latest = list(known)
    for level in range(1, levels):
        found = dict.fromkeys(page for page in linking_to(latest) if page not in known)
        latest = list(found)
        known.update(dict.fromkeys(latest, level))
        if not latest:
            break
    return known


def merged_levels(sizes: Mapping[int, int], smallest: int) -> dict[int, int]:
    """Return for each level the level that it is learned as, so that none is too thin.

    A level with fewer pages than `smallest` joins the next one; the last joins the one before it.
    Level 0 stays, however few the seeds are, and joined levels are numbered without gaps.

    >>> merged_levels({0: 3, 1: 40, 2: 5, 3: 50, 4: 2}, smallest=10)
    {0: 0, 1: 1, 2: 2, 3: 2, 4: 2}
    """
    merged: dict[int, int] = {}
    number, pages = 0, 0
    for level in sorted(sizes):
        if level == 0:
            merged[level] = 0
            continue
        if number == 0 or pages >= smallest:
            number, pages = number + 1, 0
        merged[level] = number
        pages += sizes[level]
    if number > 1 and pages < smallest:
        merged = {level: min(place, number - 1) for level, place in merged.items()}
    return merged


def level_sizes(levels: Ints) -> dict[int, int]:
    """Return the number of pages of each level.

    >>> level_sizes(np.array([0, 2, 2]))
    {0: 1, 2: 2}
    """
    known, counts = np.unique(levels, return_counts=True)
    return dict(zip(known.tolist(), counts.tolist(), strict=True))


def levels_by_links(is_goal: Mask, starts: Ints, targets: Ints, levels: int) -> Ints:
    """Return the level of each page by the links that have to be followed to reach a goal.

    The paper measures a distance in the links that need to be crawled. Page i has the links from
    `starts[i]` to the next start, each to the place of a page. One link in three leads to a goal:
    level 1; one in nine: level 2; and so on. Goals are level 0; pages with worse links are of the
    last level. `PRIOR_LINKS` links with the mean share of goals are added to each page's.

    >>> goals, starts = np.array([True, False, False]), np.array([0, 0, 3, 6])
    >>> levels_by_links(goals, starts, np.array([0, 0, 0, 1, 1, 1]), levels=4).tolist()
    [0, 1, 2]
    """
    pages = len(is_goal)
    linking = np.repeat(np.arange(pages), np.diff(starts))
    counts = np.bincount(linking, minlength=pages)
    hits = np.bincount(linking, is_goal[targets].astype(np.float64), pages)
    mean = float(is_goal.mean()) if pages else 0.0
    shares = (hits + PRIOR_LINKS * mean) / (counts + PRIOR_LINKS)
    steps = 1.0 / LINKS_PER_LEVEL ** np.arange(1, levels - 1)
    return np.where(is_goal, 0, 1 + np.digitize(-shares, -steps)).astype(np.int64)
