"""DOCX, PPTX and XLSX."""

import sys

import pytest

from motherlode.documents.extracts import UnreadableError
from motherlode.lab.generated.formats import Manuscript, make
from support.document_files import DOCX, PPTX, XLSX, links, read, relations, zipped

TOLD = Manuscript(
    "On rain", ("First paragraph.", "Second."), (("http://example.org/a?b=c&d", "a link"),)
)


def test_a_made_word_document_is_read_whole() -> None:
    extract = read(DOCX, make("docx", TOLD))
    assert (extract.title, extract.headings) == ("On rain", ("On rain",))
    assert extract.text == "On rain\nFirst paragraph.\nSecond.\na link"
    assert links(extract) == [("http://example.org/a?b=c&d", "a link")]


def test_made_slides_are_read_whole() -> None:
    extract = read(PPTX, make("pptx", TOLD))
    assert (extract.title, extract.headings) == ("On rain", ("On rain", "2", "3"))
    assert extract.text == "On rain\n2\nFirst paragraph.\nSecond.\n3\na link"
    assert links(extract) == [("http://example.org/a?b=c&d", "a link")]


def word(body: str, **parts: str) -> bytes:
    """A Word document around some paragraphs; parts by their file names, with _ for the dot."""
    told = [
        ("r1", "hyperlink", "http://example.org/one"),
        ("r2", "image", "http://example.org/i.png"),
    ]
    named = [(name, name, f"{name}.xml") for name in parts]
    return zipped(
        {
            "_rels/.rels": relations(("a", "officeDocument", "word/document.xml")),
            "word/document.xml": f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": relations(*told, *named),
            **{f"word/{name}.xml": part for name, part in parts.items()},
        }
    )


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_tables_boxes_breaks_and_tabs_stand_where_they_are() -> None:
    body = f"""<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>{run("one")}<w:r><w:br/><w:t>two</w:t><w:tab/></w:r>
    {run("three")}<w:r><w:noBreakHyphen/></w:r></w:p>
    <w:tbl><w:tr><w:tc><w:p>{run("a")}</w:p></w:tc><w:tc><w:p>{run("b")}</w:p></w:tc></w:tr></w:tbl>
    <w:p>{run("before ")}<w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p>{run("box")}</w:p></w:txbxContent></mc:Choice>
    <mc:Fallback><w:p>{run("box")}</w:p></mc:Fallback></mc:AlternateContent></w:r>{run("after")}</w:p>"""
    assert read(DOCX, word(body)).text == "one two three-\na\nb\nbox\nbefore after"


def test_deleted_moved_and_hidden_text_is_none() -> None:
    body = f"""<w:p>{run("kept ")}<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:moveFrom>{run("moved")}</w:moveFrom>
    <w:ins>{run("inserted ")}</w:ins>{run("hidden", "<w:vanish/>")}{run("shown", '<w:vanish w:val="0"/>')}</w:p>"""
    assert read(DOCX, word(body)).text == "kept inserted shown"


def test_headings_go_by_the_names_of_their_styles_or_by_their_level() -> None:
    styles = '<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>'
    body = f"""<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr>{run("Eins")}</w:p><w:p>{run("Text")}</w:p>
    <w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr>{run("Zwei")}</w:p><w:p><w:pPr><w:outlineLvl w:val="9"/></w:pPr>{run("More")}</w:p>"""
    extract = read(DOCX, word(body, styles=styles))
    assert (extract.headings, extract.text) == (("Eins", "Zwei"), "Eins\nText\nZwei\nMore")


