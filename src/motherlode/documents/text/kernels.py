"""Loops over each byte of a text and each number of a page, compiled by numba.

In numpy each of these is a dozen passes, and most of a page's time would go into beginning them.
All are compiled for the one kind of arguments that they are called with, when this module is
loaded: no document may be what a compiler is waited for. To load them takes half a second, so that
is done where documents are read, and nowhere else.
"""
# ruff: noqa: PLR2004 - bytes of UTF-8 are meant

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit, types

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.uint32]
Hashes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]

F = TypeVar("F", bound=Callable[..., Any])

_READ = types.Array(types.uint8, 1, "C", readonly=True)
_BYTES, _PLACES = types.uint8[::1], types.int64[::1]
_NUMBERS, _HASHES = types.uint32[::1], types.uint64[::1]
_BITS = types.uint64

_MOST_NUMBER = np.uint64(2**32 - 1)
_ODD, _MIX, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(31)
_ZERO, _NEWLINE, _SPACE, _BEYOND = np.uint8(0), np.uint8(0x0A), np.uint8(0x20), np.uint8(0x80)
# Places that are no signed numbers: numba would ask each time whether they count from the end.
_NONE, _ONE = np.uint64(0), np.uint64(1)


def _compiled(result: Any, *arguments: Any) -> Callable[[F], F]:
    """Compile a function for arguments of these types, and keep that for the next time if there is
    a folder where it can be kept: else each process compiles for itself, which takes some seconds.
    """
    several: Any = types.Tuple
    signature = (several(result) if isinstance(result, tuple) else result)(*arguments)

    def compiled(function: F) -> F:
        try:
            made: F = njit(signature, cache=True)(function)
        except (
            RuntimeError
        ):  # neither beside this file nor among the user's own can anything be written
            made = njit(signature)(function)
        return made

    return compiled


@_compiled(types.boolean, _READ, types.int64)
def _parts(text: Bytes, place: int) -> bool:
    """Whether a byte is of a character beyond ASCII that no word has in it: of U+2000 to U+203F,
    which are dashes, quotation marks and blanks, or of U+00A0.
    """
    code = text[place]
    before = text[place - 1] if place > 0 else 0
    behind = text[place + 1] if place + 1 < len(text) else 0
    if code == 0xE2:
        return bool(behind == 0x80)
    if code == 0xC2:
        return bool(behind == 0xA0)
    if before == 0xE2:
        return bool(code == 0x80)
    if before == 0xC2:
        return bool(code == 0xA0)
    return bool(before == 0x80 and place > 1 and text[place - 2] == 0xE2)


