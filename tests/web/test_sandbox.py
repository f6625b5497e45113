"""The sandbox as a good server: HTTP/1.1 as recorded, whatever a client says, and a clean end."""

import gzip
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from motherlode.lab.serving.background import Running, sandbox
from motherlode.records import LodeError
from support.helpers import run_lode, said_one_sentence
from support.sandbox_clients import (
    LOOPBACK,
    PATIENCE,
    Reply,
    alive,
    ask,
    ask_dns,
    children,
    eventually,
    exchange,
    get,
    hear,
    hear_until,
    memory,
    plug,
    query,
    request,
    resolve,
    serving,
    sockets,
)

ROOT = "http://well.test"
Get = Callable[..., Reply]


@pytest.fixture
def fetch(box: Running) -> Get:
    return lambda url, headers=None, method="GET": get(box.port, url, headers, method)


# --- what is served -------------------------------------------------------------------------------------


def test_status_headers_and_body_are_as_recorded(fetch: Get) -> None:
    reply = fetch(f"{ROOT}/tagged")
    assert reply.status == 200
    assert reply.header("content-type") == "text/html; charset=utf-8"
    assert reply.header("x-own") == "yes"
    assert "<title>Tagged</title>" in reply.text


def test_hosts_are_told_apart_by_the_host_header(fetch: Get) -> None:
    assert "Disallow: /x" in fetch("http://ruled.test/robots.txt").text
    assert fetch(f"{ROOT}/robots.txt").status == 404
    assert fetch("http://ruled.test/tagged").status == 404


def test_what_is_not_in_the_archive_is_404(fetch: Get) -> None:
    for url in (
        f"{ROOT}/absent",
        "http://unknown.test/",
        "http://127.0.0.1/",
        f"{ROOT}/tagged?x=1",
    ):
        assert fetch(url).status == 404


@pytest.mark.parametrize(
    "host", ["WELL.test", "well.test:80", "well.test:8080", "well.test.", "Well.Test:1"]
)
def test_a_host_may_be_spelled_with_a_port_or_in_capitals(fetch: Get, host: str) -> None:
    assert "<title>Well</title>" in fetch(f"http://{host}/").text


def test_a_page_recorded_at_another_port_is_served_for_that_port(fetch: Get) -> None:
    assert fetch(f"{ROOT}:8081/port").body == b"of another port"
    assert fetch(f"{ROOT}/port").status == 404
    assert "<title>Well</title>" in fetch(f"{ROOT}:8081/").text


def test_a_page_recorded_over_tls_is_served_over_plain_http(fetch: Get) -> None:
    assert fetch("http://secure.test/").body == b"recorded over TLS"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/moved", 301),
        ("/gone", 410),
        ("/broken", 500),
        ("/strange", 799),
        ("/nothing", 204),
        ("/same", 304),
    ],
)
def test_every_status_is_as_recorded(fetch: Get, path: str, status: int) -> None:
    reply = fetch(ROOT + path)
    assert reply.status == status
    assert reply.header("location") == ("/tagged" if status == 301 else None)


def test_a_status_without_a_body_leaves_the_connection_in_order(box: Running) -> None:
    for path in ("/nothing", "/same"):
        heard = exchange(
            box.port, request(ROOT + path) + request(f"{ROOT}/short.txt", "Connection: close")
        )
        assert re.findall(rb"HTTP/1.1 (\d+)", heard)[1:] == [b"200"]
        assert heard.endswith(b"\r\n\r\nshort")
        assert b"must not" not in heard


def test_a_header_that_occurs_twice_is_served_twice(fetch: Get) -> None:
    reply = fetch(f"{ROOT}/cookies")
    assert [value for name, value in reply.headers if name == "Set-Cookie"] == ["a=1", "b=2"]


def test_the_length_is_that_of_the_body_not_the_recorded_one(fetch: Get) -> None:
    assert fetch(f"{ROOT}/cookies").header("content-length") == "3"


