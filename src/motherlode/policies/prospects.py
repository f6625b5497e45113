"""What a link promises, by all that is known of where it leads (docs/quality.md, "How links are ranked").

A page on a topic links to pages on it (Davison 2000, "Topical locality in the Web"), and to what everybody
links to. So the share of a URL's parents that are on the topic says more than the best of them, which
whatever is famous has sooner or later, and more than their sum, which is fame itself. Where parents are few,
the share of its host's pages that were on the topic stands in for more of them: each share is drawn towards
what is known one level up, the host's towards the prior, as an m-estimate is (Cestnik 1990, "Estimating
probabilities"). That is how likely the URL is on the topic by who links to it. What it is called is further
evidence (`policies.names`; Chakrabarti, Punera and Subramanyam 2002, "Accelerated focused crawling through
online relevance feedback"): it is added to the log-odds, as naive Bayes adds what is told independently.

The book has a fixed size, as the sieve's memory (`store.sieve`): whoever comes last to a slot has it.
"""

from collections.abc import Iterable, Sequence
from math import exp, nan
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from numba import njit

from motherlode.policies.names import ByWeight, Floats, Names, Voice, both
from motherlode.records import Link, UrlKey
from motherlode.urls.keys import url_key

_Keys = npt.NDArray[np.int64]
_Sums = npt.NDArray[np.floating[Any]]

PRIOR = 0.1  # how likely a page is on the topic if nothing is known of its host
PAGES = 5.0  # of the prior, added to the pages of a host
PARENTS = 4.0  # of the host's share, added to the parents of a URL
_HOST_SHIFT = 48  # the bits above are the host's (`urls.keys`)
_HOSTS = 1 << 16
_NEVER = 1e-9  # and always; the least that is left of a doubt
_AT_ONCE = 10_000  # names that are asked about
_LOUDEST = 50.0  # log-odds that a name can have: beyond, no number tells the difference


class Promise(Struct, frozen=True):
    """The rank of a URL, and what is added up in it: by parents, host, and what it is called."""

    rank: float
    parents: float
    host: float
    words: float


