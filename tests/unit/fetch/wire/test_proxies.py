"""Proxies: what is said to them, what becomes of their refusals, and who needs none."""

import asyncio
import ssl
from base64 import b64encode
from pathlib import Path

import pytest
import trustme

from motherlode.fetch import FetchError, NetworkOptions
from motherlode.fetch.event_loop import run as run_on_uvloop
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.wire.dialer import Overrides, parse_place
from motherlode.fetch.wire.proxies import Proxies, parse_proxy
from motherlode.records import BadInputError
from support.loopback_servers import (
    OK,
    PAGE,
    Guest,
    Handler,
    Names,
    NoNames,
    Run,
    Site,
    answer,
    good,
    kind,
    options,
    outcome,
    saying,
    serving,
    settled,
    strictly,
    visit,
    with_names,
)

NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "REQUEST_METHOD")


@pytest.fixture(params=[asyncio.run, run_on_uvloop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    runner: Run = request.param
    return runner


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def tunnelling(port: int) -> Handler:
    """A proxy that leads every CONNECT to one port here."""

    async def handle(guest: Guest, site: Site) -> None:
        site.heads.append(await guest.head())
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await guest.say(b"HTTP/1.1 200 Connection established\r\nVia: us\r\n\r\n")
        try:
            await asyncio.wait(
                [
                    asyncio.create_task(_pipe(guest.reader, writer)),
                    asyncio.create_task(_pipe(reader, guest.writer)),
                ]
            )
        finally:
            writer.close()

    return handle


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
    except ConnectionError:
        pass
    finally:
        writer.close()


def through(
    handler: Handler, run: Run, url: str = "http://a.test/x?y", **told: object
) -> tuple[str, Site]:
    """What comes of a fetch through a proxy that behaves like this."""

    async def work() -> tuple[str, Site]:
        async with serving(handler) as site:
            network = NetworkOptions(proxy=f"http://me:pass%40word@{site.place}", **told)  # type: ignore[arg-type]
            async with HttpWeb(network, "tests") as web:
                return kind(await outcome(web, url)), site

    return strictly(run, work)


def test_plain_http_goes_through_a_proxy_with_the_whole_url(run: Run) -> None:
    ended, site = through(saying(OK), run)
    lines = site.heads[0].decode().split("\r\n")
    assert ended == "status 200"
    assert lines[:2] == ["GET http://a.test/x?y HTTP/1.1", "Host: a.test"]
    assert f"Proxy-Authorization: Basic {b64encode(b'me:pass@word').decode()}" in lines


def test_a_connection_through_a_proxy_is_kept_for_its_host(run: Run) -> None:
    async def work() -> None:
        async with serving(saying(OK)) as site:
            async with HttpWeb(NetworkOptions(proxy=f"http://{site.place}"), "tests") as web:
                for host in ("a.test", "a.test", "b.test"):
                    response = good(await outcome(web, f"http://{host}/"))
                    assert response.address == ""  # it is the proxy that knows
            assert site.connections == 2
            assert b"Proxy-Authorization" not in b"".join(site.heads)

    strictly(run, work)


def test_https_goes_through_a_tunnel(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("a.test").configure_cert(context)

    async def work() -> tuple[bytes, bytes]:
        async with serving(saying(OK), context) as inner, serving(tunnelling(inner.port)) as proxy:
            network = NetworkOptions(proxy=f"http://me:secret@{proxy.place}", http2="never")
            async with HttpWeb(network, "tests") as web:
                for _ in range(2):
                    assert good(await outcome(web, "https://a.test/x")).body == PAGE
            assert (proxy.connections, len(inner.heads)) == (1, 2)
            return proxy.heads[0], inner.heads[0]

    outer, inner = strictly(run, work)
    secret = b64encode(b"me:secret")
    assert outer == (
        b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nProxy-Authorization: Basic "
        + secret
        + b"\r\n\r\n"
    )
    assert inner.startswith(b"GET /x HTTP/1.1\r\nHost: a.test\r\n")
    assert b"Proxy-Authorization" not in inner


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 502 Bad Gateway\r\n\r\n",
        b"garbage\r\n\r\n",
        b"\r\n\r\n",
        b"",
        b"x" * 100_000,
    ],
    ids=["407", "502", "garbage", "nothing", "hangs-up", "endless"],
)
def test_a_proxy_that_does_not_open_a_tunnel_has_failed(run: Run, said: bytes) -> None:
    assert through(saying(said, close=True), run, "https://a.test/")[0] == FailureKind.PROXY


def test_a_proxy_that_wants_to_know_who_asks_has_failed_for_plain_http_as_well(run: Run) -> None:
    refusal = answer(b"<p>Who are you?", status="407 Proxy Authentication Required")
    assert through(saying(refusal), run)[0] == FailureKind.PROXY
    results, _ = strictly(run, lambda: visit(saying(refusal)))
    assert kind(results[0]) == "status 407"  # nonsense of a host is its own


def test_a_refusal_of_a_proxy_is_told(run: Run) -> None:
    async def work() -> FetchError:
        async with (
            serving(saying(b"HTTP/1.1 407 Who are you?\r\n\r\n")) as site,
            HttpWeb(NetworkOptions(proxy=f"http://{site.place}"), "tests") as web,
        ):
            result = await outcome(web, "https://a.test/")
            await settled(lambda: site.open == 0)
            assert isinstance(result, FetchError)
            return result

    error = strictly(run, work)
    assert error.detail == "HTTP/1.1 407 Who are you?"


def test_a_silent_proxy_has_failed(run: Run) -> None:
    async def handle(guest: Guest, _site: Site) -> None:
        await guest.left()

    assert through(handle, run, "https://a.test/", connect_timeout=0.2)[0] == FailureKind.PROXY


def test_a_proxy_that_is_not_there_has_failed_and_nobody_else(run: Run) -> None:
    async def work() -> list[str]:
        gone = NetworkOptions(proxy="http://127.0.0.1:1")
        unknown = NetworkOptions(proxy="http://proxy.test:3128")
        async with HttpWeb(gone, "tests") as one, HttpWeb(unknown, "tests") as other:
            with_names(other, NoNames())
            return [kind(await outcome(web, "http://a.test/")) for web in (one, other)]

    assert strictly(run, work) == [FailureKind.PROXY] * 2


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "[::1]",
        "10.0.0.1",
        "[::ffff:169.254.169.254]",
        "localhost",
        "a.localhost",
        "metadata.google.internal",
        "printer.local",
    ],
)
def test_a_proxy_is_no_way_inside(run: Run, host: str) -> None:
    for scheme in ("http", "https"):
        ended, site = through(saying(OK), run, f"{scheme}://{host}/")
        assert ended == FailureKind.FORBIDDEN_ADDRESS
        assert site.connections == 0