def test_a_recorded_header_cannot_make_a_header_of_its_own(box: Running) -> None:
    heard = exchange(box.port, request(f"{ROOT}/split", "Connection: close"))
    lines = heard.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert b"X-One: 1 X-Injected: 2" in lines
    assert not any(line.startswith((b"X-Injected", b"X Bad")) for line in lines)
    assert not any(b"\r" in line or b"\n" in line for line in lines)


def test_a_recorded_header_outside_of_ascii_is_served_whole(box: Running) -> None:
    assert b"X-City: \xc3\x85lesund\r\n" in exchange(
        box.port, request(f"{ROOT}/split", "Connection: close")
    )


def test_a_body_recorded_in_chunks_is_served_in_one_piece(fetch: Get) -> None:
    reply = fetch(f"{ROOT}/chunked")
    assert reply.body == b"<p>in pieces."
    assert reply.header("transfer-encoding") is None
    assert reply.header("content-length") == "13"


@pytest.mark.parametrize(
    "target",
    [
        "/~user/caf%C3%A9?q=1&r=a%20b",
        "/%7Euser/caf%c3%a9?q=1&r=a%20b",
        "/%7euser/x/../caf%C3%A9?q=1&r=a%20b",
        "/~user/caf\xc3\xa9?q=1&r=a%20b",  # raw bytes of UTF-8, as some clients send them
    ],
)
def test_a_url_is_found_however_it_is_spelled(box: Running, target: str) -> None:
    assert exchange(box.port, request(ROOT + target, "Connection: close")).endswith(b"\r\n\r\nodd")


def test_odd_urls_are_found_or_absent_and_never_an_error(fetch: Get) -> None:
    assert fetch(f"{ROOT}/100%").body == b"percent"
    assert fetch(f"{ROOT}/search?q=b&p=a").body == b"a query"
    for path in (
        "/%",
        "/%00",
        "/%zz",
        "/..",
        "//",
        "/" + "a" * 20_000,
        "/?",
        "/;x",
        "/%ff%fe",
        "/a%0d%0ab",
    ):
        assert fetch(ROOT + path).status in (200, 404)


# --- codings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "accepted", ["gzip", "deflate, gzip;q=0.5", "GZIP", "x-gzip", "*", "br, *;q=0.1"]
)
def test_a_page_is_packed_where_the_client_accepts_it(fetch: Get, accepted: str) -> None:
    reply = fetch(f"{ROOT}/", {"Accept-Encoding": accepted})
    assert reply.header("content-encoding") == "gzip"
    assert reply.header("vary") == "Accept-Encoding"
    assert gzip.decompress(reply.body) == fetch(f"{ROOT}/").body


@pytest.mark.parametrize(
    "accepted",
    [
        "",
        "identity",
        "gzip;q=0",
        "gzip; q=0.0",
        "gzip;Q=0.000, br",
        "br",
        "*, gzip;q=0",
        "*;q=0",
        "gzipped",
        ";",
    ],
)
def test_a_page_is_not_packed_where_the_client_does_not_accept_it(
    fetch: Get, accepted: str
) -> None:
    reply = fetch(f"{ROOT}/", {"Accept-Encoding": accepted})
    assert reply.header("content-encoding") is None
    assert "<title>Well</title>" in reply.text


def test_what_would_not_shrink_is_not_packed(fetch: Get) -> None:
    for path in ("/short.txt", "/picture.png"):
        assert fetch(ROOT + path, {"Accept-Encoding": "gzip"}).header("content-encoding") is None


def test_a_body_recorded_packed_is_served_as_recorded(fetch: Get) -> None:
    reply = fetch(f"{ROOT}/packed", {"Accept-Encoding": "gzip"})
    assert reply.header("content-encoding") == "gzip"
    assert b"<title>Packed</title>" in gzip.decompress(reply.body)


def test_a_body_recorded_packed_is_unpacked_for_clients_that_do_not_accept_it(fetch: Get) -> None:
    reply = fetch(f"{ROOT}/packed")
    assert reply.header("content-encoding") is None
    assert "<title>Packed</title>" in reply.text


