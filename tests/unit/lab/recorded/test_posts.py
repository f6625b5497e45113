"""Recorded forms: an answer stands for method, URL and body, whoever wrote the WARC file."""

import gzip
from collections.abc import Sequence
from io import BytesIO
from itertools import permutations
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from motherlode.lab.recorded import RecordedWeb
from motherlode.lab.recorded.recorder import record
from motherlode.lab.web import SandboxRequest
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity, SentRequest

URL = "http://a.test/find"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "web"
    made.mkdir()
    return made


def post(web: RecordedWeb, body: bytes, url: str = URL) -> bytes | None:
    """What a POST brings; None: nothing is there."""
    host, _, target = url.partition("://")[2].partition("/")
    name, _, port = host.partition(":")
    handler = web.handler_for(name)
    if handler is None:
        return None
    answer = handler.reply(
        SandboxRequest("POST", f"http://{name}/{target}", name, f"/{target}", {}, port, body)
    )
    return None if answer is None else answer.body


def get(web: RecordedWeb, url: str = URL) -> bytes | None:
    answer = web.answer(url)
    return None if answer is None else answer.body


def ours(folder: Path, *exchanges: tuple[bytes | None, bytes], url: str = URL) -> RecordedWeb:
    """A web of our own archive, from what was sent (None: a GET) and what came."""
    with Archive(folder, ArchiveOptions(), Identity("tests")) as archive:
        for sent, body in exchanges:
            request = None if sent is None else SentRequest(b"POST /find HTTP/1.1\r\n", sent)
            archive.append(Exchange(url, 0.0, OK, body, request=request))
        archive.flush()
    return RecordedWeb(folder)


ORDERS = list(
    permutations([(None, b"<p>form"), (b"q=owls", b"<p>owls"), (b"q=larks", b"<p>larks")])
)


@pytest.mark.parametrize("exchanges", ORDERS)
def test_get_and_post_of_one_url_are_apart_in_any_order(
    folder: Path, exchanges: Sequence[tuple[bytes | None, bytes]]
) -> None:
    web = ours(folder, *exchanges)
    assert (get(web), post(web, b"q=owls"), post(web, b"q=larks")) == (
        b"<p>form",
        b"<p>owls",
        b"<p>larks",
    )
    assert post(web, b"q=wrens") is None
    assert list(web.urls()) == [URL]
    assert web.about.pages == 1


def test_a_url_that_was_only_posted_to_is_no_page(folder: Path) -> None:
    web = ours(folder, (b"q=owls", b"<p>owls"))
    assert get(web) is None
    assert (list(web.urls()), list(web.hosts()), web.about.pages) == ([], [], 0)
    assert web.has_host("a.test")
    assert not web.has_host("b.test")
    assert post(web, b"q=owls") == b"<p>owls"


def test_the_last_answer_to_a_form_counts(folder: Path) -> None:
    web = ours(folder, (b"q=owls", b"<p>old"), (b"q=owls", b"<p>new"))
    assert post(web, b"q=owls") == b"<p>new"


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        (URL, "http://a.test:80/find"),
        ("https://a.test/find", URL),
        ("http://a.test:8081/find", "http://a.test:8081/find"),
    ],
)
def test_a_form_is_found_by_any_spelling_of_its_address(
    folder: Path, recorded: str, asked: str
) -> None:
    web = ours(folder, (b"q=owls", b"<p>owls"), url=recorded)
    assert post(web, b"q=owls", asked) == b"<p>owls"


class InMemory(WARCWriter):  # type: ignore[misc]  # it has no types
    """warcio's writer, whose temporary files are left open."""

    @classmethod
    def _create_temp_file(cls) -> BytesIO:
        return BytesIO()


def foreign(path: Path, *, method: str, request_first: bool, named_by: str) -> Path:
    """A file of another tool: a page, then a form and its answer in either order."""
    with path.open("wb") as file:
        writer = InMemory(file, gzip=True)
        html = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        line = StatusAndHeaders(
            f"{method} /find HTTP/1.1", [("Host", "a.test")], is_http_request=True
        )
        page, answer = (
            writer.create_warc_record(URL, "response", BytesIO(body), http_headers=html)
            for body in (b"<p>form", b"<p>owls")
        )
        asked = writer.create_warc_record(URL, "request", BytesIO(b"q=owls"), http_headers=line)
        naming, named = (asked, answer) if named_by == "request" else (answer, asked)
        naming.rec_headers.add_header(
            "WARC-Concurrent-To", named.rec_headers.get_header("WARC-Record-ID")
        )
        naming.rec_headers.add_header("WARC-Concurrent-To", "<urn:uuid:of-something-else>")
        writer.write_record(page)
        for one in (asked, answer) if request_first else (answer, asked):
            writer.write_record(one)
    return path


@pytest.mark.parametrize("named_by", ["request", "response"])
@pytest.mark.parametrize("request_first", [True, False])
def test_a_form_that_another_tool_recorded_is_told_from_its_page(
    folder: Path, tmp_path: Path, named_by: str, *, request_first: bool
) -> None:
    path = foreign(
        folder / "a.warc.gz", method="POST", request_first=request_first, named_by=named_by
    )
    record(tmp_path / "copy", [path], None)
    for web in (RecordedWeb(folder), RecordedWeb(tmp_path / "copy")):
        assert (get(web), post(web, b"q=owls"), post(web, b"")) == (b"<p>form", b"<p>owls", None)


def test_a_web_of_nothing_but_forms_can_be_recorded(tmp_path: Path, folder: Path) -> None:
    ours(folder, (b"q=owls\r\n\r\n", b"<p>owls"))
    recorded = record(tmp_path / "copy", sorted(folder.glob("*.gz")), None)
    assert (recorded.pages, recorded.hosts) == (0, 1)
    assert post(RecordedWeb(tmp_path / "copy"), b"q=owls\r\n\r\n") == b"<p>owls"


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_the_answer_to_another_method_stands_for_nothing(folder: Path, method: str) -> None:
    foreign(folder / "a.warc.gz", method=method, request_first=False, named_by="request")
    web = RecordedWeb(folder)
    assert (get(web), web.handler_for("a.test")) == (b"<p>form", None)


def test_a_request_without_an_end_harms_nobody(folder: Path) -> None:
    lines = ["WARC/1.1", "WARC-Type: request", f"WARC-Target-URI: {URL}", "Content-Length: 5"]
    raw = "\r\n".join(lines).encode() + b"\r\n\r\nPOST \r\n\r\n"
    (folder / "a.warc.gz").write_bytes(gzip.compress(raw))
    assert get(RecordedWeb(folder)) is None
