"""Bytes to text."""
# ruff: noqa: RUF001 - Russian and Greek letters that look like Latin ones are meant

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.encoding import _declared, charset_in, decode

RUSSIAN = "Привет, мир! Это страница о погоде и о путешествиях по большой стране."
GREEK = "Καλημέρα κόσμε, αυτή είναι μια σελίδα για τον καιρό."
JAPANESE = "日本語のページです。天気と旅行について書いています。"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "windows-1251"),
        (GREEK, "iso-8859-7"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
    ],
)
def test_the_header_the_page_or_a_guess_tells_the_encoding(text: str, encoding: str) -> None:
    body = text.encode(encoding)
    declared = f'<meta charset="{encoding}">'.encode("ascii")
    assert decode(body, f"text/html; charset={encoding}") == text
    assert decode(declared + body).endswith(text)
    assert decode(body * 3) == text * 3


def test_a_byte_order_mark_goes_before_everything() -> None:
    assert decode(b"\xef\xbb\xbf" + RUSSIAN.encode(), "text/html; charset=koi8-r") == RUSSIAN
    assert decode(RUSSIAN.encode("utf-16"), "text/html; charset=utf-8") == RUSSIAN


def test_a_header_that_cannot_be_right_is_passed_over() -> None:
    assert decode(RUSSIAN.encode(), "text/html; charset=us-ascii") != ""
    assert decode(RUSSIAN.encode("koi8-r") * 3, "text/html; charset=utf-8") == RUSSIAN * 3


def test_utf_8_is_the_guess_where_it_fits() -> None:
    assert decode(RUSSIAN.encode()) == RUSSIAN


def test_latin_1_means_windows_1252() -> None:
    assert decode(b"\x93quoted\x94", "text/html; charset=iso-8859-1") == "\u201cquoted\u201d"


@pytest.mark.parametrize(
    "told",
    [
        "text/html",
        "text/html; charset=",
        "text/html; charset=bogus",
        "x; charset=hex",
        "x; charset=idna",
    ],
)
def test_a_charset_that_is_none_is_no_charset(told: str) -> None:
    assert charset_in(told) == ""


def test_nothing_raises() -> None:
    assert decode(bytes(range(256)), "text/html; charset=utf-8; charset=x") != ""
    assert decode(b"") == ""


# --- declarations -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="koi8-r">',
        "<META CHARSET='KOI8-R'>",
        "<meta charset = koi8-r >",
        '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">',
        '<meta content="text/html;charset=koi8-r" http-equiv=content-type>',
        '<?xml version="1.0" encoding="koi8-r"?>',
        '<!-- <meta charset="utf-8"> --><meta charset="koi8-r">',
        '<meta charset="bogus"><meta charset="koi8-r">',
        '<script charset="iso-8859-7" src=x></script><meta charset="koi8-r">',
        "<p>charset=iso-8859-7 is what we do not use</p><meta charset=koi8-r>",
    ],
)
def test_a_declaration_is_found_wherever_pages_put_it(declaration: str) -> None:
    assert decode(declaration.encode() + RUSSIAN.encode("koi8-r")).endswith(RUSSIAN)


def test_a_declaration_of_utf_16_that_can_be_read_is_wrong() -> None:
    assert decode(b'<meta charset="utf-16">' + RUSSIAN.encode()).endswith(RUSSIAN)


def test_the_header_goes_before_the_declaration() -> None:
    body = b'<meta charset="windows-1251">' + RUSSIAN.encode("koi8-r")
    assert decode(body, 'text/html; charset="KOI8-R"').endswith(RUSSIAN)


def html5lib(file: Path) -> Iterator[tuple[bytes, str]]:
    """The cases of a file: how a document begins, and its encoding."""
    for case in file.read_bytes().split(b"#data\n")[1:]:
        document, _, encoding = case.partition(b"\n#encoding\n")
        yield document, encoding.split()[0].decode()


def test_most_cases_of_html5lib_are_told_as_browsers_do(conformance: Path) -> None:
    """The others are declarations that are broken, which we believe, and some past the first 4,096 bytes."""
    cases = [
        case for file in sorted((conformance / "encoding").glob("*.dat")) for case in html5lib(file)
    ]
    right = [
        charset_in(f"x; charset={_declared(document) or 'windows-1252'}")
        == charset_in(f"x; charset={told}")
        for document, told in cases
    ]
    assert len(cases) > 80
    assert sum(right) >= 55


def test_a_text_in_chinese_is_told_by_its_bytes(conformance: Path) -> None:
    body = (conformance / "encoding" / "chardet" / "test_big5.txt").read_bytes()
    assert decode(body) == body.decode("big5hkscs")


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("latin1", "cp1252"),
        ("ISO8859-1", "cp1252"),
        ("us-ascii", "cp1252"),
        ("GB2312", "gb18030"),
        ("x-gbk", "gb18030"),
        ("sjis", "cp932"),
        ("Shift-JIS", "cp932"),
        ("x-sjis", "cp932"),
        ("ks_c_5601-1987", "cp949"),
        ("euc-kr", "cp949"),
        ("tis-620", "cp874"),
        ("windows-874", "cp874"),
        ("iso-8859-9", "cp1254"),
        ("x-cp1251", "cp1251"),
        ("big5", "big5hkscs"),
        ("utf8", "utf-8"),
        ("macintosh", "mac-roman"),
    ],
)
def test_names_mean_what_browsers_take_them_for(name: str, codec: str) -> None:
    assert charset_in(f"text/html; charset={name}") == codec
    assert b"abc".decode(codec) == "abc"


# --- text that is nearly right ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", [RUSSIAN, GREEK, JAPANESE])
def test_text_that_was_cut_within_a_character_loses_that_one_alone(text: str) -> None:
    body = text.encode()
    for cut in range(len(body) // 2, len(body)):
        found = decode(body[:cut], "text/html; charset=utf-8")
        assert text.startswith(found)
        assert len(found) >= len(body[:cut].decode("utf-8", "ignore"))


def test_a_wrong_byte_in_a_long_text_spoils_no_other() -> None:
    body = RUSSIAN.encode() + b"\xe9" + RUSSIAN.encode()
    assert decode(body) == f"{RUSSIAN}\N{REPLACEMENT CHARACTER}{RUSSIAN}"
    assert decode(body, "text/html; charset=utf-8").count(RUSSIAN) == 2


@pytest.mark.parametrize(
    "text", ["café", "déjà vu", "Ein schöner Tag für Überraschungen", "naïve façade"]
)
def test_western_text_that_is_called_utf_8_is_not_mangled(text: str) -> None:
    assert decode(text.encode("windows-1252"), "text/html; charset=utf-8") == text


@given(
    st.binary(),
    st.sampled_from(["", "utf-8", "utf-16", "shift_jis", "gb2312", "utf-32", "cp037", "hz"]),
)
def test_any_bytes_are_some_text(body: bytes, told: str) -> None:
    assert isinstance(decode(body, f"text/html; charset={told}"), str)


@given(st.text())
def test_whatever_is_utf_8_is_read_as_such(text: str) -> None:
    body = text.encode("utf-8", "replace")
    assert decode(body, "text/html; charset=utf-8") == body.decode("utf-8-sig")
