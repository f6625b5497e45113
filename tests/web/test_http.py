"""The HTTP client against the sandbox: every misbehaviour ends in time, by its name."""

import asyncio
import socket
from collections.abc import Sequence

import pytest

from motherlode.fetch import FetchError, NetworkOptions, Request, Response
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.options import DnsOptions
from motherlode.lab.serving.background import Running

QUICK = {"timeout": 8.0, "idle_timeout": 0.4, "connect_timeout": 2.0, "max_bytes": 1_000_000}


def fetched(
    urls: Sequence[str], options: NetworkOptions, dns: DnsOptions | None = None
) -> list[Response | str]:
    """What comes of each URL: a response, or the kind of its failure."""

    async def one(web: HttpWeb, url: str) -> Response | str:
        try:
            return await web.fetch(Request(url))
        except FetchError as error:
            return error.kind

    async def run() -> list[Response | str]:
        async with HttpWeb(options, "tests", dns) as web:
            return [await one(web, url) for url in urls]

    return asyncio.run(run())


def outcome(box: Running, host: str) -> Response | str:
    options = NetworkOptions(connect=box.address, **QUICK)  # type: ignore[arg-type]
    return fetched([f"http://{host}.test/page.html"], options)[0]


def test_a_page_comes_with_headers_body_and_address(box: Running) -> None:
    response = fetched(["http://well.test/"], NetworkOptions(connect=box.address))[0]
    assert isinstance(response, Response)
    assert (response.status, response.ok, response.address) == (200, True, "127.0.0.1")
    assert response.body
    assert response.header("content-type")


def test_what_is_not_there_is_a_response_too(box: Running) -> None:
    response = fetched(
        ["http://well.test/no-such-page", "http://nobody.test/"],
        NetworkOptions(connect=box.address),
    )
    assert [isinstance(one, Response) and one.status for one in response] == [404, 404]


def test_redirects_are_handed_over_not_followed(box: Running) -> None:
    response = outcome(box, "redirect-loop")
    assert isinstance(response, Response)
    assert response.status == 302
    assert response.header("location")


@pytest.mark.parametrize(
    ("habit", "kinds"),
    [
        ("stall", {FailureKind.IDLE_TIMEOUT}),
        ("reset", {FailureKind.RESET}),
        ("missing-bytes", {FailureKind.PROTOCOL}),
        ("cut-chunks", {FailureKind.PROTOCOL}),
        ("broken-chunks", {FailureKind.PROTOCOL}),
        ("endless", {FailureKind.TOO_LARGE}),
        ("endless-headers", {FailureKind.HEADERS}),
        ("header-flood", {FailureKind.HEADERS}),
        ("garbage", {FailureKind.PROTOCOL}),
        ("absurd-length", {FailureKind.PROTOCOL}),
        ("gzip-bomb", {FailureKind.TOO_LARGE}),
        ("dns-unknown", {FailureKind.RESET}),
    ],
)
def test_a_misbehaving_host_is_a_failure_of_its_kind(
    box: Running, habit: str, kinds: set[FailureKind]
) -> None:
    assert outcome(box, habit) in kinds


def test_nobody_at_the_door_is_refused() -> None:
    with socket.socket() as plug:
        plug.bind(("127.0.0.1", 0))
        port = plug.getsockname()[1]
    assert fetched(["http://a.test/"], NetworkOptions(connect=f"127.0.0.1:{port}")) == [
        FailureKind.REFUSED
    ]


def test_no_name_and_no_address_leads_inside(box: Running) -> None:
    dns = DnsOptions(servers=(f"127.0.0.1:{box.dns_port}",), timeout=2.0)
    urls = [
        f"http://{host}:{box.port}/"
        for host in ("well.test", "127.0.0.1", "[::1]", "169.254.169.254")
    ]
    assert fetched(urls, NetworkOptions(), dns) == [FailureKind.FORBIDDEN_ADDRESS] * 4


def test_inside_can_be_opened_by_configuration(box: Running) -> None:
    dns = DnsOptions(servers=(f"127.0.0.1:{box.dns_port}",), timeout=2.0)
    urls = [f"http://well.test:{box.port}/", f"http://dns-unknown.test:{box.port}/"]
    found, unknown = fetched(urls, NetworkOptions(private=True), dns)
    assert isinstance(found, Response)
    assert found.status == 200
    assert unknown == FailureKind.NO_SUCH_HOST
