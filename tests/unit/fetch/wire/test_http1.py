"""HTTP/1.1 by hand: connections kept and given up, limits, every clock by itself, hostile servers."""

import asyncio
import gc
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motherlode.fetch import FetchError, NetworkOptions, Response, TypeOptions
from motherlode.fetch.event_loop import run as run_on_uvloop
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.options import DnsOptions
from motherlode.urls import address
from support.loopback_servers import (
    OK,
    PAGE,
    PATIENCE,
    Guest,
    Handler,
    Names,
    NoNames,
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
    visit,
    with_names,
)

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(4096)


@pytest.fixture(params=[asyncio.run, run_on_uvloop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    runner: Run = request.param
    return runner


def fetched(
    run: Run, *answers: bytes, close: bool = False, count: int = 1
) -> tuple[list[Response], Site]:
    """What comes back from a server that says this, which is never a failure here."""
    results, site = strictly(run, lambda: visit(saying(*answers, close=close), *["/"] * count))
    return [good(result) for result in results], site


def failed(run: Run, handler: Handler, network: NetworkOptions | None = None) -> FetchError:
    """The failure that comes of a server."""
    results, _ = strictly(run, lambda: visit(handler, network=network))
    assert isinstance(results[0], FetchError), results[0]
    return results[0]


# --- connections that are kept --------------------------------------------------------------------------


def test_a_second_request_goes_over_the_same_connection(run: Run) -> None:
    responses, site = fetched(run, OK, count=3)
    assert [response.body for response in responses] == [PAGE] * 3
    assert site.connections == 1
    assert len(site.heads) == 3
    assert responses[0].phases.connect > 0
    assert responses[1].phases.connect == 0


def test_a_request_says_what_it_must_and_no_more(run: Run) -> None:
    _, site = fetched(run, OK)
    lines = site.heads[0].decode().split("\r\n")
    assert lines[:3] == ["GET / HTTP/1.1", f"Host: {site.place}", "User-Agent: tests"]
    assert {line.partition(":")[0] for line in lines[3:]} == {"Accept", "Accept-Encoding", ""}


def test_a_connection_closed_while_idle_is_noticed(run: Run) -> None:
    async def work() -> int:
        async with serving(saying(OK, close=True)) as site, HttpWeb(options(), "tests") as web:
            for _ in range(3):
                assert good(await outcome(web, site.url())).body == PAGE
                await settled(lambda: site.open == 0)
                await asyncio.sleep(0.02)
            return site.connections

    assert strictly(run, work) == 3


@pytest.mark.parametrize("reset", [False, True])
def test_a_connection_that_dies_of_the_second_request_is_replaced(run: Run, reset: bool) -> None:  # noqa: FBT001 - a parameter
    async def handle(guest: Guest, site: Site) -> None:
        site.heads.append(await guest.head())
        await guest.say(OK)
        if await guest.head() and reset:
            guest.reset()

    results, site = strictly(run, lambda: visit(handle, "/", "/", "/"))
    assert ended(results) == ["status 200"] * 3
    assert site.connections == 3


def test_a_host_that_hangs_up_on_everybody_is_asked_once(run: Run) -> None:
    async def handle(guest: Guest) -> None:
        pass

    results, site = strictly(run, lambda: visit(once(handle)))
    assert ended(results) == [FailureKind.RESET]
    assert site.connections == 1


@pytest.mark.parametrize(
    "said",
    [
        HEAD + b"Content-Length: 9\r\nConnection: close\r\n\r\n" + PAGE,
        b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n" + PAGE,
        OK + b"surplus",
        OK + b"\r\n<p>surplus",
        OK + OK,
        OK + OK[:20],
        OK + OK[:-3],
        OK + b"H",
        OK + b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n" + PAGE,
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n" + PAGE,
    ],
    ids=repr,
)
def test_a_connection_of_which_nobody_knows_what_comes_next_is_not_used_again(
    run: Run, said: bytes
) -> None:
    responses, site = fetched(run, said, OK, count=2)
    assert responses[0].body in (PAGE, b"")
    assert (responses[1].body, responses[1].status) == (PAGE, 200)
    assert site.connections == 2


def test_a_host_that_waited_too_long_on_a_kept_connection_is_asked_on_a_new_one(run: Run) -> None:
    late = answer(b"", "Connection: close", status="408 Request Timeout")
    responses, site = fetched(run, OK, late, OK, count=2)
    assert [response.status for response in responses] == [200, 200]
    assert site.connections == 2


def test_what_comes_late_is_never_taken_for_the_next_answer(run: Run) -> None:
    evil = answer(b"<p>evil")

    async def handle(guest: Guest, site: Site) -> None:
        while await guest.head():
            await guest.say(OK)
            await asyncio.sleep(0.01)
            await guest.say(evil[: 20 * site.connections])

    async def work() -> list[bytes]:
        async with serving(handle) as site, HttpWeb(options(), "tests") as web:
            bodies = []
            for _ in range(4):
                bodies.append(good(await outcome(web, site.url())).body)
                await settled(lambda: site.open == 0)  # unasked words on an idle connection end it
            return bodies

    assert strictly(run, work) == [PAGE] * 4


@pytest.mark.parametrize(
    "said", [b"HTTP/1.0 200 OK\r\n\r\n", HEAD + b"\r\n", HEAD + b"Connection: keep-alive\r\n\r\n"]
)
def test_a_body_without_a_length_ends_with_the_connection(run: Run, said: bytes) -> None:
    responses, _ = fetched(run, said + PAGE, close=True)
    assert responses[0].body == PAGE


def test_a_transfer_coding_that_says_nothing_ends_with_the_connection(run: Run) -> None:
    responses, _ = fetched(run, HEAD + b"Transfer-Encoding: identity\r\n\r\n" + PAGE, close=True)
    assert responses[0].body == PAGE


@pytest.mark.parametrize(
    "chunks",
    [
        b"9\r\n<p>hello\n\r\n0\r\n\r\n",
        b"4;name=value;x\r\n<p>h\r\n5 \r\nello\n\r\n000\r\n\r\n",
        b"9\r\n<p>hello\n\r\n0\r\nContent-Type: image/png\r\nX-Late: yes\r\nContent-Encoding: gzip\r\n\r\n",
    ],
    ids=["plain", "extensions", "trailers"],
)
def test_chunks_are_put_together(run: Run, chunks: bytes) -> None:
    responses, _ = fetched(run, CHUNKED + chunks)
    assert responses[0].body == PAGE
    assert len(responses[0].headers) == 2  # a trailer is no header


def test_heads_with_line_feeds_alone_are_read(run: Run) -> None:
    responses, _ = fetched(run, OK.replace(b"\r\n", b"\n"))
    assert responses[0].body == PAGE


def test_interim_responses_are_passed_over(run: Run) -> None:
    hints = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n"
    hints += b"Content-Type: x/y\r\n\r\n"
    responses, site = fetched(run, hints + OK, count=2)
    assert (responses[0].status, responses[0].body, responses[0].mime) == (200, PAGE, "text/html")
    assert responses[0].header("link") == ""
    assert site.connections == 1


def test_interim_responses_without_an_end_are_a_failure(run: Run) -> None:
    error = failed(run, saying(b"HTTP/1.1 102 Processing\r\n\r\n" * 500))
    assert error.kind == FailureKind.PROTOCOL


def test_a_change_of_protocols_is_a_failure(run: Run) -> None:
    said = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x00"
    assert failed(run, saying(said)).kind == FailureKind.PROTOCOL


@pytest.mark.parametrize(
    "said",
    [
        HEAD + b"Content-Length: 100\r\n\r\n" + PAGE,
        CHUNKED + b"9\r\n<p>hello\n\r\n",
        CHUNKED + b"9\r\n<p>hel",
        CHUNKED + b"9\r\n<p>hello\n\r\n0\r\n",
        HEAD,
        b"HTTP/1.1 100 Continue\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n" + PAGE,
        HEAD + b"Content-Length: 9\r\nContent-Length: 5\r\n\r\n" + PAGE,
        HEAD + b"Content-Length: 9, 5\r\n\r\n" + PAGE,
        HEAD + b"Content-Length: 9, 9\r\nContent-Length: 5\r\n\r\n" + PAGE,
        HEAD + b"Content-Length: 9,\r\n\r\n" + PAGE,
        HEAD + b"Content-Length: -9, -9\r\n\r\n" + PAGE,
        HEAD + b"Content-Length: 9, 9\r\nTransfer-Encoding: chunked\r\n\r\n" + PAGE,
        HEAD + b"Content-Length: 9, 9\r\n",
        HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n" + PAGE,
        CHUNKED + b"FFFFFFFFFFFFFFFFF\r\n" + PAGE,
        CHUNKED + b"-9\r\n" + PAGE,
        b"\x00\x00\x00\x04\x00\x00\x00\x00\x00",
        b"SSH-2.0-OpenSSH\r\n",
        b"<html><p>no head at all",
    ],
    ids=repr,
)
def test_what_is_cut_off_or_no_http_is_a_broken_response(run: Run, said: bytes) -> None:
    assert failed(run, saying(said, close=True)).kind == FailureKind.PROTOCOL


TWICE = (
    HEAD + b"Content-Length: 9, 9\r\n\r\n" + PAGE,
    HEAD + b"Content-Length: 9\r\ncontent-length:9\r\nX: y\r\n\r\n" + PAGE,
    HEAD + b"content-length: 9 ,9\nContent-Length: 9\n\n" + PAGE,
)


@pytest.mark.parametrize("said", TWICE, ids=repr)
def test_a_length_that_is_told_twice_alike_is_a_length(run: Run, said: bytes) -> None:
    responses, site = fetched(run, said, count=2)
    assert [response.body for response in responses] == [PAGE] * 2
    assert [response.all_headers("content-length") for response in responses] == [["9"]] * 2
    assert site.connections == 1


@pytest.mark.parametrize("said", TWICE, ids=repr)
def test_a_length_that_is_told_twice_may_come_in_pieces(run: Run, said: bytes) -> None:
    async def handle(guest: Guest) -> None:
        for place in range(len(said)):
            await guest.say(said[place : place + 1])
            await asyncio.sleep(0)

    results, _ = strictly(run, lambda: visit(once(handle)))
    assert good(results[0]).body == PAGE


def test_a_reset_in_mid_body_is_a_reset(run: Run) -> None:
    async def handle(guest: Guest) -> None:
        await guest.say(HEAD + b"Content-Length: 100\r\n\r\n" + PAGE)
        await asyncio.sleep(0.05)
        guest.writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"
        )
        guest.reset()

    assert failed(run, once(handle)).kind == FailureKind.RESET


# --- the pool -------------------------------------------------------------------------------------------


async def idle_after(web: HttpWeb, sites: list[Site], count: int) -> None:
    for site in sites:
        good(await outcome(web, site.url()))
    await settled(lambda: sum(site.open for site in sites) == count)


@pytest.mark.parametrize(
    ("told", "count"), [({"idle_connections": 2}, 2), ({"idle_connections": 0}, 0), ({}, 3)]
)
def test_idle_connections_are_kept_up_to_a_number(
    run: Run, told: dict[str, int], count: int
) -> None:
    async def work() -> None:
        async with serving(saying(OK)) as a, serving(saying(OK)) as b, serving(saying(OK)) as c:
            async with HttpWeb(options(**told), "tests") as web:
                await idle_after(web, [a, b, c], count)
                assert count == 3 or a.open == 0  # the one that waited longest went first
            await settled(lambda: a.open + b.open + c.open == 0)

    strictly(run, work)


@pytest.mark.parametrize("keep", [0.0, 0.05])
def test_idle_connections_are_kept_for_a_while(run: Run, keep: float) -> None:
    async def work() -> int:
        async with serving(saying(OK)) as site, HttpWeb(options(keep_alive=keep), "tests") as web:
            await idle_after(web, [site], 0)
            await idle_after(web, [site], 0)
            assert not web._pool._idle
            assert not web._pool._by_origin
            return site.connections

    assert strictly(run, work) == 2


def test_requests_at_once_have_a_connection_each(run: Run) -> None:
    async def work() -> int:
        async with serving(saying(OK)) as site, HttpWeb(options(), "tests") as web:
            for _ in range(2):
                results = await asyncio.gather(*(outcome(web, site.url()) for _ in range(10)))
                assert ended(results) == ["status 200"] * 10
            return site.connections

    assert strictly(run, work) == 10


# --- limits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        b"".join(b"X-%d: y\r\n" % number for number in range(300)),
        b"".join(b"X-%d: %s\r\n" % (number, b"y" * 10_000) for number in range(10)),
        b"X: " + b"y" * 200_000 + b"\r\n",
        b"X" * 200_000 + b": y\r\n",
    ],
    ids=["many", "large", "long-value", "long-name"],
)
def test_headers_have_limits(run: Run, headers: bytes) -> None:
    assert (
        failed(run, saying(HEAD + headers + b"Content-Length: 0\r\n\r\n")).kind
        == FailureKind.HEADERS
    )


