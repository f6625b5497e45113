"""Each format, whatever pages say: what is written is read back by other programs."""

import gzip
import io
import json
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import turbohtml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from motherlode.export.external_sort import sorted_lines
from motherlode.export.formats.bookmarks import write_bookmarks
from motherlode.export.formats.csv import write_csv
from motherlode.export.formats.graphs import write_gexf, write_graphml
from motherlode.export.formats.jsonl import write_jsonl
from motherlode.export.formats.parquet import write_parquet
from motherlode.export.formats.wacz import ArchiveInfo, surt, write_wacz
from motherlode.export.formats.warc import write_warc
from motherlode.export.records import JudgementRecord, LinkRecord, PackedResponse, PageRecord, Shelf
from motherlode.export.text_cleaner import LONG, label, plain, whole
from motherlode.records import BadInputError
from motherlode.sources.bookmarks import netscape
from motherlode.store.archive import GZIPPED, Archive, ArchiveOptions, Exchange, Identity
from support.helpers import sheet_rows

EVIL = (
    "<script>alert(1)</script>",
    "]]></title><!-- --> &amp; &#0; &#99999999999;",
    "\x00\x01\x1b[31m\x7f\x85\x9b2J\ufffe\uffff",
    "\u202egnp.exe\u2066\u200f",
    "\ud800 lone \udfff",
    "=HYPERLINK(1)",
    "-1+1",
    '"quoted", \'also\', "\r\n"" and more\n',
    "\U0001f989" * 1_000,
    "x" * 2**20,
)
NAMESPACE = {"g": "http://graphml.graphdrawing.org/xmlns", "x": "http://gexf.net/1.3"}
hostile = st.one_of(
    st.sampled_from(EVIL),
    st.text(st.characters(exclude_categories=()), max_size=40),
    st.text(max_size=40),
)


def page(number: int = 1, title: str = "Owl", **parts: object) -> PageRecord:
    given: dict[str, object] = {
        "id": number,
        "url": f"http://a.test/{number}",
        "title": title,
        "topic": "birds/owls",
        "margin": 0.5,
        "probability": 0.72,
        "fetched_at": 1_700_000_000.25,
        "language": "en",
        "mime": "text/html",
        "status": 200,
        "size": 10,
        "digest": b"\x01" * 20,
    }
    return PageRecord(**(given | parts))  # type: ignore[arg-type]


def evil_pages(titles: list[str]) -> list[PageRecord]:
    return [
        page(number, title, text=title, language=title[:5])
        for number, title in enumerate(titles, 1)
    ]


titles_of = given(st.lists(hostile, max_size=4))
several = settings(max_examples=60, deadline=None)


@several
@titles_of
@example(list(EVIL))
def test_json_lines_say_what_was_said(titles: list[str]) -> None:
    out = io.BytesIO()
    assert write_jsonl(evil_pages(titles), out) == len(titles)
    assert out.getvalue().isascii()
    lines = out.getvalue().split(b"\n")[:-1]
    found = [json.loads(line) for line in lines]
    assert [one["title"] for one in found] == [whole(title) for title in titles]
    assert [one["text"] for one in found] == [whole(title) for title in titles]
    assert not any(byte < 32 for line in lines for byte in line)


def test_a_line_of_json_has_these_fields() -> None:
    out = io.BytesIO()
    write_jsonl(
        [page(), page(2, topic=None, margin=None, probability=None, digest=b"", gone=True)], out
    )
    first, second = map(json.loads, out.getvalue().splitlines())
    assert first == {
        "url": "http://a.test/1",
        "title": "Owl",
        "topic": "birds/owls",
        "confidence": 0.5,
        "margin": 0.5,
        "probability": 0.72,
        "certainty": "likely",
        "fetched_at": "2023-11-14T22:13:20.250Z",
        "language": "en",
        "mime": "text/html",
        "status": 200,
        "size": 10,
        "digest": "sha1:AEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIB",
        "gone": False,
    }
    assert (second["topic"], second["confidence"], second["digest"], second["gone"]) == (
        None,
        None,
        "",
        True,
    )