class Prospects:
    """The book of URLs that links lead to. `size` is a power of two; a slot takes 20 bytes."""

    def __init__(self, size: int = 1 << 20) -> None:
        self._last = size - 1
        self._mask = np.int64(size - 1)
        self._keys: _Keys = np.zeros(size, np.int64)
        self._parents = np.zeros(size, np.float32)
        self._sure = np.zeros(size, np.float32)  # the sum over the parents
        self._said = np.zeros(size, np.float32)  # what the last link calls it
        self._host_pages = np.zeros(_HOSTS)
        self._host_sure = np.zeros(_HOSTS)
        self._names = Names(ByWeight({}))

    @property
    def size(self) -> int:
        """How many URLs there is room for."""
        return len(self._keys)

    def __getstate__(self) -> dict[str, object]:
        """What stands in the book, without its empty slots: it is handed over after each lesson."""
        there, hosts = np.flatnonzero(self._parents), np.flatnonzero(self._host_pages)
        return {
            "size": self.size,
            "urls": (self._keys[there], self._parents[there], self._sure[there], self._said[there]),
            "hosts": (hosts, self._host_pages[hosts], self._host_sure[hosts]),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["size"])  # type: ignore[misc]
        self.note(*state["urls"])
        hosts, self._host_pages[hosts], self._host_sure[hosts] = state["hosts"]

    def listen(self, voice: Voice) -> None:
        """Who tells what names say for the topic, from now on; nobody does in a book that was handed over."""
        self._names = Names(voice)

    def called(self, links: Sequence[Link], language: str = "en") -> Floats:
        """What is said for the topic by what links are called; the more at once, the less each takes."""
        return self._names.say(links, language)

    def see(
        self, sure: float, host: str, links: Sequence[Link], language: str = "en", said: Floats | None = None
    ) -> Floats:
        """A page of this host that is on the topic with probability `sure` has these links: their ranks.

        Of several links to one URL the last one speaks; the page counts once. `said` is what is said by what
        they are called, if that was asked before.
        """
        self.note_host(url_key("", host), sure)
        keys = np.array([link.key for link in links], np.int64)
        slots = keys & self._mask
        known = self._keys[slots] == keys
        parents = np.where(known, self._parents[slots], 0.0) + 1.0
        summed = np.where(known, self._sure[slots], 0.0) + sure
        said = self.called(links, language) if said is None else said
        self.note(keys, parents, summed, said)
        return self._ranks(keys, parents, summed, said)

    def note(self, keys: _Keys, parents: _Sums, sure: _Sums, said: _Sums) -> None:
        """What is known of these URLs from now on: how many parents they have, how sure those are together,
        and what the last link calls them."""
        slots = keys & self._mask
        self._keys[slots] = keys
        self._parents[slots], self._sure[slots], self._said[slots] = parents, sure, said

    def take_over(self, other: "Prospects") -> None:
        """What only the other book knows of URLs: it went on being written while this one was."""
        there = np.flatnonzero(other._parents)
        there = there[self._parents[other._keys[there] & self._mask] == 0]
        self.note(other._keys[there], other._parents[there], other._sure[there], other._said[there])

    def note_host(self, key: UrlKey, sure: float) -> None:
        """There is one more page of the host that the URL with this key is of."""
        slot = (key >> _HOST_SHIFT) % _HOSTS
        self._host_pages[slot] += 1.0
        self._host_sure[slot] += sure

    def note_hosts(self, keys: _Keys, sure: Floats) -> None:
        """The same of several pages, the latest last; those do not count whose probability is no number."""
        known = np.flatnonzero(np.isfinite(sure))[::-1]
        slots = (keys[known] >> _HOST_SHIFT) % _HOSTS
        np.add.at(self._host_pages, slots, 1.0)
        np.add.at(self._host_sure, slots, sure[known])

    @property
    def names(self) -> Names:
        return self._names

    def estimate(self, key: UrlKey) -> float | None:
        """The rank of a URL by what is known now; None where nothing is known of it, or no longer."""
        slot = key & self._last
        parents = self._parents.item(slot)
        if self._keys.item(slot) != key or not parents:
            return None
        host = (key >> _HOST_SHIFT) % _HOSTS
        of_host = _share(self._host_sure.item(host), self._host_pages.item(host), PRIOR, PAGES)
        share = _share(self._sure.item(slot), parents, of_host, PARENTS)
        # Numpy takes five times as long for one number, and every entry that is taken is asked for.
        said = exp(min(self._said.item(slot), _LOUDEST))
        return float(_rank(min(max(share, _NEVER), 1.0 - _NEVER), said))

    def promise(self, key: UrlKey) -> Promise | None:
        """The rank of a URL by what is known now, and what it is made of."""
        rank = self.estimate(key)
        if rank is None:
            return None
        slot = key & self._last
        weight = float(self._parents[slot]) + PARENTS
        host = (key >> _HOST_SHIFT) % _HOSTS
        of_host = _share(self._host_sure.item(host), self._host_pages.item(host), PRIOR, PAGES)
        parents, around = float(self._sure[slot]) / weight, PARENTS * of_host / weight
        return Promise(rank, parents, around, rank - parents - around)

    def estimates(self, keys: Sequence[UrlKey]) -> Floats:
        """The ranks of URLs by what is known now; no number where that is nothing."""
        wanted = np.array(keys, np.int64)
        slots = wanted & self._mask
        known = (self._keys[slots] == wanted) & (self._parents[slots] > 0)
        ranks = self._ranks(wanted, self._parents[slots], self._sure[slots], self._said[slots])
        return np.where(known, ranks, np.nan)

    def _ranks(self, keys: _Keys, parents: _Sums, sure: _Sums, said: _Sums) -> Floats:
        hosts = (keys >> _HOST_SHIFT) % _HOSTS
        of_host = _share(self._host_sure[hosts], self._host_pages[hosts], PRIOR, PAGES)
        share = _share(sure, parents, of_host, PARENTS)
        doubted = np.minimum(np.maximum(share, _NEVER), 1.0 - _NEVER)
        ranks: Floats = _rank(doubted, np.exp(np.minimum(said, _LOUDEST)))
        return ranks


def _share(good: Any, seen: Any, prior: Any, weight: float) -> Any:
    """The m-estimate: a share of what was seen, drawn towards what was expected. Of one, or of many."""
    return (good + weight * prior) / (seen + weight)


