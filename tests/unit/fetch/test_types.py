"""Types: which are wanted, and what bytes really are."""

from pathlib import Path

import pytest

from motherlode.fetch.types import limit_of, mime_of, sniffed
from motherlode.lab.generated.formats import KINDS, Manuscript, make

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize("mime", ["text/html", "application/pdf", WORD, "application/zip", "", "text/plain"])
def test_documents_are_wanted(mime: str) -> None:
    assert limit_of(mime) > 0


@pytest.mark.parametrize(
    "mime", ["image/png", "video/mp4", "application/javascript", "text/css", "font/woff2"]
)
def test_pictures_sounds_and_programs_are_not(mime: str) -> None:
    assert limit_of(mime) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_of_the_lab_is_wanted_and_known_by_its_bytes(kind: str) -> None:
    body = make(kind, Manuscript("Title", ("Some text.",)))
    assert limit_of(sniffed(body, KINDS[kind])) > 0
    assert limit_of(sniffed(body, "")) > 0


@pytest.mark.parametrize(
    ("start", "told", "found"),
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
def test_bytes_say_more_than_headers(start: bytes, told: str, found: str) -> None:
    assert sniffed(start, told) == found


def test_real_documents_are_known(conformance: Path) -> None:
    wrong = [
        path.name
        for ending in ("pdf", "rtf", "html", "ps")
        for path in (conformance / "documents").rglob(f"*.{ending}")
        if path.stat().st_size and limit_of(sniffed(path.read_bytes()[:2000], "")) == 0
    ]
    assert wrong == []


def test_parameters_are_no_part_of_a_type() -> None:
    assert mime_of(" Text/HTML ;charset=UTF-8") == "text/html"