@several
@titles_of
@example(list(EVIL))
def test_csv_has_words_and_no_formulas(titles: list[str]) -> None:
    out = io.BytesIO()
    assert write_csv(evil_pages(titles), out, texts=True) == len(titles)
    rows = sheet_rows(out.getvalue().decode())
    assert [row["title"].removeprefix("'") for row in rows] == [
        plain(t).removeprefix("'") for t in titles
    ]
    assert not any(
        row[key].startswith(("=", "+", "-", "@")) for row in rows for key in ("title", "text")
    )
    assert all(row["size"] == "10" and row["gone"] == "false" for row in rows)
    assert not {"\x1b", "\u202e", "\x00"} & set(out.getvalue().decode())
    assert out.closed is False


@several
@given(st.lists(hostile, max_size=3), st.lists(hostile, max_size=3))
@example(list(EVIL), list(EVIL))
def test_bookmarks_are_read_again_as_they_were(titles: list[str], names: list[str]) -> None:
    path = tuple(label(name.replace("/", "-")) or "unnamed" for name in names)
    shelves = [Shelf(path[:depth], ()) for depth in range(1, len(path))]
    out = io.BytesIO()
    pages = evil_pages(titles)
    assert write_bookmarks([*shelves, Shelf(path, tuple(pages))], out, "\x1b<b>") == len(titles)
    folder = netscape.parse(out.getvalue().decode())
    for name in path:
        (folder,) = folder.folders
        assert folder.name == name
    assert [one.url for one in folder.bookmarks] == [one.url for one in pages]
    assert [one.title for one in folder.bookmarks] == [
        label(title) or "http://a.test/" + str(n) for n, title in enumerate(titles, 1)
    ]
    assert all(one.added_at == 1_700_000_000 for one in folder.bookmarks)


@several
@titles_of
@example(list(EVIL))
def test_bookmarks_are_html_without_scripts(titles: list[str]) -> None:
    out = io.BytesIO()
    write_bookmarks([Shelf(("owls",), tuple(evil_pages(titles)))], out)
    document = turbohtml.parse(out.getvalue().decode())
    assert not list(document.find_all("script"))
    anchors = list(document.find_all("a"))
    assert len(anchors) == len(titles)
    assert all(len(anchor.text) <= LONG for anchor in anchors)


def test_folders_are_closed_where_another_begins() -> None:
    shelves = [
        Shelf(("a",), (page(1),)),
        Shelf(("a", "b", "c"), (page(2),)),
        Shelf(("d", "b"), (page(3),)),
    ]
    out = io.BytesIO()
    assert write_bookmarks(shelves, out) == 3
    a, d = netscape.parse(out.getvalue().decode()).folders
    assert (a.name, [one.url[-1] for one in a.bookmarks]) == ("a", ["1"])
    assert (a.folders[0].name, a.folders[0].folders[0].name) == ("b", "c")
    assert (d.name, d.folders[0].bookmarks[0].url[-1]) == ("d", "3")


@several
@titles_of
@example(list(EVIL))
def test_graphs_are_xml_whatever_titles_hold(titles: list[str]) -> None:
    pages = [page(one.id, one.title, topic=one.title[:100]) for one in evil_pages(titles)]
    edges = [(one.id, 1) for one in pages[1:]]
    out = io.BytesIO()
    assert write_graphml(pages, edges, out) == len(titles)
    graph = ET.fromstring(out.getvalue())  # noqa: S314 - our own
    nodes = graph.findall(".//g:node", NAMESPACE)
    assert [node.get("id") for node in nodes] == [f"n{one.id}" for one in pages]
    assert [node.findtext("g:data[@key='title']", "", NAMESPACE) for node in nodes] == [
        *map(label, titles)
    ]
    assert [edge.get("source") for edge in graph.findall(".//g:edge", NAMESPACE)] == [
        f"n{s}" for s, _ in edges
    ]
    out = io.BytesIO()
    assert write_gexf(pages, edges, out) == len(titles)
    graph = ET.fromstring(out.getvalue())  # noqa: S314 - our own
    nodes = graph.findall(".//x:node", NAMESPACE)
    assert [node.get("label") for node in nodes] == [label(one.title) or one.url for one in pages]
    assert len(graph.findall(".//x:edge", NAMESPACE)) == len(edges)