def test_as_many_headers_as_anybody_needs_are_taken(run: Run) -> None:
    headers = b"".join(b"X-%d: %s\r\n" % (number, b"y" * 200) for number in range(200))
    responses, _ = fetched(run, HEAD + headers + b"Content-Length: 0\r\n\r\n")
    assert len(responses[0].headers) == 202


def flooded(
    run: Run, head: bytes, piece: bytes, network: NetworkOptions | None = None
) -> tuple[FetchError, int]:
    """The failure that comes of a head and a piece without end, and how many bytes the server got rid of."""
    most = 30_000_000
    sent = []

    async def handle(guest: Guest) -> None:
        await guest.say(head)
        sent.append(await guest.flood(piece, most))

    async def work() -> FetchError:
        async with serving(once(handle)) as site, HttpWeb(network or options(), "tests") as web:
            result = await outcome(web, site.url(), types=TypeOptions(html=100_000))
            await settled(lambda: bool(sent))
            assert isinstance(result, FetchError)
            return result

    error = strictly(run, work)
    assert sent[0] < most  # the server saw that the connection was dropped
    return error, sent[0]


@pytest.mark.parametrize(
    ("head", "piece", "ends"),
    [
        (HEAD + b"\r\n", b"<p>more and more" * 1000, FailureKind.TOO_LARGE),
        (CHUNKED, b"1000\r\n" + b"<p>moree" * 512 + b"\r\n", FailureKind.TOO_LARGE),
        (
            HEAD + b"Content-Length: 25000000\r\n\r\n",
            b"<p>more and more" * 1000,
            FailureKind.TOO_LARGE,
        ),
        (HEAD + b"\r\n", PNG, FailureKind.TYPE),
        (HEAD.replace(b"text/html", b"video/mp4") + b"\r\n", bytes(4096), FailureKind.TYPE),
        (HEAD + b"X: ", b"y" * 4096, FailureKind.HEADERS),
        (HEAD, b"X: y\r\n" * 100, FailureKind.HEADERS),
        (CHUNKED + b"4\r\n<p>a\r\n0\r\nX: ", b"y" * 4096, FailureKind.PROTOCOL),
        (CHUNKED + b"4\r\n<p>a\r\n0\r\n", b"X: y\r\n" * 100, FailureKind.PROTOCOL),
        (CHUNKED + b"4;", b"y" * 4096, FailureKind.PROTOCOL),
    ],
    ids=[
        "body",
        "chunks",
        "length",
        "picture",
        "film",
        "header",
        "headers",
        "trailer",
        "trailers",
        "extension",
    ],
)
def test_what_has_no_end_is_ended_at_once(
    run: Run, head: bytes, piece: bytes, ends: FailureKind
) -> None:
    error, _ = flooded(run, head, piece)
    assert error.kind == ends