def test_a_host_that_was_put_elsewhere_is_reached_there_and_not_by_a_proxy(run: Run) -> None:
    async def work() -> None:
        async with serving(saying(OK)) as proxy, serving(saying(OK)) as direct:
            network = NetworkOptions(
                proxy=f"http://{proxy.place}", overrides=(f"here.test={direct.place}",)
            )
            async with HttpWeb(network, "tests") as web:
                good(await outcome(web, "http://here.test/"))
                good(await outcome(web, "http://far.test/"))
            assert (len(proxy.heads), len(direct.heads)) == (1, 1)

    strictly(run, work)


def test_the_environment_names_proxies_and_those_who_need_none(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with serving(saying(OK)) as proxy, serving(saying(OK)) as direct:
            monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.place}")
            monkeypatch.setenv("NO_PROXY", "near.test, .inside.test")
            network = NetworkOptions(overrides=(f"*.test={direct.place}",))
            near = NetworkOptions(
                overrides=tuple(f"{host}={direct.place}" for host in ("near.test", "*.inside.test"))
            )
            async with HttpWeb(near, "tests") as web:
                for host in ("far.test", "near.test", "a.inside.test"):
                    good(await outcome(web, f"http://{host}/"))
            assert (len(proxy.heads), len(direct.heads)) == (1, 2)
            async with HttpWeb(options(overrides=network.overrides), "tests") as web:
                good(await outcome(web, "http://far.test/"))  # proxy = "none"
            async with HttpWeb(NetworkOptions(connect=direct.place), "tests") as web:
                good(await outcome(web, "http://far.test/"))
                good(await outcome(web, "https://far.test/"))
            async with HttpWeb(
                NetworkOptions(connect=direct.place, proxy=f"http://{proxy.place}"), "tests"
            ) as web:
                good(await outcome(web, "http://far.test/"))
            assert (len(proxy.heads), len(direct.heads)) == (1, 6)
            assert direct.heads[-1].startswith(b"GET / HTTP/1.1\r\n")

    strictly(run, work)


