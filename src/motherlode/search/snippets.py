"""The part of a text that shows what was found in it, with marks on the words of the query."""

from collections.abc import Collection, Sequence
from itertools import takewhile

from msgspec import Struct

_WIDTH = 240  # characters
_GIVE = 25  # characters it is shorter by, at most, to end between words

Place = tuple[int, int, int]  # from, to, and which word of the query it is


class Snippet(Struct, frozen=True):
    """A part of a page's main text. `marks` say from where to where it has words of the query."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


def cut(line: str, found: Sequence[Place]) -> Snippet:
    """The part of a line that has most of the words close together; the beginning, if it has none."""
    start, end = _window(line, _closest(found))
    marks = tuple((one - start, to - start) for one, to, _ in found if start <= one and to <= end)
    return _with_ends(line[start:end], marks, before=start > 0, after=end < len(line))


def _closest(found: Sequence[Place]) -> tuple[int, int]:
    """From where to where the most different words stand close together; of equals, the first."""
    best, span = (0, 0), (0, 0)
    for at, (start, _, _) in enumerate(found):
        inside = list(takewhile(lambda place, start=start: place[1] - start <= _WIDTH, found[at:]))  # type: ignore[misc]
        worth = (len({term for _, _, term in inside}), len(inside))
        if worth > best:
            best, span = worth, (start, inside[-1][1])
    return span


def _window(line: str, span: tuple[int, int]) -> tuple[int, int]:
    """Where a snippet begins and ends that has this span in its middle: between words, if they are near."""
    slack = max(0, _WIDTH - (span[1] - span[0]))
    start = max(0, min(span[0] - slack // 2, len(line) - _WIDTH))
    end = min(len(line), start + max(_WIDTH, span[1] - span[0]))
    if start > 0:
        blank = line.find(" ", start, min(start + _GIVE, span[0]))
        start = blank + 1 if blank >= 0 else start
    if end < len(line):
        blank = line.rfind(" ", max(end - _GIVE, span[1]), end)
        end = blank if blank >= 0 else end
    return start, end


def _with_ends(text: str, marks: Collection[tuple[int, int]], *, before: bool, after: bool) -> Snippet:
    """With an ellipsis where there is more."""
    lead, trail = "… " if before else "", " …" if after else ""
    moved = tuple((start + len(lead), end + len(lead)) for start, end in marks)
    return Snippet(f"{lead}{text}{trail}", moved)
