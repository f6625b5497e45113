"""What stands between the blanks of a text, all of it at once: where, its hash, and the number that
is known of it.

A dictionary of Python's own would do the same. But of the time that it takes for the two thousand
pieces of a page, most is spent waiting for memory: each has an object, and each lookup four places
to visit. Here nothing is copied out of the text, and a piece that is known has eight bytes in one
table.
"""

import re
import secrets
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint32]
Hashes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]

BLANK = b"\0"  # what comes between pieces
_ASCII = 127
# Letters of ASCII become small, its other bytes blanks; what lies beyond is looked at when it is
# first met.
_FOLDED = np.array(
    [
        byte if byte > _ASCII else ord(chr(byte).lower()) if chr(byte).isalpha() else BLANK[0]
        for byte in range(256)
    ],
    np.uint8,
)
_FOLDED.setflags(write=False)
_BETWEEN = re.compile(rb"[^a-zA-Z\x80-\xff]")
_BLOCK = (
    2**15
)  # bytes that are looked at in one go: what is made of them fits into the processor's cache
# What hashes are polynomials in: another number in each process, so that nobody can make up words
# that are taken for others. Hashes are told to no one. Of odd numbers, these take longest to come
# back to 1.
_BASE = np.uint64(secrets.randbits(64) & ~7 | 5)


def blocks(text: bytes) -> Iterator[tuple[int, bytes]]:
    """A text in parts that can be looked at in one go, each with the place where it begins."""
    start = 0
    while len(text) - start > _BLOCK and (blank := _BETWEEN.search(text, start + _BLOCK)):
        yield start, text[start : blank.start()]
        start = blank.start()
    yield start, text[start:] if start else text


class Pieces:
    """The pieces of a text in UTF-8: the place behind each of them, and a hash of each."""

    def __init__(self, text: bytes) -> None:
        from motherlode.documents.text.kernels import split  # noqa: PLC0415 - loaded where documents are read

        self._text = np.frombuffer(text, np.uint8)
        self.ends: Places
        self.hashes: Hashes
        self.ends, self.hashes = split(self._text, _FOLDED, _BASE)

    def spelled(self, ends: Places) -> list[bytes]:
        """The pieces that end at some places, in small letters. All of their bytes are taken in one
        go.
        """
        from motherlode.documents.text.kernels import spelled  # noqa: PLC0415 - loaded where documents are read

        return spelled(self._text, _FOLDED, ends).tobytes().split(BLANK)[:-1]


class Table:
    """Numbers by their hashes, each in one of two places. What finds the first place taken goes to
    the other, and pushes out what is there: so two that are often met seldom stand in each other's
    way.

    The first bits of a hash name the place. An entry is the number and the other bits in one: with
    those of the right hash taken out again, the number is left, and with others more than a number
    can be. One of the bits is always set, so that no entry is 0. To be taken for another, a hash
    must have 49 bits the same.
    """

    def __init__(self, bits: int) -> None:
        self._entries = np.zeros(1 << bits, np.uint64)
        self._bits = np.uint64(bits)
        self._taken = np.uint64(1 << 32 - bits)

    def look_up(self, hashes: Hashes) -> tuple[Numbers, Places]:
        """The number of each, and the places of those that have none."""
        from motherlode.documents.text.kernels import look_up  # noqa: PLC0415 - loaded where documents are read

        return look_up(hashes, self._entries, self._bits, self._taken)

    def add(self, hashes: Hashes, numbers: Numbers) -> None:
        """Take in numbers by their hashes, one after the other."""
        from motherlode.documents.text.kernels import add  # noqa: PLC0415 - loaded where documents are read

        add(hashes, numbers, self._entries, self._bits, self._taken)
