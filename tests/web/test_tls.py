"""TLS and HTTP/2 over real sockets: certificates good and bad, broken handshakes, hostile streams."""

import asyncio
import gc
import ssl
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import trustme
from h2.errors import ErrorCodes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motherlode.fetch import FetchError, NetworkOptions, Response, TypeOptions
from motherlode.fetch.event_loop import run as run_on_uvloop
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.http import HttpWeb
from support.loopback_servers import (
    OK,
    PAGE,
    Guest,
    H2Guest,
    Handler,
    Run,
    Site,
    answer,
    ended,
    good,
    kind,
    once,
    options,
    outcome,
    saying,
    serving,
    settled,
    sockets,
    strictly,
)

AUTHORITY = trustme.CA()
URL = "https://a.test/"


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


def context(certificate: trustme.LeafCert | None = None, *protocols: str) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    (certificate or _certificate()).configure_cert(made)
    if protocols:
        made.set_alpn_protocols(list(protocols))
    return made


def _certificate(made: list[trustme.LeafCert] = []) -> trustme.LeafCert:  # noqa: B006 - made once
    if not made:
        made.append(AUTHORITY.issue_cert("a.test", "b.test", "127.0.0.1"))
    return made[0]


def leading(site: Site, **told: Any) -> NetworkOptions:
    return options(overrides=(f"a.test={site.place}", f"b.test={site.place}"), **told)


def visited(
    run: Run, handler: Handler, tls: ssl.SSLContext | None, count: int = 1, **told: Any
) -> tuple[list[Response | FetchError], Site]:
    """What comes of asking a server, some times in a row."""

    async def work() -> tuple[list[Response | FetchError], Site]:
        async with serving(handler, tls) as site, HttpWeb(leading(site, **told), "tests") as web:
            return [await outcome(web, URL) for _ in range(count)], site

    return strictly(run, work)


def failure(run: Run, handler: Handler, tls: ssl.SSLContext | None, **told: Any) -> FetchError:
    result = visited(run, handler, tls, **told)[0][0]
    assert isinstance(result, FetchError), result
    return result


# --- certificates ---------------------------------------------------------------------------------------


def test_a_good_certificate_is_accepted_and_the_connection_kept(run: Run) -> None:
    results, site = visited(run, saying(OK), context(), 3)
    first, *others = (good(result) for result in results)
    assert (first.body, first.protocol) == (PAGE, "HTTP/1.1")
    assert first.phases.tls > 0
    assert all(other.phases.tls == 0 for other in others)
    assert site.connections == 1


def test_an_address_may_have_a_certificate(run: Run) -> None:
    async def work() -> bytes:
        async with serving(saying(OK), context()) as site, HttpWeb(options(), "tests") as web:
            return good(await outcome(web, site.url(scheme="https"))).body

    assert strictly(run, work) == PAGE


def bad_certificates() -> dict[str, trustme.LeafCert]:
    past = datetime.now(UTC) - timedelta(days=10)
    return {
        "wrong-name": AUTHORITY.issue_cert("other.test"),
        "self-signed": trustme.CA().issue_cert("a.test"),
        "expired": AUTHORITY.issue_cert(
            "a.test", not_before=past, not_after=past + timedelta(days=1)
        ),
    }


@pytest.mark.parametrize("which", ["wrong-name", "self-signed", "expired"])
def test_a_bad_certificate_is_refused_with_its_reason(run: Run, which: str) -> None:
    tls = context(bad_certificates()[which])
    error = failure(run, saying(OK), tls)
    assert error.kind == FailureKind.TLS
    assert len(error.detail) > 5
    results, _ = visited(run, saying(OK), tls, verify=False)
    assert good(results[0]).body == PAGE


# --- broken handshakes ----------------------------------------------------------------------------------


async def _silence(guest: Guest, _site: Site) -> None:
    await guest.left()


def test_a_host_that_says_nothing_in_the_handshake_times_out(run: Run) -> None:
    assert failure(run, _silence, None, tls_timeout=0.2).kind == FailureKind.TLS_TIMEOUT


