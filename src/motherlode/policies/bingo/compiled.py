"""Loops over each link of a page, compiled by numba.

In numpy what a page says of its links is thirty passes over fewer than a hundred numbers, and nearly all of
the time goes into beginning them. And what belongs together lies together here: most of the rest is spent
waiting for memory, once for each link instead of four times.
"""

from math import exp, log

import numpy as np
import numpy.typing as npt
from numba import njit

Keys = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Rows = npt.NDArray[np.void]

NAME = np.dtype([("key", np.int64), ("number", np.int64)])  # counted from 1: 0 is of an empty row
URL = np.dtype(
    [
        ("key", np.int64),
        ("parents", np.float32),
        ("sure", np.float32),
        ("said", np.float32),
        ("near", np.float32),
    ]
)
HOST = np.dtype([("pages", np.float64), ("sure", np.float64)])

PRIOR = 0.1  # how likely a page is on the topic if nothing is known of its host
PAGES = 5.0  # of the prior, added to the pages of a host
PARENTS = 4.0  # of the host's share, added to the parents of a URL
HOST_SHIFT = 48  # the bits above are the host's (`urls.keys`)
HOSTS = 1 << 16
NEVER = 1e-9  # and always; the least that is left of a doubt
LOUDEST = 50.0  # log-odds that a name can have: beyond, no number tells the difference
NEAR_BY = 3  # links before and after one stand near it


@njit(cache=True)
def look_up(keys: Keys, table: Rows) -> Numbers:
    """The number of each key in a table, and -1 where it has none. Not all rows are taken, which are a power
    of two."""
    found, last = np.empty(len(keys), np.int64), len(table) - 1
    for place in range(len(keys)):
        row = keys[place] & last
        while table[row].number != 0 and table[row].key != keys[place]:
            row = (row + 1) & last
        found[place] = table[row].number - 1
    return found


@njit(cache=True)
def add(keys: Keys, numbers: Numbers, table: Rows) -> None:
    """Take keys into a table that are not there yet."""
    last = len(table) - 1
    for place in range(len(keys)):
        row = keys[place] & last
        while table[row].number != 0:
            row = (row + 1) & last
        table[row].key, table[row].number = keys[place], numbers[place] + 1


@njit(cache=True)
def see(keys: Keys, said: Floats, sure: float, book: tuple[Rows, Rows], counts: float) -> Floats:
    """One more page leads to these, and is on the topic with probability `sure`: what is known of them from
    now on is written, and their ranks are returned. `book`: URLs and hosts; `counts`: how many times a
    share does.

    All of them are read before the first is written: a page counts once, however often it names a URL.
    """
    urls, hosts = book
    parents, summed = np.ones(len(keys), np.float32), np.full(len(keys), sure, np.float32)
    last = len(urls) - 1
    for place in range(len(keys)):
        url = urls[keys[place] & last]
        if url.key == keys[place]:
            parents[place] += url.parents
            summed[place] += url.sure
    ranks = np.empty(len(keys))
    for place in range(len(keys)):
        url, host = urls[keys[place] & last], hosts[(keys[place] >> HOST_SHIFT) & (HOSTS - 1)]
        if url.key != keys[place]:
            url.near = 0.0
        url.key, url.parents, url.sure = keys[place], parents[place], summed[place]
        url.said = said[place]
        of_host = (host.sure + PAGES * PRIOR) / (host.pages + PAGES)
        share = (summed[place] + PARENTS * of_host) / (parents[place] + PARENTS)
        share = min(max(share, NEVER), 1.0 - NEVER)
        odds = exp(counts * log(share / (1.0 - share)) + min(said[place] + url.near, LOUDEST))
        ranks[place] = odds / (1.0 + odds)
    return ranks


@njit(cache=True)
def add_up(
    pages: Keys,
    sure: Floats,
    links: tuple[Keys, Numbers],
    told: tuple[npt.NDArray[np.int32], Keys, Singles, Singles, Keys, Keys],
    outcomes: Singles,
    near: Singles,
) -> None:
    """What is told of each URL, by links of pages whose last is the latest, after later ones. However often a
    page names a URL, it counts once; and of those links that are the latest, the last one speaks. What a page
    says of itself does not count.

    `outcomes`: how likely the pages at URLs are on the topic, no number where there is none; `near` is the
    sum of those of the links near by, and how many there are."""
    starts, targets = links
    places, own, parents, summed, seen, last = told
    for at in range(len(pages) - 1, -1, -1):
        if np.isnan(sure[at]):
            continue
        for link in range(starts[at], starts[at + 1]):
            place = places[min(targets[link], len(places) - 1)]
            if place < 0 or own[place] == pages[at]:
                continue
            if seen[place] != pages[at]:
                seen[place] = pages[at]
                if parents[place] == 0:
                    last[0, place] = pages[at]
                parents[place] += np.float32(1.0)
                summed[place] += np.float32(sure[at])
            if last[0, place] == pages[at]:
                last[1, place] = link - starts[at]
            for other in range(max(link - NEAR_BY, starts[at]), min(link + NEAR_BY + 1, starts[at + 1])):
                outcome = outcomes[min(targets[other], len(outcomes) - 1)]
                if targets[other] != targets[link] and not np.isnan(outcome):
                    near[0, place] += outcome
                    near[1, place] += np.float32(1.0)
