"""Terms: words without stopwords, stemmed, counted (BINGO!, section 2.2)."""

import re
from functools import cache
from zlib import crc32

import numpy as np
import numpy.typing as npt
import Stemmer
from msgspec import Struct

_WORD = re.compile(r"[^\W\d_]{2,}")
_MAX_WORD = 40
_REMEMBERED = 500_000  # words; the Web makes up new ones for ever
# English function words; they say nothing of a topic.
_STOPWORDS = frozenset(
    """
    a about above across after again against all almost also although always am among an and any are as
    at be because been before being below between both but by can cannot could did do does doing done
    down during each either else ever every few for from further had has have having he hence her here
    hers herself him himself his how however if in into is it its itself just less like may me might
    mine more most much must my myself neither no nor not now of off often on once one only onto or
    other others our ours ourselves out over own per perhaps rather same she should since so some such
    than that the their theirs them themselves then there therefore these they this those though through
    thus to together too toward under until up upon us used very was we were what when where whether
    which while who whom whose why will with within without would yet you your yours yourself
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


class Bag(Struct, frozen=True):
    """A sparse vector: term numbers in rising order, and how often each occurs."""

    terms: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint32]

    def pack(self) -> bytes:
        return self.terms.tobytes() + self.counts.tobytes()


def bag_of(text: str) -> Bag:
    """The terms of a text.

    A term's number is a hash of its stem, so that it means the same in every process and portal.
    """
    known = _numbers()
    numbers = np.array([known[word] for word in _WORD.findall(text.casefold())], np.int64)
    terms, counts = np.unique(numbers[numbers >= 0], return_counts=True)
    return Bag(terms.astype(np.uint32), counts.astype(np.uint32))


def unpack(packed: bytes) -> Bag:
    both = np.frombuffer(packed, np.uint32)
    half = len(both) // 2
    return Bag(both[:half], both[half:])


class _Numbers(dict[str, int]):
    """The number of each word met so far: of its stem, or -1 for a word that does not count."""

    def __init__(self) -> None:
        super().__init__()
        self._stem = Stemmer.Stemmer("porter").stemWord

    def __missing__(self, word: str) -> int:
        if len(self) > _REMEMBERED:
            self.clear()
        silent = word in _STOPWORDS or len(word) > _MAX_WORD
        number = -1 if silent else crc32(self._stem(word).encode("utf-8", "replace"))
        self[word] = number
        return number


@cache
def _numbers() -> _Numbers:
    return _Numbers()
