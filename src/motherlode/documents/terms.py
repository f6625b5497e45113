"""Terms: words without stopwords, stemmed by their language, counted (BINGO!, section 2.2; SPEC B4).

A term's number is a hash of its stem, so that it means the same in every process and portal, and no table of
words has to be kept. Which word a number stands for is asked seldom, and of a text that has it (`spell`).
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from zlib import crc32

import numpy as np
import numpy.typing as npt
import Stemmer
from msgspec import Struct

_WORD = re.compile(r"[^\W\d_]{2,}")
_MAX_WORD = 40
_REMEMBERED = 300_000  # words of a language; the Web makes up new ones for ever
SILENT = -1  # the number of a word that does not count

# Snowball's algorithms by language. English is Porter's own, as in the paper.
_STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "porter",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "nb": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


class Bag(Struct, frozen=True):
    """A sparse vector: term numbers in rising order, and how often each occurs."""

    terms: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.terms)

    def pack(self) -> bytes:
        return self.terms.tobytes() + self.counts.tobytes()


def unpack(packed: bytes) -> Bag:
    both = np.frombuffer(packed, np.uint32)
    half = len(both) // 2
    return Bag(both[:half], both[half:])


def count(numbers: npt.NDArray[np.int64]) -> Bag:
    """The bag of a sequence of term numbers."""
    terms, counts = np.unique(numbers, return_counts=True)
    return Bag(terms.astype(np.uint32), counts.astype(np.uint32))


def bag_of(text: str, language: str = "en") -> Bag:
    """The terms of a text."""
    return count(sequence_of(text, language))


def sequence_of(text: str, language: str = "en") -> npt.NDArray[np.int64]:
    """The terms of a text in order, without the words that do not count."""
    known = _numbers(language)
    numbers = np.array([known[word] for word in _WORD.findall(text.casefold())], np.int64)
    kept: npt.NDArray[np.int64] = numbers[numbers >= 0]
    return kept


def spell(wanted: Iterable[int], text: str, language: str = "en") -> dict[int, str]:
    """The words that term numbers stand for in a text, the most frequent of each."""
    known, sought = _numbers(language), set(wanted)
    words = Counter(word for word in _WORD.findall(text.casefold()) if known[word] in sought)
    found: dict[int, str] = {}
    for word, _ in words.most_common():
        found.setdefault(known[word], word)
    return found


@cache
def stopwords(language: str) -> frozenset[str]:
    """The words of a language that say nothing; none, where we have no list."""
    return _stopword_lists().get(language, frozenset())


@cache
def _stopword_lists() -> dict[str, frozenset[str]]:
    told = tomllib.loads((files("motherlode.documents") / "stopwords.toml").read_text("utf-8"))
    return {language: frozenset(words.casefold().split()) for language, words in told.items()}


class _Numbers(dict[str, int]):
    """The number of each word of a language met so far: of its stem, or SILENT."""

    def __init__(self, language: str) -> None:
        super().__init__()
        algorithm = _STEMMERS.get(language)
        self._stem = Stemmer.Stemmer(algorithm).stemWord if algorithm else str
        self._silent = stopwords(language)

    def __missing__(self, word: str) -> int:
        if len(self) > _REMEMBERED:
            self.clear()
        silent = word in self._silent or len(word) > _MAX_WORD
        number = SILENT if silent else crc32(self._stem(word).encode("utf-8", "replace"))
        self[word] = number
        return number


@cache
def _numbers(language: str) -> _Numbers:
    return _Numbers(language or "en")
