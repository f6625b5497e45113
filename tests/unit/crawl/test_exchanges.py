"""What the archive has of a form: all that was submitted, and none of its secrets."""

from pathlib import Path

from motherlode.crawl.exchanges import exchange_of, exchange_of_submission
from motherlode.fetch import Request, Response
from motherlode.lab.recorded import RecordedWeb
from motherlode.lab.web import SandboxRequest
from motherlode.store.archive import Archive, ArchiveOptions, Identity

URL = "http://a.test/find?lang=en"
ANSWER = Response(
    URL, 200, (("Content-Type", "text/html"), ("Content-Length", "7")), b"<p>owls", 5.0, 0.1
)
FORM = Request(
    URL,
    (("Cookie", "session=7"), ("Authorization", "Basic x"), ("Referer", "http://a.test/\r\nX: y")),
    method="POST",
    body=b"q=owls",
    content_type="application/x-www-form-urlencoded",
)


def test_a_form_is_archived_with_its_request_but_without_secrets() -> None:
    archived = exchange_of_submission(FORM, ANSWER)
    assert archived.request is not None
    assert archived.request.body == b"q=owls"
    assert archived.request.head.decode().split("\r\n") == [
        "POST /find?lang=en HTTP/1.1",
        "Host: a.test",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Length: 6",
        "Referer: http://a.test/ X: y",
        "",
    ]
    assert (archived.url, archived.body) == (URL, b"<p>owls")


def test_a_get_is_archived_as_a_page_is() -> None:
    assert exchange_of_submission(Request(URL), ANSWER) == exchange_of(URL, ANSWER)


def test_what_was_archived_can_be_replayed(tmp_path: Path) -> None:
    with Archive(tmp_path / "web", ArchiveOptions(), Identity("tests")) as archive:
        archive.append(exchange_of_submission(FORM, ANSWER))
        archive.flush()
    web = RecordedWeb(tmp_path / "web")
    handler = web.handler_for("a.test")
    assert handler is not None
    answer = handler.reply(SandboxRequest("POST", URL, "a.test", "/find?lang=en", body=FORM.body))
    assert answer is not None
    assert answer.body == b"<p>owls"
    assert web.answer(URL) is None
