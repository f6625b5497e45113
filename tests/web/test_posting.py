"""POST over real sockets: bodies arrive byte for byte, and nothing is sent twice."""

import asyncio
import ssl
from typing import Any, TypeVar

import pytest
import trustme
from h2.errors import ErrorCodes
from h2.events import DataReceived, RequestReceived, StreamEnded

from motherlode.fetch import FetchError, NetworkOptions, Request, Response
from motherlode.fetch.event_loop import run as run_on_uvloop
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.submissions import MAX_POST_BYTES
from support.loopback_servers import (
    OK,
    PAGE,
    Guest,
    H2Guest,
    Handler,
    Run,
    Site,
    good,
    kind,
    options,
    serving,
    strictly,
)

T = TypeVar("T")
AUTHORITY = trustme.CA()
FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=owl"
MULTIPART = (
    b'--owl\r\nContent-Disposition: form-data; name="q"\r\n\r\nb\xc3\xa4rn owl\r\n'
    b'--owl\r\nContent-Disposition: form-data; name="empty"\r\n\r\n\r\n--owl--\r\n'
)


@pytest.fixture(params=[asyncio.run, run_on_uvloop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    runner: Run = request.param
    return runner


@pytest.fixture(autouse=True, scope="module")
def _trusted(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("ca") / "ca.pem"
    AUTHORITY.cert_pem.write_to_path(file)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        yield


def tls(*protocols: str) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert("a.test").configure_cert(made)
    if protocols:
        made.set_alpn_protocols(list(protocols))
    return made


def post(url: str, body: bytes, content_type: str = FORM, **parts: Any) -> Request:
    return Request(url, method="POST", body=body, content_type=content_type, **parts)


async def outcome(web: HttpWeb, request: Request) -> Response | FetchError:
    try:
        return await web.fetch(request)
    except FetchError as error:
        return error


async def heard(guest: Guest, site: Site) -> bytes:
    """The next whole request: what is noted as its head has the body, too."""
    head = await guest.head()
    if head:
        length = next(
            (
                int(line.partition(b":")[2])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            ),
            0,
        )
        head += await guest.reader.readexactly(length)
        site.heads.append(head)
    return head


def replying(*pieces: bytes) -> Handler:
    """Hear each request whole, and answer it."""

    async def handle(guest: Guest, site: Site) -> None:
        while await heard(guest, site):
            await guest.say(*pieces)

    return handle


def posted(
    run: Run, handler: Handler, *requests: tuple[bytes, str], **told: Any
) -> tuple[list[Response | FetchError], Site]:
    async def work() -> tuple[list[Response | FetchError], Site]:
        async with serving(handler) as site, HttpWeb(options(**told), "tests") as web:
            url = site.url("/find?lang=en")
            return [await outcome(web, post(url, *request)) for request in requests], site

    return strictly(run, work)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"q=b%C3%A4rn+owl&page=1", FORM),
        (MULTIPART, PARTS),
        (b"", FORM),
        (bytes(range(256)) * 4096, "application/octet-stream"),
        (b"\r\n\r\nGET / HTTP/1.1\r\n\r\n", FORM),
    ],
)
def test_a_body_arrives_byte_for_byte(run: Run, body: bytes, content_type: str) -> None:
    (result,), site = posted(run, replying(OK), (body, content_type))
    assert good(result).body == PAGE
    head, _, arrived = site.heads[0].partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"POST /find?lang=en HTTP/1.1"
    assert f"Content-Type: {content_type}".encode() in lines
    assert f"Content-Length: {len(body)}".encode() in lines
    assert arrived == body


def test_a_get_says_nothing_of_a_body(run: Run) -> None:
    async def work() -> bytes:
        async with serving(replying(OK)) as site, HttpWeb(options(), "tests") as web:
            await web.fetch(Request(site.url("/")))
            return site.heads[0]

    head = strictly(run, work)
    assert head.startswith(b"GET / HTTP/1.1\r\n")
    assert b"content-" not in head.lower()


def test_a_header_of_the_content_type_stays_in_its_line(run: Run) -> None:
    (result,), site = posted(run, replying(OK), (b"a=1", f"{FORM}\r\nX-Own: yes"))
    assert good(result).status == 200
    assert b"\r\nX-Own" not in site.heads[0]


@pytest.mark.parametrize(
    ("parts", "failure"),
    [
        ({"method": "POST", "body": bytes(MAX_POST_BYTES + 1)}, FailureKind.TOO_LARGE),
        ({"method": "PUT", "body": b"a"}, FailureKind.PROTOCOL),
        ({"method": "POST / HTTP/1.1\r\nX: y\r\n\r\nGET"}, FailureKind.PROTOCOL),
        ({"body": b"a=1"}, FailureKind.PROTOCOL),
    ],
)
def test_what_is_no_form_is_not_sent(run: Run, parts: dict[str, Any], failure: str) -> None:
    async def work() -> tuple[Response | FetchError, Site]:
        async with serving(replying(OK)) as site, HttpWeb(options(), "tests") as web:
            return await outcome(web, Request(site.url("/"), **parts)), site

    result, site = strictly(run, work)
    assert (kind(result), site.connections) == (failure, 0)


