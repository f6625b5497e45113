"""OpenDocument: texts, sheets, slides; packed, or flat in one XML file."""

from collections.abc import Callable  # noqa: TC003 - as all others are imported

from motherlode.documents.extracts import Extract, Raw, UnreadableError
from motherlode.documents.formats.collector import DocumentBuilder
from motherlode.documents.formats.markup import StopReading, any_prefix, walk, walk_any
from motherlode.documents.formats.paragraphs import Paragraphs
from motherlode.documents.formats.zip_files import Package

MAX_REPEATED = 10  # times that a cell or row is taken which says that it stands there many times
MAX_COLUMNS = 16_384
_SHORT = 1_000  # characters; a longer cell is taken once
# What is no part of what is read: struck out text, numbers of notes, who wrote a comment.
_SILENT = frozenset(
    """
    dc:creator dc:date meta:creator-initials office:automatic-styles office:binary-data office:forms
    office:master-styles office:scripts office:styles text:hidden-paragraph text:hidden-text
    text:note-citation text:sequence-decls text:tracked-changes
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_PARAGRAPHS = frozenset({"text:p", "text:h"})
_META = {"dc:title": "title", "dc:language": "language", "dc:description": "description"}
_BLANKS = {"text:s": " ", "text:tab": "\t", "text:line-break": "\n"}


def read_opendocument(raw: Raw) -> Extract:
    if not raw.body.startswith(b"PK"):
        return read_flat(raw)
    package = Package(raw.body)
    reading = _OpenDocumentReader()
    walk(package.part("meta.xml"), reading)
    walk(package.part("content.xml"), reading)
    if not reading.seen:
        # What is encrypted looks like broken XML; only the list of files tells.
        encrypted = b"encryption-data" in package.part("META-INF/manifest.xml")
        raise UnreadableError("encrypted" if encrypted else "no document in it")
    return reading.finished().extract()


def read_flat(raw: Raw) -> Extract:
    reading = _OpenDocumentReader()
    walk_any(raw.body, reading, raw.content_type)
    if not reading.seen:
        raise UnreadableError("no document in it")
    return reading.finished().extract()


class _OpenDocumentReader:
    """Paragraphs in their order; in a sheet, rows."""

    def __init__(self) -> None:
        self._gathered = DocumentBuilder()
        self._paragraphs = Paragraphs(self._gathered)
        self.seen = False  # a document, and not only what is said of it
        self._silent = self._depth = 0
        self._meta: list[str] | None = None
        self._title = 0  # the depth of a slide's title
        self._sheet = False
        self._row: list[str] = []
        self._cell: list[str] = []
        self._repeat_row = self._repeat_cell = 1
        self._starts: dict[str, Callable[[dict[str, str]], None]] = {
            "office:body": lambda _: setattr(self, "seen", True),
            "office:spreadsheet": lambda _: setattr(self, "_sheet", True),
            "table:table": self._start_table,
            "table:table-row": self._start_row,
            "table:table-cell": self._start_cell,
            "text:a": lambda attributes: self._paragraphs.begin_link(
                any_prefix(attributes, "href")
            ),
            "draw:a": lambda attributes: self._gathered.reference(any_prefix(attributes, "href")),
            "draw:frame": self._start_frame,
        }
        self._ends: dict[str, Callable[[], None]] = {
            "table:table-row": self._end_row,
            "table:table-cell": self._end_cell,
            "text:a": self._paragraphs.end_link,
        }

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._silent:
            return
        if name in _SILENT:
            self._silent = self._depth
        elif name in _PARAGRAPHS:
            self._paragraphs.begin()
        elif name in _META:
            self._meta = []
        elif name in _BLANKS:
            self._paragraphs.say(_BLANKS[name])
        elif name in self._starts:
            self._starts[name](attributes)

    def end(self, name: str) -> None:
        if not self._silent:
            self._end(name)
        if self._silent == self._depth:
            self._silent = 0
        if self._title == self._depth:
            self._title = 0
        self._depth -= 1
        if self._gathered.full:
            raise StopReading

    def text(self, data: str) -> None:
        if self._silent:
            return
        if self._meta is not None:
            self._meta.append(data)
        else:
            self._paragraphs.say(data)

    def finished(self) -> DocumentBuilder:
        """All that there is, also of what a broken document never ended."""
        while self._paragraphs:
            self._end_paragraph("")
        self._end_cell()
        self._end_row()
        return self._gathered

    def _end(self, name: str) -> None:
        if name in _PARAGRAPHS:
            self._end_paragraph(name)
        elif name in _META and self._meta is not None:
            setattr(self._gathered, _META[name], "".join(self._meta))
            self._meta = None
        elif name in self._ends:
            self._ends[name]()

    def _end_paragraph(self, name: str) -> None:
        text = self._paragraphs.end()
        if self._sheet:
            self._cell.append(text)
        elif name == "text:h" or self._title:
            self._gathered.heading(text)
        else:
            self._gathered.line(text)

    def _start_frame(self, attributes: dict[str, str]) -> None:
        if attributes.get("presentation:class") == "title":
            self._title = self._title or self._depth

    def _start_table(self, attributes: dict[str, str]) -> None:
        if self._sheet:
            self._gathered.heading(attributes.get("table:name", ""))

    def _start_row(self, attributes: dict[str, str]) -> None:
        self._row, self._repeat_row = [], _times(attributes.get("table:number-rows-repeated"))

    def _end_row(self) -> None:
        for _ in range(self._repeat_row if any(self._row) else 0):
            self._gathered.cells(self._row)
        self._row = []

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._cell, self._repeat_cell = [], _times(attributes.get("table:number-columns-repeated"))

    def _end_cell(self) -> None:
        text = " ".join(self._cell)
        if text and len(self._row) < MAX_COLUMNS:
            self._row += [text] * (self._repeat_cell if len(text) <= _SHORT else 1)
        self._cell = []


def _times(told: str | None) -> int:
    """How often, within reason."""
    return min(int(told), MAX_REPEATED) if told and told.isdecimal() and len(told) < 20 else 1  # noqa: PLR2004 - digits