def test_tiny_chunks_are_no_crime(run: Run) -> None:
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in PAGE * 10_000) + b"0\r\n\r\n"
    responses, _ = fetched(run, CHUNKED + chunks)
    assert responses[0].body == PAGE * 10_000


def test_an_announced_length_that_is_too_large_is_not_waited_for(run: Run) -> None:
    async def handle(guest: Guest) -> None:
        await guest.say(HEAD + b"Content-Length: 2000000\r\n\r\n" + b"<p>" * 1000)
        await guest.left()

    error = failed(run, once(handle), options(max_bytes=1_000_000, idle_timeout=PATIENCE))
    assert (error.kind, error.detail) == (FailureKind.TOO_LARGE, "2,000,000 bytes announced")


# --- clocks ---------------------------------------------------------------------------------------------


async def silence(guest: Guest) -> None:
    await guest.left()


async def half(guest: Guest) -> None:
    await guest.say(HEAD + b"Content-Length: 100\r\n\r\n" + PAGE)
    await guest.left()


async def half_a_head(guest: Guest) -> None:
    await guest.say(HEAD)
    await guest.left()


async def drip(guest: Guest) -> None:
    await guest.say(HEAD + b"\r\n")
    while not guest.writer.is_closing():
        await guest.say(b"x")
        await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("does", "told", "late"),
    [
        (silence, {"first_byte_timeout": 0.2}, FailureKind.FIRST_BYTE_TIMEOUT),
        (half, {"idle_timeout": 0.2}, FailureKind.IDLE_TIMEOUT),
        (half_a_head, {"idle_timeout": 0.2}, FailureKind.IDLE_TIMEOUT),
        (drip, {"timeout": 0.3}, FailureKind.TOTAL_TIMEOUT),
        (drip, {"rate_after": 0.2, "min_rate": 10_000.0}, FailureKind.TOO_SLOW),
        (silence, {"timeout": 0.2}, FailureKind.TOTAL_TIMEOUT),
    ],
    ids=["first-byte", "idle", "idle-head", "total", "rate", "total-silence"],
)
def test_each_clock_runs_out_by_itself(
    run: Run,
    does: Callable[[Guest], "asyncio.Future[None]"],
    told: dict[str, float],
    late: FailureKind,
) -> None:
    async def work() -> float:
        async with serving(once(does)) as site, HttpWeb(options(**told), "tests") as web:
            began = asyncio.get_running_loop().time()
            assert kind(await outcome(web, site.url())) == late
            took = asyncio.get_running_loop().time() - began
            await settled(lambda: site.open == 0)
            return took

    assert 0.15 < strictly(run, work) < PATIENCE / 2


