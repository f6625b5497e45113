"""Paragraphs while they are read: one may stand inside another (notes, text boxes), and
have links.
"""

from motherlode.documents.formats.collector import MAX_ANCHOR, DocumentBuilder
from motherlode.documents.formats.markup import StopReading

_MAX_DEPTH = 1_000  # paragraphs in paragraphs; no writer makes ten
_MAX_LINKS = 100  # links in links
_PIECES = 64  # pieces of text that an anchor is made of at most


class _Open:
    __slots__ = ("data", "links")

    def __init__(self) -> None:
        self.data: list[str] = []
        self.links: list[tuple[str, int]] = []


class Paragraphs:
    """Those that are open; what is said is said in the innermost."""

    def __init__(self, gathered: DocumentBuilder) -> None:
        self._gathered = gathered
        self._open: list[_Open] = []

    def __bool__(self) -> bool:
        return bool(self._open)

    def begin(self) -> None:
        if len(self._open) >= _MAX_DEPTH:
            raise StopReading
        self._open.append(_Open())

    def say(self, text: str) -> None:
        if self._open:
            self._open[-1].data.append(text)

    def end(self) -> str:
        """Its text. Links that were never ended end with it."""
        if not self._open:
            return ""
        while self._open[-1].links:
            self.end_link()
        return "".join(self._open.pop().data)

    def begin_link(self, href: str) -> None:
        if self._open and len(self._open[-1].links) < _MAX_LINKS:
            self._open[-1].links.append((href, len(self._open[-1].data)))

    def end_link(self) -> None:
        if self._open and self._open[-1].links:
            href, place = self._open[-1].links.pop()
            text = "".join(self._open[-1].data[place : place + _PIECES])
            self._gathered.reference(href, text[: 4 * MAX_ANCHOR])
