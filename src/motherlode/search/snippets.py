"""Find the words of a query in a text, and cut out the part that shows most of them."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice, takewhile
from typing import Self
from unicodedata import normalize

from msgspec import Struct

from motherlode.documents.text.ideographs import has_ideographs
from motherlode.documents.text.terms import SIGNS, number_of
from motherlode.search.query import MatchMode, QueryNode, QueryWord, positive_words
from motherlode.search.query_builder import is_alphabetic

SNIPPET_CHARS = 240
MAX_TRIMMED_CHARS = 25  # at either end, so that a snippet begins and ends between words
MAX_SEARCHED_CHARS = 20_000  # of a page
MAX_MATCHES = 500  # words of the query in a page
_CONTINUATION = rf"[^\W_]*(?:[{SIGNS}]+[^\W_]*)*"  # the rest of a word, with its vowel signs
_WORD = re.compile(rf"[^\W_]{_CONTINUATION}")
_PREFIX_STEMMING = ("ar", "ga", "id")  # stemmers of these languages remove prefixes
_LATIN = (*range(0x41, 0x250), *range(0x1E00, 0x1F00))
_SHOWN_FIELDS = ("", "headings", "text", "main", "title")

WordSpan = tuple[int, int, int]  # start, end, and which word of the query it is


class Snippet(Struct, frozen=True):
    """A part of a page's main text; `marks` are the start and end of each word of the query."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


def cut_snippet(line: str, spans: Sequence[WordSpan]) -> Snippet:
    """Return the part of a line with the most query words close together, or its beginning."""
    start, end = _window(line, _densest(spans))
    lead = "… " if start > 0 else ""
    trail = " …" if end < len(line) else ""
    shift = len(lead) - start
    inside = [(first, last) for first, last, _ in spans if start <= first and last <= end]
    marks = tuple((first + shift, last + shift) for first, last in inside)
    return Snippet(f"{lead}{line[start:end]}{trail}", marks)


def _densest(spans: Sequence[WordSpan]) -> tuple[int, int]:
    """Return the first span in which the most different words are close together."""
    best, densest = (0, 0), (0, 0)
    for at, (start, _, _) in enumerate(spans):
        inside = list(_spans_until(start + SNIPPET_CHARS, spans[at:]))
        value = (len({word for _, _, word in inside}), len(inside))
        if value > best:
            best, densest = value, (start, inside[-1][1])
    return densest


def _spans_until(end: int, spans: Sequence[WordSpan]) -> Iterator[WordSpan]:
    return takewhile(lambda span: span[1] <= end, spans)


