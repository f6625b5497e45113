"""Where the words of a query stand in a text, and the part of it that shows them."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from unicodedata import normalize

from msgspec import Struct

from motherlode.documents.ideographs import has_ideographs
from motherlode.documents.terms import SIGNS, number_of
from motherlode.search.query import MatchMode, QueryNode, QueryWord, positive_words
from motherlode.search.query_builder import is_alphabetic

_WIDTH = 240  # characters
_GIVE = 25  # characters it is shorter by, at most, to end between words

WordSpan = tuple[int, int, int]  # from, to, and which word of the query it is


class Snippet(Struct, frozen=True):
    """A part of a page's main text. `marks` say from where to where it has words of the query."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


def cut_snippet(line: str, found: Sequence[WordSpan]) -> Snippet:
    """The part of a line that has most of the words close together; the beginning, if it has none."""
    start, end = _window(line, _closest(found))
    marks = tuple((one - start, to - start) for one, to, _ in found if start <= one and to <= end)
    return _with_ends(line[start:end], marks, before=start > 0, after=end < len(line))


def _closest(found: Sequence[WordSpan]) -> tuple[int, int]:
    """From where to where the most different words stand close together; of equals, the first."""
    best, span = (0, 0), (0, 0)
    for at, (start, _, _) in enumerate(found):
        inside = list(takewhile(lambda place, start=start: place[1] - start <= _WIDTH, found[at:]))  # type: ignore[misc]
        worth = (len({term for _, _, term in inside}), len(inside))
        if worth > best:
            best, span = worth, (start, inside[-1][1])
    return span


