"""Documents read by worker processes: bombs, and the test files of other projects."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from motherlode.documents.analysis import Analysed, Manner
from motherlode.documents.extracts import Raw
from motherlode.documents.mime import sniff_mime
from motherlode.documents.options import ReadingOptions
from motherlode.fetch.event_loop import run
from motherlode.records import Document, Link, UrlKey
from motherlode.records.texts import unpack_text
from motherlode.workers import document_reader as module
from motherlode.workers.document_reader import DocumentReaders

PATIENT = ReadingOptions(workers=2, seconds=30.0, memory=1024)


def read(
    raws: Sequence[Raw],
    options: ReadingOptions = PATIENT,
    size: int = 20,
) -> list[list[Analysed]]:
    """Return the documents as read, batch by batch."""

    async def read_batches() -> list[list[Analysed]]:
        async with DocumentReaders(Manner(), options) as readers:
            batches = [raws[start : start + size] for start in range(0, len(raws), size)]
            return [read for batch in batches for read in await readers.read_documents(batch)]

    return run(read_batches())


def link_html(number: int) -> str:
    return f"<p>word <a href=/{number}>link {number}</a>"


MANY_ATTRIBUTES = " ".join(f"a{number}=v" for number in range(100_000))
MANY_OPTIONS = "<option>o" * 50_000
MANY_INPUTS = "<input name=a>" * 200
BOMBS = {
    "elements": "<div>" * 100_000 + "end",
    "formatting": "<b><i>" * 50_000 + "end" + "<a href=/x>x</a>" * 100,
    "attributes": "<p " + MANY_ATTRIBUTES + ">end",
    "attributes of a link": "<a href=/x " + MANY_ATTRIBUTES + ">end</a>",
    "entities": "<p>" + "&amp;&eacute;" * 500_000 + " end",
    "marks": "<p>" + "&#xFDD0;" * 100_000 + "\ufdd0" * 100_000 + " end",
    "text": "<p>" + "owls fly at night " * 1_150_000 + "end",
    "one word": "<p>" + "x" * 5_000_000 + " end",
    "links": "".join(map(link_html, range(100_000))) + "end",
    "links in links": "<a href=/x>x<table><tr><td>" * 3_000 + "words " * 100_000 + "end",
    "links without end": "<a href=/x>" * 50_000 + "end",
    "menus": "<nav class=menu>" * 5_000 + "<a href=/x>x</a>" * 5_000 + "end",
    "forms": "<form action=/x><input name=a></form>" * 50_000 + "end",
    "fields": "<form>" + "<label>w <input name=a></label>" * 50_000 + "</form>end",
    "choices": "<form><label>a <select name=s>" + MANY_OPTIONS + "</select></label></form>end",
    "fields in one label": "<form><label>" + MANY_INPUTS + "words " * 200_000 + "</form>end",
    "tables": "<table><tr><td>" * 20_000 + "end",
    "lists": "<ul><li>x" * 50_000 + "end",
    "title": "<title>" + "owl " * 1_250_000 + "</title><p>end",
    "headings": "<h1>" * 50_000 + "x " * 1_000 + "end",
    "hidden": "<div hidden><p style='display:none'>" * 50_000 + "end",
    "metas": "<meta name=robots content=noindex>" * 100_000 + "end",
    "comments": "end" + "<!--" * 500_000,
    "brackets": "end" + "<" * 1_000_000,
    "long references": "".join(f"<a href='/{n}{'x' * 100_000}'>x</a>" for n in range(100)) + "end",
}
HIDDEN_TEXT = {"hidden"}


def test_no_html_bomb_harms_its_worker_or_other_documents() -> None:
    pages = {f"http://a.test/{name}": html for name, html in BOMBS.items()}
    raws = [Raw(url, html.encode(), "text/html") for url, html in pages.items()]
    results = read(raws, size=len(raws))
    for name, ((result,), raw) in zip(BOMBS, zip(results, raws, strict=True), strict=True):
        document = result.document
        assert (result.url, document.unreadable) == (raw.url, ""), name
        assert ("end" in document.text) is (name not in HIDDEN_TEXT), name
        assert len(document.text) <= len(raw.body), name
        assert len(document.title) <= 500, name
        assert len(document.links) <= 10_001, name
        assert sum(len(link.path) + len(link.anchor) for link in document.links) < 10_000_000, name
        assert len(document.forms) <= 50, name


def test_a_bomb_in_another_format_is_read_or_refused() -> None:
    bombs = {
        "application/xml": b'<!DOCTYPE x [<!ENTITY a0 "aaaaaaaaaa">'
        + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10))
        + b"]><x>&a9;</x>",
        "text/csv": b'"' * 2_000_000,
        "text/markdown": b"[" * 200_000 + b"*_" * 200_000,
        "application/rtf": b"{\\rtf1" + b"{" * 500_000,
        "application/pdf": b"%PDF-1.4\n" + b"<<" * 500_000,
        "application/rss+xml": b"<rss>" + b"<item>" * 300_000,
        "text/plain": b"http://a.test/ " * 300_000,
    }
    raws = [Raw("http://a.test/x", body, mime) for mime, body in bombs.items()]
    for result in read(raws):
        assert len(result) == 1
        assert len(result[0].document.text) <= 10_000_000


# Files that are encrypted, broken, or of a type without a reader.
MAX_UNREADABLE_FILES = 21


def test_the_test_files_of_other_projects_harm_no_worker(conformance: Path) -> None:
    pytest.importorskip("undoc", reason="the extra 'formats' is not installed")
    files = sorted(file for file in (conformance / "documents").glob("*/*") if file.is_file())
    raws = []
    for file in files:
        body = file.read_bytes()
        raws.append(
            Raw(f"http://a.test/{file.parent.name}/{file.name}", body, sniff_mime(body, "")),
        )
    results = read(raws)
    assert len(results) == len(raws) > 300
    assert [result[0].url for result in results] == [raw.url for raw in raws]
    documents = [result[0].document for result in results]
    reasons = Counter(document.unreadable for document in documents if document.unreadable)
    assert sum(reasons.values()) <= MAX_UNREADABLE_FILES, reasons
    harm = ("reader", "took", "invalid result")
    assert [reason for reason in reasons if any(word in reason for word in harm)] == []


@pytest.mark.parametrize(
    "mime",
    ["", "text/html", "application/pdf", "application/zip", "image/png", "x/y"],
)
def test_an_empty_body_is_a_document(mime: str) -> None:
    ((result,),) = read([Raw("http://a.test/", b"", mime)], ReadingOptions(workers=1))
    assert result.url == "http://a.test/"
    assert result.document.text == ""


def test_a_lone_surrogate_in_text_comes_back_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = Raw("http://a.test/", b"", "text/html")
    for text in ("owls", "half \ud83e an owl"):
        documents = [Analysed(raw.url, raw.mime, Document(text=text, vectors={"terms": b"\xff"}))]
        monkeypatch.setattr(module, "analyse", lambda *_, documents=documents: documents)
        encoded = module._read_document(raw, Manner())
        assert module._decode(raw, encoded, for_store=False) == documents


def test_a_lone_surrogate_in_a_stored_link_comes_back_unchanged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = Raw("http://a.test/", b"", "text/html")
    link = Link("http://a.test/x", UrlKey(7), "half \ud83e an owl", 3)
    monkeypatch.setattr(
        module,
        "analyse",
        lambda *_: [Analysed(raw.url, raw.mime, Document(links=(link,)))],
    )
    (stored,) = module._decode(
        raw,
        module._read_document(raw, Manner(), for_store=True),
        for_store=True,
    )
    assert stored.document.links == (link,)


def test_documents_for_the_store_come_back_packed() -> None:
    text = b"They hunt mice at night, and sleep by day."
    body = b"<title>Owls</title><h1>Barn owls</h1><p>" + text + b"<a href=/x>x</a>"
    raw = Raw("http://a.test/", body, "text/html")
    ((whole,),) = read([raw])
    packed = module._read_document(raw, Manner(in_full=False), for_store=True)
    (stored,) = module._decode(raw, packed, for_store=True)
    assert unpack_text(stored.document.packed) == (whole.document.text, whole.document.main)
    assert (stored.document.text, stored.document.main, stored.document.headings) == ("", "", ())
    read_links = whole.document.links
    links = tuple(Link(link.url, link.key, link.anchor, link.flags) for link in read_links)
    assert links
    assert (stored.document.title, stored.document.links) == ("Owls", links)
    assert stored.document.vectors == whole.document.vectors


@pytest.mark.parametrize("for_store", [False, True])
@pytest.mark.parametrize(
    "garbled", [b"", b"\xc1", b"\x91\x80", b"\x91\x83\xa3url\xa1\xff", b"\x91\x97\xa1\xff"]
)
def test_a_garbled_result_is_an_unreadable_document(garbled: bytes, *, for_store: bool) -> None:
    (result,) = module._decode(
        Raw("http://a.test/", b"", "text/html"),
        garbled,
        for_store=for_store,
    )
    assert (result.url, result.document) == (
        "http://a.test/",
        Document(unreadable="gave an invalid result"),
    )