@pytest.mark.parametrize(
    "said",
    [
        answer(b"<p>This is plain HTTP", status="400 Bad Request"),
        b"SSH-2.0-OpenSSH_9\r\n",
        b"\x15\x03\x03\x00\x02\x02\x28",  # an alert: handshake failure
        b"\x16\x03\x03\xff\xff" + bytes(70_000),
        b"\x16\x03\x03\x00\x04\x02\x00\x00\x00",
        b"",
    ],
    ids=["http", "ssh", "alert", "record", "hello", "hangs-up"],
)
def test_what_is_no_tls_is_a_failure_of_its_kind(run: Run, said: bytes) -> None:
    async def handle(guest: Guest, _site: Site) -> None:
        await guest.reader.read(100)
        await guest.say(said)

    assert failure(run, handle, None).kind == FailureKind.TLS_BROKEN


def test_a_connection_cut_off_without_a_farewell_is_no_whole_response(run: Run) -> None:
    async def handle(guest: Guest) -> None:
        await guest.say(OK[:-3])
        guest.reset()

    assert failure(run, once(handle), context()).kind in (FailureKind.PROTOCOL, FailureKind.RESET)


def test_a_host_that_does_not_say_goodbye_is_not_waited_for(run: Run) -> None:
    async def handle(guest: Guest) -> None:
        await guest.say(OK)
        await guest.left()

    async def work() -> None:
        async with serving(once(handle), context()) as site:
            before = sockets()
            async with HttpWeb(leading(site, keep_alive=0.05), "tests") as web:
                good(await outcome(web, URL))
                await settled(lambda: site.open == 0 and sockets() <= before)

    strictly(run, work)


# --- HTTP/2 ---------------------------------------------------------------------------------------------

H2Handler = Callable[[H2Guest, Site], Awaitable[None]]


def speaking(handler: H2Handler) -> Handler:
    """HTTP/2 for those with whom TLS agreed upon it, HTTP/1.1 for the others."""

    async def handle(guest: Guest, site: Site) -> None:
        agreed = guest.writer.get_extra_info("ssl_object").selected_alpn_protocol()
        await (handler(H2Guest(guest), site) if agreed == "h2" else saying(OK)(guest, site))

    return handle


async def friendly(guest: H2Guest, site: Site) -> None:
    async for stream, headers in guest.requests():
        site.heads.append(repr(headers).encode())
        await guest.reply(stream)


def h2_visited(
    run: Run, handler: H2Handler, count: int = 1, **told: Any
) -> tuple[list[Response | FetchError], Site]:
    return visited(
        run,
        speaking(handler),
        context(None, "h2", "http/1.1"),
        count,
        **{"http2": "always", **told},
    )


@pytest.mark.parametrize(
    ("told", "protocol"), [("always", "HTTP/2"), ("needed", "HTTP/1.1"), ("never", "HTTP/1.1")]
)
def test_http2_is_spoken_as_configured(run: Run, told: str, protocol: str) -> None:
    results, site = h2_visited(run, friendly, 3, http2=told)
    assert [(good(one).body, good(one).protocol) for one in results] == [(PAGE, protocol)] * 3
    assert site.connections == 1


def test_a_host_without_http2_is_asked_in_http1(run: Run) -> None:
    for protocols in ((), ("http/1.1",)):
        results, _ = visited(run, saying(OK), context(None, *protocols), http2="always")
        assert good(results[0]).protocol == "HTTP/1.1"


def test_a_request_in_http2_says_the_same(run: Run) -> None:
    _, site = h2_visited(run, friendly)
    said = site.heads[0].decode()
    for part in (
        "':method': 'GET'",
        "':authority': 'a.test'",
        "':path': '/'",
        "'user-agent': 'tests'",
    ):
        assert part in said
    assert "'host'" not in said


