"""Recorded webs: WARC of any origin, the index and its cache, and `lode sandbox record`."""

import gzip
import os
import time
from collections.abc import Callable
from io import BytesIO
from itertools import count
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from motherlode.lab.labels import read_labels
from motherlode.lab.loader import open_web
from motherlode.lab.recorded import RecordedWeb, index, recorder
from motherlode.lab.recorded.recorder import record
from motherlode.lab.recorded.warc import NotWarcError, http_parts, records
from motherlode.records import BadInputError
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity
from support.helpers import run_lode, said_one_sentence

URL = "http://a.test/"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
Writer = Callable[[WARCWriter], None]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("LODE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def web(tmp_path: Path) -> Path:
    folder = tmp_path / "web"
    folder.mkdir()
    return folder


def raw(kind: str, url: str, content: bytes, *headers: str) -> bytes:
    """A record as it stands in a file, without gzip."""
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        "WARC-Date: 2020-02-03T04:05:06Z",
    ]
    told = [*lines, *headers, f"Content-Length: {len(content)}"]
    return "\r\n".join(told).encode() + b"\r\n\r\n" + content + b"\r\n\r\n"


def write(path: Path, *members: bytes) -> Path:
    path.write_bytes(b"".join(gzip.compress(member, mtime=0) for member in members))
    return path


class InMemory(WARCWriter):  # type: ignore[misc]  # it has no types
    """warcio's writer, whose temporary files are left open."""

    @classmethod
    def _create_temp_file(cls) -> BytesIO:
        return BytesIO()


def by_warcio(path: Path, *calls: Writer, packed: bool = True) -> Path:
    with path.open("wb") as file:
        writer = InMemory(file, gzip=packed)
        for call in calls:
            call(writer)
    return path


def response(url: str, body: bytes, *headers: tuple[str, str], status: str = "200 OK") -> Writer:
    def call(writer: WARCWriter) -> None:
        http = StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(url, "response", BytesIO(body), http_headers=http)
        )

    return call


def plain(kind: str, url: str, body: bytes, content_type: str) -> Writer:
    def call(writer: WARCWriter) -> None:
        writer.write_record(
            writer.create_warc_record(url, kind, BytesIO(body), warc_content_type=content_type)
        )

    return call


def revisit(url: str, digest_of: bytes, refers_to: str) -> Writer:
    def call(writer: WARCWriter) -> None:
        original = writer.create_warc_record(
            refers_to,
            "response",
            BytesIO(digest_of),
            http_headers=StatusAndHeaders("200 OK", [], protocol="HTTP/1.1"),
        )
        writer.ensure_digest(original, block=False, payload=True)
        digest = original.rec_headers.get_header("WARC-Payload-Digest")
        writer.write_record(
            writer.create_revisit_record(url, digest, refers_to, "2020-02-03T04:05:06Z")
        )

    return call


FOREIGN = (
    lambda writer: writer.write_record(
        writer.create_warcinfo_record("a.warc.gz", {"software": "x"})
    ),
    plain(
        "request",
        URL,
        b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "application/http; msgtype=request",
    ),
    response(URL, b"<p>old", ("Content-Type", "text/html")),
    plain("metadata", URL, b"via: nowhere", "application/warc-fields"),
    plain("resource", "dns:a.test", b"20200203\na.test. 60 IN A 192.0.2.1", "text/dns"),
    plain("resource", "http://a.test/note.txt", b"a note", "text/plain"),
    response(URL, b"<p>new", ("Content-Type", "text/html"), ("X-Own", "yes")),
    response("http://A.test:80/%7Euser/", b"<p>user", ("Content-Type", "text/html")),
    response("http://b.test/empty", b"", ("Location", "/first"), status="302 Found"),
    response("http://c.test/empty", b"", ("Location", "/second"), status="302 Found"),
    revisit("http://a.test/again", b"<p>new", URL),
    revisit("http://d.test/empty", b"", "http://c.test/empty"),
    revisit("http://a.test/lost", b"never recorded", "http://a.test/nowhere"),
)


def body(web: RecordedWeb, url: str) -> bytes | None:
    answer = web.answer(url)
    return None if answer is None else answer.body


