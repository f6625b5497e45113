"""Text made tidy."""

from itertools import pairwise

import numpy as np

_HALVES = "surrogatepass"  # half a character is kept as it is


def tidy(text: str) -> str:
    """Words with one space between them.

    >>> tidy("  barn \\n owls ")
    'barn owls'
    """
    return " ".join(text.split())


def tidy_lines(text: str) -> str:
    """Blocks of text, one a line, none of them empty."""
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))


def tidy_parts(*parts: str) -> tuple[str, list[str]]:
    """The parts of a text as one, and each of them: blocks, one a line, none of them empty, with
    one blank where there were several; other white space within a line stays as it is. A zero
    character ends a part.

    >>> tidy_parts("barn   owls ", " \\n", " hunt\\n\\nby night")
    ('barn owls\\nhunt\\nby night', ['barn owls', '', 'hunt\\nby night'])
    """
    from motherlode.documents.text.kernels import tidied  # noqa: PLC0415 - loaded where documents are read

    encoded = "\0".join([*parts, ""]).encode("utf-8", _HALVES)
    taken, ends = tidied(np.frombuffer(encoded, np.uint8), len(parts))
    text = taken.tobytes().decode("utf-8", _HALVES)
    return text, [text[start : max(end - 1, start)] for start, end in pairwise([0, *ends.tolist()])]
