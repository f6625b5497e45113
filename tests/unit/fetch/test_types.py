"""Which types of document are fetched."""

from pathlib import Path

import pytest

from motherlode.documents.mime import sniff_mime
from motherlode.fetch.types import limit_of
from motherlode.lab.generated.formats import KINDS, Manuscript, make

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    "mime", ["text/html", "application/pdf", WORD, "application/zip", "", "text/plain"]
)
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
    assert limit_of(sniff_mime(body, KINDS[kind])) > 0
    assert limit_of(sniff_mime(body, "")) > 0


def test_real_documents_are_known(conformance: Path) -> None:
    wrong = [
        path.name
        for ending in ("pdf", "rtf", "html", "ps")
        for path in (conformance / "documents").rglob(f"*.{ending}")
        if path.stat().st_size and limit_of(sniff_mime(path.read_bytes()[:2000], "")) == 0
    ]
    assert wrong == []