def foreign_is_right(web: RecordedWeb) -> None:
    assert body(web, URL) == b"<p>new"  # the last one wins
    assert body(web, "http://a.test/note.txt") == b"a note"
    assert body(web, "http://a.test/~user/") == b"<p>user"
    assert body(web, "http://a.test/again") == b"<p>new"
    found = web.answer("http://d.test/empty")
    assert found is not None
    assert (found.status, found.header("location")) == (302, "/second")  # the one it refers to
    assert web.answer("http://a.test/lost") is None
    assert set(web.hosts()) == {"a.test", "b.test", "c.test", "d.test"}
    assert web.about.pages == len(set(web.urls())) == 7
    note = web.answer("http://a.test/note.txt")
    assert note is not None
    assert note.header("content-type") == "text/plain"


# --- reading --------------------------------------------------------------------------------------------


def test_our_own_archive_is_a_web(web: Path) -> None:
    with Archive(web, ArchiveOptions(), Identity("tests")) as archive:
        for number in range(20):
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Number: %d\r\n" % number
            archive.append(
                Exchange(f"http://{number % 3}.test/{number}", 0.0, head, b"%d" % number)
            )
        archive.flush()
    opened = RecordedWeb(web)
    for number in range(20):
        answer = opened.answer(f"http://{number % 3}.test/{number}")
        assert answer is not None
        assert (answer.body, answer.header("x-number")) == (b"%d" % number, str(number))
    assert opened.has_host("2.test")
    assert not opened.has_host("3.test")
    assert opened.about.hosts == 3


def test_an_archive_by_another_tool_is_a_web(web: Path) -> None:
    by_warcio(web / "a.warc.gz", *FOREIGN)
    foreign_is_right(RecordedWeb(web))


def test_several_files_are_one_web_and_the_last_one_wins(web: Path) -> None:
    by_warcio(web / "b.warc.gz", response(URL, b"<p>of b"), response("http://b.test/", b"b"))
    by_warcio(web / "a.warc.gz", response(URL, b"<p>of a"), response("http://a.test/a", b"a"))
    opened = RecordedWeb(web)
    assert [body(opened, url) for url in (URL, "http://a.test/a", "http://b.test/")] == [
        b"<p>of b",
        b"a",
        b"b",
    ]


def test_hundreds_of_files_can_be_read(web: Path) -> None:
    for number in range(250):
        write(
            web / f"{number:03}.warc.gz",
            raw("response", f"http://a.test/{number}", OK + b"%d" % number),
        )
    opened = RecordedWeb(web)
    for _ in range(2):
        assert all(
            body(opened, f"http://a.test/{number}") == b"%d" % number for number in range(250)
        )
    assert len(opened._files) <= 100


@pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="the system does not list open files"
)
def test_a_web_that_is_gone_leaves_no_file_open(web: Path) -> None:
    write(web / "a.warc.gz", raw("response", URL, OK + b"x"))
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count
    opened = RecordedWeb(web)
    assert body(opened, URL) == b"x"
    del opened
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


@pytest.mark.parametrize("kind", ["request", "metadata", "warcinfo", "conversion", "dns"])
def test_records_that_are_no_responses_are_passed_over(web: Path, kind: str) -> None:
    write(web / "a.warc.gz", raw("response", URL, OK + b"page"), raw(kind, URL, OK + b"not a page"))
    assert body(RecordedWeb(web), URL) == b"page"


