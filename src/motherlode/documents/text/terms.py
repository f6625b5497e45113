"""Terms: words without stopwords, stemmed by their language, counted (BINGO!, section 2.2; SPEC
B4).

A term's number is a hash of its stem, so that it means the same in every process and portal, and no
table of words has to be kept. Which word a number stands for is asked seldom, and of a text that
has it (`spell`).
"""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate, chain, pairwise, repeat
from unicodedata import category, normalize
from zlib import crc32

import numpy as np
import Stemmer
from msgspec import Struct

from motherlode.documents.text.ideographs import has_ideographs, parted, parts
from motherlode.documents.text.tokens import BLANK, Numbers, Pieces, Places, Table, blocks

# Vowel signs and accents that are characters of their own belong to the letter before them.
SIGNS = "".join(chr(code) for code in range(0x300, 0x1DC0) if category(chr(code)) in ("Mn", "Mc"))
_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{SIGNS}])+")
_SOFT_HYPHEN = "\N{SOFT HYPHEN}"
_MAX_WORD = 40
_REMEMBERED = 19  # a power of two: of pieces that are remembered, in 4 MB
_UNKNOWN = "und"  # the name of all languages that we know nothing of
_BLANK = BLANK.decode()
_SILENT = 0  # the number of what does not count

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
    from motherlode.documents.text.kernels import counted  # noqa: PLC0415 - loaded where documents are read

    both, size = counted(np.sort(numbers))
    return Bag(both[:size], both[size:])


def bag_of(text: str, language: str = "en") -> Bag:
    """The terms of a text."""
    return count(sequence_of(text, language))


def sequence_of(text: str, language: str = "en") -> Numbers:
    """The terms of a text in order, without the words that do not count."""
    return sequences_of([text], language)[0]


def sequences_of(texts: Sequence[str], language: str = "en") -> list[Numbers]:
    """The same of several texts, which costs little more than of one."""
    from motherlode.documents.text.kernels import counting  # noqa: PLC0415 - loaded where documents are read

    encoded = [_encoded(text) for text in texts]
    numbers, ends, several = _numbers(language).of(BLANK.join(encoded))
    borders = np.array([*accumulate(len(text) + 1 for text in encoded)], np.int64)
    if several:
        places = ends.searchsorted(borders, "right").tolist()
        return [_spread(numbers, several, start, end) for start, end in pairwise([0, *places])]
    found, counted = counting(numbers, ends, borders)
    return [found[start:end] for start, end in pairwise([0, *counted.tolist()])]


def _spread(numbers: Numbers, several: dict[int, list[int]], start: int, end: int) -> Numbers:
    """The numbers from one place to another, several where there are several, of those words that
    count.
    """
    parts = []
    for place, inside in several.items():
        if start <= place < end:
            parts += [numbers[start:place], np.array(inside, np.uint32)]
            start = place + 1
    found = np.concatenate([*parts, numbers[start:end]])
    return found.compress(found != _SILENT)


def spell(wanted: Iterable[int], text: str, language: str = "en") -> dict[int, str]:
    """The words that term numbers stand for in a text, the most frequent of each."""
    known, sought = _numbers(language), set(wanted)
    words = Counter(word for word in _words(text) if known.number(word) in sought)
    found: dict[int, str] = {}
    for word, _ in words.most_common():
        found.setdefault(known.number(word), word)
    return found


def places_of(
    wanted: Collection[int], text: str, language: str = "en"
) -> Iterator[tuple[int, int, int]]:
    """Where the words of these term numbers stand in a text: from, to, and which number it is."""
    known = _numbers(language)
    for found in _WORD.finditer(text):
        for start, end in parted(found[0]) if has_ideographs(found[0]) else ((0, len(found[0])),):
            number = known.number(normalize("NFC", found[0][start:end].casefold()))
            if number in wanted:
                yield found.start() + start, found.start() + end, number


def number_of(word: str, language: str = "en") -> int:
    """The number of a single word; 0, if it does not count."""
    return _numbers(language).number(_folded(word))


def stem_of(word: str, language: str = "en") -> str:
    """The stem of a single word; nothing, if it does not count."""
    return _numbers(language).stem(_folded(word))


def has_stemmer(language: str) -> bool:
    """Whether we know the endings of a language; without a name it is English."""
    return not language or language in _STEMMERS


def sharing(number: int, words: Sequence[str], language: str = "en") -> list[str]:
    """Those of these words, or of what they have before a digit, that have this number."""
    lettered = [found[0] if (found := _WORD.match(_folded(word))) else "" for word in words]
    numbers = _numbers(language).counting(lettered)
    return [
        word
        for word, letters in zip(words, lettered, strict=True)
        if numbers.get(letters) == number
    ]


def _words(text: str) -> list[str]:
    """The words of a text, each spelled in one way."""
    folded = _folded(text)
    return _parts(folded) if has_ideographs(folded) else _WORD.findall(folded)


def _parts(folded: str) -> list[str]:
    """The words of a text that has ideographs, of which two are one, and one is none."""
    return [part for word in _WORD.findall(folded) for part in parts(word)]


def _folded(text: str) -> str:
    folded = text.casefold()
    return folded if folded.isascii() else normalize("NFC", folded.replace(_SOFT_HYPHEN, ""))