def test_a_body_that_only_says_it_is_packed_is_served_as_recorded(fetch: Get) -> None:
    for accepted in ("gzip", "identity"):
        reply = fetch(f"{ROOT}/not-packed", {"Accept-Encoding": accepted})
        assert (reply.header("content-encoding"), reply.body) == ("gzip", b"no gzip at all")


# --- methods and conditions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/tagged", "/packed", "/moved", "/absent", "/nothing", "/picture.png"]
)
@pytest.mark.parametrize("accepted", ["gzip", "identity"])
def test_head_has_the_headers_of_get_and_no_body(fetch: Get, path: str, accepted: str) -> None:
    got, head = (
        fetch(ROOT + path, {"Accept-Encoding": accepted}, method) for method in ("GET", "HEAD")
    )
    assert (head.status, head.headers) == (got.status, got.headers)
    assert head.body == b""


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "BREW"])
def test_other_methods_are_refused(box: Running, method: str) -> None:
    said = request(f"{ROOT}/", "Content-Length: 5", method=method) + b"hello"
    heard = exchange(box.port, said + request(f"{ROOT}/short.txt", "Connection: close"))
    assert heard.startswith(b"HTTP/1.1 405 ")
    assert heard.endswith(b"short")


def test_a_request_in_chunks_is_refused_and_not_taken_for_more_requests(box: Running) -> None:
    smuggled = request(f"{ROOT}/short.txt")
    said = request(f"{ROOT}/", "Transfer-Encoding: chunked", method="POST")
    heard = exchange(box.port, said + b"%x\r\n%s\r\n0\r\n\r\n" % (len(smuggled), smuggled))
    assert re.findall(rb"HTTP/1.1 (\d+)", heard) == [b"405"]


@pytest.mark.parametrize("condition", ['"a,b"', 'W/"a,b"', '"x", W/"a,b"', "*", '"x",\t"a,b"'])
def test_if_none_match_is_answered_with_304(fetch: Get, condition: str) -> None:
    reply = fetch(f"{ROOT}/tagged", {"If-None-Match": condition})
    assert (reply.status, reply.body) == (304, b"")
    assert reply.header("etag") == 'W/"a,b"'
    assert reply.header("content-length") is None


@pytest.mark.parametrize("condition", ['"x"', '"a', "b", '"a,b,c"', '"a"'])
def test_if_none_match_with_another_tag_is_answered_in_full(fetch: Get, condition: str) -> None:
    assert fetch(f"{ROOT}/tagged", {"If-None-Match": condition}).status == 200


@pytest.mark.parametrize(
    ("since", "status"),
    [
        ("Wed, 01 Jan 2025 00:00:00 GMT", 304),
        ("Thu, 02 Jan 2025 00:00:00 GMT", 304),
        ("Tue, 31 Dec 2024 23:59:59 GMT", 200),
        ("Wednesday, 01-Jan-25 00:00:00 GMT", 304),
        ("yesterday", 200),
        ("Wed, 99 Jan 2025 00:00:00 GMT", 200),
        ("Wed, 01 Jan 2025 00:00:00 -0000", 200),
    ],
)
def test_if_modified_since_goes_by_the_recorded_date(fetch: Get, since: str, status: int) -> None:
    assert fetch(f"{ROOT}/dated", {"If-Modified-Since": since}).status == status


def test_a_tag_counts_more_than_a_date(fetch: Get) -> None:
    headers = {"If-None-Match": '"x"', "If-Modified-Since": "Thu, 02 Jan 2025 00:00:00 GMT"}
    assert fetch(f"{ROOT}/dated", headers).status == 200
    assert fetch(f"{ROOT}/dated", {**headers, "If-None-Match": "*"}).status == 304


def test_a_recording_without_either_gets_a_tag_that_works(fetch: Get) -> None:
    tag = fetch(f"{ROOT}/").header("etag")
    assert tag
    assert fetch(f"{ROOT}/", {"Accept-Encoding": "gzip"}).header("etag") == tag
    assert fetch(f"{ROOT}/", {"If-None-Match": tag}).status == 304
    assert fetch(f"{ROOT}/", {"If-None-Match": tag}, "HEAD").status == 304


