"""The evidence of a link's text: the words of its anchor and of its URL.

A link is often a name, "Barn owl" or /birds/barn-owl.html, whose words occur in none of the
examples. So its words count by their meaning, if that is known (`documents.features.meanings`), and
else by their weights in the topic's plane. They also count by how often pages on the topic mention
them (`learning.links.mentions`). Evidence is added to the log-odds that the target is on the topic
(docs/quality.md, "How links are ranked").
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

from motherlode.documents.features.meanings import Meanings, Vectors
from motherlode.documents.features.spaces import SILENT_PARTS, TERMS
from motherlode.documents.text.terms import sequences_of
from motherlode.learning.links.mentions import Mentions
from motherlode.learning.tree import ROOT, TreeClassifier
from motherlode.policies.bingo.kernels import (
    TEXT_ROW,
    Floats,
    Keys,
    Numbers,
    Rows,
    find_numbers,
    insert,
)
from motherlode.records import Link

TextAt = Callable[[int], str]  # the text at an index
Terms = Sequence[int]

LOG_ODDS_PER_COSINE = 5.0
LOG_ODDS_PER_WEIGHT = 4.0
LOG_ODDS_PER_LIFT = 1.0
_MAX_CACHED_TEXTS = 100_000  # and as many single words
_MIN_TABLE_ROWS = 1 << 10
_WORD = re.compile(r"[^\W\d_]+")
_NOT_COMPUTED = inf
_EMPTY: Floats = np.zeros(0)


class TextEvidence(Protocol):
    """The evidence that the terms of a text give for the topic."""

    def log_odds(self, texts: Sequence[Terms]) -> Floats:
        """Return the evidence of each text; NaN for a text without any."""
        ...


class WeightEvidence:
    """Evidence by the weights of terms, divided by the root of their number (a unit vector)."""

    def __init__(self, weights: Mapping[int, float]) -> None:
        self._weights = weights

    def log_odds(self, texts: Sequence[Terms]) -> Floats:
        return LOG_ODDS_PER_WEIGHT * np.array([self._scaled_weight(terms) for terms in texts])

    def _scaled_weight(self, terms: Terms) -> float:
        if not len(terms):
            return nan
        return sum(self._weights.get(term, 0.0) for term in terms) / sqrt(len(terms))


class MeaningEvidence:
    """Evidence by the cosine between the meanings of a text and of the nearest topic."""

    def __init__(self, meanings: Meanings, directions: Sequence[Vectors]) -> None:
        self._meanings = meanings
        self._directions = np.stack(directions)

    def log_odds(self, texts: Sequence[Terms]) -> Floats:
        starts = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(terms) for terms in texts], out=starts[1:])
        terms = np.array([term for terms in texts for term in terms], np.uint32)
        return LOG_ODDS_PER_COSINE * self._meanings.cosines(starts, terms, self._directions)


class MentionEvidence:
    """Evidence by the mean lift of a text's terms; a term that no page mentions has a lift of 0."""

    def __init__(self, mentions: Mentions) -> None:
        self._terms, self._lifts = mentions.lookup()

    def log_odds(self, texts: Sequence[Terms]) -> Floats:
        lengths = np.array([len(terms) for terms in texts], np.int64)
        wanted = np.array([term for terms in texts for term in terms], np.uint32)
        text_of_term = np.repeat(np.arange(len(texts)), lengths)
        nearest = np.minimum(self._terms.searchsorted(wanted), len(self._terms) - 1)
        known = self._terms[nearest] == wanted
        sums = np.bincount(text_of_term[known], self._lifts[nearest[known]], len(texts))
        has_known = np.bincount(text_of_term[known], minlength=len(texts)) > 0
        return LOG_ODDS_PER_LIFT * np.where(has_known, sums / np.maximum(lengths, 1), nan)


