"""RTF."""

import pytest

from motherlode.documents.extracts import UnreadableError
from support.document_files import links, read

RTF = "application/rtf"


def text(body: str) -> str:
    return read(RTF, "{\\rtf1\\ansi " + body + "}").text


def test_paragraphs_cells_and_special_letters() -> None:
    assert (
        text(r"One\par two\line three\tab four\par\pard\intbl a\cell b\cell\row end")
        == "One\ntwo three four\na\nb\nend"
    )
    assert text(r"\ldblquote a\rdblquote\emdash b\~c\-d\_e \{\}\\") == "“a”—b cd-e {}\\"
    assert text("line\r\nbreaks\n are nothing") == "linebreaks are nothing"


def test_destinations_that_say_nothing_are_skipped_whatever_is_in_them() -> None:
    body = r"""{\fonttbl{\f0 Times;}}{\colortbl;\red0;}{\stylesheet{\s0 Normal;}}{\info{\title A {\b title}}{\author Me}}
    {\*\generator Word {nested};}{\pict\wmetafile8 0102}{\header Head}{\*\unknown {\b no}}Text{\*\bkmkstart x}{\listtext 1.}{\v hidden} shown"""
    extract = read(RTF, "{\\rtf1" + body + "}")
    assert (extract.title, extract.text) == ("A title", "Text shown")


def test_bytes_go_by_the_code_page_of_the_document_or_of_the_font() -> None:
    assert text(r"\ansicpg1251 \'ef\'ee\'e3\'ee\'e4\'e0") == "погода"
    fonts = r"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}"
    assert (
        text(fonts + r"\f0 caf\'e9 {\f1 \'ef\'ee}\f2 \'93\'fa\'96\'7b\plain \'e9") == "café по日本é"
    )
    assert text(r"\mac \'8e") == "é"


def test_unicode_letters_replace_what_stands_for_them() -> None:
    assert text(r"\u1087?\u1086\'3f.") == "по."
    assert text(r"\uc2\u26085\'93\'fa\u26412ab.{\uc0\u233 e}\u233xy!") == "日本.éeé!"
    assert text(r"\uc1\u-10179?\u-8704? and \u-10179? alone") == "😀 and \ufffd alone"


def test_hyperlink_fields_are_links() -> None:
    body = r"""See {\field{\*\fldinst{ HYPERLINK "http://example.org/a b" }}{\fldrslt{\ul the {\b page}}}} and
    {\field{\*\fldinst HYPERLINK http://example.org/c}{\fldrslt c}}{\field{\*\fldinst PAGE}{\fldrslt 7}}
    {\field{\*\fldinst HYPERLINK \\l "x"}{\fldrslt here}}"""
    extract = read(RTF, "{\\rtf1 " + body + "}")
    assert links(extract) == [("http://example.org/a b", "the page"), ("http://example.org/c", "c")]
    assert extract.text == "See the page and c7 here"


def test_headings_notes_and_styles() -> None:
    body = r"""{\stylesheet{\s0 Normal;}{\s1 heading 1;}}\pard\s1 Head\par\pard Text{\footnote A note} goes on\par\pard\outlinelevel1 Two\par"""
    extract = read(RTF, "{\\rtf1" + body + "}")
    assert (extract.headings, extract.text) == (("Head", "Two"), "Head\nA note\nText goes on\nTwo")


def test_binary_data_is_jumped_over_and_what_follows_the_end_is_none() -> None:
    assert text(r"a{\pict\bin5 {{{{{}b") == "ab"
    assert read(RTF, b"{\\rtf1 text}\0\0garbage").text == "text"


@pytest.mark.parametrize(
    "body",
    [
        b"{" * 1_000_000,
        b"}" * 1_000_000,
        b"{}" * 1_000_000,
        b"{\\field" * 100_000,
        b"{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt y" * 20_000,
        b"{\\footnote x" * 50_000,
        b"\\u1" * 300_000,
        b"\\bin99999999999",
        b"\\f99999999999999 \\uc-5 \\ansicpg0 \\u99999999",
        b"\\'",
        b"\\",
    ],
)
def test_no_nesting_is_too_deep_and_no_number_too_large(body: bytes) -> None:
    assert read(RTF, b"{\\rtf1 text" + body).text.split("\n")[-1].startswith("text")


def test_what_is_no_rtf_is_unreadable() -> None:
    with pytest.raises(UnreadableError, match="no RTF"):
        read(RTF, b"text")
