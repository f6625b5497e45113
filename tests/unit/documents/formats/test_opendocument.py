"""ODT, ODS and ODP, packed and flat."""

import pytest

from motherlode.documents.extracts import UnreadableError
from motherlode.lab.generated.formats import Manuscript, make
from support.document_files import ODF, links, read, zipped

META = "<office:meta><dc:title>On rain</dc:title><dc:language>en</dc:language><dc:creator>Me</dc:creator></office:meta>"


def packed(body: str) -> bytes:
    return zipped(
        {
            "mimetype": f"{ODF}text",
            "meta.xml": f"<office:document-meta>{META}</office:document-meta>",
            "content.xml": f"<office:document-content><office:body>{body}</office:body></office:document-content>",
        }
    )


def test_a_made_text_is_read_whole() -> None:
    told = Manuscript(
        "On rain", ("First paragraph.", "Second."), (("http://example.org/a?b=c&d", "a link"),)
    )
    extract = read(f"{ODF}text", make("odt", told))
    assert (extract.title, extract.headings) == ("On rain", ("On rain",))
    assert extract.text == "On rain\nFirst paragraph.\nSecond.\na link"
    assert links(extract) == [("http://example.org/a?b=c&d", "a link")]


TEXT = """<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h>Head</text:h>
<text:p>A<text:s/>b<text:tab/>c<text:line-break/>d <text:a xlink:href="http://example.org/x">li<text:span>nk</text:span></text:a>
<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note</text:p></text:note-body></text:note></text:p>
<draw:a xlink:href="http://example.org/picture"><draw:frame/></draw:a>
<office:annotation><dc:creator>Me</dc:creator><text:p>A comment</text:p></office:annotation>
<table:table><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell><text:p>2</text:p>
</table:table-cell></table:table-row></table:table></office:text>"""


@pytest.mark.parametrize("flat", [False, True])
def test_a_text_has_paragraphs_notes_tables_and_links(flat: bool) -> None:  # noqa: FBT001 - told by the test's name
    body: bytes | str = packed(TEXT)
    if flat:
        body = f'<?xml version="1.0"?><office:document>{META}<office:styles><text:p>no</text:p></office:styles><office:body>{TEXT}</office:body></office:document>'
    extract = read("application/xml" if flat else f"{ODF}text", body)
    assert extract.text == "Head\nA note\nA b c d link\nA comment\n1\n2"
    assert (extract.title, extract.language, extract.headings) == ("On rain", "en", ("Head",))
    assert links(extract) == [("http://example.org/x", "link"), ("http://example.org/picture", "")]


def test_a_sheet_has_rows_and_what_is_repeated_is_bounded() -> None:
    body = """<office:spreadsheet><table:table table:name="Rain">
    <table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>b</text:p></table:table-cell>
    <table:table-cell table:number-columns-repeated="16000"/></table:table-row>
    <table:table-row table:number-rows-repeated="1048576"><table:table-cell/></table:table-row>
    <table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"><text:p>c</text:p></table:table-cell></table:table-row>
    </table:table></office:spreadsheet>"""
    lines = read(f"{ODF}spreadsheet", packed(body)).text.split("\n")
    assert lines[:2] == ["Rain", "a\tb\tb"]
    assert lines[2:] == ["\t".join("c" * 10)] * 10


def test_slides_have_titles_and_notes() -> None:
    body = """<office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Title</text:p></draw:text-box></draw:frame>
    <draw:frame><draw:text-box><text:p>Body</text:p></draw:text-box></draw:frame>
    <presentation:notes><text:p>A note</text:p></presentation:notes></draw:page></office:presentation>"""
    extract = read(f"{ODF}presentation", packed(body))
    assert (extract.text, extract.headings) == ("Title\nBody\nA note", ("Title",))


def test_encrypted_and_empty_packages_are_told_apart() -> None:
    manifest = "<m><manifest:encryption-data/></m>"
    with pytest.raises(UnreadableError, match="encrypted"):
        read(
            f"{ODF}text", zipped({"content.xml": b"\x00garbage", "META-INF/manifest.xml": manifest})
        )
    with pytest.raises(UnreadableError, match="no document"):
        read(f"{ODF}text", zipped({"content.xml": ""}))


def test_paragraphs_in_paragraphs_without_end_are_no_recursion() -> None:
    assert read(f"{ODF}text", packed("<office:text>" + "<text:p>x" * 200_000)).text.startswith(
        "x\nx"
    )