@pytest.mark.parametrize(
    "content", [b"", b"20200203 a.test", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 20\r\n\r\n"]
)
def test_responses_that_are_no_http_are_passed_over(web: Path, content: bytes) -> None:
    write(web / "a.warc.gz", raw("response", URL, OK + b"page"), raw("response", URL, content))
    opened = RecordedWeb(web)
    assert body(opened, URL) == b"page"
    assert list(opened.urls()) == [URL]


def test_headers_of_a_record_may_be_folded_long_and_strange(web: Path) -> None:
    folded = raw(
        "response",
        "<http://a.test/\r\n folded>",
        OK,
        "X-Long: " + "x" * 50_000,
        "no colon",
        ": empty",
    )
    write(web / "a.warc.gz", folded, raw("response", "<http://a.test/angles>", OK + b"y"))
    assert body(RecordedWeb(web), "http://a.test/angles") == b"y"


@pytest.mark.parametrize(
    ("content", "status", "headers", "expected"),
    [
        (
            b"HTTP/1.1 200 OK\nA: 1\nB: 2\n\nbody\r\n\r\nmore",
            200,
            (("A", "1"), ("B", "2")),
            b"body\r\n\r\nmore",
        ),
        (b"HTTP/1.0 404\r\n\r\n", 404, (), b""),
        (b"http/1.1  301  Moved\r\nLocation: /x\r\n\r\n", 301, (("Location", "/x"),), b""),
        (b"HTTP/2 200\r\nA: 1\r\n\r\nx", 200, (("A", "1"),), b"x"),
        (
            b"HTTP/1.1 200 OK\r\nA: 1\r\n  2\r\n\t3: 4\r\nB: 5\r\n\r\n",
            200,
            (("A", "1 2 3: 4"), ("B", "5")),
            b"",
        ),
        (b"HTTP/1.1 200 OK\r\nA: \xc3\x85b: c\r\n\r\n", 200, (("A", "\xc3\x85b: c"),), b""),
        (b"HTTP/1.1 200 OK\r\nA: 1\rB: 2\x0bC: 3\r\n\r\n", 200, (("A", "1 B: 2\x0bC: 3"),), b""),
        (b"HTTP/1.1 200 OK\r\nno colon\r\nA: 1\r\n\r\nx", 200, (("A", "1"),), b"x"),
        (
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: 1\r\n\r\nx",
            200,
            (("A", "1"),),
            b"x",
        ),
        (b"HTTP/1.1 200 OK\r\nA: 1", 200, (("A", "1"),), b""),
    ],
)
def test_a_recorded_response_is_read_as_a_browser_reads_it(
    content: bytes, status: int, headers: tuple[tuple[str, str], ...], expected: bytes
) -> None:
    assert http_parts(content) == (status, headers, expected)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\r\n\r\n",
        b"HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 2000 x\r\n\r\n",
        b"HTTP/1.1 099 x\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_response_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="not an HTTP response"):
        http_parts(content)


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", b"abcde"),
        (b"3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n", b"abc"),
        (b"already put together", b"already put together"),
        (b"3\r\nabc\r\n", b"3\r\nabc\r\n"),
        (b"ff\r\nabc\r\n0\r\n\r\n", b"ff\r\nabc\r\n0\r\n\r\n"),
        (b"-1\r\nabc", b"-1\r\nabc"),
        (b"", b""),
    ],
)
def test_a_body_in_chunks_is_put_together_unless_a_tool_did_so(
    wire: bytes, expected: bytes
) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
    assert http_parts(head + wire)[2] == expected