def stopwords(language: str) -> frozenset[str]:
    """The words of a language that say nothing; none, where we have no list."""
    return function_words().get(language, frozenset())


@cache
def function_words() -> dict[str, frozenset[str]]:
    """The function words of each language that we have a list of."""
    told = tomllib.loads((files("motherlode.documents.text") / "stopwords.toml").read_text("utf-8"))
    return {language: frozenset(words.casefold().split()) for language, words in told.items()}


class _Numbers:
    """The numbers of a language's words, and of the pieces of text met of late.

    The number of a piece is that of its stem, if it holds one word, as a rule.
    """

    def __init__(self, language: str) -> None:
        algorithm = _STEMMERS.get(language)
        self._stems = (
            Stemmer.Stemmer(algorithm, 0).stemWords if algorithm else list
        )  # its own memory is slow
        self._silent = {word.encode() for word in stopwords(language)}
        self._known = Table(_REMEMBERED)

    def of(self, text: bytes) -> tuple[Numbers, Places, dict[int, list[int]]]:
        """The number of each piece of a text, the place behind it, and the numbers of those that
        hold several words. What a part of the text has taught, the next one knows.
        """
        parts, behind, several, before = [], [], dict[int, list[int]](), 0
        for start, block in blocks(text):
            pieces = Pieces(block)
            numbers, unknown = self._known.look_up(pieces.hashes)
            if len(unknown):
                numbers[unknown], others = self._learned(pieces, unknown)
                several |= {place + before: inside for place, inside in others.items()}
            parts.append(numbers)
            behind.append(pieces.ends + start)
            before += len(numbers)
        if len(parts) == 1:  # as a rule
            return parts[0], behind[0], several
        return np.concatenate(parts), np.concatenate(behind), several

    def _learned(self, pieces: Pieces, places: Places) -> tuple[Numbers, dict[int, list[int]]]:
        """The numbers of the pieces at some places, which were not known until now, and of those
        that hold several words, by their places. What can be done for all of them at once is:
        alone, each would take twice as long.
        """
        spelled, hashes = pieces.spelled(pieces.ends.take(places)), pieces.hashes.take(places)
        distinct = {*spelled}
        # Of ASCII, small letters are left: one word. Anything else may hold several that count, or
        # none.
        odd = self._words_in([piece for piece in distinct if not piece.isascii()])
        plain = distinct.difference(odd) if odd else distinct
        words = [piece for piece in plain - self._silent if 1 < len(piece) <= _MAX_WORD]
        numbers = self._stemmed([*words, *chain.from_iterable(odd.values())])
        several = {piece: words for piece, words in odd.items() if len(words) > 1}
        numbers |= {piece: numbers[words[0]] for piece, words in odd.items() if words}
        learned = np.fromiter(map(numbers.get, spelled, repeat(_SILENT)), np.uint32, len(spelled))
        if not several:  # as a rule
            self._known.add(hashes, learned)
            return learned, {}
        single = np.array([piece not in several for piece in spelled])
        self._known.add(hashes.compress(single), learned.compress(single))
        held = zip(places.tolist(), spelled, strict=True)
        return learned, {
            place: [numbers[word] for word in several[piece]]
            for place, piece in held
            if piece in several
        }

    def _words_in(self, pieces: list[bytes]) -> dict[bytes, list[bytes]]:
        """The words that count, of those that each piece holds."""
        if not pieces:
            return {}
        folded = _folded(BLANK.join(pieces).decode())
        words_in = _parts if has_ideographs(folded) else _WORD.findall
        found = {}
        for piece, spelled in zip(pieces, folded.split(_BLANK), strict=True):
            words = [_encoded(word) for word in words_in(spelled) if len(word) <= _MAX_WORD]
            found[piece] = [word for word in words if word not in self._silent]
        return found

    def number(self, word: str) -> int:
        """The number of a word."""
        return self.counting([word]).get(word, _SILENT)

    def stem(self, word: str) -> str:
        """The stem of a word; nothing, if it does not count."""
        return self._stems([_encoded(word)])[0].decode() if self.counting([word]) else ""

    def counting(self, words: Iterable[str]) -> dict[str, int]:
        """The numbers of words, of those that count."""
        encoded = {word: _encoded(word) for word in words if 1 < len(word) <= _MAX_WORD}
        numbers = self._stemmed([word for word in encoded.values() if word not in self._silent])
        return {word: numbers[said] for word, said in encoded.items() if said in numbers}

    def _stemmed(self, words: list[bytes]) -> dict[bytes, int]:
        """The numbers of words that count."""
        numbers = dict(zip(words, map(crc32, self._stems(words)), strict=True))
        if _SILENT in numbers.values():  # never seen, and possible
            numbers = {word: number or 1 for word, number in numbers.items()}
        return numbers


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "replace")


def _numbers(language: str) -> _Numbers:
    """The numbers of a language; without a name it is English, and those that we know nothing of
    are one.
    """
    return _numbers_of(language if not language or language in _STEMMERS else _UNKNOWN)


@cache
def _numbers_of(language: str) -> _Numbers:
    return _Numbers(language or "en")
