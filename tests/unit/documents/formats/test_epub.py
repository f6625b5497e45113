"""Electronic books."""

import pytest

from motherlode.documents.extracts import UnreadableError
from support.document_files import links, read, zipped

EPUB = "application/epub+zip"
OPF = """<package xmlns:dc="dc"><metadata><dc:title>A book</dc:title><dc:language>en</dc:language>
<dc:description>About it</dc:description><dc:title>Second title</dc:title></metadata>
<manifest><item id="b" href="text/two%20b.xhtml"/><item id="a" href="text/one.xhtml"/><item id="c" href="../../etc/passwd"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="c"/><itemref idref="none"/></spine></package>"""
BOOK = {
    "mimetype": EPUB,
    "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    "OPS/book.opf": OPF,
    "OPS/text/one.xhtml": '<html><body><h1>One</h1><p>First <a href="http://example.org/x">link</a>, <a href="two%20b.xhtml">next</a>.</p></body></html>',
    "OPS/text/two b.xhtml": "<html><body><p>Second.</p></body></html>",
}


def test_chapters_are_read_in_the_order_of_the_spine() -> None:
    extract = read(EPUB, zipped(BOOK))
    assert (extract.title, extract.language, extract.description) == ("A book", "en", "About it")
    assert " ".join(extract.text.split()) == "One First link, next. Second."
    assert links(extract) == [("http://example.org/x", "link")]


def test_without_a_description_all_pages_are_read() -> None:
    parts = {name: part for name, part in BOOK.items() if name.startswith("OPS/text")}
    assert read(EPUB, zipped(parts)).text.split()[-1] == "Second."
    with pytest.raises(UnreadableError, match="no chapters"):
        read(EPUB, zipped({"mimetype": EPUB}))