def test_conditions_concern_documents_and_not_errors(fetch: Get) -> None:
    assert fetch(f"{ROOT}/gone", {"If-None-Match": '"gone"'}).status == 410
    assert fetch(f"{ROOT}/absent", {"If-None-Match": "*"}).status == 404


# --- connections ----------------------------------------------------------------------------------------


def test_many_requests_go_over_one_connection(box: Running) -> None:
    connection = HTTPConnection(LOOPBACK, box.port, timeout=PATIENCE)
    connection.connect()
    plugged = connection.sock
    for path in ("/", "/absent", "/tagged", "/moved", "/nothing", "/picture.png") * 5:
        ask(connection, ROOT + path)
        ask(connection, "http://ruled.test/robots.txt", method="HEAD")
    assert connection.sock is plugged
    connection.close()


def test_pipelined_requests_are_answered_in_order(box: Running) -> None:
    paths = ["/short.txt", "/absent", "/gone", "/short.txt"]
    said = b"".join(request(ROOT + path) for path in paths)
    heard = exchange(box.port, said + request(f"{ROOT}/broken", "Connection: close"))
    assert re.findall(rb"HTTP/1.1 (\d+)", heard) == [b"200", b"404", b"410", b"200", b"500"]


@pytest.mark.parametrize("host", ["well.test", "robots-closed.test"])
def test_thousands_of_pipelined_requests_are_answered(box: Running, host: str) -> None:
    said = request(f"http://{host}/absent") * 3000 + request(f"http://{host}/", "Connection: close")
    with plug(box.port) as client:
        client.sendall(said)
        heard = hear(client)
    assert heard.count(b"HTTP/1.1 404 ") == 3000
    assert heard.count(b"HTTP/1.1 200 ") == 1


def test_a_connection_ends_where_the_client_says_so(box: Running) -> None:
    heard = exchange(
        box.port, request(f"{ROOT}/short.txt", "Connection: Close") + request(f"{ROOT}/")
    )
    assert heard.count(b"HTTP/1.1") == 1


def test_http_1_0_is_answered_and_closed(box: Running) -> None:
    assert exchange(box.port, request(f"{ROOT}/short.txt", version="HTTP/1.0")).endswith(b"short")


@pytest.mark.parametrize(
    ("target", "end"),
    [
        ("http://well.test/short.txt", b"short"),
        ("HTTP://WELL.test:80/short.txt", b"short"),
        ("http://well.test", b""),
        ("http://well.test?x=1", b"nothing here."),
    ],
)
def test_the_sandbox_serves_as_a_proxy(box: Running, target: str, end: bytes) -> None:
    said = f"GET {target} HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n".encode()
    assert exchange(box.port, said).endswith(end)


def test_a_client_may_send_a_byte_at_a_time(box: Running) -> None:
    with plug(box.port) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in b"\r\n" + request(f"{ROOT}/short.txt", "Connection: close"):
            client.send(bytes([byte]))
        assert hear(client).endswith(b"short")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET  / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1 \r\n\r\n", 400),
        (b"GET short.txt HTTP/1.1\r\nHost: well.test\r\n\r\n", 400),
        (b"GET /\nX-Injected:1 HTTP/1.1\r\nHost: redirect-loop.test\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: well.test/evil\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400),  # the beginning of TLS
        (bytes(range(256)) + b"\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: well.test\r\nContent-Length: -1\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nHost: well.test\r\nContent-Length: x\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nHost: well.test\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (
            b"POST / HTTP/1.1\r\nHost: well.test\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
            413,
        ),
        (b"GET / HTTP/1.1\r\nHost: well.test\r\nX: " + b"x" * 100_000 + b"\r\n\r\n", 431),
        (b"x" * 1_000_000, 431),
    ],
)
def test_what_is_no_request_is_refused_and_the_server_goes_on(
    box: Running, said: bytes, status: int
) -> None:
    heard = exchange(box.port, said)
    assert heard.startswith(b"HTTP/1.1 %d " % status)
    assert heard.count(b"HTTP/1.1") == 1
    assert get(box.port, f"{ROOT}/short.txt").status == 200


