"""Queries whose answers are known by the labels of a web.

    name     what a topic is called; right are its pages
    words    what a few of its pages have in common, which are then left out; right are the others
    within   the same words, asked of the pages that were judged to be on the topic
    item     what links said of a page, where the index was not told of it; right is that page alone

Pages of a topic have grade 2, those beside it (below the topic above) grade 1. What the topics were
taught by is left out everywhere. None of this looks at what a ranking goes by but the words.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

import numpy as np
from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import spell, unpack
from motherlode.lab.experiments.experts import query_for
from motherlode.lab.experiments.filled_portal import Sayings
from motherlode.lab.experiments.grades import NEAR, RIGHT
from motherlode.lab.generated.dice import Dice
from motherlode.lab.labels import Labels, within
from motherlode.search.index import PageIndex
from motherlode.search.query_terms import StemLookup, idf
from motherlode.store.session import Session
from motherlode.store.tables.pages import KeptPage, main_text_of, page_at, vectors_of_all
from motherlode.urls import address

_SHOWN = 5  # pages that words are taken from
_SHARED = 3  # of them have a word that is taken
_WORDS = 3
_LETTERS = re.compile(r"[^\W_]+")


class QueryKind(StrEnum):
    """Where a query comes from."""

    NAME = "name"
    WORDS = "words"
    WITHIN = "within"
    ITEM = "item"


class Query(Struct, frozen=True):
    """What is asked, of which topic (if of one), and the grade of every page that has one.

    `topic` is whose query it is; what is `left_out` is in no list. `any_word`: not all words must
    be there.
    """

    kind: QueryKind
    topic: str
    text: str
    grades: Mapping[str, int]
    left_out: frozenset[str]
    any_word: bool = True

    @property
    def asked_of(self) -> str:
        return self.topic if self.kind is QueryKind.WITHIN else ""


class Drawing:
    """Draws queries for the topics of a portal, whose examples are left out; the same for the same
    chance.
    """

    def __init__(self, labels: Labels, session: Session, index: PageIndex, chance: int) -> None:
        self._labels = labels
        self._session = session
        self._index = index
        self._wording = StemLookup(index)
        self._chance = chance

    def of_topic(
        self, topic: str, pages: Sequence[str], examples: frozenset[str], most: int
    ) -> Iterator[Query]:
        """Its name, and so many times the words of some of its pages."""
        grades = grades_of(self._labels, topic, [url for url in pages if url not in examples])
        yield Query(QueryKind.NAME, topic, query_for(topic), grades, examples)
        on_topic = sorted(url for url, grade in grades.items() if grade == RIGHT)
        dice = Dice("queries", self._chance, topic)
        for _ in range(most):
            shown = [
                on_topic.pop(dice.below(len(on_topic)))
                for _ in range(min(_SHOWN, len(on_topic) - 1))
            ]
            words = self._in_common(shown)
            if words:
                left = {url: grade for url, grade in grades.items() if url not in shown}
                for kind in (QueryKind.WORDS, QueryKind.WITHIN):
                    yield Query(kind, topic, words, left, examples | set(shown))

    def items(
        self, topic: str, pages: Sequence[str], sayings: Sayings, most: int
    ) -> Iterator[Query]:
        """What was said of pages of a topic, of so many at most, where that is not just their
        title.
        """
        relevant = self._labels.relevant(topic)
        known = sorted(url for url in pages if url in relevant and url in sayings)
        dice = Dice("items", self._chance, topic)
        found = 0
        while known and found < most:
            url = known.pop(dice.below(len(known)))
            page = self._page(url)
            said = [words for words in map(_plain, sayings[url].values()) if words]
            other = [words for words in said if page is not None and words != _plain(page.title)]
            if other:
                found += 1
                yield Query(
                    QueryKind.ITEM, topic, other[0], {url: RIGHT}, frozenset(), any_word=False
                )

    def _page(self, url: str) -> KeptPage | None:
        return page_at(self._session, address(url).key)

    def _in_common(self, urls: Sequence[str]) -> str:
        """The words of several pages that are in most of them and tell most, by tf and idf."""
        pages = [page for page in map(self._page, urls) if page is not None]
        packed = vectors_of_all(self._session, [page.id for page in pages], TERMS)
        told: Counter[int] = Counter()
        having: Counter[int] = Counter()
        for page in pages:
            bag = unpack(packed.get(page.id, b""))
            told.update(
                dict(zip(bag.terms.tolist(), (1 + np.log(bag.counts)).tolist(), strict=True))
            )
            having.update(bag.terms.tolist())
        shared = {term for term in told if having[term] >= min(_SHARED, len(pages))}
        spelled: dict[int, tuple[str, str]] = {}
        for page in pages:
            words = spell(shared, main_text_of(self._session, page.id), page.language)
            spelled = {term: (word, page.language) for term, word in words.items()} | spelled
        worth = {term: told[term] * self._idf(*said) for term, said in spelled.items()}
        best = sorted(worth, key=lambda term: (-worth[term], term))[:_WORDS]
        return " ".join(spelled[term][0] for term in best)

    def _idf(self, word: str, language: str) -> float:
        pages = sum(stem.pages for stem in self._wording.stems(word, language))
        return idf(self._index.page_count, pages)


def grades_of(labels: Labels, topic: str, pages: Sequence[str]) -> dict[str, int]:
    """The pages of a topic, and those beside it."""
    above = topic.rpartition("/")[0]
    grades = {}
    for url in pages:
        paths = labels.of(url)
        if any(within(path, topic) for path in paths):
            grades[url] = RIGHT
        elif above and any(within(path, above) for path in paths):
            grades[url] = NEAR
    return grades


def _plain(text: str) -> str:
    """The words of a text in small letters, so that none of them is an operator."""
    return " ".join(_LETTERS.findall(text.lower()))
