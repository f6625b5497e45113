"""Words from the Web, made fit for what they are put into."""

import re

LONG = 500  # characters of a title, where a title is a label

# Control characters but tab and ends of lines, marks that turn the writing round, and what is no
# character.
_STEERING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_INSTEAD = "\N{REPLACEMENT CHARACTER}"


def whole(text: str) -> str:
    """Text that every encoding of Unicode can say: halves of characters are replaced."""
    return text if text.isascii() else _SURROGATES.sub(_INSTEAD, text)


def plain(text: str) -> str:
    """Text that steers nothing that shows it, and that XML allows."""
    return _STEERING.sub(_INSTEAD, whole(text))


def label(text: str) -> str:
    """A title on one line, of a length to look at."""
    return " ".join(plain(text[: 10 * LONG]).split())[:LONG].rstrip()
