"""A page's text, packed: every block on a line, with a mark on those of the main text and on
headings.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

from isal import isal_zlib
from msgspec import Struct

_FORM = b"\x02"
_OLDER = b"\x01"  # it had no marks for headings; what began with something else had no marks at all
_MAIN, _REST = "+", "-"
_MAIN_HEADING, _REST_HEADING = "*", "="
_APART = "#"  # a heading that is no line of the text
_MAX_APART = 10_000  # characters of such headings
_HEADING = {  # what a heading has, by the mark of its line until then
    _MAIN: _MAIN_HEADING,
    _REST: _REST_HEADING,
    _MAIN_HEADING: _MAIN_HEADING,
    _REST_HEADING: _REST_HEADING,
}


class Parts(Struct, frozen=True, gc=False):
    """The main text, what there is besides it, and the headings of both; a line each."""

    main: str
    rest: str
    headings: str


def pack_text(text: str, main: str, headings: Sequence[str] = ()) -> bytes:
    """All of it as one. Lines of the main text that are no lines of the text are added to it."""
    lines = text.split("\n") if text else []
    known = set(lines)
    marks = dict.fromkeys(main.split("\n"), _MAIN) if main else {}
    if not marks.keys() <= known:
        lines += [line for line in main.split("\n") if line not in known]
        known |= marks.keys()
    for heading in filter(None, headings):
        marks[heading] = _HEADING[marks.get(heading, _REST)]
    marked = [marks.get(line, _REST) + line for line in lines]
    marked += [_APART + heading for heading in _apart(headings, known)]
    return _FORM + isal_zlib.compress("\n".join(marked).encode(errors="replace"), 1)


def _apart(headings: Sequence[str], known: set[str]) -> Iterator[str]:
    """Those that are not known, each once, until they are too long together."""
    room = _MAX_APART
    for heading in dict.fromkeys(headings):
        if heading and heading not in known:
            line = " ".join(heading[:room].split())
            if line:
                yield line
            room -= len(line) + 1
            if room <= 0:
                return


def unpack_text(packed: bytes) -> tuple[str, str]:
    """The text and the main text."""
    if packed[:1] not in (_FORM, _OLDER):
        text = isal_zlib.decompress(packed).decode()
        return text, text
    lines = _lines(packed)
    whole = "\n".join(line[1:] for line in lines if line[:1] != _APART)
    return whole, "\n".join(line[1:] for line in lines if line[:1] in (_MAIN, _MAIN_HEADING))


def unpack_parts(packed: Sequence[bytes], spelled: Callable[[bytes], bytes] = bytes) -> list[Parts]:
    """What the search index wants of texts. `spelled` is given the lines of all of them at once,
    which it may change, but not join or part.
    """
    marked = [_marked(one) for one in packed]
    lines = spelled(b"\n".join(marked)).split(b"\n")
    ends = accumulate(one.count(b"\n") + 1 for one in marked)
    return [_parts(lines[start:end]) for start, end in pairwise([0, *ends])]


def _parts(lines: list[bytes]) -> Parts:
    main: list[bytes] = []
    rest: list[bytes] = []
    heads: list[bytes] = []
    taking = {
        _MAIN: (main,),
        _REST: (rest,),
        _MAIN_HEADING: (main, heads),
        _REST_HEADING: (rest, heads),
    }
    by_mark = {ord(mark): those for mark, those in taking.items()} | {ord(_APART): (heads,)}
    for line in filter(None, lines):
        for those in by_mark.get(line[0], ()):
            those.append(line[1:])
    return Parts(*(b"\n".join(those).decode() for those in (main, rest, dict.fromkeys(heads))))


def _marked(packed: bytes) -> bytes:
    """A text with a mark at the beginning of every line."""
    if packed[:1] in (_FORM, _OLDER):
        return isal_zlib.decompress(packed[1:])
    return _MAIN.encode() + isal_zlib.decompress(packed).replace(b"\n", f"\n{_MAIN}".encode())


def _lines(packed: bytes) -> list[str]:
    return isal_zlib.decompress(packed[1:]).decode().split("\n")
