"""Writing that does not part its words: Chinese and Japanese, and Korean, whose words carry their
particles.

Nobody says where a word ends, so every two neighbouring signs count as one, in documents and
queries alike. What has none of these signs pays for looking at its bytes once.
"""

import re
from collections.abc import Iterator
from operator import add

# Han, the Japanese syllables, Bopomofo, and Hangul with its letters.
_SIGNS = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_SIGN = re.compile(f"[{_SIGNS}]")
_RUN = re.compile(f"[{_SIGNS}]+")
_PART = re.compile(f"[{_SIGNS}]+|[^{_SIGNS}]+")
_OTHER_BYTES = bytes(
    byte for byte in range(256) if byte not in (0xE1, *range(0xE3, 0xF1))
)  # in UTF-8


def has_ideographs(text: str) -> bool:
    """Whether any such sign is in a text.

    >>> has_ideographs("Tokyo, naïve"), has_ideographs("東京")
    (False, True)
    """
    if text.isascii() or not text.encode("utf-8", "replace").translate(None, _OTHER_BYTES):
        return False
    return _SIGN.search(text) is not None


def spaced(text: str) -> str:
    """The text with blanks around each such sign.

    >>> spaced("in 東京").split()
    ['in', '東', '京']
    """
    return _RUN.sub(lambda run: f" {' '.join(run[0])} ", text) if has_ideographs(text) else text


def parts(word: str) -> list[str]:
    """The parts of a word as `parted` has them, but for single letters and signs; this is faster.

    >>> parts("東京都owl猫")
    ['東京', '京都', 'owl']
    """
    found: list[str] = []
    for part in _PART.findall(word):
        if _SIGN.match(part) is not None:
            found += map(add, part, part[1:])
        elif len(part) > 1:
            found.append(part)
    return found


def parted(word: str) -> Iterator[tuple[int, int]]:
    """From where to where the parts of a word are: every two neighbouring signs, and what is no
    such sign.

    >>> [text[start:end] for text in ["東京都owl"] for start, end in parted(text)]
    ['東京', '京都', 'owl']
    """
    for part in _PART.finditer(word):
        start, end = part.span()
        if _SIGN.match(word, start) is None or end - start == 1:
            yield start, end
        else:
            yield from ((at, at + 2) for at in range(start, end - 1))
