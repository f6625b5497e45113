"""Text as the index and the queries to it have it: every letter is spelled in one way (NFC),
letters that were printed as one are apart, and signs that are words of their own have blanks around
them.
"""

from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from motherlode.documents.text.ideographs import spaced

_SOFT_HYPHEN = "\N{SOFT HYPHEN}"
# What PDF has for letters that a printer joined.
_JOINED = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_APART = str.maketrans(_JOINED)
# In UTF-8, whatever could be spelled otherwise begins with 0xCC or above. So do the dashes and
# quotation marks that are everywhere: with 0xE2 0x80, after which there is nothing but signs like
# them.
_LEAD, _DOUBTFUL = 0xC2, 0xCC
_HIDDEN = (0xC2, 0xAD)
_DASH = (0xE2, 0x80)
_BLANK = 0x20


def lettered(text: str) -> str:
    """The text in that form.

    >>> lettered("cafe\\u0301 in 東京: \\ufb01sh").split()
    ['café', 'in', '東', '京', ':', 'fish']
    """
    return text if text.isascii() else spaced(_spelled(text))


def spelled(utf8: bytes) -> bytes:
    """Many lines of text with every letter spelled in one way, and blanks for dashes and quotation
    marks: most have none but plain letters then, which is less work for all who come after.

    Only those lines are taken apart that may have to be changed; it takes long lists of them to be
    worth it.

    >>> spelled("a \\u2013 b\\ncafe\\u0301".encode()).decode()
    'a     b\\ncafé'
    """
    if utf8.isascii():
        return utf8
    signs = np.frombuffer(bytearray(utf8), np.uint8)
    doubtful = _dashed(signs)
    return _respelled(signs.tobytes(), doubtful)


def _dashed(signs: npt.NDArray[np.uint8]) -> list[int]:
    """Put blanks for dashes. Returns where letters begin that may have to be spelled otherwise."""
    leads = np.flatnonzero(signs >= _LEAD)
    first, second = signs[leads], signs[leads + 1]
    is_dash = (first == _DASH[0]) & (second == _DASH[1])
    is_hidden = (first == _HIDDEN[0]) & (second == _HIDDEN[1])
    dashes = leads[is_dash]
    signs[dashes] = signs[dashes + 1] = signs[dashes + 2] = _BLANK
    doubtful: list[int] = leads[((first >= _DOUBTFUL) & ~is_dash) | is_hidden].tolist()
    return doubtful


def _respelled(utf8: bytes, places: list[int]) -> bytes:
    """The lines that have these places with all letters in one spelling, the others as they are."""
    parts: list[bytes] = []
    done = 0
    for place in places:
        if place >= done:
            start = utf8.rfind(b"\n", done, place) + 1 or done
            end = utf8.find(b"\n", place) % (len(utf8) + 1)  # of the last line, where the text ends
            parts += [utf8[done:start], _spelled(utf8[start:end].decode()).encode()]
            done = end
    return b"".join([*parts, utf8[done:]])


def _spelled(text: str) -> str:
    if any(map(text.__contains__, _JOINED)):
        text = text.translate(_APART)
    return normalize("NFC", text.replace(_SOFT_HYPHEN, ""))