def only_by_alpn(port: int) -> Handler:
    """A door that hangs up, by an alert, on whoever does not offer h2."""

    async def handle(guest: Guest, _site: Site) -> None:
        hello = await guest.reader.read(4096)
        if b"\x02h2" not in hello:
            await guest.say(b"\x15\x03\x03\x00\x02\x02\x78")  # no application protocol (RFC 7301)
            return
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(hello)
        tasks = [
            asyncio.create_task(pipe(guest.reader, writer)),
            asyncio.create_task(pipe(reader, guest.writer)),
        ]
        await asyncio.wait(tasks)

    return handle


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
    except ConnectionError:
        pass
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("told", "expected"), [("needed", "HTTP/2"), ("never", FailureKind.TLS_BROKEN)]
)
def test_a_host_that_offers_nothing_but_http2_is_asked_in_it_if_allowed(
    run: Run, told: str, expected: str
) -> None:
    async def work() -> list[str]:
        inner = serving(speaking(friendly), context(None, "h2"))
        async with (
            inner as within,
            serving(only_by_alpn(within.port)) as site,
            HttpWeb(leading(site, http2=told), "tests") as web,
        ):
            results = [await outcome(web, URL) for _ in range(2)]
            return [one.protocol if isinstance(one, Response) else one.kind for one in results]

    assert strictly(run, work) == [expected] * 2


def refusing(version: Handler, status: str = "505 HTTP Version Not Supported") -> Handler:
    """HTTP/2 for clients that offer it, a refusal for others; the connection stays open."""

    async def handle(guest: Guest, site: Site) -> None:
        agreed = guest.writer.get_extra_info("ssl_object").selected_alpn_protocol()
        refusal = saying(answer(b"<p>no", status=status))
        await (version if agreed == "h2" else refusal)(guest, site)

    return handle


@pytest.mark.parametrize("status", ["505 HTTP Version Not Supported", "426 Upgrade Required"])
def test_a_host_that_refuses_http1_is_asked_in_http2(run: Run, status: str) -> None:
    tls = context(None, "h2", "http/1.1")
    results, site = visited(run, refusing(speaking(friendly), status), tls, 3)
    assert [good(result).protocol for result in results] == ["HTTP/2"] * 3
    assert site.connections == 2
    results, _ = visited(run, refusing(speaking(friendly), status), tls, http2="never")
    assert kind(results[0]) == f"status {status[:3]}"


@pytest.mark.parametrize("status", ["505 HTTP Version Not Supported", "426 Upgrade Required"])
def test_a_host_that_refuses_http1_and_has_nothing_else_keeps_its_answer(
    run: Run, status: str
) -> None:
    handler = refusing(speaking(friendly), status)
    results, _ = visited(run, handler, context(None, "http/1.1"), 3)
    assert ended(results) == [f"status {status[:3]}"] * 3


def together(
    run: Run, handler: H2Handler, count: int, **told: Any
) -> tuple[list[Response | FetchError], Site]:
    """What comes of requests at once, on a connection that is already there."""

    async def work() -> tuple[list[Response | FetchError], Site]:
        tls = context(None, "h2")
        async with serving(speaking(handler), tls) as site:
            async with HttpWeb(leading(site, http2="always", **told), "tests") as web:
                good(await outcome(web, URL))
                requests = (outcome(web, URL, types=TypeOptions()) for _ in range(count))
                results = list(await asyncio.gather(*requests))
            await settled(lambda: site.open == 0)
            return results, site

    return strictly(run, work)


def waiting_for(count: int, then: Callable[[H2Guest, list[int]], Awaitable[None]]) -> H2Handler:
    """Answer the first request, gather so many, and do something with them; then be friendly again."""

    async def handle(guest: H2Guest, site: Site) -> None:
        gathered: list[int] = []
        async for stream, _ in guest.requests():
            if site.connections > 1 or stream == 1 or len(gathered) >= count:
                await guest.reply(stream)
                continue
            gathered.append(stream)
            if len(gathered) == count:
                await then(guest, gathered)
                await guest.flush()

    return handle


