"""What a link is called, and what that says for the topic: the words of its anchor, and of its address.

A link is often a name, "Barn owl", or /birds/barn-owl.html, and its words stand in none of the examples. So
they speak by what they mean, if that is known (`documents.meanings`), and else by the weights that they have
in the topic's plane; and by who else mentions them (`learning.links.mentions`). What is said is evidence:
it is added to the log-odds that the target is on the topic (docs/quality.md, "How links are ranked").
"""

import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from math import inf, nan, sqrt
from typing import Protocol
from urllib.parse import unquote

import numpy as np

from motherlode.documents.meanings import Meanings, Vectors
from motherlode.documents.spaces import SILENT_PARTS
from motherlode.documents.terms import sequences_of
from motherlode.learning.links.mentions import Mentions
from motherlode.policies.bingo.compiled import NAME, Floats, Keys, Numbers, Rows, add, look_up
from motherlode.records import Link

NameAt = Callable[[int], str]  # the name at a place
Terms = Sequence[int]

MEANING = 5.0  # log-odds for a cosine of 1
WEIGHT = 4.0  # log-odds for a weight of 1
MENTION = 1.0  # log-odds for a lift of 1
_REMEMBERED = 100_000  # names, and pieces of them
_LEAST = 1 << 10  # rows of a table
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
        self._directions = np.stack(directions)

    def weigh(self, names: Sequence[Terms]) -> Floats:
        starts = np.zeros(len(names) + 1, np.int64)
        np.cumsum([len(terms) for terms in names], out=starts[1:])
        terms = np.array([term for terms in names for term in terms], np.uint32)
        return MEANING * self._meanings.cosines(starts, terms, self._directions)


class ByMention:
    """The mean lift of a name's terms; of those that nobody mentions it is 0."""

    def __init__(self, mentions: Mentions) -> None:
        self._terms, self._lifts = mentions.lookup()

    def weigh(self, names: Sequence[Terms]) -> Floats:
        lengths = np.array([len(terms) for terms in names], np.int64)
        asked = np.array([term for terms in names for term in terms], np.uint32)
        owners = np.repeat(np.arange(len(names)), lengths)
        near = np.minimum(self._terms.searchsorted(asked), len(self._terms) - 1)
        known = self._terms[near] == asked
        summed = np.bincount(owners[known], self._lifts[near[known]], len(names))
        heard = np.bincount(owners[known], minlength=len(names)) > 0
        return MENTION * np.where(heard, summed / np.maximum(lengths, 1), nan)


class Together:
    """What several say: the sum, in which each counts so many times."""

    def __init__(self, voices: Sequence[Voice], weights: Sequence[float]) -> None:
        self._voices, self._weights = voices, np.array(weights)[:, None]

    def weigh(self, names: Sequence[Terms]) -> Floats:
        said = np.stack([voice.weigh(names) for voice in self._voices]) * self._weights
        return np.where(np.isfinite(said).any(axis=0), np.nansum(said, axis=0), nan)


class Vocabulary:
    """Names that were met, numbered, with the terms of each: those stay the same, whatever is learned.

    A name is known by 64 bits, and a table has them: a dictionary would wait for memory at each of its steps.
    """

    def __init__(self, split: Callable[[str], list[str]], language: str) -> None:
        self._split, self._language = split, language
        self.age = 0  # how often all names were forgotten
        self._table: Rows = np.zeros(_LEAST, NAME)
        self._terms, self._ends = array("I"), array("q", [0])  # those of all names, one after the other

    def __len__(self) -> int:
        return len(self._ends) - 1

    def numbers(self, keys: Keys, name_at: NameAt) -> Numbers:
        """The numbers of names, which are known by these keys; those that are new are asked for."""
        if len(self) > _REMEMBERED:
            self._forget()
        found = look_up(keys, self._table)
        new = np.flatnonzero(found < 0)
        if len(new):
            self._learn(
                {key: name_at(place) for key, place in zip(keys[new].tolist(), new.tolist(), strict=True)}
            )
            found[new] = look_up(keys[new], self._table)
        return found

    def terms(self, number: int) -> Terms:
        return self._terms[self._ends[number] : self._ends[number + 1]]

    def _learn(self, names: Mapping[int, str]) -> None:
        """Take in those that are new, all at once: one by one takes many times as long."""
        fresh = [self._split(name) for name in names.values()]
        terms = _terms({piece for pieces in fresh for piece in pieces}, self._language)
        known = len(self)
        for pieces in fresh:
            for piece in pieces:
                self._terms.extend(terms[piece])
            self._ends.append(len(self._terms))
        self._make_room()
        add(np.array([*names], np.int64), np.arange(known, len(self)), self._table)

    def _make_room(self) -> None:
        """So that at most half of the table is taken."""
        if 2 * len(self) > len(self._table):
            there = self._table[self._table["number"] > 0]
            self._table = np.zeros(1 << (4 * len(self)).bit_length(), NAME)
            add(there["key"].copy(), there["number"] - 1, self._table)

    def _forget(self) -> None:
        self._table = np.zeros(_LEAST, NAME)
        self._terms, self._ends = array("I"), array("q", [0])
        self.age += 1


class Names:
    """What names say by one voice. They repeat, so each is asked about once."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._said: dict[Vocabulary, tuple[int, Floats]] = {}  # by number, while all are as old

    def say(self, keys: Keys, links: Sequence[Link], language: str) -> Floats:
        """Of links with these keys in a page of this language."""
        anchors = self.anchors([link.anchor for link in links], language)
        return both(anchors, self.addresses(keys, lambda place: links[place].url))

    def anchors(self, anchors: Sequence[str], language: str) -> Floats:
        """What the words of links say; no number where that is nothing."""
        vocabulary = _anchors(language)
        keys = np.fromiter(map(hash, anchors), np.int64, len(anchors))
        return self._recalled(vocabulary, vocabulary.numbers(keys, anchors.__getitem__))

    def addresses(self, keys: Keys, url_at: NameAt) -> Floats:
        """What the words of addresses say; no number where that is nothing."""
        vocabulary = _addresses()
        return self._recalled(vocabulary, vocabulary.numbers(keys, url_at))

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
    """The mean of what is said. One that says nothing says 0: a name by itself is to be believed half."""
    evidence: Floats = (np.nan_to_num(anchors) + np.nan_to_num(addresses)) / 2.0
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