def field(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def test_links_come_from_relations_and_from_field_codes() -> None:
    body = f"""<w:p><w:hyperlink r:id="r1">{run("o")}{run("ne")}</w:hyperlink><w:hyperlink w:anchor="here">{run("here")}</w:hyperlink>
    {field("begin")}<w:r><w:instrText> HYPERLINK "http://exam</w:instrText></w:r><w:r><w:instrText>ple.org/two" \\t "_blank"</w:instrText></w:r>
    {field("separate")}{run("two")}{field("begin")}<w:r><w:instrText>PAGE</w:instrText></w:r>{field("separate")}{run(" 7")}{field("end")}{field("end")}
    <w:fldSimple w:instr=' HYPERLINK "http://example.org/three"'>{run("three")}</w:fldSimple>
    <w:hyperlink r:id="r2">{run("picture")}</w:hyperlink><w:hyperlink r:id="r9">{run("nowhere")}</w:hyperlink></w:p>"""
    extract = read(DOCX, word(body))
    assert links(extract) == [
        ("http://example.org/one", "one"),
        ("http://example.org/two", "two 7"),
        ("http://example.org/three", "three"),
        ("http://example.org/i.png", "picture"),
    ]
    assert extract.text == "oneheretwo 7threepicturenowhere"


def test_notes_and_comments_follow_the_text() -> None:
    parts = {
        name: f"<w:x><w:note><w:p>{run(f'In {name}.')}</w:p></w:note></w:x>"
        for name in ("footnotes", "endnotes", "comments")
    }
    extract = read(DOCX, word(f"<w:p>{run('Text')}</w:p>", **parts))
    assert extract.text == "Text\nIn footnotes.\nIn endnotes.\nIn comments."


def test_odd_names_of_parts_are_found_all_the_same() -> None:
    body = zipped(
        {
            "_rels\\.rels": relations(("a", "officeDocument", "/Word\\Main.XML")),
            "word\\main.xml": f"<w:document><w:p>{run('found')}</w:p></w:document>",
        }
    )
    assert read(DOCX, body).text == "found"


def test_a_package_without_any_relations_is_read_by_the_usual_names() -> None:
    assert (
        read(DOCX, zipped({"word/document.xml": f"<d><w:p>{run('text')}</w:p></d>"})).text == "text"
    )
    slide = "<s><p:sp><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sp></s>"
    slides = {f"ppt/slides/slide{number}.xml": slide.format(number) for number in (10, 2, 1)}
    assert read(PPTX, zipped(slides)).text == "1\n2\n10"
    sheet = '<w><sheetData><row><c t="inlineStr"><is><t>text</t></is></c></row></sheetData></w>'
    assert read(XLSX, zipped({"xl/worksheets/sheet1.xml": sheet})).text == "text"


def slides(*told: tuple[str, str]) -> bytes:
    """Slides as pairs of their XML and the names of what they have relations to."""
    names = "".join(f'<p:sldId id="{number}" r:id="s{number}"/>' for number in range(len(told)))
    parts = {
        "_rels/.rels": relations(("a", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation><p:sldIdLst>{names}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"s{number}", "slide", f"slides/x{number}.xml") for number in range(len(told)))
        ),
        "ppt/notes.xml": '<n><p:sp><p:ph type="sldNum"/><a:p><a:r><a:t>9</a:t></a:r></a:p></p:sp>'
        "<p:sp><a:p><a:r><a:t>A note</a:t></a:r></a:p></p:sp></n>",
        "ppt/data.xml": "<d><a:p><a:r><a:t>In a diagram</a:t></a:r></a:p></d>",
    }
    for number, (slide, related) in enumerate(told):
        parts[f"ppt/slides/x{number}.xml"] = slide
        kinds = [
            (kind, kind, "../notes.xml" if kind == "notesSlide" else "../data.xml")
            for kind in related.split()
        ]
        parts[f"ppt/slides/_rels/x{number}.xml.rels"] = relations(
            ("h1", "hyperlink", "http://example.org/1"),
            ("h2", "hyperlink", "http://example.org/2"),
            *kinds,
        )
    return zipped(parts)


def test_slides_have_titles_notes_and_diagrams() -> None:
    slide = """<s><p:sp><p:nvSpPr><p:ph type="ctrTitle"/></p:nvSpPr><a:p><a:r><a:t>Title</a:t></a:r></a:p></p:sp>
    <p:sp><a:p><a:r><a:t>Body</a:t></a:r><a:br/><a:fld type="slidenum"><a:t>1</a:t></a:fld></a:p></p:sp>
    <p:sp><p:ph type="ftr"/><a:p><a:r><a:t>Footer</a:t></a:r></a:p></p:sp></s>"""
    extract = read(PPTX, slides((slide, "notesSlide diagramData")))
    assert extract.text == "Title\nBody\nA note\nIn a diagram"
    assert extract.headings == ("Title",)