def test_hop_by_hop_headers_are_not_answered(web: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nKeep-Alive: 5\r\nUpgrade: h2\r\nX-Own: yes\r\n\r\n"
    write(web / "a.warc.gz", raw("response", URL, head))
    answer = RecordedWeb(web).answer(URL)
    assert answer is not None
    assert answer.headers == (("X-Own", "yes"),)


def test_labels_are_those_of_pages_that_are_here(web: Path) -> None:
    write(web / "a.warc.gz", raw("response", URL, OK))
    (web / "labels.tsv").write_text(
        "# comment\n\nHTTP://A.test\tScience/Physics\nhttp://b.test/\tArt\n"
    )
    opened = RecordedWeb(web)
    assert opened.labels().topics() == {"Science": 1, "Science/Physics": 1}


# --- files that cannot be served ------------------------------------------------------------------------


def test_several_records_in_one_member_are_refused_with_the_remedy(web: Path) -> None:
    together = raw("response", URL, OK + b"a") + raw("response", "http://b.test/", OK + b"b")
    write(web / "a.warc.gz", together)
    with pytest.raises(
        NotWarcError, match=r"several records in one gzip member; 'lode sandbox record"
    ):
        RecordedWeb(web)


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_an_uncompressed_file_is_refused_with_the_remedy(web: Path, name: str) -> None:
    (web / name).write_bytes(raw("response", URL, OK))
    with pytest.raises(NotWarcError, match=r"is not compressed; 'lode sandbox record"):
        RecordedWeb(web)


def test_a_compressed_file_may_be_called_warc(web: Path) -> None:
    write(web / "a.warc", raw("response", URL, OK + b"x"))
    assert body(RecordedWeb(web), URL) == b"x"


def whole() -> bytes:
    return gzip.compress(raw("response", URL, OK + os.urandom(5000)), mtime=0)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (whole() + whole()[:-100], "ends in the middle"),
        (whole()[:10], "ends in the middle"),
        (whole() + b"garbage" * 9, "is not gzip at byte"),
        (gzip.compress(b"not a WARC"), "is not a WARC file at byte 0"),
        (gzip.compress(b""), "is not a WARC file at byte 0"),
        (gzip.compress(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n"), "without its length"),
        (gzip.compress(b"WARC/1.0\r\nContent-Length: x\r\n\r\n"), "without its length"),
        (gzip.compress(b"WARC/1.0\r\nContent-Length: -5\r\n\r\n"), "without its length"),
        (gzip.compress(b"WARC/1.0\r\nContent-Length: 99\r\n\r\nshort"), "cut short"),
        (
            gzip.compress(b"WARC/1.0\r\nContent-Length: 9" + b"9" * 17 + b"\r\n\r\n"),
            "a record of 9",
        ),
        (gzip.compress(b"WARC/1.0\r\n" + b"A: b\r\n" * 2000), "headers without an end"),
    ],
    ids=map(str, count()),  # the bytes differ from one process to the next
)
def test_a_damaged_file_is_one_sentence(web: Path, content: bytes, said: str) -> None:
    (web / "a.warc.gz").write_bytes(content)
    with pytest.raises(BadInputError, match=said):
        RecordedWeb(web)


def test_an_empty_file_is_a_web_without_pages(web: Path) -> None:
    (web / "a.warc.gz").write_bytes(b"")
    opened = RecordedWeb(web)
    assert (opened.about.pages, opened.answer(URL)) == (0, None)


def test_a_file_damaged_behind_the_index_is_a_sentence(web: Path) -> None:
    path = write(web / "a.warc.gz", raw("response", URL, OK + b"x" * 1000))
    opened = RecordedWeb(web)
    path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(BadInputError, match="cannot be read at byte 0"):
        opened.answer(URL)


# --- the cache ------------------------------------------------------------------------------------------


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows with every pass over the files."""
    seen: list[int] = []
    scan = index._scan

    def noted(files: list[Path]) -> index.Index:
        seen.append(len(files))
        return scan(files)

    monkeypatch.setattr(index, "_scan", noted)
    return seen


def test_the_second_start_uses_the_cache(web: Path, scans: list[int], cache: Path) -> None:
    write(web / "a.warc.gz", raw("response", URL, OK + b"x"))
    assert body(RecordedWeb(web), URL) == b"x"
    assert body(RecordedWeb(web), URL) == b"x"
    assert scans == [1]
    assert [path.suffix for path in (cache / "webs").iterdir()] == [".index"]


def test_a_changed_file_makes_a_new_index(web: Path, scans: list[int]) -> None:
    path = write(web / "a.warc.gz", raw("response", URL, OK + b"x"))
    first = RecordedWeb(web).fingerprint
    write(path, raw("response", "http://b.test/", OK + b"y"))
    os.utime(path, (time.time() + 5, time.time() + 5))
    opened = RecordedWeb(web)
    assert (body(opened, URL), body(opened, "http://b.test/")) == (None, b"y")
    assert opened.fingerprint != first
    write(web / "b.warc.gz", raw("response", URL, OK + b"z"))
    assert body(RecordedWeb(web), URL) == b"z"
    assert scans == [1, 1, 2]


@pytest.mark.parametrize("damage", [b"", b"\xc1", b"garbage", b"\x93\x90\x80\x80", b"\x90"])
def test_a_damaged_cache_is_harmless_and_made_anew(
    web: Path, scans: list[int], cache: Path, damage: bytes
) -> None:
    write(web / "a.warc.gz", raw("response", URL, OK + b"x"))
    RecordedWeb(web)
    (file,) = (cache / "webs").iterdir()
    file.write_bytes(damage)
    assert body(RecordedWeb(web), URL) == b"x"
    assert body(RecordedWeb(web), URL) == b"x"
    assert body(RecordedWeb(web), URL) == b"x"
    assert len(scans) <= 3  # once, once for the damage, once to keep it again


def test_a_cache_that_cannot_be_written_is_harmless(
    web: Path, cache: Path, scans: list[int]
) -> None:
    write(web / "a.warc.gz", raw("response", URL, OK + b"x"))
    cache.write_text("a file where the directory should be")
    for _ in range(2):
        assert body(RecordedWeb(web), URL) == b"x"
    assert scans == [1, 1]


def test_a_cache_that_is_in_the_way_is_harmless_and_nothing_is_left_behind(
    web: Path, cache: Path
) -> None:
    write(web / "a.warc.gz", raw("response", URL, OK + b"x"))
    RecordedWeb(web)
    (file,) = (cache / "webs").iterdir()
    file.unlink()
    (file / "inner").mkdir(parents=True)
    assert body(RecordedWeb(web), URL) == b"x"
    assert list((cache / "webs").iterdir()) == [file]


# --- recording ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [True, False])
def test_a_web_is_recorded_from_another_tools_archive(tmp_path: Path, packed: bool) -> None:  # noqa: FBT001
    source = by_warcio(tmp_path / "source", *FOREIGN, packed=packed)
    made = record(tmp_path / "new", [source], None, "a note")
    assert (made.pages, made.hosts, made.labels) == (7, 4, 0)
    opened = RecordedWeb(tmp_path / "new")
    foreign_is_right(opened)
    assert (opened.about.name, opened.about.note) == ("new", "a note")


def test_a_web_is_recorded_from_one_member_with_everything(tmp_path: Path) -> None:
    plain_file = by_warcio(tmp_path / "plain.warc", *FOREIGN, packed=False)
    source = tmp_path / "source.warc.gz"
    source.write_bytes(gzip.compress(plain_file.read_bytes()))
    record(tmp_path / "new", [source], None)
    foreign_is_right(RecordedWeb(tmp_path / "new"))


def test_a_web_is_recorded_from_several_files_in_their_order(tmp_path: Path) -> None:
    first = write(tmp_path / "z.warc.gz", raw("response", URL, OK + b"first"))
    second = write(tmp_path / "a.warc.gz", raw("response", URL, OK + b"second"))
    record(tmp_path / "new", [first, second], None)
    assert body(RecordedWeb(tmp_path / "new"), URL) == b"second"


def test_a_recorded_web_can_be_recorded_again(tmp_path: Path) -> None:
    by_warcio(tmp_path / "source", *FOREIGN)
    record(tmp_path / "one", [tmp_path / "source"], None)
    record(tmp_path / "two", sorted((tmp_path / "one").glob("*.warc.gz")), None)
    foreign_is_right(RecordedWeb(tmp_path / "two"))


def test_recording_keeps_the_date_and_takes_chunks_apart(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-City: \xc3\x85\r\n\r\n"
    source = write(tmp_path / "s", raw("response", URL, head + b"2\r\nab\r\n0\r\n\r\n"))
    record(tmp_path / "new", [source], None)
    (file,) = (tmp_path / "new").glob("*.warc.gz")
    found = [one for one in records(file) if one.kind == "response"]
    assert found[0].headers["warc-date"].startswith("2020-02-03T04:05:06")
    assert http_parts(found[0].content) == (200, (("X-City", "\xc3\x85"),), b"ab")


BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>Bookmarks</TITLE>
<DL><p><DT><A HREF="http://a.test/note.txt">Loose</A>
<DT><H3>Science</H3><DL><p><DT><A HREF="HTTP://A.test/">One</A>
  <DT><H3>Physics/Optics</H3><DL><p><DT><A HREF="http://a.test/~user/">Two</A>
  <DT><A HREF="http://elsewhere.test/">Not here</A></DL><p></DL><p></DL>"""


@pytest.mark.parametrize(
    ("name", "text", "expected", "strangers"),
    [
        ("labels.tsv", "http://A.test/\tScience\nhttp://x.test/\tArt\n", {"Science": 1}, 1),
        ("bookmarks.html", BOOKMARKS, {"Science": 2, "Science/Physics-Optics": 1}, 1),
    ],
)
def test_labels_come_from_lines_or_from_bookmarks(
    tmp_path: Path, name: str, text: str, expected: dict[str, int], strangers: int
) -> None:
    by_warcio(tmp_path / "source", *FOREIGN)
    (tmp_path / name).write_text(text)
    made = record(tmp_path / "new", [tmp_path / "source"], tmp_path / name)
    assert made.strangers == strangers
    assert open_web(tmp_path / "new").labels().topics() == expected
    assert read_labels(tmp_path / "new" / "labels.tsv").topics() == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "There is no file"),
        (b"", "holds no HTTP responses"),
        (b"this is no WARC file", "is not a WARC file"),
        (whole()[:-50], "is not a WARC file, or it is damaged"),
        (gzip.compress(raw("request", URL, b"GET / HTTP/1.1\r\n\r\n")), "holds no HTTP responses"),
        (raw("response", URL, OK + b"x" * 100)[:-50], "in the middle of a record"),
        (b"WARC/1.0\r\nContent-Length: 9" + b"9" * 17 + b"\r\n\r\n", "a record of 9"),
        (b"WARC/1.0\r\nContent-Length: 9" + b"9" * 5000 + b"\r\n\r\n", "without its length"),
    ],
)
def test_what_cannot_be_recorded_is_one_sentence_and_makes_nothing(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    source = tmp_path / "source.warc.gz"
    if content is not None:
        source.write_bytes(content)
    with pytest.raises(BadInputError, match=said):
        record(tmp_path / "new", [source], None)
    assert not (tmp_path / "new").exists()


def test_a_directory_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    source = write(tmp_path / "s.warc.gz", raw("response", URL, OK))
    with pytest.raises(BadInputError, match="is not empty"):
        record(tmp_path, [source], None)
    with pytest.raises(BadInputError, match="is not empty"):
        record(source, [source], None)


def test_what_comes_before_the_damage_is_taken(tmp_path: Path) -> None:
    whole = gzip.compress(raw("response", URL, OK), mtime=0)
    (tmp_path / "cut.warc.gz").write_bytes(whole + whole[:-20])
    made = record(tmp_path / "new", [tmp_path / "cut.warc.gz"], None)
    assert made.pages == 1
    assert len(made.damage) == 1
    assert "cut.warc.gz" in made.damage[0]


def test_a_web_is_recorded_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "s.warc.gz", raw("response", URL, OK))
    monkeypatch.setattr(recorder, "write_labels", lambda *_: exec("raise KeyboardInterrupt"))  # noqa: S102
    with pytest.raises(KeyboardInterrupt):
        record(tmp_path / "new", [source], None)
    assert [path.name for path in tmp_path.iterdir()] == ["s.warc.gz"]


