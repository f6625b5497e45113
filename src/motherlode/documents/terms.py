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

Numbers = npt.NDArray[np.uint32]

_WORD = re.compile(r"[^\W\d_]{2,}")
_MAX_WORD = 40
_MAX_PIECE = 200  # bytes between two blanks; longer ones are no words
_REMEMBERED = 300_000  # pieces of a language; the Web makes up new ones for ever
_SILENT, _SEVERAL = 0, 1  # the number of a piece that does not count, and of one that holds several words
_ASCII = 127
# Bytes of ASCII that are no letters become blanks; what lies beyond ASCII is looked at when it is first met.
_BLANKS = bytes(byte if byte > _ASCII or chr(byte).isalpha() else 0x20 for byte in range(256))

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

    terms: Numbers
    counts: Numbers

    def __len__(self) -> int:
        return len(self.terms)

    def pack(self) -> bytes:
        return self.terms.tobytes() + self.counts.tobytes()


def unpack(packed: bytes) -> Bag:
    both = np.frombuffer(packed, np.uint32)
    half = len(both) // 2
    return Bag(both[:half], both[half:])


def count(numbers: Numbers) -> Bag:
    """The bag of a sequence of term numbers."""
    terms, counts = np.unique(numbers, return_counts=True)
    return Bag(terms, counts.astype(np.uint32))


def bag_of(text: str, language: str = "en") -> Bag:
    """The terms of a text."""
    return count(sequence_of(text, language))


def sequence_of(text: str, language: str = "en") -> Numbers:
    """The terms of a text in order, without the words that do not count."""
    known = _numbers(language)
    pieces = text.encode("utf-8", "replace").translate(_BLANKS).split()
    numbers = np.fromiter(map(known.__getitem__, pieces), np.uint32, len(pieces))
    if known.several and (numbers == _SEVERAL).any():
        numbers = known.expand(pieces, numbers)
    return numbers[numbers > _SEVERAL]


def spell(wanted: Iterable[int], text: str, language: str = "en") -> dict[int, str]:
    """The words that term numbers stand for in a text, the most frequent of each."""
    known, sought = _numbers(language), set(wanted)
    words = Counter(word for word in _WORD.findall(text.casefold()) if known.number(word) in sought)
    found: dict[int, str] = {}
    for word, _ in words.most_common():
        found.setdefault(known.number(word), word)
    return found


@cache
def stopwords(language: str) -> frozenset[str]:
    """The words of a language that say nothing; none, where we have no list."""
    return _stopword_lists().get(language, frozenset())


@cache
def _stopword_lists() -> dict[str, frozenset[str]]:
    told = tomllib.loads((files("motherlode.documents") / "stopwords.toml").read_text("utf-8"))
    return {language: frozenset(words.casefold().split()) for language, words in told.items()}


class _Numbers(dict[bytes, int]):
    """The number of each piece of text of a language met so far: of its stem, or that it counts for none, or
    for several. A word is met in each of its spellings: folding the case of all text would cost more."""

    def __init__(self, language: str) -> None:
        super().__init__()
        algorithm = _STEMMERS.get(language)
        self._stem = Stemmer.Stemmer(algorithm).stemWord if algorithm else str
        self._silent = stopwords(language)
        self.several: dict[bytes, list[int]] = {}

    def __missing__(self, piece: bytes) -> int:
        if len(self) > _REMEMBERED:
            self.clear()
            self.several.clear()
        words = _WORD.findall(piece.decode().casefold()) if len(piece) <= _MAX_PIECE else []
        number = self.number(words[0]) if len(words) == 1 else _SILENT
        if len(words) > 1:
            number, self.several[piece] = _SEVERAL, [self.number(word) for word in words]
        self[piece] = number
        return number

    def number(self, word: str) -> int:
        """The number of a word."""
        if word in self._silent or len(word) > _MAX_WORD:
            return _SILENT
        hashed = crc32(self._stem(word).encode("utf-8", "replace"))
        return hashed if hashed > _SEVERAL else hashed + 2  # those two mean something else

    def expand(self, pieces: list[bytes], numbers: Numbers) -> Numbers:
        """The numbers, with those of several words in place of the pieces that hold them."""
        wholes = (
            self.several.get(piece, ()) if number == _SEVERAL else (number,)
            for piece, number in zip(pieces, numbers.tolist(), strict=True)
        )
        return np.fromiter((number for whole in wholes for number in whole), np.uint32)


@cache
def _numbers(language: str) -> _Numbers:
    return _Numbers(language or "en")
