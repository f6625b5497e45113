"""Which reader a type has."""

import subprocess
import sys

import pytest

from motherlode.documents.formats import reader_for
from support.document_files import DOCX, ODF, OFFICE


@pytest.mark.parametrize(
    ("mime", "name"),
    [
        ("text/plain", "read_text"),
        ("text/markdown", "read_markdown"),
        ("text/csv", "read_csv"),
        ("application/PDF", "read_pdf"),
        (DOCX, "read_docx"),
        (f"{OFFICE}wordprocessingml.template", "read_docx"),
        ("application/vnd.ms-word.document.macroEnabled.12", "read_docx"),
        ("application/vnd.ms-powerpoint.presentation.macroEnabled.12", "read_pptx"),
        ("application/vnd.ms-excel.sheet.macroEnabled.12", "read_xlsx"),
        ("application/vnd.ms-excel", "read_legacy"),
        ("application/msword", "read_legacy"),
        ("application/x-ooxml-encrypted", "read_legacy"),
        (f"{ODF}text", "read_opendocument"),
        (f"{ODF}spreadsheet-template", "read_opendocument"),
        ("application/epub+zip", "read_epub"),
        ("application/rtf", "read_rtf"),
        ("application/postscript", "read_postscript"),
        ("application/rss+xml", "read_xml"),
        ("image/svg+xml", "read_xml"),
        ("application/x-gzip", "read_container"),
    ],
)
def test_every_type_has_its_reader(mime: str, name: str) -> None:
    assert getattr(reader_for(mime), "__name__", "") == name


@pytest.mark.parametrize(
    "mime", ["text/html", "application/xhtml+xml", "image/png", "application/json", ""]
)
def test_pages_and_what_nobody_reads_have_none(mime: str) -> None:
    assert reader_for(mime) is None


def test_a_library_is_loaded_by_the_first_document_that_wants_it() -> None:
    told = "import sys, motherlode.documents.formats as f; f.reader_for('text/plain'); print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", told], text=True).split()
    assert "motherlode.documents.formats.text" in loaded
    assert not {"pypdfium2", "undoc", "pdf_oxide", "motherlode.documents.formats.rtf"} & set(loaded)
