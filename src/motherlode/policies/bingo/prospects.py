"""What a link promises, by all that is known of where it leads (docs/quality.md, "How links are ranked").

A page on a topic links to pages on it (Davison 2000, "Topical locality in the Web"), and to what everybody
links to. So the share of a URL's parents that are on the topic says more than the best of them, which
whatever is famous has sooner or later, and more than their sum, which is fame itself. Where parents are few,
the share of its host's pages that were on the topic stands in for more of them: each share is drawn towards
what is known one level up, the host's towards the prior, as an m-estimate is (Cestnik 1990, "Estimating
probabilities"). That is how likely the URL is on the topic by who links to it. What it is called is further
evidence (`names.py`; Chakrabarti, Punera and Subramanyam 2002, "Accelerated focused crawling through
online relevance feedback"): it is added to the log-odds, as naive Bayes adds what is told independently.
So is what became of the links that stand near it: links that are near each other in a page lead to pages that
are alike (Davison again), as the entries of a list do. That is added up when a lesson goes over all links.
How much each of these is worth differs from web to web, and is learned on the way (`learning.links.weights`).

The book has a fixed size, as the sieve's memory (`store.sieve`): whoever comes last to a slot has it.
"""

from collections.abc import Sequence
from math import exp, log
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.learning.links.weights import LinkWeights
from motherlode.policies.bingo import compiled
from motherlode.policies.bingo.compiled import (
    HOST,
    HOST_SHIFT,
    HOSTS,
    LOUDEST,
    NEVER,
    PAGES,
    PARENTS,
    PRIOR,
    URL,
    Floats,
    Keys,
)
from motherlode.policies.bingo.names import ByWeight, Names, Voice
from motherlode.records import Link, UrlKey

_Sums = npt.NDArray[np.floating[Any]]

_NEAR = 0.5  # how much of what links near by tell is evidence of its own
_NEIGHBOURS = 2.0  # of the parents' share, added to the links near by


class Promise(Struct, frozen=True):
    """The rank of a URL, and what is added up in it: by parents, host, what it is called, and the links that
    stand near those that lead to it."""

    rank: float
    parents: float
    host: float
    words: float
    near: float


class Called(Struct, frozen=True):
    """Links, each by the key of its URL, and what is said for the topic by what they are called."""

    keys: Keys
    said: Floats

    def within(self, start: int, end: int) -> "Called":
        """Those from one place to another."""
        return Called(self.keys[start:end], self.said[start:end])