def test_a_slow_transfer_that_is_quick_enough_comes_through(run: Run) -> None:
    async def handle(guest: Guest) -> None:
        await guest.say(HEAD + b"\r\n")
        for _ in range(10):
            await guest.say(b"<p>" * 100)
            await asyncio.sleep(0.04)

    network = options(idle_timeout=5.0, first_byte_timeout=5.0, rate_after=0.1, min_rate=10.0)
    results, _ = strictly(run, lambda: visit(once(handle), network=network))
    assert len(good(results[0]).body) == 3000


def test_a_connection_that_is_not_taken_times_out(run: Run) -> None:
    async def work() -> str:
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            door.listen(0)
            port = door.getsockname()[1]
            plugs = [socket.socket() for _ in range(8)]
            for plug in plugs:  # nobody opens, and there is no room to wait in
                plug.setblocking(False)  # noqa: FBT003 - its own
                plug.connect_ex(("127.0.0.1", port))
            await asyncio.sleep(0.05)
            try:
                async with HttpWeb(options(connect_timeout=0.3), "tests") as web:
                    return kind(await outcome(web, f"http://127.0.0.1:{port}/"))
            finally:
                for plug in plugs:
                    plug.close()

    assert strictly(run, work) == FailureKind.CONNECT_TIMEOUT


