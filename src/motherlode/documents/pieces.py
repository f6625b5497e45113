"""What stands between the blanks of a text, all of it at once: where, its hash, and the number that is known
of it.

A dictionary of Python's own would do the same. But of the time that it takes for the two thousand pieces of a
page, most is spent waiting for memory: each has an object, and each lookup four places to visit. Here nothing
is copied out of the text, and a piece that is known has eight bytes in one table. What is left is the time
that numpy takes to begin: the fewer steps, the better.
"""

import secrets
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint32]
Hashes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]

BLANK = b"\0"  # what comes between pieces: as a number, it adds nothing to a sum
_LAST = b"\0."  # a piece behind all others
_BLOCK = 2**15  # bytes that are looked at in one go: what is made of them fits into the processor's cache
# What hashes are polynomials in: another number in each process, so that nobody can make up words that are
# taken for others. Hashes are told to no one. Of odd numbers, these take longest to come back to 1.
_BASE = secrets.randbits(64) & ~7 | 5
_MOST_NUMBER = np.uint64(2**32 - 1)


def _powers(base: int) -> Hashes:
    """The powers of a number from the first on, modulo 2^64."""
    return np.cumprod(np.full(_BLOCK + 1024, base, np.uint64), dtype=np.uint64)


_POWERS, _INVERSES = _powers(_BASE), _powers(pow(_BASE, -1, 2**64))


class Pieces:
    """The pieces of a text: the place before each of them, and a hash of each."""

    def __init__(self, data: bytes) -> None:
        self._data = b"%b%b%b" % (BLANK, data, BLANK)
        blocks = [_hashed(self._data[start:end], start) for start, end in _blocks(self._data)]
        self.places: Places
        self.hashes: Hashes
        self._next: Places
        if len(blocks) == 1:  # as a rule
            self.places, self._next, self.hashes = blocks[0]
        else:
            self.places, self._next, self.hashes = map(np.concatenate, zip(*blocks, strict=True))

    def spelled(self, numbers: Places) -> list[bytes]:
        """The pieces of some numbers as they stand in the text. All of their bytes are taken in one go."""
        starts, ends = self.places.take(numbers), self._next.take(numbers)
        sizes = ends - starts
        places = (ends - np.add.accumulate(sizes)).repeat(sizes)
        places += np.arange(1, len(places) + 1)
        taken = np.frombuffer(self._data, np.uint8).take(places, mode="clip").tobytes()
        return [*filter(None, taken.split(BLANK))]  # each came with the blanks behind it


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """From where to where to look at a text in one go, each time beginning with a blank."""
    start = 0
    while start < len(data):
        end = data.find(BLANK, start + _BLOCK)
        end = end if end >= 0 else len(data)
        yield start, end
        start = end


def _hashed(block: bytes, offset: int) -> tuple[Places, Places, Hashes]:
    """The place before each piece, that before the next, and a hash: a polynomial in its bytes (Karp and
    Rabin, 1987).

    All of them come from one running sum over the block, by what is added from one place to the next.
    """
    codes = np.frombuffer(block + _LAST, np.uint8)
    inside = codes != 0
    places = (inside[1:] > inside[:-1]).nonzero()[0]
    powers = _POWERS if len(codes) <= len(_POWERS) else np.resize(_POWERS, len(codes))
    sums = codes * powers[: len(codes)]
    before = np.add.accumulate(sums, out=sums).take(places)  # where they stand: new memory is slow
    hashes = before[1:] - before[:-1]
    hashes *= _INVERSES.take(places[:-1], mode="wrap")  # as if each stood at the beginning
    places += offset
    return places[:-1], places[1:], hashes


class Table:
    """Numbers by their hashes, each in one of two places. What finds the first place taken goes to the other,
    and pushes out what is there: so two that are often met seldom stand in each other's way.

    The first bits of a hash name the place. An entry is the number and the other bits in one: with those of
    the right hash taken out again, the number is left, and with others more than a number can be. One of the
    bits is always set, so that no entry is 0. To be taken for another, a hash must have 49 bits the same.
    """

    def __init__(self, bits: int) -> None:
        self._entries = np.zeros(1 << bits, np.uint64)
        self._bits = np.uint64(bits)
        self._other_bits = np.uint64(64 - bits)
        self._taken = np.uint64(1 << 32 - bits)

    def look_up(self, hashes: Hashes) -> tuple[Numbers, Places]:
        """The number of each, and the places of those that have none."""
        places, rest = self._halves(hashes)
        found = rest ^ self._entries.take(places)
        missed = (found > _MOST_NUMBER).nonzero()[0]
        if len(missed):
            others = self._entries.take(places.take(missed) ^ 1)
            others ^= rest.take(missed)
            found[missed] = others
            missed = missed.compress(others > _MOST_NUMBER)
        return found.astype(np.uint32), missed

    def add(self, hashes: Hashes, numbers: Numbers) -> None:
        """Take in numbers by their hashes. Of two that come to the same place at once, one is forgotten."""
        places, entries = self._halves(hashes)
        entries ^= numbers
        places ^= self._entries.take(places) != 0
        self._entries[places] = entries

    def _halves(self, hashes: Hashes) -> tuple[Places, Hashes]:
        """The place of each, and what else there is to it."""
        rest = hashes | self._taken
        rest <<= self._bits
        return (hashes >> self._other_bits).view(np.int64), rest