def _window(line: str, span: tuple[int, int]) -> tuple[int, int]:
    """Where a snippet begins and ends that has this span in its middle: between words, if they are near."""
    slack = max(0, _WIDTH - (span[1] - span[0]))
    start = max(0, min(span[0] - slack // 2, len(line) - _WIDTH))
    end = min(len(line), start + max(_WIDTH, span[1] - span[0]))
    if start > 0:
        blank = line.find(" ", start, min(start + _GIVE, span[0]))
        start = blank + 1 if blank >= 0 else start
    if end < len(line):
        blank = line.rfind(" ", max(end - _GIVE, span[1]), end)
        end = blank if blank >= 0 else end
    return start, end


def _with_ends(text: str, marks: Collection[tuple[int, int]], *, before: bool, after: bool) -> Snippet:
    """With an ellipsis where there is more."""
    lead, trail = "… " if before else "", " …" if after else ""
    moved = tuple((start + len(lead), end + len(lead)) for start, end in marks)
    return Snippet(f"{lead}{text}{trail}", moved)


_LOOKED_AT = 20_000  # characters of a page that a snippet is taken from
_PLACES = 500  # words of the query in it
_FURTHER = rf"[^\W_]*(?:[{SIGNS}]+[^\W_]*)*"  # how a word goes on, with its vowel signs
_WORD = re.compile(rf"[^\W_]{_FURTHER}")
_CHANGING_INITIALS = ("ar", "ga", "id")  # stemmers of these take away what a word begins with
_LATIN = (*range(0x41, 0x250), *range(0x1E00, 0x1F00))
_WHAT_IS_SHOWN = ("", "headings", "text", "main", "title")


class Highlighter:
    """Knows a word of the query when it sees one, by the language of the text."""

    def __init__(self, node: QueryNode | None, language: str) -> None:
        self._language = language
        self._stems: dict[int, int] = {}
        self._exact: dict[str, int] = {}
        self._inside: dict[str, int] = {}  # ideographs, which may stand anywhere in a word
        self._vague: list[tuple[int, QueryWord]] = []  # those for which each word has to be looked at
        self._initials: set[str] = set()  # letters that words of the query begin with; empty: any letter
        self._anything = False
        shown = [word for word in positive_words(node) if word.field in _WHAT_IS_SHOWN] if node else []
        for place, word in enumerate(shown):
            self._learn(place, word)

    @classmethod
    def of_stems(cls, stems: list[int], language: str) -> "Highlighter":
        finder = cls(None, language)
        finder._stems = {stem: place for place, stem in enumerate(stems)}
        return finder

    def _expect(self, word: QueryWord, folded: str) -> None:
        self._anything |= word.mode is MatchMode.FUZZY
        for part in _WORD.findall(folded):
            self._initials.update(_variants().get(_plain(part[0]), part[0] + part[0].upper()))

    def _learn(self, place: int, word: QueryWord) -> None:
        folded = word.text.casefold()
        if has_ideographs(folded):
            self._inside |= dict.fromkeys(_WORD.findall(folded), place)
            return
        self._expect(word, folded)
        if word.mode in (MatchMode.PREFIX, MatchMode.FUZZY):
            self._vague.append((place, word))
        elif word.mode is MatchMode.VAGUE and is_alphabetic(word.text) and number_of(folded, self._language):
            self._stems.setdefault(number_of(folded, self._language), place)
        else:
            for part in _WORD.findall(folded):
                self._exact.setdefault(part, place)

    def snippet(self, text: str) -> Snippet:
        line = text[:_LOOKED_AT].replace("\n", " ")
        found = [place for place, _ in zip(self._places(line), range(_PLACES), strict=False)]
        return cut_snippet(line, sorted((*found, *self._ideographs(line))))

    def _ideographs(self, line: str) -> list[WordSpan]:
        if not self._inside:
            return []
        found = re.finditer("|".join(map(re.escape, self._inside)), line)
        return [
            (one.start(), one.end(), self._inside[one[0]])
            for one, _ in zip(found, range(_PLACES), strict=False)
        ]

    def _places(self, line: str) -> Iterator[WordSpan]:
        for found in self._pattern().finditer(line):
            which = self._which(found[0].casefold())
            if which is not None:
                yield found.start(), found.end(), which

    def _pattern(self) -> re.Pattern[str]:
        """Words that may be sought: by their first letter, where that is the same in all forms of a word."""
        if self._anything or not self._initials or self._language in _CHANGING_INITIALS:
            return _WORD
        return re.compile(rf"(?<![^\W_])[{re.escape(''.join(sorted(self._initials)))}]{_FURTHER}")

    def _which(self, word: str) -> int | None:
        if word in self._exact:
            return self._exact[word]
        if self._stems:
            stem = _number(word, self._language)
            if stem in self._stems:
                return self._stems[stem]
        if not self._vague:
            return None
        return next((place for place, sought in self._vague if _fits(word, sought)), None)


def _plain(letter: str) -> str:
    """A letter without its accents, small: a plural may have others (Apfel, Äpfel)."""
    return normalize("NFD", letter.casefold())[0]


@cache
def _variants() -> dict[str, str]:
    """Latin letters with everything that is the same letter but for accents."""
    found: dict[str, str] = {}
    for letter in map(chr, _LATIN):
        if letter.isalpha():
            found[_plain(letter)] = found.get(_plain(letter), "") + letter
    return found


@lru_cache(maxsize=1 << 16)
def _number(word: str, language: str) -> int:
    return number_of(word, language)


def _fits(word: str, sought: QueryWord) -> bool:
    text = sought.text.casefold()
    if sought.mode is MatchMode.PREFIX:
        return word.startswith(text)
    return abs(len(word) - len(text)) <= sought.edits and _differ(word, text, sought.edits)


def _differ(one: str, other: str, most: int) -> bool:
    """Whether so many letters left out, put in or replaced, or neighbours swapped, make one of the other."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        here = [row]
        for column, opposite in enumerate(other, start=1):
            cost = min(last[column] + 1, here[-1] + 1, last[column - 1] + (letter != opposite))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == opposite:
                cost = min(cost, before[column - 2] + 1)
            here.append(cost)
        if min(here) > most:
            return False
        before, last = last, here
    return last[-1] <= most
