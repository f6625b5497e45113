"""What a link promises, by all that is known of where it leads (docs/quality.md, "How links are ranked").

A page on a topic links to pages on it (Davison 2000, "Topical locality in the Web"), and to what everybody
links to. So the share of a URL's parents that are on the topic says more than the best of them, which
whatever is famous has sooner or later, and more than their sum, which is fame itself. Where parents are few,
the share of its host's pages that were on the topic stands in for more of them: each share is drawn towards
what is known one level up, the host's towards the prior, as an m-estimate is (Cestnik 1990, "Estimating
probabilities"). The words of the links are added (Chakrabarti, Punera and Subramanyam 2002, "Accelerated
focused crawling through online relevance feedback").

The book has a fixed size, as the sieve's memory (`store.sieve`): whoever comes last to a slot has it.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.terms import sequences_of
from motherlode.records import Link, UrlKey
from motherlode.urls.keys import url_key

Floats = npt.NDArray[np.float64]
_Keys = npt.NDArray[np.int64]
_Sums = npt.NDArray[np.floating[Any]]

PRIOR = 0.1  # how likely a page is on the topic if nothing is known of its host
PAGES = 5.0  # of the prior, added to the pages of a host
PARENTS = 4.0  # of the host's share, added to the parents of a URL
ANCHOR = 0.25  # what the words of links weigh
_HOST_SHIFT = 48  # the bits above are the host's (`urls.keys`)
_HOSTS = 1 << 16
_REMEMBERED = 50_000  # anchors, and pieces of them


class Promise(Struct, frozen=True):
    """The rank of a URL, and what is added up in it: by parents, host, and the words of the last link."""

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
        self._said = np.zeros(size, np.float32)  # what the words of the last link say
        self._host_pages = np.zeros(_HOSTS)
        self._host_sure = np.zeros(_HOSTS)
        self._anchors = _Anchors({})

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
            "anchors": self._anchors,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["size"])  # type: ignore[misc]
        self.note(*state["urls"])
        hosts, self._host_pages[hosts], self._host_sure[hosts] = state["hosts"]
        self._anchors = state["anchors"]

    def words(self, weights: Mapping[int, float]) -> None:
        """What each term says for the topic, from now on: its weight in the plane, times its idf."""
        self._anchors = _Anchors(weights)

    def see(self, sure: float, host: str, links: Sequence[Link], language: str = "en") -> Floats:
        """A page of this host that is on the topic with probability `sure` has these links: their ranks.

        Of several links to one URL the last one speaks; the page counts once.
        """
        self.note_host(url_key("", host), sure)
        keys = np.array([link.key for link in links], np.int64)
        slots = keys & self._mask
        known = self._keys[slots] == keys
        parents = np.where(known, self._parents[slots], 0.0) + 1.0
        summed = np.where(known, self._sure[slots], 0.0) + sure
        said = self.said([link.anchor for link in links], language)
        self.note(keys, parents, summed, said)
        return self._ranks(keys, parents, summed, said)

    def note(self, keys: _Keys, parents: _Sums, sure: _Sums, said: _Sums) -> None:
        """What is known of these URLs from now on: how many parents they have, how sure those are together,
        and what the words of the last link say."""
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

    def said(self, anchors: Sequence[str], language: str) -> Floats:
        """What the words of links say for the topic."""
        return np.array(self._anchors.say(anchors, language))

    def estimate(self, key: UrlKey) -> float | None:
        """The rank of a URL by what is known now; None where nothing is known of it, or no longer."""
        slot = key & self._last
        parents = self._parents.item(slot)
        if self._keys.item(slot) != key or not parents:
            return None
        host = (key >> _HOST_SHIFT) % _HOSTS
        of_host = _share(self._host_sure.item(host), self._host_pages.item(host), PRIOR, PAGES)
        return float(_rank(self._sure.item(slot), parents, of_host, self._said.item(slot)))

    def promise(self, key: UrlKey) -> Promise | None:
        """The rank of a URL by what is known now, and what it is made of."""
        rank = self.estimate(key)
        if rank is None:
            return None
        slot = key & self._last
        parents = float(self._sure[slot]) / (float(self._parents[slot]) + PARENTS)
        words = ANCHOR * float(self._said[slot])
        return Promise(rank, parents, rank - parents - words, words)

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
        ranks: Floats = _rank(sure, parents, of_host, said)
        return ranks


def _share(good: Any, seen: Any, prior: Any, weight: float) -> Any:
    """The m-estimate: a share of what was seen, drawn towards what was expected. Of one, or of many."""
    return (good + weight * prior) / (seen + weight)


def _rank(sure: Any, parents: Any, of_host: Any, said: Any) -> Any:
    """By its parents, by its host where they are few, and by the words of the link. Of one, or of many."""
    return _share(sure, parents, of_host, PARENTS) + ANCHOR * said


class Recollection:
    """Fills a book with what all pages of a crawl said of the URLs that it is still about, and says the same
    as if the book had seen the pages one by one: but many times as fast.

    The pages are told the latest first. So the first link to a URL that comes is the last one that was seen,
    and only its words have to be read.
    """

    def __init__(self, book: Prospects, numbers: npt.NDArray[np.int64], keys: _Keys) -> None:
        """`numbers` are those by which pages name these URLs, rising. It takes 4 bytes for each up to the
        last, and 20 for each that is named."""
        self._book = book
        self._keys = keys
        self._places = np.full(int(numbers[-1]) + 2 if len(numbers) else 1, -1, np.int32)
        self._places[numbers] = np.arange(len(numbers))
        self._parents, self._sure, self._said = np.zeros((3, len(numbers)), np.float32)

    def see(
        self,
        sure: float,
        key: UrlKey,
        targets: npt.NDArray[np.int64],
        anchors: Callable[[], Sequence[str]],
        language: str,
    ) -> None:
        """A page at the URL with this key, on the topic with probability `sure`, links to these."""
        self._book.note_host(key, sure)
        places = self._places.take(targets, mode="clip")  # the last place is of nothing
        links = np.flatnonzero(places >= 0)
        if not len(links):
            return
        places = places[links]
        fresh = self._parents[places] == 0
        self._parents[places] += 1.0  # once, however often it is named
        self._sure[places] += sure
        if fresh.any():
            words = anchors()
            said = [words[link] for link in links[fresh].tolist()]
            self._said[places[fresh]] = self._book.said(said, language or "en")

    def write(self) -> None:
        """Into the book; of URLs that share a slot the latest has it."""
        known = self._parents > 0
        self._book.note(self._keys[known], self._parents[known], self._sure[known], self._said[known])


class _Anchors:
    """What anchors say for the topic. They repeat, and the words of those that are new do too."""

    def __init__(self, weights: Mapping[int, float]) -> None:
        self._weights = weights
        self._said: dict[str, dict[str, float]] = {}  # by language

    def __getstate__(self) -> dict[str, object]:
        return {"_weights": self._weights, "_said": {}}  # what is remembered is not worth handing over

    def say(self, anchors: Sequence[str], language: str) -> list[float]:
        """The weights of each anchor's terms, by the root of their number, as in a vector of length one."""
        said = self._said.setdefault(language, {})
        fresh = set(anchors).difference(said)
        if fresh:
            if len(said) > _REMEMBERED:
                said.clear()
                fresh = set(anchors)
            terms = _terms({piece for anchor in fresh for piece in anchor.split()}, language)
            for anchor in fresh:
                said[anchor] = self._weigh(anchor, terms)
        return list(map(said.__getitem__, anchors))

    def _weigh(self, anchor: str, terms: Mapping[str, Sequence[int]]) -> float:
        found = [term for piece in anchor.split() for term in terms[piece]]
        return sum(self._weights.get(term, 0.0) for term in found) / sqrt(len(found)) if found else 0.0


_known: dict[str, dict[str, tuple[int, ...]]] = {}  # the terms of pieces of text, by language


def _terms(pieces: AbstractSet[str], language: str) -> Mapping[str, Sequence[int]]:
    """The terms of each of these pieces, none if it does not count; and of others. All that are new are
    looked up together: one by one it would take ten times as long."""
    known = _known.setdefault(language, {})
    fresh = [piece for piece in pieces if piece not in known]
    if fresh:
        if len(known) > _REMEMBERED:
            known.clear()
            fresh = list(pieces)
        found = sequences_of(fresh, language)
        known.update({piece: tuple(terms.tolist()) for piece, terms in zip(fresh, found, strict=True)})
    return known