def test_each_scheme_has_its_own_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "proxy.test:3128")
    assert Proxies("").lead_to("http", "a.test") is None
    found = Proxies("").lead_to("https", "a.test")
    assert found is not None
    assert (found.host, found.port) == ("proxy.test", 3128)
    assert Proxies("none").lead_to("https", "a.test") is None


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://p.test", ("p.test", 80)),
        ("p.test:8080", ("p.test", 8080)),
        ("http://[::1]:3128/", ("::1", 3128)),
        ("http://u:p@p.test:1", ("p.test", 1)),
    ],
)
def test_a_proxy_has_a_place(url: str, place: tuple[str, int]) -> None:
    found = parse_proxy(url)
    assert (found.host, found.port) == place


@pytest.mark.parametrize(
    "url",
    [
        "socks5://p.test:1080",
        "https://p.test",
        "http://",
        "http://p.test:x",
        "http://p.test:99999",
        "http://[::1",
    ],
)
def test_what_cannot_be_a_proxy_is_one_sentence_without_its_password(url: str) -> None:
    with pytest.raises(BadInputError, match="name one as http://HOST:PORT"):
        parse_proxy(url)
    with pytest.raises(BadInputError) as caught:
        parse_proxy(url.replace("://", "://me:secret@"))
    assert "secret" not in str(caught.value)


def test_a_name_and_a_password_put_no_line_into_a_request() -> None:
    found = parse_proxy(f"http://{'long' * 40}%0d%0aX-Evil:y@p.test")
    assert found.authorization.isprintable()
    assert " " not in found.authorization.removeprefix("Basic ")


# --- overrides ------------------------------------------------------------------------------------------


def test_the_nearest_override_counts() -> None:
    told = (
        "a.test=192.0.2.1",
        "*.a.test=192.0.2.2:81",
        "*.b.a.test=[2001:db8::1]:82",
        "*.test=c.example",
    )
    overrides = Overrides(NetworkOptions(overrides=told))
    assert overrides.place_of("a.test") == ("192.0.2.1", 0)
    assert overrides.place_of("x.a.test") == ("192.0.2.2", 81)
    assert overrides.place_of("x.b.a.test") == ("2001:db8::1", 82)
    assert overrides.place_of("other.test") == ("c.example", 0)
    assert overrides.place_of("test") is None
    assert overrides.place_of("a.test.example") is None


def test_a_single_override_goes_before_the_sandbox() -> None:
    overrides = Overrides(NetworkOptions(connect="127.0.0.1:8080", overrides=("a.test=192.0.2.1",)))
    assert overrides.place_of("a.test") == ("192.0.2.1", 0)
    assert overrides.place_of("b.test") == ("127.0.0.1", 8080)


@pytest.mark.parametrize("told", ["a:0", "a:65536", "[::1]:99999"])
def test_there_is_no_such_port(told: str) -> None:
    with pytest.raises(BadInputError, match="there is no port"):
        parse_place(told, "network.connect")


def test_an_override_may_be_a_name(run: Run) -> None:
    async def work() -> str:
        async with serving(saying(OK)) as site:
            network = NetworkOptions(proxy="none", overrides=(f"a.test=b.test:{site.port}",))
            async with HttpWeb(network, "tests") as web:
                with_names(web, Names(b_test="127.0.0.1"))
                return good(await outcome(web, "http://a.test/")).address

    assert strictly(run, work) == "127.0.0.1"