def test_a_label_may_have_any_letters_in_it(tmp_path: Path) -> None:
    source = write(tmp_path / "s.warc.gz", raw("response", URL, OK))
    (tmp_path / "labels.tsv").write_text(f"# mine\n{URL}\tR<D/ x //y/\n")
    assert record(tmp_path / "new", [source], tmp_path / "labels.tsv").labels == 1
    assert read_labels(tmp_path / "new" / "labels.tsv").topics() == {
        "R<D": 1,
        "R<D/x": 1,
        "R<D/x/y": 1,
    }


def test_labels_that_cannot_be_read_are_one_sentence(tmp_path: Path) -> None:
    source = write(tmp_path / "s.warc.gz", raw("response", URL, OK))
    with pytest.raises(BadInputError, match="cannot be read"):
        record(tmp_path / "new", [source], tmp_path / "missing")
    (tmp_path / "loose.html").write_text(
        '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="http://a.test/">A</A></DL>'
    )
    with pytest.raises(BadInputError, match="labels nothing"):
        record(tmp_path / "new", [source], tmp_path / "loose.html")
    (tmp_path / "bad.tsv").write_text("http://a.test/\tScience\nno tab here\n")
    with pytest.raises(BadInputError, match="line 2"):
        record(tmp_path / "new", [source], tmp_path / "bad.tsv")


def test_the_command_records_and_says_what_became_of_it(tmp_path: Path) -> None:
    by_warcio(tmp_path / "source.warc.gz", *FOREIGN)
    (tmp_path / "labels.tsv").write_text("http://a.test/\tScience\n")
    run = run_lode(tmp_path, "sandbox", "record", "new", "source.warc.gz", "--labels", "labels.tsv")
    assert run.returncode == 0, run.stderr
    assert "7 pages on 4 hosts" in run.stdout
    run = run_lode(tmp_path, "sandbox", "record", "new", "source.warc.gz")
    assert said_one_sentence(run)
    assert run.returncode == 3
