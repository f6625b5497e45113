"""Loops over the links of pages, compiled by numba.

In numpy, the evidence of a page's links takes thirty passes over fewer than a hundred numbers, and
nearly all of the time goes into starting them. The fields of a URL lie together in memory, because
most of the rest is spent waiting for it: once per link instead of four times.
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

TEXT_ROW = np.dtype([("key", np.int64), ("number", np.int64)])  # from 1; 0 marks an empty row
URL_ROW = np.dtype(
    [
        ("key", np.int64),
        ("parents", np.float32),
        ("probability_sum", np.float32),  # over the parents
        ("text", np.float32),  # log-odds
        ("nearby", np.float32),  # log-odds
    ]
)
HOST_ROW = np.dtype([("pages", np.float64), ("probability_sum", np.float64)])

PRIOR_PROBABILITY = 0.1  # that a page is on the topic, if nothing is known of its host
PRIOR_PAGES = 5.0  # with that probability, added to the pages of a host
PRIOR_PARENTS = 4.0  # with the host's share, added to the parents of a URL
HOST_SHIFT = 48  # the bits above are those of the host (`urls.keys`)
HOST_SLOTS = 1 << 16
MIN_PROBABILITY = 1e-9  # and 1 - MIN_PROBABILITY is the maximum
MAX_EVIDENCE = 50.0  # log-odds; larger values make no difference to the rank
NEARBY_LINKS = 3  # before a link, and as many after it


@njit(cache=True)
def find_numbers(keys: Keys, table: Rows) -> Numbers:
    """Return the number of each key in a hash table, or -1.

    The number of rows is a power of two, and at least one row is empty.
    """
    numbers, mask = np.empty(len(keys), np.int64), len(table) - 1
    for index in range(len(keys)):
        row = keys[index] & mask
        while table[row].number != 0 and table[row].key != keys[index]:
            row = (row + 1) & mask
        numbers[index] = table[row].number - 1
    return numbers


@njit(cache=True)
def insert(keys: Keys, numbers: Numbers, table: Rows) -> None:
    """Insert keys that a hash table does not hold yet."""
    mask = len(table) - 1
    for index in range(len(keys)):
        row = keys[index] & mask
        while table[row].number != 0:
            row = (row + 1) & mask
        table[row].key, table[row].number = keys[index], numbers[index] + 1


@njit(cache=True)
def record_links(
    keys: Keys, text: Floats, probability: float, tables: tuple[Rows, Rows], share_weight: float
) -> Floats:
    """Count a page as a parent of the URLs that it links to, and return their ranks.

    The page is on the topic with `probability`; `tables` are those of URLs and hosts. All rows are
    read before the first is written, so a page counts once, however often it links to a URL.
    """
    urls, hosts = tables
    parents = np.ones(len(keys), np.float32)
    sums = np.full(len(keys), probability, np.float32)
    mask = len(urls) - 1
    for index in range(len(keys)):
        url = urls[keys[index] & mask]
        if url.key == keys[index]:
            parents[index] += url.parents
            sums[index] += url.probability_sum
    ranks = np.empty(len(keys))
    for index in range(len(keys)):
        url = urls[keys[index] & mask]
        host = hosts[(keys[index] >> HOST_SHIFT) & (HOST_SLOTS - 1)]
        if url.key != keys[index]:
            url.nearby = 0.0
        url.key, url.parents, url.probability_sum = keys[index], parents[index], sums[index]
        url.text = text[index]
        prior = PRIOR_PAGES * PRIOR_PROBABILITY
        host_share = (host.probability_sum + prior) / (host.pages + PRIOR_PAGES)
        share = (sums[index] + PRIOR_PARENTS * host_share) / (parents[index] + PRIOR_PARENTS)
        share = min(max(share, MIN_PROBABILITY), 1.0 - MIN_PROBABILITY)
        evidence = min(text[index] + url.nearby, MAX_EVIDENCE)
        odds = exp(share_weight * log(share / (1.0 - share)) + evidence)
        ranks[index] = odds / (1.0 + odds)
    return ranks


@njit(cache=True)
def sum_links(
    pages: Keys,
    probabilities: Floats,
    links: tuple[Keys, Numbers],
    sums: tuple[npt.NDArray[np.int32], Keys, Singles, Singles, Keys, Keys],
    outcomes: Singles,
    nearby: Singles,
) -> None:
    """Add the links of pages, in ascending order, to the sums of the URLs that they lead to.

    Later pages were added before. A page counts once for a URL, and not for its own. The last link
    of the last page is noted for each URL. `outcomes` are the probabilities of the pages at URLs,
    NaN where there is none; `nearby` has the sum and the number of those of nearby links.
    """
    starts, targets = links
    rows, own_pages, parents, probability_sums, seen, last = sums
    for at in range(len(pages) - 1, -1, -1):
        if np.isnan(probabilities[at]):
            continue
        page = pages[at]
        for link in range(starts[at], starts[at + 1]):
            row = rows[min(targets[link], len(rows) - 1)]
            if row < 0 or own_pages[row] == page:
                continue
            if seen[row] != page:
                seen[row] = page
                if parents[row] == 0:
                    last[0, row] = page
                parents[row] += np.float32(1.0)
                probability_sums[row] += np.float32(probabilities[at])
            if last[0, row] == page:
                last[1, row] = link - starts[at]
            first = max(link - NEARBY_LINKS, starts[at])
            end = min(link + NEARBY_LINKS + 1, starts[at + 1])
            for other in range(first, end):
                outcome = outcomes[min(targets[other], len(outcomes) - 1)]
                if targets[other] != targets[link] and not np.isnan(outcome):
                    nearby[0, row] += outcome
                    nearby[1, row] += np.float32(1.0)
