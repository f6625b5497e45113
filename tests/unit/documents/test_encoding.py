"""Bytes to text."""
# ruff: noqa: RUF001 - Russian and Greek letters that look like Latin ones are meant

import pytest

from motherlode.documents.encoding import charset_in, decode

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
    ["text/html", "text/html; charset=", "text/html; charset=bogus", "x; charset=hex", "x; charset=idna"],
)
def test_a_charset_that_is_none_is_no_charset(told: str) -> None:
    assert charset_in(told) == ""


def test_nothing_raises() -> None:
    assert decode(bytes(range(256)), "text/html; charset=utf-8; charset=x") != ""
    assert decode(b"") == ""
