"""Documents cut short and changed at random: whatever comes of it, it is text or one kind of error."""

import gzip
import zipfile

import pytest

from motherlode.lab.generated.formats import Manuscript, make
from support.document_files import (
    DOCX,
    ODF,
    PPTX,
    XLSX,
    mutations,
    read,
    relations,
    survives,
    tarred,
    truncations,
    zipped,
)

TOLD = Manuscript(
    "On rain", ("First paragraph.", "Second.") * 5, (("http://example.org/a", "a link"),)
)
MARKED = (
    "# Head\n\nSome [link](http://example.org/), *more*.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n" * 5
)
FEED = (
    "<rss><channel><title>T</title><item><title>One</title><link>http://example.org/</link>"
    "<description>&lt;p&gt;x</description></item></channel></rss>"
)
RICH = (
    "{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset204 A;}}{\\info{\\title T}}\\f0 \\'ef\\u233?"
    '{\\field{\\*\\fldinst HYPERLINK "http://example.org/"}{\\fldrslt link}}{\\footnote note}\\par}'
)
SHEETS = {
    "xl/workbook.xml": '<workbook><sheet name="A" r:id="a"/></workbook>',
    "xl/_rels/workbook.xml.rels": relations(("a", "worksheet", "worksheets/sheet1.xml")),
    "xl/sharedStrings.xml": "<sst><si><t>shared</t></si></sst>",
    "xl/worksheets/sheet1.xml": '<w><row><c r="A1" t="s"><v>0</v></c><c><v>1</v></c></row></w>',
}
BOOK = {
    "META-INF/container.xml": '<c><rootfile full-path="b.opf"/></c>',
    "b.opf": '<p><title>T</title><item id="a" href="a.html"/><itemref idref="a"/></p>',
    "a.html": "<p>Chapter <a href='http://example.org/'>one</a>",
}
# Stored, so that changes reach what is in the packages, and not only how it is packed.
DOCUMENTS: dict[str, tuple[str, bytes]] = {
    "text": ("text/plain", b"Some text, http://example.org/.\n\nMore." * 5),
    "markdown": ("text/markdown", MARKED.encode()),
    "csv": ("text/csv", b'a,"b ""c"", d"\n1,2\n' * 10),
    "xml": ("application/xml", b'<x a="b"><p href="c">Text <b>more</b></p></x>'),
    "feed": ("application/rss+xml", FEED.encode()),
    "pdf": ("application/pdf", make("pdf", TOLD)),
    "docx": (DOCX, make("docx", TOLD)),
    "pptx": (PPTX, make("pptx", TOLD)),
    "xlsx": (XLSX, zipped(SHEETS, zipfile.ZIP_STORED)),
    "odt": (f"{ODF}text", make("odt", TOLD)),
    "epub": ("application/epub+zip", zipped(BOOK, zipfile.ZIP_STORED)),
    "rtf": ("application/rtf", RICH.encode()),
    "zip": ("application/zip", zipped({"a": "1" * 100, "b": "2"}, zipfile.ZIP_STORED)),
    "tar": ("application/x-tar", tarred({"a": b"1" * 100, "b": b"2"})),
    "gzip": ("application/gzip", gzip.compress(tarred({"a": b"1", "b": b"2" * 2000}), mtime=0)),
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_the_whole_document_is_read(kind: str) -> None:
    extract = read(*DOCUMENTS[kind])
    assert extract.text or extract.members


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_cut_short_is_read_or_refused(kind: str) -> None:
    mime, body = DOCUMENTS[kind]
    for cut in truncations(body):
        survives(mime, cut)


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_changed_at_random_is_read_or_refused(kind: str) -> None:
    mime, body = DOCUMENTS[kind]
    outcomes = [survives(mime, changed) for changed in mutations(body, 100)]
    assert any(outcomes)


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_under_the_name_of_another_is_read_or_refused(kind: str) -> None:
    for mime, _ in DOCUMENTS.values():
        survives(mime, DOCUMENTS[kind][1])