def test_requests_at_once_share_a_connection(run: Run) -> None:
    async def backwards(guest: H2Guest, streams: list[int]) -> None:
        for stream in reversed(streams):
            await guest.reply(stream, b"<p>%d" % stream)

    results, site = together(run, waiting_for(5, backwards), 5)
    assert [good(one).body for one in results] == [b"<p>%d" % number for number in (3, 5, 7, 9, 11)]
    assert site.connections == 1


def test_a_stream_that_is_reset_does_not_touch_the_others(run: Run) -> None:
    async def reset_one(guest: H2Guest, streams: list[int]) -> None:
        guest.h2.reset_stream(streams[0], ErrorCodes.INTERNAL_ERROR)
        await guest.reply(streams[1])

    results, site = together(run, waiting_for(2, reset_one), 2)
    assert ended(results) == [FailureKind.RESET, "status 200"]
    assert site.connections == 1


def test_a_stream_that_was_refused_is_asked_for_again(run: Run) -> None:
    async def refuse_one(guest: H2Guest, streams: list[int]) -> None:
        guest.h2.reset_stream(streams[0], ErrorCodes.REFUSED_STREAM)
        await guest.reply(streams[1])

    results, _ = together(run, waiting_for(2, refuse_one), 2)
    assert ended(results) == ["status 200"] * 2


def test_after_a_goaway_what_was_begun_is_finished_and_the_rest_asked_elsewhere(run: Run) -> None:
    async def leave(guest: H2Guest, streams: list[int]) -> None:
        guest.begin(streams[0])
        await guest.flush()
        frame = b"\x00\x00\x08\x07\x00" + bytes(4) + streams[0].to_bytes(4) + bytes(4)
        await guest.guest.say(frame)  # by hand: h2 would say nothing more itself
        await asyncio.sleep(0.02)
        guest.h2.send_data(streams[0], PAGE, end_stream=True)

    results, site = together(run, waiting_for(2, leave), 2)
    assert [good(one).body for one in results] == [PAGE] * 2
    assert site.connections == 2


def test_a_goaway_with_an_error_ends_what_is_under_way(run: Run) -> None:
    async def leave(guest: H2Guest, streams: list[int]) -> None:
        guest.begin(streams[0])
        guest.h2.close_connection(ErrorCodes.ENHANCE_YOUR_CALM, last_stream_id=streams[-1])

    results, _ = together(run, waiting_for(2, leave), 2)
    assert ended(results) == [FailureKind.RESET, "status 200"]  # of the second nothing had come


def test_an_idle_connection_that_was_left_is_replaced(run: Run) -> None:
    async def handle(guest: H2Guest, _site: Site) -> None:
        async for stream, _ in guest.requests():
            await guest.reply(stream)
            guest.h2.close_connection()
            await guest.flush()
            return

    results, site = h2_visited(run, handle, 3)
    assert ended(results) == ["status 200"] * 3
    assert site.connections == 3


def test_a_body_larger_than_the_window_comes_through(run: Run) -> None:
    body = PAGE * 500_000

    async def handle(guest: H2Guest, _site: Site) -> None:
        async for stream, _ in guest.requests():
            assert await guest.pour(stream, body) == len(body)
        # It goes on until the client ends: to close before it has read all would reset the connection.

    results, _ = h2_visited(run, handle)
    assert good(results[0]).body == body


def test_too_large_a_body_ends_its_stream_alone(run: Run) -> None:
    resets: list[int] = []

    async def pour_one(guest: H2Guest, streams: list[int]) -> None:
        await guest.pour(streams[0], PAGE * 10_000_000)
        resets.extend(guest.resets)
        await guest.reply(streams[1])

    results, site = together(run, waiting_for(2, pour_one), 2, max_bytes=1_000_000)
    assert ended(results) == [FailureKind.TOO_LARGE, "status 200"]
    assert site.connections == 1
    assert resets == [3]