def test_a_post_takes_no_connection_that_was_kept_open_and_leaves_its_own(run: Run) -> None:
    async def work() -> int:
        async with serving(replying(OK)) as site, HttpWeb(options(), "tests") as web:
            await web.fetch(Request(site.url("/")))
            await web.fetch(post(site.url("/"), b"a=1"))
            await web.fetch(Request(site.url("/")))
            return site.connections

    assert strictly(run, work) == 2


def test_a_server_that_closes_before_it_answers_has_the_form_once(run: Run) -> None:
    async def handle(guest: Guest, site: Site) -> None:
        if await heard(guest, site) and site.heads[-1].startswith(b"GET"):
            await guest.say(OK)
            await heard(guest, site)

    async def work() -> tuple[Response | FetchError, list[bytes]]:
        async with serving(handle) as site, HttpWeb(options(), "tests") as web:
            await web.fetch(Request(site.url("/")))
            result = await outcome(web, post(site.url("/"), b"a=1"))
            return result, [head[:4] for head in site.heads]

    result, heads = strictly(run, work)
    assert (kind(result), heads) == (FailureKind.RESET, [b"GET ", b"POST"])


@pytest.mark.parametrize("status", ["408 Request Timeout", "503 Service Unavailable"])
def test_a_refusal_is_an_answer_and_nothing_is_sent_again(run: Run, status: str) -> None:
    refusal = f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode()
    results, site = posted(run, replying(refusal), (b"a=1", FORM), (b"a=2", FORM))
    assert [kind(result) for result in results] == [f"status {status[:3]}"] * 2
    assert len(site.heads) == 2


SLOW_AND_BROKEN: dict[str, tuple[tuple[bytes, ...], dict[str, Any], FailureKind]] = {
    "silent": ((), {"first_byte_timeout": 0.2}, FailureKind.FIRST_BYTE_TIMEOUT),
    "stalled": ((OK[:-3],), {"idle_timeout": 0.2}, FailureKind.IDLE_TIMEOUT),
    "garbage": ((b"owls\r\n\r\n",), {}, FailureKind.PROTOCOL),
    "large": (
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", b"owls " * 10_000),
        {"max_bytes": 1000},
        FailureKind.TOO_LARGE,
    ),
}


@pytest.mark.parametrize("case", SLOW_AND_BROKEN)
def test_slow_and_broken_answers_fail_as_those_of_a_get(run: Run, case: str) -> None:
    pieces, limits, failure = SLOW_AND_BROKEN[case]
    (result,), site = posted(run, replying(*pieces), (b"a=1", FORM), **limits)
    assert (kind(result), len(site.heads)) == (failure, 1)


