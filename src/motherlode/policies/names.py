"""What a link is called, and what that says for the topic: the words of its anchor, and of its address.

A link is often a name, "Barn owl", or /birds/barn-owl.html, and its words stand in none of the examples. So
they speak by what they mean, if that is known (`documents.meanings`), and else by the weights that they have
in the topic's plane. What is said is evidence: it is added to the log-odds that the target is on the topic
(docs/quality.md, "How links are ranked").
"""

import re
from array import array
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from math import inf, nan, sqrt
from typing import Protocol
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from motherlode.documents.meanings import Meanings, Vectors
from motherlode.documents.spaces import SILENT_PARTS
from motherlode.documents.terms import sequences_of
from motherlode.records import Link

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Terms = Sequence[int]

MEANING = 6.0  # log-odds for a cosine of 1
WEIGHT = 4.0  # log-odds for a weight of 1
_REMEMBERED = 100_000  # names, and pieces of them
_PARTS = re.compile(r"[^\W\d_]+")
_UNHEARD = inf  # of a name that nobody was asked about
_NOTHING: Floats = np.zeros(0)


class Voice(Protocol):
    """What terms say for the topic."""

    def weigh(self, names: Sequence[Terms]) -> Floats:
        """The evidence of each name; no number for one that says nothing."""
        ...


class ByWeight:
    """The weights of a name's terms, by the root of their number, as in a vector of length one."""

    def __init__(self, weights: Mapping[int, float]) -> None:
        self._weights = weights

    def weigh(self, names: Sequence[Terms]) -> Floats:
        said = [
            sum(self._weights.get(term, 0.0) for term in terms) / sqrt(len(terms)) if len(terms) else nan
            for terms in names
        ]
        return WEIGHT * np.array(said)


class ByMeaning:
    """The cosine of what a name means and what the topic is about; of several topics, the nearest."""

    def __init__(self, meanings: Meanings, directions: Sequence[Vectors]) -> None:
        self._meanings = meanings
        self._directions = np.stack(directions, axis=1)

    def weigh(self, names: Sequence[Terms]) -> Floats:
        starts = np.zeros(len(names) + 1, np.int64)
        np.cumsum([len(terms) for terms in names], out=starts[1:])
        terms = np.array([term for terms in names for term in terms], np.uint32)
        vectors = self._meanings.vectors(starts, terms, np.ones(len(terms), np.uint32))
        cosines = (vectors @ self._directions).max(axis=1).astype(np.float64)
        cosines[~vectors.any(axis=1)] = nan
        evidence: Floats = MEANING * cosines
        return evidence


class Vocabulary:
    """Names that were met, numbered, with the terms of each: those stay the same, whatever is learned."""

    def __init__(self, split: Callable[[str], list[str]], language: str) -> None:
        self._split, self._language = split, language
        self._numbers: dict[Hashable, int] = {}
        self._terms, self._ends = array("I"), array("q", [0])  # those of all names, one after the other
        self.age = 0  # how often all names were forgotten

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, keys: Sequence[Hashable], names: Sequence[str]) -> Numbers:
        """The numbers of names, which are known by these keys."""
        try:
            return np.fromiter(map(self._numbers.__getitem__, keys), np.int64, len(keys))
        except KeyError:
            self._learn(dict(zip(keys, names, strict=True)))
        return np.fromiter(map(self._numbers.__getitem__, keys), np.int64, len(keys))

    def terms(self, number: int) -> Terms:
        return self._terms[self._ends[number] : self._ends[number + 1]]

    def _learn(self, names: Mapping[Hashable, str]) -> None:
        """Take in those that are new, all at once: one by one takes many times as long."""
        if len(self) > _REMEMBERED:
            self._numbers, self._terms, self._ends = {}, array("I"), array("q", [0])
            self.age += 1
        new = set(names).difference(self._numbers)  # a difference of views would go over all that are known
        fresh = {key: self._split(names[key]) for key in new}
        terms = _terms({piece for pieces in fresh.values() for piece in pieces}, self._language)
        for key, pieces in fresh.items():
            self._numbers[key] = len(self._numbers)
            for piece in pieces:
                self._terms.extend(terms[piece])
            self._ends.append(len(self._terms))


class Names:
    """What names say by one voice. They repeat, so each is asked about once."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._said: dict[Vocabulary, tuple[int, Floats]] = {}  # by number, while all are as old

    def say(self, links: Sequence[Link], language: str) -> Floats:
        """Of links in a page of this language."""
        anchors = self.anchors([link.anchor for link in links], language)
        return both(anchors, self.addresses([link.key for link in links], [link.url for link in links]))

    def anchors(self, anchors: Sequence[str], language: str) -> Floats:
        """What the words of links say; no number where that is nothing."""
        vocabulary = _anchors(language)
        return self._recalled(vocabulary, vocabulary.numbers(anchors, anchors))

    def addresses(self, keys: Sequence[int], urls: Sequence[str]) -> Floats:
        """What the words of addresses say; no number where that is nothing."""
        vocabulary = _addresses()
        return self._recalled(vocabulary, vocabulary.numbers(keys, urls))

    def _recalled(self, vocabulary: Vocabulary, numbers: Numbers) -> Floats:
        said = self._room(vocabulary)
        found: Floats = said.take(numbers)
        fresh = found == _UNHEARD
        if fresh.any():
            asked = np.unique(numbers.compress(fresh))
            said[asked] = self._voice.weigh([*map(vocabulary.terms, asked.tolist())])
            found = said.take(numbers)
        return found

    def _room(self, vocabulary: Vocabulary) -> Floats:
        """What was said of each name, with room for all that have a number now."""
        age, said = self._said.get(vocabulary, (-1, _NOTHING))
        if age != vocabulary.age:
            said = _NOTHING
        elif len(said) >= len(vocabulary):
            return said
        room = np.full(2 * len(vocabulary), _UNHEARD)
        room[: len(said)] = said
        self._said[vocabulary] = vocabulary.age, room
        return room


@cache
def _anchors(language: str) -> Vocabulary:
    return Vocabulary(str.split, language)


@cache
def _addresses() -> Vocabulary:
    return Vocabulary(words_of, "en")


def both(anchors: Floats, addresses: Floats) -> Floats:
    """The mean of what is said; 0 where nothing is."""
    said = np.stack([anchors, addresses])
    known = np.isfinite(said)
    evidence: Floats = np.where(known, said, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return evidence


def words_of(url: str) -> list[str]:
    """The words in the path of a URL.

    >>> words_of("http://www.example.org/wiki/Barn_owl%3A_1.html")
    ['wiki', 'Barn', 'owl']
    """
    path = url.partition("://")[2].partition("/")[2].partition("?")[0]
    parts = _PARTS.findall(unquote(path) if "%" in path else path)
    return [part for part in parts if len(part) > 1 and part.lower() not in SILENT_PARTS]


_known: dict[str, dict[str, Terms]] = {}  # the terms of pieces of text, by language


def _terms(pieces: AbstractSet[str], language: str) -> Mapping[str, Terms]:
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