def test_a_query_cannot_inject_a_header_into_a_redirect(box: Running) -> None:
    for target in ("/%0d%0aX-Injected:1", "/\x85X-Injected:1", "/\rX-Injected:1"):
        heard = exchange(
            box.port, request("http://redirect-loop.test" + target, "Connection: close")
        )
        assert b"\nX-Injected" not in heard
        assert b"\rX-Injected" not in heard


def test_five_hundred_connections_at_once_are_all_served(box: Running) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(plug(box.port)) for _ in range(500)]
        for client in clients:
            client.sendall(request(f"{ROOT}/short.txt", "Connection: close"))
        assert all(hear(client).endswith(b"short") for client in clients)


def test_clients_that_go_away_at_any_moment_leave_no_complaint(
    recorded: Path, tmp_path: Path
) -> None:
    habits = [
        "endless",
        "endless-headers",
        "slow-drip",
        "slow-first-byte",
        "stall",
        "reset",
        "robots-slow",
    ]
    urls = [f"http://{habit}.test/robots.txt" for habit in habits] + ["http://big.test/big.bin"]
    with serving(tmp_path, recorded) as served, plug(served.port) as faithful:
        faithful.sendall(request(f"{ROOT}/short.txt"))
        hear_until(faithful, b"short")
        at_first = sockets(served.process)
        for url in urls:
            for patience in (0, 1, 500_000):
                with plug(served.port) as client:
                    client.settimeout(0.1)
                    client.sendall(request(url) * 2)
                    with suppress(TimeoutError, ConnectionError):
                        heard = 0
                        while heard < patience and (more := client.recv(65536)):
                            heard += len(more)
            with plug(served.port) as client:  # and some go with a reset
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                client.sendall(request(url))
        with plug(served.port) as client:
            client.sendall(request(f"{ROOT}/")[:20])
        assert get(served.port, f"{ROOT}/short.txt").body == b"short"
        eventually(lambda: sockets(served.process) == at_first)
        assert get(served.port, "http://slow-drip.test/page.html").status == 200
        assert served.complained() == ""


def test_a_client_that_never_reads_makes_the_server_wait_and_not_grow(
    recorded: Path, tmp_path: Path
) -> None:
    with serving(tmp_path, recorded) as served, ExitStack() as stack:
        get(served.port, "http://big.test/big.bin")
        before = memory(served.process)
        for url in (
            "http://endless.test/",
            "http://endless-headers.test/",
            "http://big.test/big.bin",
        ):
            for _ in range(5):
                client = stack.enter_context(plug(served.port))
                client.sendall(request(url) * 100)
        for _ in range(20):  # the server has turned to others in between, so it had time to grow
            assert get(served.port, f"{ROOT}/short.txt").body == b"short"
        assert memory(served.process) - before < 150 * 2**20


def test_a_client_that_only_sends_is_cut_off(recorded: Path, tmp_path: Path) -> None:
    with serving(tmp_path, recorded) as served, plug(served.port) as client:
        client.sendall(request("http://big.test/big.bin"))
        before = memory(served.process)
        with pytest.raises((ConnectionError, TimeoutError)):
            client.settimeout(2)
            for _ in range(300):
                client.sendall(request("http://big.test/big.bin") * 5000)
        assert memory(served.process) - before < 100 * 2**20


def test_an_endless_body_leaves_the_server_time_for_others(box: Running) -> None:
    with plug(box.port) as greedy:
        greedy.sendall(request("http://endless.test/"))
        for _ in range(20):
            assert len(greedy.recv(2**20)) > 0
            assert get(box.port, f"{ROOT}/short.txt").body == b"short"


# --- names ----------------------------------------------------------------------------------------------


def test_every_host_is_this_machine(box: Running) -> None:
    assert box.dns_port is not None
    assert resolve(box.dns_port, "well.test") == (0, ["127.0.0.1"])
    assert resolve(box.dns_port, "WELL.test") == (0, ["127.0.0.1"])
    assert resolve(box.dns_port, "well.test", kind=28) == (0, [])  # no IPv6
    assert resolve(box.dns_port, "unknown.test") == (3, [])
    assert resolve(box.dns_port, "") == (3, [])


