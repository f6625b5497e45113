"""PDF."""

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from motherlode.documents.extracts import UnreadableError
from motherlode.documents.formats import pdf
from motherlode.documents.formats.lines import paragraphs
from motherlode.lab.generated.formats import Manuscript, make
from support.document_files import links, read

PDF = "application/pdf"
LONG = "A long paragraph that runs over the end of its line, since there is more of it than goes on one line."


def test_title_text_and_links_of_a_made_document() -> None:
    told = Manuscript("On rain", (LONG, "A short one."), (("http://example.org/a?b=c", "a link"),))
    extract = read(PDF, make("pdf", told))
    assert extract.title == "On rain"
    assert extract.text == f"On rain\n{LONG}\nA short one.\na link"
    assert links(extract) == [("http://example.org/a?b=c", "a link")]


def drawn(draw: Any, **told: Any) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, **told)
    draw(canvas)
    canvas.save()
    return file.getvalue()


def test_an_address_that_is_only_text_is_a_link_too() -> None:
    body = drawn(lambda canvas: canvas.drawString(72, 700, "See http://example.org/text for more"))
    assert links(read(PDF, body)) == [("http://example.org/text", "")]


def test_a_link_over_several_lines_is_one() -> None:
    def draw(canvas: Canvas) -> None:
        for height, text in ((700, "first line"), (680, "second line")):
            canvas.drawString(72, height, text)
            canvas.linkURL("http://example.org/x", (70, height - 2, 200, height + 10))
        canvas.drawString(72, 600, "other")
        canvas.linkURL("http://example.org/y", (70, 598, 200, 610))

    assert links(read(PDF, drawn(draw))) == [
        ("http://example.org/x", "first line second line"),
        ("http://example.org/y", "other"),
    ]


def test_pages_follow_each_other_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(canvas: Canvas) -> None:
        for number in range(1, 6):
            canvas.drawString(72, 700, f"Page {number}")
            canvas.showPage()

    body = drawn(draw)
    assert read(PDF, body).text == "Page 1\nPage 2\nPage 3\nPage 4\nPage 5"
    monkeypatch.setattr(pdf, "MAX_PAGES", 2)
    assert read(PDF, body).text == "Page 1\nPage 2"


def test_a_password_is_respected_unless_it_is_empty() -> None:
    locked = drawn(
        lambda canvas: canvas.drawString(72, 700, "secret"), encrypt=StandardEncryption("word")
    )
    with pytest.raises(UnreadableError, match="encrypted"):
        read(PDF, locked)
    printing = StandardEncryption("", ownerPassword="owner", canCopy=0)
    assert (
        read(PDF, drawn(lambda canvas: canvas.drawString(72, 700, "open"), encrypt=printing)).text
        == "open"
    )


def test_lines_are_put_together_and_hyphens_taken_out() -> None:
    lines = [
        "A line that is as long as lines get here, and contin-",
        "ued on the next line, a long one too",
    ]
    lines += ["and ends.", "More"]
    assert list(paragraphs("\r\n".join(lines))) == [
        "A line that is as long as lines get here, and continued on the next line, a long one too and ends.",
        "More",
        "",
    ]


class _PanicError(BaseException):
    """As Rust's panics look in Python."""


_PanicError.__name__ = "PanicException"


def _oxide(outcome: Any) -> SimpleNamespace:
    """A stand-in for pdf_oxide."""

    def from_bytes(_: bytes) -> Any:
        if isinstance(outcome, BaseException):
            raise outcome
        return SimpleNamespace(
            page_count=lambda: len(outcome), extract_text=lambda number: outcome[number]
        )

    return SimpleNamespace(
        disable_logging=lambda: None, PdfDocument=SimpleNamespace(from_bytes=from_bytes)
    )


def test_what_the_first_library_cannot_open_is_given_to_the_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pdf_oxide", _oxide(["One", "Two"]))
    assert read(PDF, b"%PDF-broken").text == "One\nTwo"


@pytest.mark.parametrize(
    "outcome", [RuntimeError("broken"), _PanicError("index out of bounds"), [""], None]
)
def test_a_second_failure_is_final(monkeypatch: pytest.MonkeyPatch, outcome: Any) -> None:
    monkeypatch.setitem(sys.modules, "pdf_oxide", outcome if outcome is None else _oxide(outcome))
    with pytest.raises(UnreadableError, match="a broken PDF"):
        read(PDF, b"%PDF-broken")


def test_whoever_ends_the_process_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pdf_oxide", _oxide(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        read(PDF, b"%PDF-broken")