def test_a_node_says_only_what_is_known() -> None:
    out = io.BytesIO()
    write_graphml([page(topic=None, margin=None, probability=None)], [], out)
    assert b"birds" not in out.getvalue()
    assert out.getvalue().count(b"<data") == 2


@settings(max_examples=15, deadline=None)
@titles_of
@example(list(EVIL))
def test_parquet_tables_are_read_again(titles: list[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import tempfile  # noqa: PLC0415 - hypothesis runs this many times, and a fixture would not

    pages = [*evil_pages(titles), page(99, topic=None, margin=None, probability=None)]
    links = [
        LinkRecord(1, place, f"http://b.test/{place}", title, 2)
        for place, title in enumerate(titles)
    ]
    with tempfile.TemporaryDirectory() as folder:
        said = [JudgementRecord(1, "owls", None, margin=0.5, probability=0.72)]
        assert write_parquet(iter(pages), iter(links), iter(said), Path(folder)) == len(pages)
        documents = parquet.read_table(Path(folder) / "documents.parquet").to_pylist()
        kept = parquet.read_table(Path(folder) / "links.parquet").to_pylist()
        judged = parquet.read_table(Path(folder) / "judgements.parquet").to_pylist()
    assert [one["title"] for one in documents] == [whole(one.title) for one in pages]
    assert documents[-1]["topic"] is documents[-1]["text"] is None
    assert documents[-1]["fetched_at"] == datetime.fromtimestamp(1_700_000_000.25, UTC)
    assert [one["anchor"] for one in kept] == [*map(whole, titles)]
    sureness = {"confidence": 0.5, "margin": 0.5, "probability": 0.72, "certainty": "likely"}
    assert judged == [{"page": 1, "topic": "owls", "model": None} | sureness]
    if titles:
        assert {key: documents[0][key] for key in sureness} == sureness


def test_parquet_without_its_package_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BadInputError, match=r"motherlode\[parquet\]"):
        write_parquet(iter(()), iter(()), iter(()), tmp_path)


# --- archives ---


@pytest.fixture
def responses(tmp_path: Path) -> Iterator[tuple[list[PackedResponse], bytes]]:
    """Some pages with their records, and the record that a file begins with."""
    with Archive(tmp_path / "archive", ArchiveOptions(), Identity("tests")) as archive:
        found = []
        for number, title in enumerate(EVIL):
            url = f"http://www.{'zyx'[number % 3]}.test/{number}"
            head, body = b"HTTP/1.1 200 OK\r\n", title.encode(errors="replace")
            if number % 2:  # as it came
                head, body = head + GZIPPED, gzip.compress(body)
            exchange = Exchange(url, 1_700_000_000.0 + number, head, body)
            where = archive.append(exchange)
            archive.flush()
            one = page(number, title, url=url, digest=b"\x02" * 20, fetched_at=exchange.fetched_at)
            found.append(PackedResponse(one, archive.packed(where)))
        archive.commit()
        yield found, archive.opening("data.warc.gz", 1_700_000_000.0)


def urls_in(packed: bytes) -> list[str]:
    """The addresses of the responses in a WARC file, as another program reads it."""
    found = []
    for record in ArchiveIterator(io.BytesIO(packed), check_digests=False):
        if record.rec_type == "response":
            found.append(record.rec_headers.get_header("WARC-Target-URI"))
            record.content_stream().read()
    return found


def test_a_warc_file_is_read_by_another_program(
    responses: tuple[list[PackedResponse], bytes],
) -> None:
    found, opening = responses
    out = io.BytesIO()
    assert write_warc(found, out, opening) == len(EVIL)
    assert urls_in(out.getvalue()) == [one.page.url for one in found]
    first = next(iter(ArchiveIterator(io.BytesIO(out.getvalue()))))
    assert (first.rec_type, first.rec_headers.get_header("WARC-Filename")) == (
        "warcinfo",
        "data.warc.gz",
    )


def test_a_wacz_file_is_whole_and_its_index_leads_to_the_records(
    responses: tuple[list[PackedResponse], bytes],
) -> None:
    found, opening = responses
    out = io.BytesIO()
    about = ArchiveInfo("Owls \x1b<b>", "tests", 1_700_000_000.0, opening)
    assert write_wacz(found, out, about) == len(EVIL)
    package = zipfile.ZipFile(out)
    assert package.testzip() is None
    described = json.loads(package.read("datapackage.json"))
    assert (described["profile"], described["wacz_version"]) == ("data-package", "1.1.1")
    for resource in described["resources"]:
        said = package.read(resource["path"])
        assert (resource["hash"], resource["bytes"]) == (
            f"sha256:{sha256(said).hexdigest()}",
            len(said),
        )
    assert {one["path"] for one in described["resources"]} == {
        "archive/data.warc.gz",
        "indexes/index.cdx.gz",
        "indexes/index.idx",
        "pages/pages.jsonl",
    }
    sealed = json.loads(package.read("datapackage-digest.json"))
    assert sealed["hash"] == f"sha256:{sha256(package.read('datapackage.json')).hexdigest()}"
    archive = package.read("archive/data.warc.gz")
    assert package.getinfo("archive/data.warc.gz").compress_type == zipfile.ZIP_STORED
    lines = gzip.decompress(package.read("indexes/index.cdx.gz")).splitlines()
    assert lines == sorted(lines)
    for line in lines:
        told = json.loads(line[line.index(b"{") :])
        start, length = int(told["offset"]), int(told["length"])
        record = archive[start : start + length]
        assert urls_in(record) == [told["url"]]
        assert f"WARC-Payload-Digest: {told['digest']}\r\n".encode() in gzip.decompress(record)
        assert line.startswith(surt(told["url"]).encode() + b" 202311142213")
    header, *listed = map(json.loads, package.read("pages/pages.jsonl").splitlines())
    assert header["format"] == "json-pages-1.0"
    assert [(one["url"], one["title"]) for one in listed] == [
        (one.page.url, label(one.page.title)) for one in found
    ]
    index = package.read("indexes/index.idx").splitlines()
    assert index[0].startswith(b"!meta 0 {")
    part = json.loads(index[1][index[1].index(b"{") :])
    packed = package.read("indexes/index.cdx.gz")[part["offset"] : part["offset"] + part["length"]]
    assert part["digest"] == f"sha256:{sha256(packed).hexdigest()}"


def test_files_of_a_wacz_are_found_by_who_trusts_its_directory(
    responses: tuple[list[PackedResponse], bytes],
) -> None:
    """ReplayWeb.page looks where a file really begins only if the directory has an extra field for it."""
    found, opening = responses
    out = io.BytesIO()
    write_wacz(found, out, ArchiveInfo("Owls", "tests", 1_700_000_000.0, opening))
    for one in zipfile.ZipFile(out).infolist():
        extra = int.from_bytes(out.getvalue()[one.header_offset + 28 :][:2], "little")
        assert one.extra or not extra, one.filename


def test_nothing_at_all_is_a_valid_file_of_each_kind(
    responses: tuple[list[PackedResponse], bytes],
) -> None:
    out = io.BytesIO()
    assert write_wacz([], out, ArchiveInfo("", "tests", 0.0, responses[1])) == 0
    assert zipfile.ZipFile(out).testzip() is None
    for write in (write_graphml, write_gexf):
        out = io.BytesIO()
        assert write([], [], out) == 0
        ET.fromstring(out.getvalue())  # noqa: S314 - our own


@given(
    st.lists(st.binary(max_size=5).map(lambda line: line.replace(b"\n", b"") + b"\n")),
    st.integers(1, 5),
)
@settings(deadline=None)
def test_lines_are_sorted_in_parts_as_they_would_be_in_one(
    lines: list[bytes], at_once: int
) -> None:
    assert list(sorted_lines(lines, at_once)) == sorted(lines)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://example.com/", "com,example)/"),
        ("https://www2.Example.com/A/b?Q=1", "com,example)/a/b?q=1"),
        ("http://example.com:8080/x", "com,example:8080)/x"),
        ("http://127.0.0.1:80/x", "127.0.0.1:80)/x"),
        ("http://[::1]/x", "[::1])/x"),
        ("http://example.com", "com,example)/"),
    ],
)
def test_the_host_is_turned_round_in_an_index(url: str, said: str) -> None:
    assert surt(url) == said