def test_a_query_that_is_none_gets_an_error_or_nothing(box: Running) -> None:
    assert box.dns_port is not None
    whole = query("well.test")
    for bad in (
        whole[:14],
        whole[:-3],
        whole[:12] + b"\xc0\x0c\0\1\0\1",
        whole[:12] + b"\x05\xff\xff\xff\xff\xff\0",
    ):
        assert ask_dns(box.dns_port, bad)[3] & 0xF == 1
    for silent in (b"", b"short", whole[:2] + b"\x81\x80" + whole[4:]):
        with pytest.raises(TimeoutError):
            ask_dns(box.dns_port, silent, timeout=0.1)
    assert resolve(box.dns_port, "well.test").addresses == ["127.0.0.1"]


# --- processes ------------------------------------------------------------------------------------------


def test_a_big_web_is_not_loaded_at_the_start(tmp_path: Path, recorded: Path) -> None:
    """40 MB of bodies in the archive, and less than that in memory above a small web."""
    web = tmp_path / "big"
    web.mkdir()
    content = ("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://big.test/{}\r\n"
               "Content-Length: {}\r\n\r\n")  # fmt: skip
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + os.urandom(2**20)
    with (web / "big.warc.gz").open("wb") as file:
        for number in range(40):
            head = content.format(number, len(body)).encode()
            file.write(gzip.compress(head + body + b"\r\n\r\n", 0))
    with serving(tmp_path, recorded) as small:
        usual = memory(small.process)
    with serving(tmp_path, web) as served:
        assert memory(served.process) - usual < 20 * 2**20
        assert get(served.port, "http://big.test/39").body == body.partition(b"\r\n\r\n")[2]


