"""Plain text, Markdown, and tables as text."""

import csv
import re
from collections.abc import Iterator

from motherlode.documents.encoding import decode
from motherlode.documents.extracts import Extract, Raw
from motherlode.documents.formats.collector import MAX_TEXT, DocumentBuilder
from motherlode.documents.formats.markdown import read_marked
from motherlode.documents.formats.urls import urls_in

_LOOK = 8_192  # characters by which the separator of a table is told
_SEPARATORS = ",;\t|"
_BETWEEN = re.compile(r"\n(?:[^\S\n]*\n)+|\f")  # blank lines


def read_text(raw: Raw) -> Extract:
    """Paragraphs are what blank lines part; the lines of each become one."""
    text, gathered = decoded(raw), DocumentBuilder()
    for paragraph in _BETWEEN.split(text):
        gathered.line(paragraph)
    for url in urls_in(text):
        gathered.reference(url)
    return gathered.extract()


def read_markdown(raw: Raw) -> Extract:
    return read_marked(decoded(raw))


def read_csv(raw: Raw) -> Extract:
    """A row a line. The separator is whichever there is most of: commas, semicolons,
    tabs or bars.
    """
    text, gathered = decoded(raw), DocumentBuilder()
    look = text[:_LOOK]
    for row in _rows(text, max(_SEPARATORS, key=look.count)):
        gathered.cells(row)
        if gathered.full:
            break
    for url in urls_in(text):
        gathered.reference(url)
    return gathered.extract()


def decoded(raw: Raw) -> str:
    """With line feeds only, and no longer than a document may be."""
    text = decode(raw.body, raw.content_type)[: 2 * MAX_TEXT]
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    lines, begun = text.replace("\0", "").splitlines(keepends=True), 0
    reader = csv.reader(lines, delimiter=separator)
    try:
        for row in reader:
            yield row
            begun = reader.line_num
    except csv.Error:
        # A quote that is never closed makes one huge cell: from there on quotes are letters like
        # others.
        yield from (line.split(separator) for line in lines[begun:])