def _rank(share: Any, said: Any) -> Any:
    """By the share of its parents, and of its host where they are few; and by how much more likely that is by
    what it is called. Of one, or of many."""
    odds = share / (1.0 - share) * said
    return odds / (1.0 + odds)


class Recollection:
    """Fills a book with what all pages of a crawl said of the URLs that it is still about, and says the same
    as if the book had seen the pages one by one: but many times as fast.

    The pages are told the latest first. So the first link to a URL that comes is the last one that was seen,
    and only its words have to be read.
    """

    def __init__(self, book: Prospects, numbers: _Keys, keys: _Keys) -> None:
        """`numbers` are those by which pages name these URLs, rising. It takes 4 bytes for each up to the
        last, and 40 for each that is named."""
        self._book = book
        self._keys = keys
        self._places = np.full(int(numbers[-1]) + 2 if len(numbers) else 1, -1, np.int32)
        self._places[numbers] = np.arange(len(numbers))
        self._parents, self._sure = np.zeros((2, len(numbers)), np.float32)
        self._last = np.zeros((2, len(numbers)), np.int64)  # the page that names it last, and which link does
        self._seen = np.zeros(len(numbers), np.int64)  # the page that names it first
        self._anchors = np.full(len(numbers), nan)  # what the last link says

    def see(self, pages: _Keys, keys: _Keys, sure: Floats, starts: _Keys, targets: npt.NDArray[Any]) -> None:
        """Pages of these numbers and keys, the latest last, on the topic with probability `sure` (no number
        where that is unknown: they do not count), lead to these URLs: each to those between its start and the
        next one."""
        self._book.note_hosts(keys, sure)
        told = (self._places, self._parents, self._sure, self._seen, self._last)
        _add_up(pages, sure, (starts, targets), told)

    def last_links(self) -> tuple[_Keys, _Keys, _Keys]:
        """Of each URL that is named: its place, the page whose link was seen last, and which link it is."""
        places = np.flatnonzero(self._parents)
        return places, self._last[0, places], self._last[1, places]

    def hear(self, places: _Keys, anchors: Sequence[str], language: str) -> None:
        """What the last links to the URLs at these places say, on pages in this language."""
        for start in range(0, len(places), _AT_ONCE):
            said = self._book.names.anchors(anchors[start : start + _AT_ONCE], language or "en")
            self._anchors[places[start : start + _AT_ONCE]] = said

    def write(self, addresses: Iterable[tuple[_Keys, Sequence[str]]]) -> None:
        """Into the book, with what these addresses say, which come with their numbers; of URLs that share a
        slot the latest has it."""
        said = both(self._anchors, np.full(len(self._anchors), nan))
        for numbers, urls in addresses:
            places = self._places.take(numbers, mode="clip")  # the last place is of nothing
            there = np.flatnonzero(places >= 0)
            there = there[self._parents[places[there]] > 0]
            keys = self._keys[places[there]].tolist()
            told = self._book.names.addresses(keys, [urls[at] for at in there.tolist()])
            said[places[there]] = both(self._anchors[places[there]], told)
        known = self._parents > 0
        self._book.note(self._keys[known], self._parents[known], self._sure[known], said[known])


@njit(cache=True)
def _add_up(
    pages: _Keys,
    sure: Floats,
    links: tuple[_Keys, npt.NDArray[Any]],
    told: tuple[npt.NDArray[np.int32], _Sums, _Sums, _Keys, _Keys],
) -> None:
    """What is told of each URL, by links of pages whose last is the latest, after later ones. However often a
    page names a URL, it counts once; and of those links that are the latest, the last one speaks."""
    starts, targets = links
    places, parents, summed, seen, last = told
    for at in range(len(pages) - 1, -1, -1):
        if np.isnan(sure[at]):
            continue
        for link in range(starts[at], starts[at + 1]):
            place = places[min(targets[link], len(places) - 1)]
            if place < 0:
                continue
            if seen[place] != pages[at]:
                seen[place] = pages[at]
                if parents[place] == 0:
                    last[0, place] = pages[at]
                parents[place] += np.float32(1.0)
                summed[place] += np.float32(sure[at])
            if last[0, place] == pages[at]:
                last[1, place] = link - starts[at]