def test_a_fixed_port_is_taken(recorded: Path, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        port = free.getsockname()[1]
    with serving(tmp_path, recorded, "--port", str(port)) as served:
        assert served.port == port
        assert get(port, f"{ROOT}/short.txt").body == b"short"
        with pytest.raises(OSError, match=r"refused|unreachable|timed out|assign"):
            socket.create_connection(("127.0.0.2", port), timeout=1)


def test_a_port_in_use_is_one_sentence(box: Running, recorded: Path, tmp_path: Path) -> None:
    for options in (("--port", str(box.port)), ("--dns-port", str(box.dns_port))):
        run = run_lode(tmp_path, "sandbox", "serve", recorded, *options)
        assert said_one_sentence(run)
        assert run.returncode == 1
        assert options[1] in run.stderr


def test_several_processes_serve_together_and_end_together(recorded: Path, tmp_path: Path) -> None:
    with serving(tmp_path, recorded, "--processes", "3") as served:
        workers = children(served.process)
        assert len(workers) == 2
        replies = {get(served.port, f"{ROOT}/tagged").body for _ in range(30)}
        assert len(replies) == 1
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(PATIENCE) == 0
        eventually(lambda: not alive(workers))
        assert served.complained() == ""


def test_children_end_when_their_parent_is_killed(recorded: Path, tmp_path: Path) -> None:
    with serving(tmp_path, recorded, "--processes", "3") as served:
        workers = children(served.process)
        served.process.kill()
        eventually(lambda: not alive(workers))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_quietly_with_connections_open(
    recorded: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with (
        serving(tmp_path, recorded) as served,
        plug(served.port) as idle,
        plug(served.port) as stalled,
    ):
        stalled.sendall(request("http://stall.test/page.html"))
        hear_until(stalled, b"\r\n\r\n")
        served.process.send_signal(number)
        assert served.process.wait(PATIENCE) == 0
        assert served.complained() == ""
        with pytest.raises(ConnectionError):
            assert idle.recv(1) == b""
            raise ConnectionError  # closed in order is as good as reset


def test_the_end_of_the_input_ends_it_if_attached(recorded: Path, tmp_path: Path) -> None:
    with serving(tmp_path, recorded, "--attached", "--processes", "2") as served:
        assert served.process.stdin is not None
        served.process.stdin.write(b"words that nobody reads\n")
        served.process.stdin.flush()
        assert get(served.port, f"{ROOT}/short.txt").status == 200
        workers = children(served.process)
        served.process.stdin.close()
        assert served.process.wait(PATIENCE) == 0
        eventually(lambda: not alive(workers))
        assert served.complained() == ""


def test_attached_to_nothing_it_ends_at_once(recorded: Path, tmp_path: Path) -> None:
    run = run_lode(tmp_path, "sandbox", "serve", recorded, "--attached", stdin=subprocess.DEVNULL)
    assert (run.returncode, run.stderr) == (0, "")


def test_what_it_says_leads_to_a_page(recorded: Path, tmp_path: Path) -> None:
    run = run_lode(
        tmp_path, "sandbox", "serve", recorded, "--attached", "--dns-port", "0", input=""
    )
    assert re.search(r"^Serving on 127\.0\.0\.1:\d+, DNS on port \d+$", run.stdout, re.MULTILINE)
    assert re.search(r"^small: \d+ pages on \d+ hosts\.$", run.stdout, re.MULTILINE)


def test_a_file_that_vanishes_is_a_500_and_not_the_end(recorded: Path, tmp_path: Path) -> None:
    web = tmp_path / "web"
    shutil.copytree(recorded, web)
    with serving(tmp_path, web) as served:
        for file in web.glob("*.warc.gz"):
            file.unlink()
        assert get(served.port, f"{ROOT}/short.txt").status == 500
        assert get(served.port, "http://unknown.test/").status == 404
        assert served.complained() == ""


# --- what is no web -------------------------------------------------------------------------------------


def no_directory(folder: Path) -> Path:
    return folder / "missing"


def empty_directory(folder: Path) -> Path:
    (folder / "web").mkdir()
    return folder / "web"


def a_file(folder: Path) -> Path:
    (folder / "web").write_text("not a directory")
    return folder / "web"


def no_warc(folder: Path) -> Path:
    (empty_directory(folder) / "a.warc.gz").write_bytes(b"this is no WARC file")
    return folder / "web"


def no_gzip_of_a_warc(folder: Path) -> Path:
    (empty_directory(folder) / "a.warc.gz").write_bytes(gzip.compress(b"this is no WARC file"))
    return folder / "web"


def an_unreadable_file(folder: Path) -> Path:
    (empty_directory(folder) / "a.warc.gz").symlink_to(folder / "nowhere")
    return folder / "web"


def broken_toml(folder: Path) -> Path:
    (empty_directory(folder) / "about.toml").write_text("[misbehaviour")
    return folder / "web"


@pytest.mark.parametrize(
    "make",
    [
        no_directory,
        empty_directory,
        a_file,
        no_warc,
        no_gzip_of_a_warc,
        an_unreadable_file,
        broken_toml,
    ],
)
def test_what_is_no_web_is_one_sentence(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    run = run_lode(tmp_path, "sandbox", "serve", make(tmp_path))
    assert said_one_sentence(run)
    assert run.returncode == 3
    assert "bug" not in run.stderr


def test_a_background_sandbox_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(LodeError, match="There is no directory"), sandbox(tmp_path / "missing"):
        pass


def test_a_background_sandbox_ends_with_its_block_and_with_its_parent(recorded: Path) -> None:
    with sandbox(recorded) as running:
        assert (running.name, running.dns_port) == ("small", None)
        assert get(running.port, f"{ROOT}/short.txt").status == 200
    with pytest.raises(ConnectionError):
        plug(running.port)
    program = (
        "import os, sys; from pathlib import Path; from motherlode.lab.serving.background import sandbox\n"
        "with sandbox(Path(sys.argv[1])) as running:\n"
        "    print(running.port, flush=True); os.kill(os.getpid(), 9)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(recorded)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    port = int(run.stdout)

    def gone() -> bool:
        try:
            plug(port).close()
        except ConnectionError:
            return True
        return False

    eventually(gone)
