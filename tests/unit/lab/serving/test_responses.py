"""Requests as the sandbox reads them, and the heads of its responses, without sockets."""

import pytest

from motherlode.lab.serving.responses import (
    BadRequestError,
    accepts_gzip,
    parse_request,
    ready,
    unchanged,
    with_validator,
)
from motherlode.lab.web import Answer, SandboxRequest

TEXT = Answer(200, (("Content-Type", "text/plain"),), b"owls " * 100)


def request(**headers: str) -> SandboxRequest:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return SandboxRequest("GET", "http://a.test/", "a.test", "/", named, "")


@pytest.mark.parametrize(
    ("head", "url", "stays_open"),
    [
        (b"GET /x HTTP/1.1\r\nHost: A.test.:80", "http://a.test/x", True),
        (b"GET http://b.test?x HTTP/1.1\r\nHost: a.test", "http://b.test/?x", True),
        (b"GET /\xe9 HTTP/1.1\r\nHost: a.test\r\nConnection: close", "http://a.test/%E9", False),
        (b"GET / HTTP/1.0\r\nHost: a.test", "http://a.test/", False),
    ],
)
def test_a_request_is_read(head: bytes, url: str, *, stays_open: bool) -> None:
    asked, keep_alive = parse_request(head)
    assert (asked.url, keep_alive) == (url, stays_open)


@pytest.mark.parametrize(
    "head", [b"", b"GET /", b"GET x HTTP/1.1", b"GET / HTTP/2", b"GET / HTTP/1.1\r\nHost: a b"]
)
def test_what_is_no_request_is_refused(head: bytes) -> None:
    with pytest.raises(BadRequestError):
        parse_request(head)


def test_long_text_is_packed_for_clients_that_accept_it() -> None:
    packed, plain = ready(TEXT, gzip=True), ready(TEXT, gzip=False)
    assert len(packed.body) < len(plain.body) == len(TEXT.body)
    assert b"Content-Encoding: gzip" in packed.head
    assert accepts_gzip(request(accept_encoding="br, gzip;q=0.5"))
    assert not accepts_gzip(request(accept_encoding="gzip;q=0, *"))


def test_a_document_without_a_validator_gets_one_that_works() -> None:
    answer = with_validator(TEXT)
    assert unchanged(request(if_none_match=answer.header("etag")), answer)
    assert not unchanged(request(if_none_match='"another"'), answer)