def test_runs_that_lead_to_one_place_are_one_link() -> None:
    def linked(text: str, name: str) -> str:
        return f'<a:r><a:rPr><a:hlinkClick r:id="{name}"/></a:rPr><a:t>{text}</a:t></a:r>'

    slide = f"""<s><p:pic><p:cNvPr><a:hlinkClick r:id="h2"/></p:cNvPr></p:pic><p:sp><a:p>{linked("one ", "h1")}{linked("link", "h1")}
    <a:r><a:t> and </a:t></a:r>{linked("two", "h2")}{linked("three", "h1")}</a:p></p:sp></s>"""
    assert links(read(PPTX, slides((slide, "")))) == [
        ("http://example.org/2", ""),
        ("http://example.org/1", "one link"),
        ("http://example.org/2", "two"),
        ("http://example.org/1", "three"),
    ]


def book(sheet: str, strings: str = "") -> bytes:
    return zipped(
        {
            "_rels/.rels": relations(("a", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": '<workbook><sheets><sheet name="Rain" r:id="s"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(
                ("s", "worksheet", "worksheets/a.xml"), ("t", "sharedStrings", "sharedStrings.xml")
            ),
            "xl/sharedStrings.xml": f"<sst>{strings}</sst>",
            "xl/worksheets/a.xml": f"<worksheet>{sheet}</worksheet>",
            "xl/worksheets/_rels/a.xml.rels": relations(
                ("h", "hyperlink", "http://example.org/x"), ("c", "comments", "../comments1.xml")
            ),
            "xl/comments1.xml": "<comments><comment><text><r><t>Said </t></r><r><t>of it</t></r></text></comment></comments>",
        }
    )


def test_cells_are_strings_numbers_formulas_and_links() -> None:
    strings = (
        "<si><t>Day</t></si><si><r><t>mm of </t></r><r><t>rain</t></r><rPh><t>amu</t></rPh></si>"
    )
    sheet = """<sheetData><row><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>99</v></c></row>
    <row><c r="A2" t="inlineStr"><is><t>Mon</t></is></c><c r="B2"><v>12.5</v></c><c r="C2" t="b"><v>1</v></c><c t="e"><v>#N/A</v></c>
    <c r="D2" t="str"><f>HYPERLINK("http://example.org/f","more")</f><v>more</v></c></row><row/></sheetData>
    <hyperlinks><hyperlink ref="A2:B2" r:id="h"/><hyperlink ref="A1" location="Sheet2!A1"/></hyperlinks>"""
    extract = read(XLSX, book(sheet, strings))
    assert extract.text == "Rain\nDay\tmm of rain\nMon\t12.5\tTRUE\tmore\nSaid of it"
    assert extract.headings == ("Rain",)
    assert links(extract) == [("http://example.org/f", "more"), ("http://example.org/x", "Mon")]


def test_a_string_named_by_a_million_cells_stops_at_the_limit() -> None:
    cell = '<c t="s"><v>0</v></c>'
    row = f"<row>{cell * 100_000}</row>"
    assert (
        len(
            read(
                XLSX, book(f"<sheetData>{row}</sheetData>", f"<si><t>{'x' * 30_000}</t></si>")
            ).text
        )
        <= 10_000_000
    )
    cells = f"<row>{cell}</row>" * 100_000
    extract = read(XLSX, book(f"<sheetData>{cells}</sheetData>", f"<si><t>{'x' * 30_000}</t></si>"))
    assert len(extract.text) <= 10_000_000


def test_what_is_no_package_or_has_no_document_is_unreadable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for missing in (False, True):
        if missing:
            monkeypatch.setitem(sys.modules, "undoc", None)
        for mime in (DOCX, PPTX, XLSX):
            for body in (b"", b"PK\x03\x04 nothing", zipped({"a.txt": "b"})):
                with pytest.raises(UnreadableError):
                    read(mime, body)