def test_streams_that_ended_well_are_not_reset(run: Run) -> None:
    resets: list[list[int]] = []

    async def handle(guest: H2Guest, site: Site) -> None:
        resets.append(guest.resets)
        await friendly(guest, site)

    h2_visited(run, handle, 5)
    assert resets == [[]]


def test_more_requests_than_a_connection_takes_go_over_another(run: Run) -> None:
    async def handle(guest: H2Guest, _site: Site) -> None:
        guest.h2.update_settings({3: 2})  # SETTINGS_MAX_CONCURRENT_STREAMS
        async for stream, _ in guest.requests():
            await asyncio.sleep(0.02)
            await guest.reply(stream)

    results, site = together(run, handle, 6)
    assert ended(results) == ["status 200"] * 6
    assert 1 < site.connections <= 7


@pytest.mark.parametrize(
    "told", [{"keep_alive": 0.05}, {"keep_alive": 0.0}, {"idle_connections": 0}]
)
def test_an_idle_connection_of_http2_is_not_kept_for_ever(run: Run, told: dict[str, float]) -> None:
    async def work() -> None:
        async with (
            serving(speaking(friendly), context(None, "h2")) as site,
            HttpWeb(leading(site, http2="always", **told), "tests") as web,
        ):
            good(await outcome(web, URL))
            await settled(lambda: site.open == 0)
            assert not web._pool._idle

    strictly(run, work)


def test_idle_connections_of_http2_count_like_others(run: Run) -> None:
    async def work() -> None:
        async with (
            serving(speaking(friendly), context(None, "h2")) as site,
            HttpWeb(leading(site, http2="always", idle_connections=1), "tests") as web,
        ):
            for host in ("a.test", "b.test", "a.test"):
                good(await outcome(web, f"https://{host}/"))
            await settled(lambda: site.open == 1)
            assert site.connections == 3

    strictly(run, work)


@pytest.mark.parametrize(
    ("told", "late"),
    [
        ({"first_byte_timeout": 0.2}, FailureKind.FIRST_BYTE_TIMEOUT),
        ({"timeout": 0.3}, FailureKind.TOTAL_TIMEOUT),
    ],
)
def test_a_silent_stream_runs_out_of_time(
    run: Run, told: dict[str, Any], late: FailureKind
) -> None:
    async def handle(guest: H2Guest, _site: Site) -> None:
        async for _ in guest.requests():
            pass

    results, _ = h2_visited(run, handle, **told)
    assert ended(results) == [late]


def test_a_stream_that_stalls_runs_out_of_time_whatever_else_is_said(run: Run) -> None:
    async def handle(guest: H2Guest, _site: Site) -> None:
        async for stream, _ in guest.requests():
            guest.begin(stream)
            while not guest.guest.writer.is_closing():
                guest.h2.ping(b"are you?")
                await guest.flush()
                await asyncio.sleep(0.02)

    results, _ = h2_visited(run, handle, idle_timeout=0.2)
    assert ended(results) == [FailureKind.IDLE_TIMEOUT]


@pytest.mark.parametrize(
    "frames",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\xff\xff\xff\x00\x00\x00\x00\x00\x01" + bytes(1000),  # a frame beyond all sizes
        b"\x00\x00\x05\x01\x05\x00\x00\x00\x01\xff\xff\xff\xff\xff",  # headers that do not unpack
        b"\x00\x00\x07\x01\x05\x00\x00\x00\x01\x08\x03abc\x00\x00",  # a status that is no number
        b"\x00\x00\x16\x01\x05\x00\x00\x00\x01\x08\x14" + b"9" * 20,  # one of 20 digits
        b"\x00\x00\x07\x01\x05\x00\x00\x00\x01\x08\x0540000",  # one of five
        b"\x00\x00\x04\x00\x01\x00\x00\x00\x01oops",  # a body before its head
        b"\x00\x00\x04\x00\x01\x00\x00\x00\x09oops",  # of a stream that is not there
        b"\x00\x00\x04\x08\x00\x00\x00\x00\x00" + bytes(4),  # a window that grows by nothing
        b"\x00\x00\x05\x05\x04\x00\x00\x00\x01\x00\x00\x00\x02\x88",  # a push that nobody wanted
        b"",
    ],
    ids=[
        *("http1", "frame", "hpack", "status", "long status", "five digits", "order", "stream"),
        *("window", "push", "nothing"),
    ],
)
def test_broken_frames_are_a_broken_response(run: Run, frames: bytes) -> None:
    async def handle(guest: H2Guest, _site: Site) -> None:
        async for _ in guest.requests():
            await guest.guest.say(frames)
            await asyncio.sleep(0.02)
            return

    results, _ = h2_visited(run, handle, first_byte_timeout=3.0)
    assert ended(results)[0] in (FailureKind.PROTOCOL, FailureKind.RESET)