class EvidenceSum:
    """The weighted sum of several kinds of evidence."""

    def __init__(self, kinds: Sequence[TextEvidence], weights: Sequence[float]) -> None:
        self._kinds, self._weights = kinds, np.array(weights)[:, None]

    def log_odds(self, texts: Sequence[Terms]) -> Floats:
        rows = np.stack([kind.log_odds(texts) for kind in self._kinds]) * self._weights
        return np.where(np.isfinite(rows).any(axis=0), np.nansum(rows, axis=0), nan)


def text_evidence_of(classifier: TreeClassifier, mentions: Mentions) -> list[TextEvidence]:
    """Return the kinds of evidence of link texts for any topic: by words, and by mentions."""
    by_mentions = [MentionEvidence(mentions)] if mentions.terms else []
    return [_by_words(classifier), *by_mentions]


def _by_words(classifier: TreeClassifier) -> TextEvidence:
    """Return evidence by word meanings where they are known, else by the planes' weights."""
    directions = [
        plane.centroid.direction
        for group in classifier.groups_.get(TERMS, ())
        if group.parent == ROOT
        for plane in group.planes
        if plane.centroid is not None
    ]
    if classifier.meanings is None or not directions:
        return WeightEvidence(term_weights(classifier))
    return MeaningEvidence(
        classifier.meanings, [np.frombuffer(direction, np.float32) for direction in directions]
    )


def term_weights(classifier: TreeClassifier) -> dict[int, float]:
    """Return each term's best weight for a topic below the root, times its idf."""
    best: dict[int, float] = {}
    for group in classifier.groups_.get(TERMS, ()):
        if group.parent == ROOT:
            features = np.frombuffer(group.features, np.uint32)
            idf = np.frombuffer(group.idf, np.float32)
            for plane in group.planes:
                indices = np.frombuffer(plane.feature_indices, np.uint32)
                weights = np.frombuffer(plane.weights, np.float32) * idf[indices]
                for term, weight in zip(features[indices].tolist(), weights.tolist(), strict=True):
                    best[term] = max(weight, best.get(term, weight))
    return best


class TextCache:
    """Numbers the texts of links, and keeps the terms of each, which do not depend on the model.

    A text is known by 64 bits, in a hash table of arrays: a dictionary would wait for memory at
    each of its steps.
    """

    def __init__(self, split: Callable[[str], list[str]], language: str) -> None:
        self._split, self._language = split, language
        self.generation = 0  # how often the cache was emptied
        self._table: Rows = np.zeros(_MIN_TABLE_ROWS, TEXT_ROW)
        self._terms, self._ends = array("I"), array("q", [0])  # of all texts, in order

    def __len__(self) -> int:
        return len(self._ends) - 1

    def numbers(self, keys: Keys, text_at: TextAt) -> Numbers:
        """Return the numbers of the texts with these keys; `text_at` is called for new ones."""
        if len(self) > _MAX_CACHED_TEXTS:
            self._clear()
        numbers = find_numbers(keys, self._table)
        new = np.flatnonzero(numbers < 0)
        if len(new):
            indices = zip(keys[new].tolist(), new.tolist(), strict=True)
            self._add({key: text_at(index) for key, index in indices})
            numbers[new] = find_numbers(keys[new], self._table)
        return numbers

    def terms(self, number: int) -> Terms:
        return self._terms[self._ends[number] : self._ends[number + 1]]

    def _add(self, texts: Mapping[int, str]) -> None:
        """Add new texts, all at once: one by one takes many times as long."""
        split_texts = [self._split(text) for text in texts.values()]
        terms = _terms_of_words({word for words in split_texts for word in words}, self._language)
        first = len(self)
        for words in split_texts:
            for word in words:
                self._terms.extend(terms[word])
            self._ends.append(len(self._terms))
        self._grow()
        insert(np.array([*texts], np.int64), np.arange(first, len(self)), self._table)

    def _grow(self) -> None:
        """Keep the table at most half full."""
        if 2 * len(self) > len(self._table):
            used = self._table[self._table["number"] > 0]
            self._table = np.zeros(1 << (4 * len(self)).bit_length(), TEXT_ROW)
            insert(used["key"].copy(), used["number"] - 1, self._table)

    def _clear(self) -> None:
        self._table = np.zeros(_MIN_TABLE_ROWS, TEXT_ROW)
        self._terms, self._ends = array("I"), array("q", [0])
        self.generation += 1


