"""The sandbox hands POST bodies to the handlers of a web, and to nobody else."""

import asyncio
from http.client import HTTPConnection
from typing import NamedTuple

import pytest

from motherlode.lab.misbehaviour import Habits
from motherlode.lab.web import Answer, SandboxRequest, html
from support.interactive_webs import HandledWeb, RecordingHandler, serving_web

HOST = "portal.test"
FORM = "application/x-www-form-urlencoded"


class Exchange(NamedTuple):
    status: int
    body: bytes
    headers: dict[str, str]


def ask(address: str, method: str, target: str, body: bytes = b"", **headers: str) -> Exchange:
    connection = HTTPConnection(address, timeout=20)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, target, body or None, {"Host": HOST, **named})
    response = connection.getresponse()
    told = {name.lower(): value for name, value in response.getheaders()}
    got = Exchange(response.status, response.read(), told)
    connection.close()
    return got


def exchanges(
    handler: RecordingHandler, *asked: tuple[str, str, bytes], habits: Habits | None = None
) -> list[Exchange]:
    async def run() -> list[Exchange]:
        async with serving_web(HandledWeb({HOST: handler}), habits) as address:
            return [
                await asyncio.to_thread(
                    ask, address, *request, Content_Type=FORM, Cookie="session=7"
                )
                for request in asked
            ]

    return asyncio.run(run())


def echo(request: SandboxRequest) -> Answer:
    return html(f"{request.method} {request.path} {request.query} {len(request.body)}")


def test_a_handler_gets_method_path_query_headers_and_body() -> None:
    handler = RecordingHandler(echo)
    body = b"q=owls&token=%00" + bytes(range(256)) * 8000
    (got,) = exchanges(handler, ("POST", "/find?page=2", body))
    (request,) = handler.requests
    assert (got.status, got.body) == (200, f"POST /find page=2 {len(body)}".encode())
    assert (request.host, request.url) == (HOST, f"http://{HOST}/find?page=2")
    assert (request.headers["content-type"], request.headers["cookie"]) == (FORM, "session=7")
    assert request.body == body


def test_each_request_is_answered_anew() -> None:
    handler = RecordingHandler(echo)
    asked = [("GET", "/", b""), ("GET", "/", b""), ("POST", "/", b"a=1"), ("POST", "/", b"a=1")]
    got = exchanges(handler, *asked)
    assert [one.status for one in got] == [200] * 4
    assert [request.method for request in handler.requests] == ["GET", "GET", "POST", "POST"]


def test_the_head_of_a_page_is_that_of_its_get() -> None:
    handler = RecordingHandler(echo)
    (got,) = exchanges(handler, ("HEAD", "/", b""))
    assert (got.status, got.body, handler.requests[0].method) == (200, b"", "GET")


def test_what_a_handler_does_not_know_is_not_there() -> None:
    handler = RecordingHandler(lambda _request: None)
    got = exchanges(handler, ("GET", "/", b""), ("POST", "/", b"a=1"))
    assert [one.status for one in got] == [404, 404]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods_do_not_reach_a_handler(method: str) -> None:
    handler = RecordingHandler(echo)
    (got,) = exchanges(handler, (method, "/", b"a=1"))
    assert (got.status, handler.requests) == (405, [])


def test_a_body_past_the_limit_does_not_reach_a_handler() -> None:
    handler = RecordingHandler(echo)

    async def run() -> bytes:
        async with serving_web(HandledWeb({HOST: handler})) as address:
            reader, writer = await asyncio.open_connection(*address.split(":"))
            head = f"POST / HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {11 * 2**20}\r\n\r\n"
            writer.write(head.encode())
            said = await reader.readline()
            writer.close()
            return said

    assert b"413" in asyncio.run(run())
    assert handler.requests == []


def test_a_body_in_chunks_is_refused() -> None:
    handler = RecordingHandler(echo)

    async def run() -> bytes:
        async with serving_web(HandledWeb({HOST: handler})) as address:
            reader, writer = await asyncio.open_connection(*address.split(":"))
            chunks = b"Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n0\r\n\r\n"
            writer.write(b"POST / HTTP/1.1\r\nHost: portal.test\r\n" + chunks)
            said = await reader.readline()
            writer.close()
            return said

    assert b"411" in asyncio.run(run())
    assert handler.requests == []


def test_a_host_with_a_habit_and_a_handler_has_both() -> None:
    handler = RecordingHandler(echo)
    habits = Habits([(HOST, "no-mime")])
    (got,) = exchanges(handler, ("POST", "/", b"a=1"), habits=habits)
    assert (got.body, "content-type" in got.headers) == (b"POST /  3", False)
    assert len(handler.requests) == 1
