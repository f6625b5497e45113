"""Look up the words of a query in the index (SPEC B20).

A word in stem mode stands for all words with its stem, in the language of the page. For English the
index has no stems: indexed words with the same beginning are looked up (`documents/roots`), and the
words with the stem are searched. Each gets the idf of the stem among all pages. Otherwise a rare
ending, or a word that is rare in titles, would weigh more than a frequent one with that stem.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from motherlode.documents.text.ideographs import has_ideographs, parts
from motherlode.documents.text.stem_prefixes import heads, is_rooted
from motherlode.documents.text.terms import has_stemmer, number_of, sharing
from motherlode.search.index import PageIndex
from motherlode.search.query import QueryNode, all_words
from motherlode.search.query_builder import LanguageGroup, Stem

NO_LANGUAGE = "und"
MAX_STEM_FORMS = 50  # words searched for a stem: the typed word, and the most frequent words
_STEM_FIELDS = ("stems", "title_stems", "heading_stems", "anchor_stems")

DocFreqs = dict[str, int]  # document frequency by field of the index


class StemLookup:
    """Looks up stems in one index; each word and each prefix is read once."""

    def __init__(self, index: PageIndex) -> None:
        self._index = index
        self._freqs_by_prefix: dict[str, dict[str, DocFreqs]] = {}
        self._freqs_by_word: dict[str, DocFreqs] = {}

    def language_groups(self, node: QueryNode, languages: Sequence[str]) -> list[LanguageGroup]:
        """Group languages in which the words of a query have the same stems; at least one group."""
        words = list(dict.fromkeys(word.text for word in all_words(node)))
        groups: dict[tuple[tuple[Stem, ...], ...], list[str]] = {}
        for language in languages or [NO_LANGUAGE]:
            stems = tuple(self.stems(word, language) for word in words)
            groups.setdefault(stems, []).append(language)
        return [
            LanguageGroup(tuple(members), dict(zip(words, stems, strict=True)))
            for stems, members in groups.items()
        ]

    def stems(self, word: str, language: str) -> tuple[Stem, ...]:
        """Return the stems of a word in a language: usually one, none for a stopword."""
        code = "" if language == NO_LANGUAGE else language
        folded = word.casefold()
        pieces = parts(folded) if has_ideographs(folded) else [word]
        stems = (self._stem(piece, code) for piece in pieces)
        return tuple(stem for stem in stems if stem.number)

    def frequency(self, word: str) -> int:
        """Return the number of pages with exactly this word in their main text.

        For ideographs, which are indexed one by one, it is an upper bound.
        """
        tokens = word if has_ideographs(word) else (word,)
        return min(self._index.doc_freq("main", token) for token in tokens)

    def _stem(self, word: str, language: str) -> Stem:
        number = number_of(word, language)
        if not number:
            return Stem(word, 0, 0)
        if has_ideographs(word):
            return Stem(word, number, self.frequency(word))
        if is_rooted(language):
            return self._weigh_forms(word, number, self._forms(word, number, language))
        term = hex_stems(np.array([number], np.uint32))
        freqs = {field: self._index.doc_freq(field, term) for field in _STEM_FIELDS}
        return self._weigh_forms(word, number, {term: freqs})

    def _forms(self, word: str, number: int, language: str) -> dict[str, DocFreqs]:
        """Return the indexed words with the stem of this word, and their document frequencies.

        The word as typed is included, because case folding may change its letters (ß, ς).
        """
        typed = dict.fromkeys((word.lower(), word.casefold()))
        forms = {form: self._word_freqs(form) for form in typed}
        if has_stemmer(language):
            candidates: dict[str, DocFreqs] = {}
            for prefix in heads(word):
                candidates |= self._prefix_freqs(prefix)
            same_stem = sharing(number, list(candidates), language)
            forms |= {form: candidates[form] for form in same_stem}
        return {form: freqs for form, freqs in forms.items() if freqs}

    def _word_freqs(self, word: str) -> DocFreqs:
        if word not in self._freqs_by_word:
            self._freqs_by_word[word] = self._index.word_doc_freqs(word)
        return self._freqs_by_word[word]

    def _prefix_freqs(self, prefix: str) -> Mapping[str, DocFreqs]:
        if prefix not in self._freqs_by_prefix:
            self._freqs_by_prefix[prefix] = self._index.words_with_prefix(prefix)
        return self._freqs_by_prefix[prefix]

    def _weigh_forms(self, word: str, number: int, forms: Mapping[str, DocFreqs]) -> Stem:
        """Give every form the idf of the stem: BM25 multiplies by the form's own idf later."""
        page_count = self._index.page_count
        typed = (word.lower(), word.casefold())
        highest = {form: max(freqs.values()) for form, freqs in forms.items()}
        pages = min(page_count, sum(highest.values()))
        stem_idf = _bm25_idf(page_count, pages)
        ranked = sorted(forms, key=lambda form: (form not in typed, -highest[form], form))
        terms = tuple(
            (field, form, stem_idf / _bm25_idf(page_count, freq))
            for form in ranked[:MAX_STEM_FORMS]
            for field, freq in forms[form].items()
            if freq
        )
        return Stem(word, number, pages, terms)


class WeightedStem(Struct, frozen=True):
    """A stem that is characteristic of a page, and its tf-idf weight."""

    stem: Stem
    weight: float


def characteristic_stems(
    index: PageIndex,
    words: Mapping[int, str],
    counts: Mapping[int, int],
    language: str,
    limit: int,
) -> list[WeightedStem]:
    """Return the stems of a page with the highest tf-idf.

    `words` and `counts` give a spelling and the frequency of each stem number. The idf is that of
    the spelling: looking up all words of every stem would take long.
    """
    lookup = StemLookup(index)
    idfs = {number: idf(index.page_count, lookup.frequency(word)) for number, word in words.items()}
    weights = {number: (1.0 + np.log(max(counts[number], 1))) * idfs[number] for number in words}
    best = sorted(weights, key=lambda number: (-weights[number], number))[:limit]
    return [
        WeightedStem(stem, float(weights[number]))
        for number in best
        for stem in lookup.stems(words[number], language)[:1]
    ]


def unit_vector(weights: Iterable[tuple[int, float]]) -> dict[int, float]:
    """Return the weights scaled to a vector of length one."""
    vector = dict(weights)
    length = float(np.linalg.norm(list(vector.values()))) or 1.0
    return {number: weight / length for number, weight in vector.items()}


def idf(page_count: int, pages: int) -> float:
    """Return the idf of the cosine, log(1 + N / df), of a term that `pages` of all pages have."""
    return float(np.log1p(page_count / max(pages, 1)))


def hex_stems(numbers: npt.NDArray[np.uint32]) -> str:
    """Return stem numbers as the index stores them."""
    return numbers.astype("<u4", copy=False).tobytes().hex(" ", 4)


def _bm25_idf(page_count: int, pages: int) -> float:
    return float(np.log1p((max(page_count - pages, 0) + 0.5) / (pages + 0.5)))