def _window(line: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return start and end of a snippet around a span: between words, if they are near."""
    slack = max(0, SNIPPET_CHARS - (span[1] - span[0]))
    start = max(0, min(span[0] - slack // 2, len(line) - SNIPPET_CHARS))
    end = min(len(line), start + max(SNIPPET_CHARS, span[1] - span[0]))
    if start > 0:
        blank = line.find(" ", start, min(start + MAX_TRIMMED_CHARS, span[0]))
        start = blank + 1 if blank >= 0 else start
    if end < len(line):
        blank = line.rfind(" ", max(end - MAX_TRIMMED_CHARS, span[1]), end)
        end = blank if blank >= 0 else end
    return start, end


class Highlighter:
    """Finds the words of a query in texts of one language."""

    def __init__(self, node: QueryNode | None, language: str) -> None:
        self._language = language
        self._stems: dict[int, int] = {}
        self._exact: dict[str, int] = {}
        self._ideographs: dict[str, int] = {}  # may be anywhere in a word
        self._patterns: list[tuple[int, QueryWord]] = []  # prefixes and fuzzy words
        self._initials: set[str] = set()  # first letters of query words; empty: any letter
        self._has_fuzzy = False
        words = positive_words(node) if node else []
        shown = [word for word in words if word.field in _SHOWN_FIELDS]
        for number, word in enumerate(shown):
            self._add(number, word)

    @classmethod
    def of_stems(cls, stems: Sequence[int], language: str) -> Self:
        highlighter = cls(None, language)
        highlighter._stems = {stem: number for number, stem in enumerate(stems)}
        return highlighter

    def _add(self, number: int, word: QueryWord) -> None:
        folded = word.text.casefold()
        pieces = _WORD.findall(folded)
        if has_ideographs(folded):
            self._ideographs |= dict.fromkeys(pieces, number)
            return
        self._has_fuzzy |= word.mode is MatchMode.FUZZY
        for piece in pieces:
            initial = piece[0]
            self._initials.update(_variants().get(_base(initial), initial + initial.upper()))
        if word.mode in (MatchMode.PREFIX, MatchMode.FUZZY):
            self._patterns.append((number, word))
        elif stem := self._stem_of(word, folded):
            self._stems.setdefault(stem, number)
        else:
            for piece in pieces:
                self._exact.setdefault(piece, number)

    def _stem_of(self, word: QueryWord, folded: str) -> int:
        """Return the number of a word's stem, or 0 if it is searched as written."""
        if word.mode is not MatchMode.STEM or not is_alphabetic(word.text):
            return 0
        return number_of(folded, self._language)

    def snippet(self, text: str) -> Snippet:
        line = text[:MAX_SEARCHED_CHARS].replace("\n", " ")
        words = islice(self._word_spans(line), MAX_MATCHES)
        ideographs = islice(self._ideograph_spans(line), MAX_MATCHES)
        return cut_snippet(line, sorted((*words, *ideographs)))

    def _ideograph_spans(self, line: str) -> Iterator[WordSpan]:
        if not self._ideographs:
            return
        for match in re.finditer("|".join(map(re.escape, self._ideographs)), line):
            yield match.start(), match.end(), self._ideographs[match[0]]

    def _word_spans(self, line: str) -> Iterator[WordSpan]:
        for match in self._candidates().finditer(line):
            number = self._query_word_matching(match[0].casefold())
            if number is not None:
                yield match.start(), match.end(), number

    def _candidates(self) -> re.Pattern[str]:
        """Return a pattern for words with a fitting first letter; for all, if that may change."""
        if self._has_fuzzy or not self._initials or self._language in _PREFIX_STEMMING:
            return _WORD
        initials = re.escape("".join(sorted(self._initials)))
        return re.compile(rf"(?<![^\W_])[{initials}]{_CONTINUATION}")

    def _query_word_matching(self, word: str) -> int | None:
        if word in self._exact:
            return self._exact[word]
        if self._stems:
            stem = _cached_number_of(word, self._language)
            if stem in self._stems:
                return self._stems[stem]
        return next((number for number, pattern in self._patterns if _matches(word, pattern)), None)


def _base(letter: str) -> str:
    """Return a letter in lower case without accents: a plural may have others (Apfel, Äpfel)."""
    return normalize("NFD", letter.casefold())[0]


@cache
def _variants() -> dict[str, str]:
    """Return for each Latin base letter all letters that differ by case and accents only."""
    variants: dict[str, str] = {}
    for letter in map(chr, _LATIN):
        if letter.isalpha():
            variants[_base(letter)] = variants.get(_base(letter), "") + letter
    return variants


@lru_cache(maxsize=1 << 16)
def _cached_number_of(word: str, language: str) -> int:
    return number_of(word, language)


def _matches(word: str, pattern: QueryWord) -> bool:
    text = pattern.text.casefold()
    if pattern.mode is MatchMode.PREFIX:
        return word.startswith(text)
    if abs(len(word) - len(text)) > pattern.edits:
        return False
    return _is_within_edits(word, text, pattern.edits)


def _is_within_edits(word: str, other: str, max_edits: int) -> bool:
    """Whether at most so many insertions, deletions, replacements and swaps of neighbours lead
    from one word to the other."""
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word, start=1):
        current = [row]
        for column, opposite in enumerate(other, start=1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != opposite))
            is_inner = row > 1 and column > 1
            if is_inner and letter == other[column - 2] and word[row - 2] == opposite:
                cost = min(cost, before_last[column - 2] + 1)
            current.append(cost)
        if min(current) > max_edits:
            return False
        before_last, last = last, current
    return last[-1] <= max_edits
