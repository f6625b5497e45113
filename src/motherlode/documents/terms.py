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
from unicodedata import category, normalize
from zlib import crc32

import numpy as np
import numpy.typing as npt
import Stemmer
from msgspec import Struct

Numbers = npt.NDArray[np.uint32]

# Vowel signs and accents that are characters of their own belong to the letter before them.
_SIGNS = "".join(chr(code) for code in range(0x300, 0x1DC0) if category(chr(code)) in ("Mn", "Mc"))
_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{_SIGNS}])+")
_SOFT_HYPHEN = "\N{SOFT HYPHEN}"
_MAX_WORD = 40
_MAX_PIECE = 200  # bytes between two blanks; longer ones are not remembered
_REMEMBERED = 300_000  # pieces of a language; the Web makes up new ones for ever
_UNKNOWN = "und"  # the name of all languages that we know nothing of
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
    if (numbers == _SEVERAL).any():
        numbers = known.expand(pieces, numbers)
    return numbers[numbers > _SEVERAL]


def spell(wanted: Iterable[int], text: str, language: str = "en") -> dict[int, str]:
    """The words that term numbers stand for in a text, the most frequent of each."""
    known, sought = _numbers(language), set(wanted)
    words = Counter(word for word in _words(text) if known.number(word) in sought)
    found: dict[int, str] = {}
    for word, _ in words.most_common():
        found.setdefault(known.number(word), word)
    return found


def _words(text: str) -> list[str]:
    """The words of a text, each spelled in one way."""
    folded = text.casefold()
    if not folded.isascii():
        folded = normalize("NFC", folded.replace(_SOFT_HYPHEN, ""))
    return _WORD.findall(folded)


def stopwords(language: str) -> frozenset[str]:
    """The words of a language that say nothing; none, where we have no list."""
    return function_words().get(language, frozenset())


@cache
def function_words() -> dict[str, frozenset[str]]:
    """The function words of each language that we have a list of."""
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
        self._several: dict[bytes, list[int]] = {}

    def __missing__(self, piece: bytes) -> int:
        if len(piece) > _MAX_PIECE:  # a page without blanks, as in Chinese: it will hardly come again
            return _SEVERAL
        if len(self) > _REMEMBERED:
            self.clear()
            self._several.clear()
        numbers = self._numbers_in(piece)
        number = numbers[0] if len(numbers) == 1 else _SILENT
        if len(numbers) > 1:
            number, self._several[piece] = _SEVERAL, numbers
        self[piece] = number
        return number

    def _numbers_in(self, piece: bytes) -> list[int]:
        return [self.number(word) for word in _words(piece.decode())]

    def number(self, word: str) -> int:
        """The number of a word."""
        if word in self._silent or len(word) > _MAX_WORD:
            return _SILENT
        hashed = crc32(self._stem(word).encode("utf-8", "replace"))
        return hashed if hashed > _SEVERAL else hashed + 2  # those two mean something else

    def expand(self, pieces: list[bytes], numbers: Numbers) -> Numbers:
        """The numbers, with those of several words in place of the pieces that hold them."""
        parts, start = [], 0
        for place in np.flatnonzero(numbers == _SEVERAL).tolist():
            piece = pieces[place]
            inside = self._several.get(piece) or self._numbers_in(piece)
            parts += [numbers[start:place], np.array(inside, np.uint32)]
            start = place + 1
        return np.concatenate([*parts, numbers[start:]])


def _numbers(language: str) -> _Numbers:
    """The numbers of a language; without a name it is English, and those that we know nothing of are one."""
    return _numbers_of(language if not language or language in _STEMMERS else _UNKNOWN)


@cache
def _numbers_of(language: str) -> _Numbers:
    return _Numbers(language or "en")