@_compiled((_PLACES, _HASHES), _READ, _READ, _BITS)
def split(text: Bytes, folded: Bytes, base: np.uint64) -> tuple[Places, Hashes]:
    """Where each piece of a text ends, and its hash: a polynomial in its bytes as they are folded
    (Karp and Rabin, 1987). Between pieces stands what is folded to 0, and what parts words beyond
    ASCII.

    Nothing is decided by a jump but what seldom comes: no processor can tell where the next word
    ends.
    """
    ends, hashes = np.empty(len(text) // 2 + 2, np.int64), np.empty(len(text) // 2 + 2, np.uint64)
    found, hashed, within = _NONE, np.uint64(0), False
    for place in range(len(text)):
        code = folded[text[place]]
        if code >= _BEYOND and _parts(text, place):
            code = _ZERO
        inside = code != _ZERO
        ends[found], hashes[found] = place, hashed
        found += np.uint64(within & (not inside))
        hashed = (hashed + np.uint64(code)) * base if inside else np.uint64(0)
        within = inside
    ends[found], hashes[found] = len(text), hashed
    found += np.uint64(within)
    return ends[:found], hashes[:found]


@_compiled((_NUMBERS, _PLACES), _HASHES, _HASHES, _BITS, _BITS)
def look_up(
    hashes: Hashes, entries: Hashes, bits: np.uint64, taken: np.uint64
) -> tuple[Numbers, Places]:
    """The number of each hash in a table, and the places of those that have none."""
    numbers, missed = np.empty(len(hashes), np.uint32), np.empty(len(hashes), np.int64)
    missing = 0
    for place in range(len(hashes)):
        first = hashes[place] >> (np.uint64(64) - bits)
        rest = (hashes[place] | taken) << bits
        found = entries[first] ^ rest
        if found > _MOST_NUMBER:
            found = entries[first ^ np.uint64(1)] ^ rest
        numbers[place] = found
        missed[missing] = place
        missing += found > _MOST_NUMBER
    return numbers, missed[:missing]


@_compiled(_BYTES, _READ, _READ, _PLACES)
def spelled(text: Bytes, folded: Bytes, ends: Places) -> Bytes:
    """The pieces that end at some places, folded, each with a blank behind it."""
    starts, size = np.empty(len(ends), np.int64), 0
    for number in range(len(ends)):
        start = ends[number] - 1
        while start > 0 and folded[text[start - 1]] != 0 and not _parts(text, start - 1):
            start -= 1
        starts[number] = start
        size += ends[number] - start + 1
    taken, size = np.zeros(size, np.uint8), 0
    for number in range(len(ends)):
        for place in range(starts[number], ends[number]):
            taken[size] = folded[text[place]]
            size += 1
        size += 1
    return taken


@_compiled(types.void, _HASHES, _NUMBERS, _HASHES, _BITS, _BITS)
def add(
    hashes: Hashes, numbers: Numbers, entries: Hashes, bits: np.uint64, taken: np.uint64
) -> None:
    """Take numbers into a table by their hashes."""
    for place in range(len(hashes)):
        first = hashes[place] >> (np.uint64(64) - bits)
        entry = ((hashes[place] | taken) << bits) ^ np.uint64(numbers[place])
        if entries[first] != 0 and entries[first] != entry:
            first ^= np.uint64(1)
        entries[first] = entry


@_compiled((_NUMBERS, _PLACES), _NUMBERS, _PLACES, _PLACES)
def counting(numbers: Numbers, ends: Places, borders: Places) -> tuple[Numbers, Places]:
    """The numbers of pieces that are not 0; and how many of them end before each of some places,
    which rise.
    """
    found, places = np.empty(len(numbers), np.uint32), np.empty(len(borders), np.int64)
    size = part = 0
    for place in range(len(numbers)):
        while part < len(borders) and ends[place] > borders[part]:
            places[part] = size
            part += 1
        found[size] = numbers[place]
        size += numbers[place] != 0
    places[part:] = size
    return found[:size], places


@_compiled(_HASHES, _NUMBERS, types.int64, _BITS)
def runs(sequence: Numbers, length: int, most: np.uint64) -> Hashes:
    """A number of 64 bits for each run of so many terms, of those that are not greater than the
    most.
    """
    found, size = np.empty(len(sequence), np.uint64), 0
    for place in range(len(sequence) - length + 1):
        mixed = np.uint64(sequence[place])
        for step in range(1, length):
            mixed = mixed * _ODD + np.uint64(sequence[place + step])
        mixed = (mixed ^ (mixed >> _SHIFT)) * _MIX
        mixed ^= mixed >> _SHIFT
        found[size] = mixed
        size += int(mixed <= most)
    return found[:size]


@_compiled((_BITS, types.int64), _HASHES, types.int64)
def majority(ordered: Hashes, most: int) -> tuple[np.uint64, int]:
    """The bits that more than half of some numbers have set, and how many there are. They come in
    order: each counts once, and of many the smallest.
    """
    votes, voters = np.zeros(64, np.int64), 0
    for place in range(len(ordered)):
        if voters < most and (place == 0 or ordered[place] != ordered[place - 1]):
            voters += 1
            for bit in range(64):
                votes[bit] += np.int64((ordered[place] >> np.uint64(bit)) & np.uint64(1))
    decided = np.uint64(0)
    for bit in range(64):
        decided |= np.uint64(votes[bit] > voters // 2) << np.uint64(bit)
    return decided, voters


@_compiled((_NUMBERS, types.int64), _NUMBERS)
def counted(ordered: Numbers) -> tuple[Numbers, int]:
    """How many different numbers there are in a sorted sequence; first each of them, then how often
    it is there.
    """
    found, starts, size = np.empty(len(ordered), np.uint32), np.empty(len(ordered) + 1, np.int64), 0
    for place in range(len(ordered)):
        fresh = place == 0 or ordered[place] != ordered[place - 1]
        found[size], starts[size] = ordered[place], place
        size += fresh
    starts[size] = len(ordered)
    both = np.empty(2 * size, np.uint32)
    for number in range(size):
        both[number] = found[number]
        both[size + number] = starts[number + 1] - starts[number]
    return both, size


@_compiled(types.int64, _READ, types.int64)
def _white(text: Bytes, place: int) -> int:
    """How many bytes of white space, as Unicode has it, begin at a place: those of one character,
    or none.
    """
    code = text[place]
    if code < _BEYOND:
        return int(0x09 <= code <= 0x0D or 0x1C <= code <= 0x20)
    second = text[place + 1] if place + 1 < len(text) else 0
    if code == 0xC2:
        return 2 if second in (0x85, 0xA0) else 0
    if code < 0xE1 or code > 0xE3 or place + 2 >= len(text):
        return 0
    number = (code & 0x0F) << 12 | (second & 0x3F) << 6 | (text[place + 2] & 0x3F)
    if 0x2000 <= number <= 0x205F:
        return 3 if number <= 0x200A or number in (0x2028, 0x2029, 0x202F, 0x205F) else 0
    return 3 if number in (0x1680, 0x3000) else 0


@_compiled(_PLACES, _BYTES, _PLACES)
def _characters(text: Bytes, places: Places) -> Places:
    """How many characters come before each of some places, which rise."""
    found, count, before = np.empty(len(places), np.int64), 0, 0
    for number in range(len(places)):
        for place in range(before, places[number]):
            count += (text[place] & 0xC0) != _BEYOND  # else it is not the first byte of one
        found[number], before = count, places[number]
    return found


@_compiled((_BYTES, _PLACES), _READ, types.int64)
def tidied(text: Bytes, parts: int) -> tuple[Bytes, Places]:
    """A text in UTF-8, of so many parts with a 0 behind each: its lines without white space around
    them, none of them empty, and with one blank where there were several. And how many of its
    characters come before the end of each part, with that of its last line.

    Blanks are decided on without a jump: no processor can tell where the next word ends.
    """
    taken, ends, part = np.empty(len(text), np.uint8), np.zeros(parts, np.int64), 0
    size = start = kept = (
        _NONE  # of what is taken, a line begins at the start, and its words end at `kept`
    )
    before = _SPACE  # what stood before: where a line begins, as good as a blank
    white_until = 0
    for place in range(len(text)):
        code = text[place]
        if _SPACE <= code < _BEYOND:
            blank = code == _SPACE
            taken[size] = code
            size += np.uint64((not blank) | (before != _SPACE))
            kept = kept if blank else size
            before = code
        elif code in (_NEWLINE, _ZERO):
            size = kept
            if size > start:
                taken[size] = _NEWLINE
                size += _ONE
            start = kept = size
            before = _SPACE
            if code == _ZERO and part < parts:
                ends[part] = size
                part += 1
        else:
            white_until = max(white_until, place + _white(text, place))
            if place >= white_until or size > start:
                taken[size] = code
                size += _ONE
                before = _ZERO
            kept = kept if place < white_until else size
    return taken[: max(np.int64(size) - 1, 0)], _characters(taken, ends)
