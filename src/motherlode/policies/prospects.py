"""What a link promises, by all that is known of where it leads (docs/quality.md, "How links are ranked").

A page on a topic links to pages on it (Davison 2000, "Topical locality in the Web"), and to what everybody
links to. So the share of a URL's parents that are on the topic says more than the best of them, which
whatever is famous has sooner or later, and more than their sum, which is fame itself. To that come the words
of the links (Chakrabarti, Punera and Subramanyam 2002, "Accelerated focused crawling through online relevance
feedback") and what the URL's host has had to offer so far.

The book has a fixed size, as the sieve's memory (`store.sieve`): whoever comes last to a slot has it.
"""

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.terms import sequences_of
from motherlode.records import Link, UrlKey
from motherlode.urls.keys import url_key

Floats = npt.NDArray[np.float64]
_Keys = npt.NDArray[np.int64]
_Numbers = npt.NDArray[np.floating]

PRIOR = 0.1  # how likely a page is on the topic if nothing is known of it
PARENTS = 2.0  # that many parents of the prior are added to those seen (Laplace's rule, as an m-estimate)
PAGES = 5.0  # the same for the pages of a host
ANCHOR = 0.25  # what the words of links weigh
HOST = 0.25  # what the share of its host weighs
_HOST_SHIFT = 48  # the bits above are the host's (`urls.keys`)
_HOSTS = 1 << 16
_REMEMBERED = 100_000  # anchors, whose weights need not be added up again


class Promise(Struct, frozen=True):
    """What the rank of a URL is made of: the share of its parents on the topic and that of its host, each
    from 0 to 1, and what the words of its links say for the topic."""

    rank: float
    parents: float
    host: float
    said: float


class Prospects:
    """The book of URLs that links lead to. `size` is a power of two; a slot takes 20 bytes."""

    def __init__(self, size: int = 1 << 20) -> None:
        self._mask = np.int64(size - 1)
        self._keys: _Keys = np.zeros(size, np.int64)
        self._parents = np.zeros(size, np.float32)
        self._sure = np.zeros(size, np.float32)  # the sum over the parents
        self._said = np.zeros(size, np.float32)  # the sum of the weights of their anchors
        self._host_pages = np.zeros(_HOSTS)
        self._host_sure = np.zeros(_HOSTS)
        self._weights: Mapping[int, float] = {}
        self._anchors: dict[tuple[str, str], float] = {}

    def words(self, weights: Mapping[int, float]) -> None:
        """What each term says for the topic, from now on: its weight in the plane, times its idf."""
        self._weights = weights
        self._anchors.clear()

    def see(self, sure: float, host: str, links: Sequence[Link], language: str = "en") -> Floats:
        """A page of this host that is on the topic with probability `sure` has these links: their ranks.

        Of several links to one URL the last one speaks; the page counts once.
        """
        self._note_host(host, sure)
        keys = np.array([link.key for link in links], np.int64)
        slots = keys & self._mask
        known = self._keys[slots] == keys
        parents = np.where(known, self._parents[slots], 0.0) + 1.0
        summed = np.where(known, self._sure[slots], 0.0) + sure
        said = np.where(known, self._said[slots], 0.0) + self._say(links, language)
        self._keys[slots] = keys
        self._parents[slots], self._sure[slots], self._said[slots] = parents, summed, said
        return self._ranks(keys, parents, summed, said)

    def estimate(self, key: UrlKey) -> float | None:
        """The rank of a URL by what is known now; None where nothing is known of it, or no longer."""
        slot = key & int(self._mask)
        if self._keys[slot] != key or not self._parents[slot]:
            return None
        here = slice(slot, slot + 1)
        ranks = self._ranks(self._keys[here], self._parents[here], self._sure[here], self._said[here])
        return float(ranks[0])

    def promise(self, key: UrlKey) -> Promise | None:
        """The rank of a URL by what is known now, and what it is made of."""
        rank = self.estimate(key)
        if rank is None:
            return None
        slot = key & int(self._mask)
        parents = float(self._parents[slot])
        host = (key >> _HOST_SHIFT) % _HOSTS
        return Promise(
            rank,
            (float(self._sure[slot]) + PARENTS * PRIOR) / (parents + PARENTS),
            float((self._host_sure[host] + PAGES * PRIOR) / (self._host_pages[host] + PAGES)),
            float(self._said[slot]) / parents,
        )

    def estimates(self, keys: Sequence[UrlKey], otherwise: Sequence[float]) -> Floats:
        """The ranks of URLs by what is known now; where that is nothing, what is given instead."""
        wanted = np.array(keys, np.int64)
        slots = wanted & self._mask
        known = (self._keys[slots] == wanted) & (self._parents[slots] > 0)
        parents = np.maximum(self._parents[slots], 1.0)
        ranks = self._ranks(wanted, parents, self._sure[slots], self._said[slots])
        return np.where(known, ranks, np.asarray(otherwise, float))

    def _note_host(self, host: str, sure: float) -> None:
        slot = (url_key("", host) >> _HOST_SHIFT) % _HOSTS
        self._host_pages[slot] += 1.0
        self._host_sure[slot] += sure

    def _ranks(self, keys: _Keys, parents: _Numbers, sure: _Numbers, said: _Numbers) -> Floats:
        hosts = (keys >> _HOST_SHIFT) % _HOSTS
        of_host = (self._host_sure[hosts] + PAGES * PRIOR) / (self._host_pages[hosts] + PAGES)
        of_parents = (sure + PARENTS * PRIOR) / (parents + PARENTS)
        ranks: Floats = of_parents + HOST * (of_host - PRIOR) + ANCHOR * said / parents
        return ranks

    def _say(self, links: Sequence[Link], language: str) -> list[float]:
        """What the words of each link's anchor say for the topic."""
        anchors = [(language, link.anchor) for link in links]
        fresh = list({anchor for anchor in anchors if anchor not in self._anchors})
        if fresh:
            if len(self._anchors) > _REMEMBERED:
                self._anchors.clear()
                fresh = list(set(anchors))
            terms = sequences_of([text for _, text in fresh], language)
            for anchor, found in zip(fresh, terms, strict=True):
                self._anchors[anchor] = self._weigh(found.tolist())
        return [self._anchors[anchor] for anchor in anchors]

    def _weigh(self, terms: Sequence[int]) -> float:
        """The weights of some terms, each once, by the root of their number, as in a vector of length one."""
        once = set(terms)
        return sum(self._weights.get(term, 0.0) for term in once) / sqrt(len(once)) if once else 0.0
