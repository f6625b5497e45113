"""DOC, PPT and XLS of old, by undoc, an optional dependency; it is also a second try at their
successors.
"""

from importlib import import_module
from typing import Any

from motherlode.documents.extracts import Extract, Raw, UnreadableError
from motherlode.documents.extras import EXTRA
from motherlode.documents.formats import ooxml
from motherlode.documents.formats.collector import MAX_TEXT, DocumentBuilder
from motherlode.documents.formats.kinds import ENCRYPTED, OLE_MAGIC, kind_of_ole
from motherlode.documents.formats.markdown import read_marked
from motherlode.documents.formats.rtf import read_rtf


def read_legacy(raw: Raw) -> Extract:
    """Many files are not what their type says: Word opens anything, so RTF and DOCX go by this name
    too.
    """
    if raw.body.startswith(b"{\\rtf"):
        return read_rtf(raw)
    if raw.body.startswith(b"PK"):
        return ooxml.read_office(raw)
    if raw.body.startswith(OLE_MAGIC) and kind_of_ole(raw.body) == ENCRYPTED:
        raise UnreadableError("encrypted")
    return read_by_undoc(raw.body)


def read_by_undoc(body: bytes) -> Extract:
    """Its plain text, with headings and links out of its Markdown."""
    try:
        undoc: Any = import_module("undoc")
    except ImportError as error:
        raise UnreadableError(EXTRA) from error
    try:
        with undoc.parse_bytes(body) as document:
            return _extract(document.title or "", document.plain_text(), document.to_markdown())
    except OSError as error:  # its library is made for some kinds of machine only
        raise UnreadableError(EXTRA) from error
    except (undoc.UndocError, ValueError) as error:
        encrypted = getattr(error, "kind", None) == undoc.ErrorKind.ENCRYPTED
        raise UnreadableError("encrypted" if encrypted else "a broken Office file") from error


def _extract(title: str, text: str, marked: str) -> Extract:
    gathered, links = DocumentBuilder(), read_marked(marked[: 2 * MAX_TEXT])
    gathered.title = title
    for line in text.split("\n"):
        gathered.cells(line.split("\t"))
    for reference in links.references:
        gathered.reference(reference.href, reference.anchor)
    extract = gathered.extract()
    known = set(extract.text.split("\n"))
    # Markdown has headings of its own making: "Slide 1".
    headings = tuple(heading for heading in links.headings if heading in known)
    return Extract(extract.text, extract.title, headings=headings, references=extract.references)