class LinkTextEvidence:
    """The evidence of link texts. Texts repeat, so each is computed once."""

    def __init__(self, evidence: TextEvidence) -> None:
        self._evidence = evidence
        # By text cache: its generation, and the log-odds of each text by its number.
        self._computed: dict[TextCache, tuple[int, Floats]] = {}

    def of_links(self, keys: Keys, links: Sequence[Link], language: str) -> Floats:
        """Return the evidence of links, given with their URL keys, on a page in a language."""
        anchors = self.of_anchors([link.anchor for link in links], language)
        return mean_evidence(anchors, self.of_urls(keys, lambda index: links[index].url))

    def of_anchors(self, anchors: Sequence[str], language: str) -> Floats:
        """Return the evidence of anchor texts; NaN where there is none."""
        texts = _anchor_texts(language)
        keys = np.fromiter(map(hash, anchors), np.int64, len(anchors))
        return self._log_odds(texts, texts.numbers(keys, anchors.__getitem__))

    def of_urls(self, keys: Keys, url_at: TextAt) -> Floats:
        """Return the evidence of the words in URLs; NaN where there is none."""
        texts = _url_texts()
        return self._log_odds(texts, texts.numbers(keys, url_at))

    def _log_odds(self, texts: TextCache, numbers: Numbers) -> Floats:
        computed = self._computed_for(texts)
        log_odds: Floats = computed.take(numbers)
        missing = log_odds == _NOT_COMPUTED
        if missing.any():
            new = np.unique(numbers.compress(missing))
            computed[new] = self._evidence.log_odds([*map(texts.terms, new.tolist())])
            log_odds = computed.take(numbers)
        return log_odds

    def _computed_for(self, texts: TextCache) -> Floats:
        """Return the array of computed log-odds, with room for every text that has a number."""
        generation, computed = self._computed.get(texts, (-1, _EMPTY))
        if generation != texts.generation:
            computed = _EMPTY
        elif len(computed) >= len(texts):
            return computed
        larger = np.full(2 * len(texts), _NOT_COMPUTED)
        larger[: len(computed)] = computed
        self._computed[texts] = texts.generation, larger
        return larger


@cache
def _anchor_texts(language: str) -> TextCache:
    return TextCache(str.split, language)


@cache
def _url_texts() -> TextCache:
    return TextCache(url_words, "en")


def mean_evidence(anchors: Floats, urls: Floats) -> Floats:
    """Return the mean evidence of anchor text and URL; NaN counts as 0, so one alone is halved."""
    evidence: Floats = (np.nan_to_num(anchors) + np.nan_to_num(urls)) / 2.0
    return evidence


def url_words(url: str) -> list[str]:
    """Return the words in the path of a URL.

    >>> url_words("http://www.example.org/wiki/Barn_owl%3A_1.html")
    ['wiki', 'Barn', 'owl']
    """
    path = url.partition("://")[2].partition("/")[2].partition("?")[0]
    words = _WORD.findall(unquote(path) if "%" in path else path)
    return [word for word in words if len(word) > 1 and word.lower() not in SILENT_PARTS]


_known_words: dict[str, dict[str, Terms]] = {}  # terms by word, by language


def _terms_of_words(words: AbstractSet[str], language: str) -> Mapping[str, Terms]:
    """Return a mapping that has the terms of each of these words, empty for a stop word.

    New words are looked up together: one by one it would take ten times as long.
    """
    known = _known_words.setdefault(language, {})
    new = [word for word in words if word not in known]
    if new:
        if len(known) > _MAX_CACHED_TEXTS:
            known.clear()
            new = list(words)
        sequences = sequences_of(new, language)
        known.update(
            {word: tuple(terms.tolist()) for word, terms in zip(new, sequences, strict=True)},
        )
    return known
