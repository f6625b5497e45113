"""PDF by PDFium; where that fails, by pdf_oxide if it is installed."""

import ctypes
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from itertools import pairwise
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from motherlode.documents.extracts import Extract, Raw, UnreadableError
from motherlode.documents.formats.collector import MAX_TEXT, DocumentBuilder
from motherlode.documents.formats.lines import paragraphs

MAX_PAGES = 2_000
MAX_LINKS = 2_000  # of a page
_MAX_URL = 4_096  # bytes
_MAX_LINKED = 500  # characters under a link
_MAX_WORK = (
    20_000_000  # characters of a page, as often as they are looked through for those under a link
)


def read_pdf(raw: Raw) -> Extract:
    """Text page by page, the links of each page after the text that they stand in."""
    try:
        with closing(pypdfium2.PdfDocument(raw.body)) as document:
            return _read(document)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise UnreadableError("encrypted") from error
        return _second_try(raw.body)


def _read(document: Any) -> Extract:
    gathered = DocumentBuilder()
    gathered.title = document.get_metadata_value("Title")
    for number in range(min(len(document), MAX_PAGES)):
        try:
            with closing(document[number]) as page, closing(page.get_textpage()) as text:
                _read_page(page, text, gathered)
        except pypdfium2.PdfiumError:
            continue  # one broken page says nothing of the others
        if gathered.full:
            break
    return gathered.extract()


def _read_page(page: Any, text: Any, gathered: DocumentBuilder) -> None:
    count = min(pdfium.FPDFText_CountChars(text), MAX_TEXT)
    if count > 0:
        for paragraph in paragraphs(text.get_text_range(0, count)):
            gathered.line(paragraph)
    linked = list(_links(page, text, _MAX_WORK // max(count, 1)))
    for href, anchor in _whole(linked):
        gathered.reference(href, anchor)
    known = {href.rstrip("/") for href, _ in linked}
    for href in _links_in_text(text):
        # A viewer makes a link of every address that it sees; most are links anyway.
        if href.rstrip("/") not in known:
            gathered.reference(href)


def _links(page: Any, text: Any, with_text: int) -> Iterator[tuple[str, str]]:
    """Where the links of a page lead, and the text that they lie over; of that many."""
    place, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for number in range(MAX_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, place, link):
            return
        action = pdfium.FPDFLink_GetAction(link)
        if action and pdfium.FPDFAction_GetType(action) == pdfium.PDFACTION_URI:
            yield _address(page, action), _text_under(link, text) if number < with_text else ""


def _address(page: Any, action: Any) -> str:
    buffer = ctypes.create_string_buffer(_MAX_URL)
    size = pdfium.FPDFAction_GetURIPath(page.pdf, action, buffer, _MAX_URL)
    return buffer.value.decode("utf-8", "replace") if 0 < size <= _MAX_URL else ""


def _text_under(link: Any, text: Any) -> str:
    rectangle = pdfium.FS_RECTF()
    if not pdfium.FPDFLink_GetAnnotRect(link, rectangle):
        return ""
    sides = (rectangle.left, rectangle.top, rectangle.right, rectangle.bottom)
    buffer = (ctypes.c_ushort * _MAX_LINKED)()
    size = pdfium.FPDFText_GetBoundedText(text, *sides, buffer, _MAX_LINKED)
    return _utf16(buffer, size)


def _links_in_text(text: Any) -> Iterator[str]:
    found = pdfium.FPDFLink_LoadWebLinks(text)
    try:
        for place in range(min(pdfium.FPDFLink_CountWebLinks(found), MAX_LINKS)):
            buffer = (ctypes.c_ushort * _MAX_URL)()
            size = pdfium.FPDFLink_GetURL(found, place, buffer, _MAX_URL)
            yield _utf16(buffer, size)
    finally:
        pdfium.FPDFLink_CloseWebLinks(found)


def _utf16(buffer: Any, size: int) -> str:
    data = bytes(buffer)[: 2 * max(size, 0)]
    return data.decode("utf-16-le", "replace").partition("\0")[0]


def _whole(links: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """A link that runs over several lines is several links in a PDF: put together again."""
    anchors: list[str] = []
    for (href, anchor), (following, _) in pairwise([*links, ("", "")]):
        anchors.append(anchor)
        if href != following:
            yield href, " ".join(anchors)
            anchors = []


def _second_try(body: bytes) -> Extract:
    try:
        oxide: Any = import_module("pdf_oxide")
    except ImportError as error:
        raise UnreadableError("a broken PDF") from error
    oxide.disable_logging()  # what is broken in a file is said by the exception
    try:
        return _read_by_oxide(oxide.PdfDocument.from_bytes(body))
    except BaseException as error:
        # A panic in Rust is no Exception; what ends the process is none either, and must go on.
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise UnreadableError("a broken PDF") from error
        raise


def _read_by_oxide(document: Any) -> Extract:
    gathered = DocumentBuilder()
    for number in range(min(document.page_count(), MAX_PAGES)):
        for paragraph in paragraphs(document.extract_text(number)):
            gathered.line(paragraph)
        if gathered.full:
            break
    if gathered.empty:
        raise UnreadableError("a broken PDF")
    return gathered.extract()
