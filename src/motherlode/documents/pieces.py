"""What stands between the blanks of a text, all of it at once: where, its hash, and the number that is known
of it.

A dictionary of Python's own would do the same. But of the time that it takes for the two thousand pieces of a
page, most is spent waiting for memory: each has an object, and each lookup four places to visit. Here nothing
is copied out of the text, and a piece that is known has eight bytes in one table. What is left is the time
that numpy takes to begin: the fewer steps, the better.
"""

import secrets
from collections.abc import Iterator
from itertools import repeat

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
        if len(blocks) == 1:  # as a rule
            self.places, self.hashes = blocks[0]
        else:
            places, hashes = zip(*blocks, strict=True)
            self.places, self.hashes = np.concatenate(places), np.concatenate(hashes)

    def spelled(self, numbers: Places) -> list[bytes]:
        """The pieces of some numbers as they stand in the text."""
        starts = (self.places.take(numbers) + 1).tolist()
        ends = map(self._data.index, repeat(BLANK), starts)
        return [*map(self._data.__getitem__, map(slice, starts, ends))]


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """From where to where to look at a text in one go, each time beginning with a blank."""
    start = 0
    while start < len(data):
        end = data.find(BLANK, start + _BLOCK)
        end = end if end >= 0 else len(data)
        yield start, end
        start = end


def _hashed(block: bytes, offset: int) -> tuple[Places, Hashes]:
    """The place before each piece, and a hash of each: a polynomial in its bytes (Karp and Rabin, 1987).

    All of them come from one running sum over the block, by what is added from one place to the next.
    """
    codes = np.frombuffer(block + _LAST, np.uint8)
    inside = codes != 0
    places = (inside[1:] > inside[:-1]).nonzero()[0]
    powers = _POWERS if len(codes) <= len(_POWERS) else np.resize(_POWERS, len(codes))
    sums = codes * powers[: len(codes)]
    before = np.add.accumulate(sums, out=sums).take(places)  # where they stand: new memory is slow
    places = places[:-1]
    hashes = before[1:] - before[:-1]
    hashes *= _INVERSES.take(places, mode="wrap")  # as if each stood at the beginning
    return places + offset if offset else places, hashes


class Table:
    """Numbers by their hashes, each in one place: what comes to the place of another pushes it out. There are
    so many places that this seldom happens to what is often met.

    The first bits of a hash name the place. An entry is the number and the other bits in one: with those of
    the right hash taken out again, the number is left, and with others more than a number can be. One of the
    bits is always set, so that no entry is 0. To be taken for another, a hash must have 50 bits the same.
    """

    def __init__(self, bits: int) -> None:
        self._entries = np.zeros(1 << bits, np.uint64)
        self._bits = np.uint64(bits)
        self._other_bits = np.uint64(64 - bits)
        self._taken = np.uint64(1 << 32 - bits)

    def look_up(self, hashes: Hashes) -> tuple[Numbers, Places]:
        """The number of each, and the places of those that have none."""
        places, found = self._halves(hashes)
        found ^= self._entries.take(places)
        return found.astype(np.uint32), (found > _MOST_NUMBER).nonzero()[0]

    def add(self, hashes: Hashes, numbers: Numbers) -> None:
        """Take in numbers by their hashes. Of two that come to the same place at once, one is forgotten."""
        places, entries = self._halves(hashes)
        entries ^= numbers
        self._entries[places] = entries

    def _halves(self, hashes: Hashes) -> tuple[Places, Hashes]:
        """The place of each, and what else there is to it."""
        rest = hashes | self._taken
        rest <<= self._bits
        return (hashes >> self._other_bits).view(np.int64), rest
