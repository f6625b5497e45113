"""DOC, PPT and XLS, with a stand-in for undoc: real files are in test_real_formats."""

import sys
from types import SimpleNamespace
from typing import Any, Self

import pytest

from motherlode.documents.extracts import UnreadableError
from motherlode.documents.formats.kinds import OLE_MAGIC
from motherlode.lab.generated.formats import Manuscript, make
from support.document_files import DOCX, links, read

DOC = "application/msword"


class _UndocError(Exception):
    kind = 0


class _Parsed:
    """A document as undoc gives it."""

    title = None

    def plain_text(self) -> str:
        return "A heading\nSome text\na\tb\n"

    def to_markdown(self) -> str:
        return "# A heading\n\nSome [text](http://example.org/x)\n\n## Slide 1\n"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def undoc(outcome: Any) -> SimpleNamespace:
    def parse_bytes(_: bytes) -> Any:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return SimpleNamespace(
        parse_bytes=parse_bytes, UndocError=_UndocError, ErrorKind=SimpleNamespace(ENCRYPTED=12)
    )


def test_text_headings_and_links_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "undoc", undoc(_Parsed()))
    extract = read(DOC, OLE_MAGIC)
    assert (extract.text, extract.headings) == ("A heading\nSome text\na\tb", ("A heading",))
    assert links(extract) == [("http://example.org/x", "text")]


def test_without_undoc_the_reader_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "undoc", None)
    with pytest.raises(UnreadableError, match="needs the extra 'formats'"):
        read(DOC, OLE_MAGIC)


def test_failures_of_undoc_are_unreadable_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    locked = _UndocError()
    locked.kind = 12
    for error, told in (
        (_UndocError(), "broken"),
        (locked, "encrypted"),
        (OSError(), "needs the extra"),
    ):
        monkeypatch.setitem(sys.modules, "undoc", undoc(error))
        with pytest.raises(UnreadableError, match=told):
            read(DOC, OLE_MAGIC)


def test_other_formats_under_the_name_of_word_are_read_as_what_they_are() -> None:
    assert read(DOC, b"{\\rtf1 text}").text == "text"
    assert read(DOC, make("docx", Manuscript("T", ("text",)))).text == "T\ntext"


def test_old_formats_under_the_name_of_new_ones_are_read_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "undoc", undoc(_Parsed()))
    assert read(DOCX, OLE_MAGIC).text.startswith("A heading")