def test_an_answer_that_comes_before_the_body_is_through_is_taken(run: Run) -> None:
    async def handle(guest: Guest, _site: Site) -> None:
        await guest.head()
        await guest.say(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        await guest.left()

    (result,), _ = posted(run, handle, (bytes(MAX_POST_BYTES), FORM))
    assert kind(result) == "status 413"


def test_an_inner_address_gets_no_form(run: Run) -> None:
    async def work() -> tuple[Response | FetchError, int]:
        async with serving(replying(OK)) as site, HttpWeb(options(private=False), "tests") as web:
            return await outcome(web, post(site.url("/"), b"a=1")), site.connections

    result, connections = strictly(run, work)
    assert (kind(result), connections) == (FailureKind.FORBIDDEN_ADDRESS, 0)


def test_a_form_goes_through_a_proxy(run: Run) -> None:
    async def work() -> tuple[Response | FetchError, bytes]:
        async with serving(replying(OK)) as proxy:
            told = options(proxy=f"http://me:secret@{proxy.place}")
            async with HttpWeb(told, "tests") as web:
                result = await outcome(web, post("http://a.example/find", b"q=owls"))
                return result, proxy.heads[0]

    result, message = strictly(run, work)
    assert good(result).body == PAGE
    assert message.startswith(b"POST http://a.example/find HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic" in message
    assert message.endswith(b"\r\n\r\nq=owls")


# --- TLS and HTTP/2 -------------------------------------------------------------------------------------


def over_tls(
    run: Run, handler: Handler, context: ssl.SSLContext, *requests: Request, http2: str = "always"
) -> tuple[list[Response | FetchError], Site]:
    async def work() -> tuple[list[Response | FetchError], Site]:
        async with serving(handler, context) as site:
            network: NetworkOptions = options(overrides=(f"a.test={site.place}",), http2=http2)
            async with HttpWeb(network, "tests") as web:
                return [await outcome(web, request) for request in requests], site

    return strictly(run, work)


URL = "https://a.test/find"


def test_a_form_goes_over_tls(run: Run) -> None:
    (result,), site = over_tls(run, replying(OK), tls(), post(URL, MULTIPART, PARTS))
    assert good(result).protocol == "HTTP/1.1"
    assert site.heads[0].endswith(b"\r\n\r\n" + MULTIPART)


class Received:
    """What an HTTP/2 server got."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []


def h2_replying(received: Received) -> Handler:
    """Take each request whole, opening the windows as data comes, and answer it."""

    async def handle(guest: Guest, _site: Site) -> None:
        h2 = H2Guest(guest)
        bodies: dict[int, bytes] = {}
        async for event in h2.events():
            stream = getattr(event, "stream_id", None) or 0
            if isinstance(event, RequestReceived):
                received.headers.append({str(k): str(v) for k, v in event.headers or ()})
                bodies[stream] = b""
            elif isinstance(event, DataReceived):
                bodies[stream] += event.data
                h2.h2.acknowledge_received_data(event.flow_controlled_length or 0, stream)
            elif isinstance(event, StreamEnded):
                received.bodies.append(bodies[stream])
                await h2.reply(stream)

    return handle


@pytest.mark.parametrize("size", [0, 1, 16_384, 65_535, 65_536, 700_000])
def test_a_body_of_any_size_goes_over_http2(run: Run, size: int) -> None:
    received = Received()
    body = bytes(number % 251 for number in range(size))
    requests = (Request(URL), post(URL, body), Request(URL))
    results, site = over_tls(run, h2_replying(received), tls("h2"), *requests)
    assert [good(result).protocol for result in results] == ["HTTP/2"] * 3
    assert received.bodies == [b"", body, b""]
    assert [told[":method"] for told in received.headers] == ["GET", "POST", "GET"]
    told = received.headers[1]
    assert (told["content-type"], told["content-length"]) == (FORM, str(size))
    assert (told[":path"], told[":authority"]) == ("/find", "a.test")
    assert site.connections == 2


def test_a_stream_that_was_refused_is_tried_again_and_one_that_was_reset_is_not(run: Run) -> None:
    for code, attempts in ((ErrorCodes.REFUSED_STREAM, 3), (ErrorCodes.INTERNAL_ERROR, 1)):
        streams: list[int] = []

        async def handle(
            guest: Guest,
            _site: Site,
            code: ErrorCodes = code,
            streams: list[int] = streams,
        ) -> None:
            h2 = H2Guest(guest)
            async for stream, _ in h2.requests():
                streams.append(stream)
                h2.h2.reset_stream(stream, error_code=code)
                await h2.flush()

        (result,), _ = over_tls(run, handle, tls("h2"), post(URL, b"a=1"))
        assert (kind(result), len(streams)) == (FailureKind.RESET, attempts)


def test_an_http2_connection_that_ends_before_the_answer_has_the_form_once(run: Run) -> None:
    methods: list[str] = []

    async def handle(guest: Guest, _site: Site) -> None:
        h2 = H2Guest(guest)
        async for stream, told in h2.requests():
            methods.append(told[":method"])
            if told[":method"] == "POST":
                guest.reset()
                return
            await h2.reply(stream)

    results, _ = over_tls(run, handle, tls("h2"), Request(URL), post(URL, b"a=1"), Request(URL))
    assert [kind(result) for result in results[::2]] == ["status 200"] * 2
    assert kind(results[1]) in (FailureKind.RESET, FailureKind.PROTOCOL)
    assert methods == ["GET", "POST", "GET"]


def test_an_http2_answer_that_comes_before_the_body_is_through_is_taken(run: Run) -> None:
    async def handle(guest: Guest, _site: Site) -> None:
        h2 = H2Guest(guest)
        async for stream, _ in h2.requests():
            await h2.reply(stream, status="413")

    results, _ = over_tls(run, handle, tls("h2"), post(URL, bytes(MAX_POST_BYTES)), Request(URL))
    assert [kind(result) for result in results] == ["status 413"] * 2


@pytest.mark.parametrize("status", ["426 Upgrade Required", "505 HTTP Version Not Supported"])
def test_a_host_that_refuses_http1_gets_the_form_over_http2(run: Run, status: str) -> None:
    received = Received()
    refusing = replying(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
    speaking = h2_replying(received)

    async def handle(guest: Guest, site: Site) -> None:
        await (refusing if guest.number == 1 else speaking)(guest, site)

    form = post(URL, b"q=owls")
    (result,), site = over_tls(run, handle, tls("h2", "http/1.1"), form, http2="needed")
    assert (good(result).protocol, received.bodies) == ("HTTP/2", [b"q=owls"])
    assert (len(site.heads), site.connections) == (1, 2)