class Prospects:
    """The book of URLs that links lead to. `size` is a power of two; a slot takes 24 bytes."""

    def __init__(self, size: int = 1 << 20) -> None:
        self._last = size - 1
        self._mask = np.int64(size - 1)
        self._urls = np.zeros(size, URL)
        self._hosts = np.zeros(HOSTS, HOST)
        self._keys, self._parents = self._urls["key"], self._urls["parents"]
        self._sure = self._urls["sure"]  # the sum over the parents
        self._said = self._urls["said"]  # what the last link calls it
        self._near = self._urls["near"]  # what links near by tell
        self._host_pages, self._host_sure = self._hosts["pages"], self._hosts["sure"]
        self._names, self.weights = Names(ByWeight({})), LinkWeights()

    @property
    def size(self) -> int:
        """How many URLs there is room for."""
        return len(self._keys)

    def __getstate__(self) -> dict[str, object]:
        """What stands in the book, without its empty slots: it is handed over after each lesson."""
        there, hosts = np.flatnonzero(self._parents), np.flatnonzero(self._host_pages)
        return {
            "size": self.size,
            "urls": self._noted(there),
            "hosts": (hosts, self._host_pages[hosts], self._host_sure[hosts]),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["size"])  # type: ignore[misc]
        self.note(*state["urls"])
        hosts, self._host_pages[hosts], self._host_sure[hosts] = state["hosts"]

    def listen(self, voice: Voice, weights: LinkWeights = LinkWeights()) -> None:  # noqa: B008 - it is frozen
        """Who tells what names say for the topic, and how much all that is known counts, from now on; neither
        is handed over with a book."""
        self._names, self.weights = Names(voice), weights

    def called(self, links: Sequence[Link], language: str = "en") -> Called:
        """What is said for the topic by what links are called; the more at once, the less each takes."""
        keys = np.array([link.key for link in links], np.int64)
        return Called(keys, self._names.say(keys, links, language))

    def see(self, sure: float, page: UrlKey, links: Called) -> Floats:
        """The page at the URL with this key, on the topic with probability `sure`, has these links: their
        ranks. Of several links to one URL the last one speaks; the page counts once."""
        self.note_host(page, sure)
        book = self._urls, self._hosts
        ranks: Floats = compiled.see(links.keys, links.said, sure, book, self.weights.share)
        return ranks

    def note(self, keys: Keys, parents: _Sums, sure: _Sums, said: _Sums, near: _Sums) -> None:
        """What is known of these URLs from now on: how many parents they have, how sure those are together,
        what the last link calls them, and what links near by tell."""
        slots = keys & self._mask
        self._keys[slots], self._near[slots] = keys, near
        self._parents[slots], self._sure[slots], self._said[slots] = parents, sure, said

    def note_near(self, key: UrlKey, sure: float, seen: int) -> None:
        """Links that stand near those to a URL lead to so many pages, which are so sure in all."""
        slot = key & self._last
        share = self.shares(np.array([key]), self._parents[slot : slot + 1], self._sure[slot : slot + 1])
        self._near[slot] = self.weights.near * told_near_by((sure, seen), share)[0]

    def _noted(self, slots: Keys) -> tuple[Keys, _Sums, _Sums, _Sums, _Sums]:
        """The same that `note` takes."""
        sums = self._parents[slots], self._sure[slots], self._said[slots], self._near[slots]
        return self._keys[slots], *sums

    def take_over(self, other: "Prospects") -> None:
        """What only the other book knows of URLs: it went on being written while this one was. What names and
        links near by say counts there as it did; the next lesson goes over it."""
        there = np.flatnonzero(other._parents)
        there = there[self._parents[other._keys[there] & self._mask] == 0]
        self.note(*other._noted(there))

    def note_host(self, key: UrlKey, sure: float) -> None:
        """There is one more page of the host that the URL with this key is of."""
        slot = (key >> HOST_SHIFT) % HOSTS
        self._host_pages[slot] += 1.0
        self._host_sure[slot] += sure

    def note_hosts(self, keys: Keys, sure: Floats) -> None:
        """The same of several pages, the latest last; those do not count whose probability is no number."""
        known = np.flatnonzero(np.isfinite(sure))[::-1]
        slots = (keys[known] >> HOST_SHIFT) % HOSTS
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
        host = (key >> HOST_SHIFT) % HOSTS
        of_host = _share(self._host_sure.item(host), self._host_pages.item(host), PRIOR, PAGES)
        share = _share(self._sure.item(slot), parents, of_host, PARENTS)
        return self._rank(share, self._said.item(slot) + self._near.item(slot))

    def _rank(self, share: float, told: float) -> float:
        """By the share of its parents, and of its host where they are few; and by what else is told of it.
        Numpy takes five times as long for one number, and every entry that is taken is asked for."""
        share = min(max(share, NEVER), 1.0 - NEVER)
        odds = exp(self.weights.share * log(share / (1.0 - share)) + min(told, LOUDEST))
        return odds / (1.0 + odds)

    def promise(self, key: UrlKey) -> Promise | None:
        """The rank of a URL by what is known now, and what it is made of."""
        rank = self.estimate(key)
        if rank is None:
            return None
        slot = key & self._last
        weight = float(self._parents[slot]) + PARENTS
        host = (key >> HOST_SHIFT) % HOSTS
        of_host = _share(self._host_sure.item(host), self._host_pages.item(host), PRIOR, PAGES)
        parents, around = float(self._sure[slot]) / weight, PARENTS * of_host / weight
        linked, called = (
            self._rank(parents + around, 0.0),
            self._rank(parents + around, self._said.item(slot)),
        )
        kept = linked / (parents + around)  # of the share, by what the crawl has learned of shares
        return Promise(rank, kept * parents, kept * around, called - linked, rank - called)

    def estimates(self, keys: Sequence[UrlKey]) -> Floats:
        """The ranks of URLs by what is known now; no number where that is nothing."""
        wanted = np.array(keys, np.int64)
        slots = wanted & self._mask
        known = (self._keys[slots] == wanted) & (self._parents[slots] > 0)
        shares = self.shares(wanted, self._parents[slots], self._sure[slots])
        told = np.minimum(self._said[slots] + self._near[slots], LOUDEST)
        odds = np.exp(self.weights.share * logit(shares) + told)
        return np.where(known, odds / (1.0 + odds), np.nan)

    def shares(self, keys: Keys, parents: _Sums, sure: _Sums, own: _Sums | None = None) -> Floats:
        """How likely URLs are on the topic by their parents and hosts alone; and, if there are pages at them,
        which are `own` sure, by the other pages of their hosts."""
        hosts = (keys >> HOST_SHIFT) % HOSTS
        good, seen = self._host_sure[hosts], self._host_pages[hosts]
        if own is not None:
            good, seen = np.maximum(good - own, 0.0), np.maximum(seen - 1.0, 0.0)
        of_host = _share(good, seen, PRIOR, PAGES)
        shares: Floats = np.clip(_share(sure, parents, of_host, PARENTS), NEVER, 1.0 - NEVER)
        return shares


def _share(good: Any, seen: Any, prior: Any, weight: float) -> Any:
    """The m-estimate: a share of what was seen, drawn towards what was expected. Of one, or of many."""
    return (good + weight * prior) / (seen + weight)


def told_near_by(near_by: Any, share: Any) -> Any:
    """The evidence of links near by for a URL with this share: how surely they turned out to be on the topic,
    in all, and how many they are. Of one, or of many."""
    sure, seen = near_by
    near = np.clip(_share(sure, seen, share, _NEIGHBOURS), NEVER, 1.0 - NEVER)
    return _NEAR * (logit(near) - logit(share))


def logit(share: Any) -> Any:
    """The log-odds of a share. Of one, or of many."""
    return np.log(share / (1.0 - share))
