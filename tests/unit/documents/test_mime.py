"""The MIME type of a document, by its header and by its bytes."""

import pytest

from motherlode.documents.mime import mime_of, sniff_mime

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("start", "declared", "sniffed"),
    [
        (b"<!DOCTYPE html><p>x", "image/png", "text/html"),
        (b"  <!-- c --><html>", "", "text/html"),
        (b"<html>", "application/xhtml+xml", "application/xhtml+xml"),
        (b"\x89PNG\r\n\x1a\n....", "text/html", "image/png"),
        (b"%PDF-1.4", "text/html; charset=utf-8", "application/pdf"),
        (b"PK\x03\x04....", WORD, WORD),
        (b"PK\x03\x04....", "text/html", "application/zip"),
        (b"plain words", "", "text/plain"),
        (b"plain words", "image/png", "text/plain"),
        (b"\x00\x01\x02", "", "application/octet-stream"),
        (b"<?xml version='1.0'?><x/>", "", "application/xml"),
        (b"a,b,c", "text/csv", "text/csv"),
        (b"", "text/html", "text/html"),
    ],
)
def test_bytes_say_more_than_headers(start: bytes, declared: str, sniffed: str) -> None:
    assert sniff_mime(start, declared) == sniffed


def test_parameters_are_no_part_of_a_type() -> None:
    assert mime_of(" Text/HTML ;charset=UTF-8") == "text/html"


def test_many_comments_before_a_page_take_no_time() -> None:
    """An earlier pattern tried every way to combine them: years, for a kilobyte."""
    assert sniff_mime(b"<!---->" * 146 + b"x", "text/plain") == "text/plain"
    assert sniff_mime(b"<!-- - -- a -->\n" * 40 + b"<html>", "") == "text/html"


def test_a_type_that_never_ends_is_not_remembered_whole() -> None:
    assert len(mime_of("a" * 60_000)) < 1000