def test_headers_have_limits_in_http2_too(run: Run) -> None:
    async def handle(guest: H2Guest, _site: Site) -> None:
        async for stream, _ in guest.requests():
            guest.begin(stream, *[(f"x-{number}", "y") for number in range(300)])
            await guest.flush()

    results, _ = h2_visited(run, handle)
    assert ended(results) == [FailureKind.HEADERS]


def test_failed_and_cancelled_fetches_leave_nothing_open(run: Run) -> None:
    async def unruly(guest: H2Guest, site: Site) -> None:
        async for stream, _ in guest.requests():
            match (stream // 2 + site.connections) % 5:
                case 0:
                    await guest.reply(stream)
                case 1:
                    guest.h2.reset_stream(stream)
                    await guest.flush()
                case 2:
                    guest.begin(stream)
                    await guest.flush()
                case 3:
                    guest.guest.reset()
                    return
                case _:
                    pass

    async def work() -> None:
        async with serving(speaking(unruly), context(None, "h2")) as site:
            before = sockets()
            network = leading(
                site, http2="always", first_byte_timeout=0.3, idle_timeout=0.2, timeout=2.0
            )
            async with HttpWeb(network, "tests") as web:
                tasks = [asyncio.create_task(outcome(web, URL)) for _ in range(60)]
                for number, task in enumerate(tasks):
                    if number % 5 == 0:
                        asyncio.get_running_loop().call_later(number / 200, task.cancel)
                results = await asyncio.gather(*tasks, return_exceptions=True)
                assert all(
                    isinstance(one, Response | FetchError | asyncio.CancelledError)
                    for one in results
                )
            await settled(lambda: site.open == 0)
            await settled(lambda: sockets() <= before)

    strictly(run, work)
    gc.collect()  # a transport that was left open complains now


SAID = (
    b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"  # SETTINGS
    b"\x00\x00\x00\x04\x01\x00\x00\x00\x00"  # and that ours are taken
    b"\x00\x00\x0c\x01\x04\x00\x00\x00\x01\x88\x5f\x09text/html"  # 200, text/html
    b"\x00\x00\x09\x00\x01\x00\x00\x00\x01<p>hello\n"
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    edits=st.lists(
        st.tuples(st.integers(0, len(SAID)), st.binary(max_size=4), st.integers(0, 3)), max_size=3
    ),
    cut=st.integers(1, len(SAID)),
)
def test_mutated_frames_end_in_a_response_or_a_failure(
    edits: list[tuple[int, bytes, int]], cut: int
) -> None:
    said = SAID
    for place, what, less in edits:
        said = said[:place] + what + said[place + less :]

    async def handle(guest: Guest, _site: Site) -> None:
        await guest.reader.read(1000)
        await guest.say(said[:cut])
        await asyncio.sleep(0)
        await guest.say(said[cut:])
        await guest.left()

    async def work() -> None:
        tls = context(None, "h2")
        async with serving(handle, tls) as site:
            hasty = {"first_byte_timeout": 0.05, "idle_timeout": 0.05} if edits else {}
            async with HttpWeb(leading(site, http2="always", **hasty), "tests") as web:
                result = await outcome(web, URL)
                assert edits or good(result).body == PAGE

    strictly(run_on_uvloop, work)
