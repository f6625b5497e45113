"""The words of a query as the index has them (SPEC B20).

A word that is sought vaguely stands for all words of its stem, by the language of the page. Of English the
index keeps no stems: it is asked for the words that begin alike (`documents/roots`), and those with the stem
are sought. However they are written, and wherever they stand, they are as rare as the stem is among all
pages: else a rare ending, or a word that few titles have, would weigh more than what it means.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.ideographs import has_ideographs, parts
from motherlode.documents.roots import heads, is_rooted
from motherlode.documents.terms import has_stemmer, number_of, sharing
from motherlode.search.index import PageIndex
from motherlode.search.query import QueryNode, all_words
from motherlode.search.query_builder import LanguageGroup, Stem

NO_LANGUAGE = "und"
_FORMS = 50  # words of a stem that are sought: the one that was typed, and the most frequent
_KEPT = ("stems", "title_stems", "heading_stems", "anchor_stems")


class StemLookup:
    """Looks words up in one index, each beginning once."""

    def __init__(self, index: PageIndex) -> None:
        self._index = index
        self._begun: dict[str, dict[str, dict[str, int]]] = {}
        self._written: dict[str, dict[str, int]] = {}

    def language_groups(self, node: QueryNode, languages: Sequence[str]) -> list[LanguageGroup]:
        """Languages together in which the words of a query have the same stems; one at least."""
        words = list(dict.fromkeys(word.text for word in all_words(node)))
        groups: dict[tuple[tuple[Stem, ...], ...], list[str]] = {}
        for language in languages or [NO_LANGUAGE]:
            stems = tuple(self.stems(word, language) for word in words)
            groups.setdefault(stems, []).append(language)
        return [
            LanguageGroup(tuple(names), dict(zip(words, stems, strict=True)))
            for stems, names in groups.items()
        ]

    def stems(self, word: str, language: str) -> tuple[Stem, ...]:
        """What a word is in a language: one stem, as a rule; none, if it says nothing there."""
        spoken = "" if language == NO_LANGUAGE else language
        folded = word.casefold()
        pieces = parts(folded) if has_ideographs(folded) else [word]
        found = (self._stem(piece, spoken) for piece in pieces)
        return tuple(stem for stem in found if stem.number)

    def frequency(self, word: str) -> int:
        """How many pages have a word in their main text, written so; of ideographs, that many at most."""
        signs = word if has_ideographs(word) else (word,)
        return min(self._index.doc_freq("main", sign) for sign in signs)

    def _stem(self, word: str, language: str) -> Stem:
        number = number_of(word, language)
        if not number:
            return Stem(word, 0, 0)
        if has_ideographs(word):
            return Stem(word, number, self.frequency(word))
        if not is_rooted(language):
            spelled = hex_stems(np.array([number], np.uint32))
            having = {field: self._index.doc_freq(field, spelled) for field in _KEPT}
            return self._weighed(word, number, {spelled: having})
        return self._weighed(word, number, self._forms(word, number, language))

    def _forms(self, word: str, number: int, language: str) -> dict[str, dict[str, int]]:
        """The words of the index with the stem of this one, and how many pages have each in which field.

        What was typed is among them, though letters in it may be others once they are folded (ß, ς).
        """
        forms = {form: self._having(form) for form in dict.fromkeys((word.lower(), word.casefold()))}
        if has_stemmer(language):
            begun: dict[str, dict[str, int]] = {}
            for head in heads(word):
                begun |= self._beginning(head)
            forms |= {form: begun[form] for form in sharing(number, list(begun), language)}
        return {form: having for form, having in forms.items() if having}

    def _having(self, form: str) -> dict[str, int]:
        if form not in self._written:
            self._written[form] = self._index.word_doc_freqs(form)
        return self._written[form]

    def _beginning(self, head: str) -> Mapping[str, dict[str, int]]:
        if head not in self._begun:
            self._begun[head] = self._index.words_with_prefix(head)
        return self._begun[head]

    def _weighed(self, word: str, number: int, forms: Mapping[str, dict[str, int]]) -> Stem:
        size = self._index.page_count
        pages = min(size, sum(max(having.values()) for having in forms.values()))
        rarity = _idf(pages, size)
        typed = (word.lower(), word.casefold())
        best = sorted(forms, key=lambda form: (form not in typed, -max(forms[form].values()), form))[:_FORMS]
        terms = tuple(
            (field, form, rarity / _idf(having, size))
            for form in best
            for field, having in forms[form].items()
            if having
        )
        return Stem(word, number, pages, terms)


class WeightedStem(Struct, frozen=True):
    """A term of a page that others are to be like, and how much it says of it."""

    stem: Stem
    weight: float


def characteristic_stems(
    index: PageIndex, spelled: Mapping[int, str], counts: Mapping[int, int], language: str, most: int
) -> list[WeightedStem]:
    """What is most telling of a page, whose terms are spelled so and as frequent: by tf and idf, the latter
    of the words as they are spelled, since looking up all words of every stem would take long."""
    wording = StemLookup(index)
    rare = {number: idf(index.page_count, wording.frequency(word)) for number, word in spelled.items()}
    worth = {number: (1.0 + np.log(max(counts[number], 1))) * rare[number] for number in spelled}
    best = sorted(worth, key=lambda number: (-worth[number], number))[:most]
    found = ((wording.stems(spelled[number], language), worth[number]) for number in best)
    return [WeightedStem(stem, float(weight)) for stems, weight in found for stem in stems[:1]]


def unit_vector(weights: Iterable[tuple[int, float]]) -> dict[int, float]:
    told = dict(weights)
    length = float(np.linalg.norm(list(told.values()))) or 1.0
    return {number: weight / length for number, weight in told.items()}


def idf(size: int, pages: int) -> float:
    """The idf of a term that so many pages of all have, as the cosine takes it: log(1 + N / df)."""
    return float(np.log1p(size / max(pages, 1)))


def hex_stems(numbers: npt.NDArray[np.uint32]) -> str:
    """The numbers of stems as the index spells them."""
    return numbers.astype("<u4", copy=False).tobytes().hex(" ", 4)


def _idf(pages: int, size: int) -> float:
    """As BM25 takes it."""
    return float(np.log1p((max(size - pages, 0) + 0.5) / (pages + 0.5)))