# --- where connections may lead -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reference",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://017700000001/",
        "http://0/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:10.0.0.1]/",
        "http://[64:ff9b::10.0.0.1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1:8080/",
        "http://①②⑦.⓪.⓪.①/",
    ],
)
def test_no_spelling_of_a_private_address_leads_inside(run: Run, reference: str) -> None:
    async def work() -> str:
        async with HttpWeb(NetworkOptions(proxy="none", connect_timeout=0.5), "tests") as web:
            return kind(await outcome(web, address(reference).url))

    assert strictly(run, work) == FailureKind.FORBIDDEN_ADDRESS


def test_a_name_that_leads_inside_leads_nowhere(run: Run) -> None:
    async def work() -> list[str]:
        async with HttpWeb(NetworkOptions(proxy="none"), "tests") as web:
            with_names(web, Names(a_test="127.0.0.1", b_test="fd00::1", c_test="::ffff:127.0.0.1"))
            return [kind(await outcome(web, f"http://{name}.test/")) for name in "abc"]

    assert strictly(run, work) == [FailureKind.FORBIDDEN_ADDRESS] * 3


def test_the_address_that_was_looked_at_is_the_one_that_is_connected_to(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is public when it is checked and private a moment later (DNS rebinding)."""
    monkeypatch.setattr(
        "motherlode.fetch.wire.dialer.is_public", lambda place: place == "127.0.0.1"
    )
    names = Names(a_test="127.0.0.1 10.0.0.1")

    async def work() -> tuple[list[str], list[str]]:
        async with (
            serving(saying(OK, close=True)) as site,
            HttpWeb(NetworkOptions(proxy="none", keep_alive=0.0), "tests") as web,
        ):
            with_names(web, names, min_ttl=0.0)
            url = site.url(host="a.test")
            return [kind(await outcome(web, url)) for _ in range(2)], [site.heads[0].decode()]

    results, _ = strictly(run, work)
    assert results == ["status 200", FailureKind.FORBIDDEN_ADDRESS]
    assert (
        names.asked == ["a.test"] * 2
    )  # once for each connection: what was checked is what is used


def test_a_host_whose_address_is_dead_is_reached_at_a_further_one(run: Run) -> None:
    names = Names(a_test="127.0.0.2", further=("127.0.0.1",))

    async def work() -> list[str]:
        async with serving(saying(OK, close=True)) as site, HttpWeb(options(), "tests") as web:
            with_names(web, names)
            found = [good(await outcome(web, site.url(host="a.test"))).address for _ in range(2)]
            await settled(lambda: site.open == 0)
            return found

    assert strictly(run, work) == ["127.0.0.1"] * 2
    assert names.asked_further == 1  # then it is known


def test_a_further_address_that_leads_inside_is_never_connected_to(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "motherlode.fetch.wire.dialer.is_public", lambda place: place == "127.0.0.2"
    )

    async def work() -> str:
        async with (
            serving(saying(OK)) as site,
            HttpWeb(NetworkOptions(proxy="none"), "tests") as web,
        ):
            with_names(web, Names(a_test="127.0.0.2", further=("127.0.0.1", "::1")))
            result = kind(await outcome(web, site.url(host="a.test")))
            assert site.connections == 0
            return result

    assert strictly(run, work) == FailureKind.REFUSED


@pytest.mark.parametrize("private", [True, False])
def test_names_of_the_machine_itself_lead_where_it_says_if_one_may_go_there(
    run: Run,
    tmp_path: Path,
    private: bool,  # noqa: FBT001 - a parameter
) -> None:
    (tmp_path / "hosts").write_text("127.0.0.1 own.test\n")
    dns = DnsOptions(servers=("127.0.0.1:9",))  # where nobody is

    async def work() -> str:
        network = NetworkOptions(proxy="none", private=private)
        async with (
            serving(saying(OK)) as site,
            HttpWeb(network, "tests", dns, tmp_path / "hosts") as web,
        ):
            return kind(await outcome(web, site.url(host="own.test")))

    assert strictly(run, work) == ("status 200" if private else FailureKind.FORBIDDEN_ADDRESS)


def test_overrides_say_where_hosts_are(run: Run) -> None:
    async def work() -> None:
        async with serving(saying(OK)) as a, serving(saying(OK)) as b:
            told = (f"one.test={a.place}", f"*.two.test={b.place}", "Port.test=127.0.0.1")
            network = NetworkOptions(proxy="none", overrides=told)
            async with HttpWeb(network, "tests") as web:
                for host in ("one.test", "x.two.test", "y.x.two.test", f"port.test:{a.port}"):
                    response = good(await outcome(web, f"http://{host}/"))
                    assert response.address == "127.0.0.1"
                assert (len(a.heads), len(b.heads)) == (2, 2)
                assert b"\r\nHost: one.test\r\n" in a.heads[0]
                with_names(web, Names(two_test="127.0.0.1", one_test_x="127.0.0.1"))
                for host in ("two.test", "one.test.x"):
                    assert (
                        kind(await outcome(web, f"http://{host}/")) == FailureKind.FORBIDDEN_ADDRESS
                    )

    strictly(run, work)


def test_overrides_take_addresses_of_version_6(run: Run) -> None:
    async def work() -> str:
        try:
            server = await asyncio.start_server(_answer_once, "::1", 0)
        except OSError:
            pytest.skip("lacks IPv6")
        port = server.sockets[0].getsockname()[1]
        network = NetworkOptions(proxy="none", overrides=(f"six.test=[::1]:{port}",))
        async with server, HttpWeb(network, "tests") as web:
            return good(await outcome(web, "http://six.test/")).address

    assert strictly(run, work) == "::1"


async def _answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(OK)
    writer.close()


# --- what goes out --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/\r\nX-Evil: 1",
        "/ HTTP/1.1\r\nX-Evil: 1",
        "/\nX-Evil: 1",
        "/\x00",
        "/\u2028X-Evil: 1",
        "/\x85a",
        "/ö",
    ],
)
def test_no_url_puts_a_line_into_a_request(run: Run, path: str) -> None:
    results, site = strictly(run, lambda: visit(saying(OK), path))
    assert ended(results) == [FailureKind.PROTOCOL]
    assert site.heads == []


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1\r\nX-Evil: 1/",
        "http://me@127.0.0.1/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:-1/",
        "http://127.0.0.1:x/",
        "http://127.0.0.1?x/",
        "http://127.0.0.1#x/",
        "http://127.0.0.1\\x/",
        "http:///x",
        "ftp://127.0.0.1/",
        "nonsense",
        "",
    ],
)
def test_what_is_no_canonical_url_is_not_fetched(run: Run, url: str) -> None:
    async def work() -> str:
        async with HttpWeb(options(), "tests") as web:
            return kind(await outcome(web, url))

    assert strictly(run, work) == FailureKind.PROTOCOL


@pytest.mark.parametrize(
    "host", ["a" * 64 + ".test", "a..test", ".test", "x" * 300, "_a_.test", "a%41.test"]
)
def test_a_name_that_cannot_be_is_no_crash(run: Run, host: str) -> None:
    async def work() -> str:
        async with HttpWeb(options(timeout=5.0), "tests") as web:
            return kind(await outcome(with_names(web, NoNames()), f"http://{host}/"))

    assert strictly(run, work) == FailureKind.NO_SUCH_HOST


def test_no_header_puts_a_line_into_a_request(run: Run) -> None:
    evil = "x\r\nX-Evil: 1\nX-Evil: 2\rX-Evil: 3\x85X-Evil: 4\x00"
    headers = (("If-None-Match", evil), (f"X-{evil}", "y"), ("If-None-Match", 'W/"\udce9\u00e9"'))

    async def work() -> bytes:
        async with serving(saying(OK)) as site, HttpWeb(options(), f"tests{evil}") as web:
            good(await outcome(web, site.url(), headers=headers))
            return site.heads[0]

    head = strictly(run, work)
    lines = head.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    assert not any(line.startswith(b"X-Evil") for line in lines)
    assert b"\x00" not in head
    assert len(lines) == 10  # five of every request, three of this one, two at the end


# --- cookies --------------------------------------------------------------------------------------------


def cookies_sent(run: Run, hosts: list[str], *, on: bool) -> list[list[bytes]]:
    """The cookies in each request to these hosts, of a server that sets some for everybody."""
    sets = ("Set-Cookie: a=1; Domain=.test; Path=/", "Set-Cookie: b=two words", "Set-Cookie: evil")

    async def work() -> list[list[bytes]]:
        async with serving(saying(answer(PAGE, *sets))) as site:
            network = options(cookies=on, overrides=(f"*.test={site.place}",))
            async with HttpWeb(network, "tests") as web:
                for host in hosts:
                    good(await outcome(web, f"http://{host}/"))
            return [
                [x for x in head.split(b"\r\n") if x.startswith(b"Cookie")] for head in site.heads
            ]

    return strictly(run, work)


def test_cookies_are_off_unless_they_are_wanted(run: Run) -> None:
    assert cookies_sent(run, ["a.test", "a.test"], on=False) == [[], []]


def test_cookies_return_to_their_host_alone(run: Run) -> None:
    sent = cookies_sent(run, ["a.test", "a.test", "b.test", "b.test:81", "x.a.test"], on=True)
    told = [b"Cookie: a=1; b=two words"]
    assert sent == [[], told, [], told, []]


# --- nothing is left over -------------------------------------------------------------------------------


async def _unruly(guest: Guest, _site: Site) -> None:
    await guest.head()
    match guest.number % 8:
        case 0:
            await guest.left()
        case 1:
            guest.reset()
        case 2:
            await guest.say(HEAD)
            await guest.left()
        case 3:
            await guest.say(HEAD + b"\r\n", PNG)
            await guest.left()
        case 4:
            await guest.say(b"garbage\r\n\r\n")
        case 5:
            await guest.say(OK + b"surplus")
            await guest.left()
        case 6:
            await guest.say(CHUNKED + b"ffff\r\n")
            await guest.left()
        case _:
            await guest.say(OK)
            await guest.left()


def test_failed_and_cancelled_fetches_leave_nothing_open(run: Run) -> None:
    async def work() -> None:
        async with serving(_unruly) as site:
            before = sockets()
            network = options(first_byte_timeout=0.3, idle_timeout=0.2, timeout=1.0)
            async with HttpWeb(network, "tests") as web:
                tasks = [
                    asyncio.create_task(outcome(web, site.url(), types=TypeOptions()))
                    for _ in range(160)
                ]
                for number, task in enumerate(tasks):
                    if number % 5 == 0:
                        later = (
                            number / 500 if number % 10 else 0.0
                        )  # half of them before anything has come
                        asyncio.get_running_loop().call_later(later, task.cancel)
                results = await asyncio.gather(*tasks, return_exceptions=True)
                assert all(
                    isinstance(one, Response | FetchError | asyncio.CancelledError)
                    for one in results
                )
                assert sum(isinstance(one, asyncio.CancelledError) for one in results) > 10
            await settled(lambda: site.open == 0)
            await settled(lambda: sockets() <= before)
            assert len(asyncio.all_tasks()) <= 2

    strictly(run, work)
    gc.collect()  # a transport that was left open complains now


def test_a_web_that_is_left_in_the_middle_keeps_nothing(run: Run) -> None:
    async def handle(guest: Guest) -> None:
        await asyncio.sleep(0.1)
        await guest.say(OK)
        await guest.left()

    async def work() -> None:
        async with serving(once(handle)) as site:
            async with HttpWeb(options(), "tests") as web:
                late = asyncio.create_task(outcome(web, site.url()))
                await settled(lambda: site.open == 1)
            good(await late)
            await settled(lambda: site.open == 0)

    strictly(run, work)


# --- whatever comes -------------------------------------------------------------------------------------

VALID = [
    OK,
    OK + OK,
    CHUNKED + b"4;x=y\r\n<p>h\r\n5\r\nello\n\r\n0\r\nX-Late: y\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
    b"HTTP/1.0 404 Not Found\r\nContent-Type: text/plain\r\n\r\nnothing here",
    b"HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
    HEAD + b"Content-Encoding: gzip\r\nContent-Length: 29\r\n\r\n"
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xb3)\xb0\xcbH\xcd\xc9\xc9\xe7\x02\x00\x05L\x1c\xbd\x09\x00\x00\x00",
]
EDITS = st.lists(
    st.tuples(
        st.floats(0, 1), st.sampled_from(["cut", "insert", "flip", "double"]), st.binary(max_size=6)
    ),
    max_size=4,
)


def mutated(said: bytes, edits: list[tuple[float, str, bytes]]) -> bytes:
    for where, how, what in edits:
        place = int(where * len(said))
        match how:
            case "cut":
                said = said[:place] + said[place + len(what) + 1 :]
            case "insert":
                said = said[:place] + what + said[place:]
            case "double":
                said = said[:place] + said[max(place - 20, 0) :]
            case _:
                said = said[:place] + what + said[place + len(what) :]
    return said


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    batch=st.lists(
        st.tuples(st.sampled_from(VALID), EDITS, st.lists(st.integers(1, 120), max_size=5)),
        min_size=1,
        max_size=4,
    )
)
def test_mutated_and_split_responses_end_in_a_response_or_a_failure(
    batch: list[tuple[bytes, list[tuple[float, str, bytes]], list[int]]],
) -> None:
    async def handle(guest: Guest, site: Site) -> None:
        while await guest.head():
            said, edits, splits = batch[min(len(site.heads), len(batch) - 1)]
            site.heads.append(b"")
            said = mutated(said, edits)
            for size in splits:
                await guest.say(said[:size])
                await asyncio.sleep(0)
                said = said[size:]
            await guest.say(said)
            if len(site.heads) % 2:
                return

    async def work() -> None:
        network = options(first_byte_timeout=0.05, idle_timeout=0.05, timeout=2.0)
        results, _ = await visit(handle, *["/"] * len(batch), network=network, types=TypeOptions())
        assert len(results) == len(batch)

    strictly(run_on_uvloop, work)
