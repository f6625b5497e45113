"""Behind the `Web` seam: the same requests bring the same from real HTTP and from a replay."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import pytest

from motherlode.fetch import (
    DnsOptions,
    FetchError,
    NetworkOptions,
    Request,
    Response,
    TypeOptions,
    Web,
)
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.http import HttpWeb
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.misbehaviour import HABITS
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.serving.background import Running, sandbox
from support.misbehaving_web import page, write_unruly_web

T = TypeVar("T")
MAX_BYTES = 2_000_000
WELL = "http://well.test"
# Headers that say something of the document; the others say how it was sent.
TELLING = (
    "content-type",
    "etag",
    "last-modified",
    "location",
    "retry-after",
    "x-own",
    "x-city",
    "x-one",
)


class Outcome(NamedTuple):
    """What a request brings, as far as webs may not differ in it."""

    status: int = 0
    mime: str = ""
    headers: tuple[str, ...] = ()
    body: bytes = b""
    failure: str = ""


class Visiting(Protocol):
    """Go into a web, and do something there."""

    def __call__(
        self, work: Callable[[Web], Coroutine[Any, Any, T]], *, names: bool = False
    ) -> T: ...


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("webs") / "unruly"
    write_unruly_web(made)
    return made


@pytest.fixture(scope="module")
def box(folder: Path) -> Iterator[Running]:
    with sandbox(folder, "--dns-port", "0") as running:
        yield running


def over_http(box: Running) -> Visiting:
    """`names`: hosts are looked up, so that their URLs need the sandbox's port."""

    def visit(work: Callable[[Web], Coroutine[Any, Any, T]], *, names: bool = False) -> T:
        limits: dict[str, Any] = {"timeout": 20.0, "idle_timeout": 1.0, "max_bytes": MAX_BYTES}
        connect = "" if names else box.address
        dns = DnsOptions(servers=(f"127.0.0.1:{box.dns_port}",), timeout=1.0)

        async def run() -> T:
            async with HttpWeb(
                NetworkOptions(connect=connect, private=names, **limits), "tests", dns
            ) as web:
                return await work(web)

        return asyncio.run(run())

    return visit


def in_replay(folder: Path) -> Visiting:
    def visit(work: Callable[[Web], Coroutine[Any, Any, T]], *, names: bool = False) -> T:
        del names  # they are always looked up
        return run_virtually(work(Replay(open_web(folder), Timing(max_bytes=MAX_BYTES))))

    return visit


@pytest.fixture(params=["http", "replay"])
def visit(request: pytest.FixtureRequest) -> Visiting:
    if request.param == "http":
        return over_http(request.getfixturevalue("box"))
    return in_replay(request.getfixturevalue("folder"))


async def outcome(web: Web, request: Request) -> Outcome:
    try:
        response = await web.fetch(request)
    except FetchError as error:
        return Outcome(failure=error.kind)
    assert response.url == request.url
    assert response.seconds >= 0
    told = tuple(response.header(name) for name in TELLING)
    return Outcome(response.status, response.mime, told, response.body)


def bring(visit: Visiting, *requests: Request) -> list[Outcome]:
    async def work(web: Web) -> list[Outcome]:
        return [await outcome(web, request) for request in requests]

    return visit(work)


def brings(visit: Visiting, path: str, **parts: Any) -> Outcome:
    return bring(visit, Request(f"{WELL}{path}", **parts))[0]


def response(visit: Visiting, url: str) -> Response:
    async def work(web: Web) -> Response:
        return await web.fetch(Request(url))

    return visit(work)


# --- answers --------------------------------------------------------------------------------------------


def test_a_page_comes_with_its_status_type_headers_and_body(visit: Visiting) -> None:
    got = response(visit, f"{WELL}/tagged")
    assert (got.status, got.ok, got.mime, got.body) == (200, True, "text/html", page("Tagged"))
    assert got.header("content-type") == "text/html; charset=utf-8"
    assert (got.header("etag"), got.header("x-own")) == ('W/"a,b"', "yes")


STATUSES = {
    "/absent": 404,
    "/moved": 301,
    "/gone": 410,
    "/broken": 500,
    "/strange": 799,
    "/nothing": 204,
}


@pytest.mark.parametrize(("path", "status"), STATUSES.items())
def test_every_status_is_a_response_and_no_redirect_is_followed(
    visit: Visiting, path: str, status: int
) -> None:
    got = brings(visit, path)
    assert (got.status, got.failure) == (status, "")
    assert got.headers[TELLING.index("location")] == ("/tagged" if status == 301 else "")
    assert (status == 204) is (got.body == b"")


def test_a_condition_that_holds_brings_nothing_new(visit: Visiting) -> None:
    tag = (("If-None-Match", 'W/"a,b"'),)
    date = (("If-Modified-Since", "Thu, 02 Jan 2025 00:00:00 GMT"),)
    assert [
        (one.status, one.body)
        for one in (brings(visit, "/tagged", headers=tag), brings(visit, "/dated", headers=date))
    ] == [(304, b""), (304, b"")]
    assert brings(visit, "/tagged", headers=(("If-None-Match", '"other"'),)).status == 200


def test_what_was_packed_is_unpacked_and_what_only_says_so_is_broken(visit: Visiting) -> None:
    assert brings(visit, "/packed").body == page("Packed")
    assert brings(visit, "/not-packed").failure == FailureKind.PROTOCOL
    assert brings(visit, "/chunked").body == b"<p>in pieces."


def test_a_header_that_occurs_twice_is_there_twice(visit: Visiting) -> None:
    assert response(visit, f"{WELL}/cookies").all_headers("set-cookie") == ["a=1", "b=2"]


def post(body: bytes, url: str = "http://forms.test/find", **parts: Any) -> Request:
    return Request(
        url,
        method="POST",
        body=body,
        content_type="application/x-www-form-urlencoded",
        **parts,
    )


def test_a_form_brings_the_answer_to_its_method_url_and_body(visit: Visiting) -> None:
    owls, larks, moved, unknown = bring(
        visit, post(b"q=owls"), post(b"q=larks"), post(b""), post(b"q=wrens")
    )
    assert (owls.body, larks.body) == (page("Owls"), page("Larks"))
    assert [owls.headers[TELLING.index("x-own")], larks.status] == ["owls", 200]
    assert (moved.status, moved.headers[TELLING.index("location")]) == (303, "/results")
    assert unknown.status == 404


def test_a_url_has_not_the_answer_to_a_form(visit: Visiting) -> None:
    got = bring(visit, Request("http://forms.test/find"), post(b"", f"{WELL}/"))
    assert [one.status for one in got] == [404, 405]


def test_a_condition_does_not_keep_the_answer_to_a_form_away(visit: Visiting) -> None:
    (got,) = bring(visit, post(b"q=owls", headers=(("If-None-Match", "*"),)))
    assert (got.status, got.body) == (200, page("Owls"))


def test_the_answer_to_a_form_has_its_limits(visit: Visiting) -> None:
    large, refused, cut = bring(
        visit,
        post(b"q=owls", types=TypeOptions(html=10)),
        post(b"q=owls", types=TypeOptions(html=0)),
        post(b"q=owls", cut=5),
    )
    assert (large.failure, refused.failure) == (FailureKind.TOO_LARGE, FailureKind.TYPE)
    assert cut.body == page("Owls")[:5]


@pytest.mark.parametrize("method", ["PUT", "HEAD", "get"])
def test_other_methods_are_not_sent(visit: Visiting, method: str) -> None:
    (got,) = bring(visit, Request("http://forms.test/find", method=method))
    assert got.failure == FailureKind.PROTOCOL


# --- limits ---------------------------------------------------------------------------------------------


def test_a_type_that_is_not_wanted_is_refused_by_what_it_is(visit: Visiting) -> None:
    wanted = TypeOptions()
    assert brings(visit, "/picture.png", types=wanted).failure == FailureKind.TYPE
    assert brings(visit, "/picture.png", types=TypeOptions(other=10_000)).status == 200
    assert brings(visit, "/picture.png").status == 200
    assert brings(visit, "/", types=TypeOptions(html=0)).failure == FailureKind.TYPE
    assert brings(visit, "/packed", types=TypeOptions(html=0)).failure == FailureKind.TYPE
    assert bring(visit, Request("http://wrong-mime.test/", types=wanted))[0].mime == "text/html"
    assert bring(visit, Request("http://no-mime.test/", types=wanted))[0].mime == "text/html"
    assert bring(visit, Request("http://wrong-mime.test/file.bin", types=wanted))[0].failure == ""


@pytest.mark.parametrize("path", ["/", "/packed"])
def test_a_type_has_its_most_bytes_unpacked(visit: Visiting, path: str) -> None:
    size = len(brings(visit, path).body)
    assert brings(visit, path, types=TypeOptions(html=size)).status == 200
    assert brings(visit, path, types=TypeOptions(html=size - 1)).failure == FailureKind.TOO_LARGE


def test_types_and_their_limits_are_for_documents_alone(visit: Visiting) -> None:
    nothing = TypeOptions(html=0, text=0)
    assert [
        brings(visit, path, types=nothing).status for path in ("/absent", "/moved", "/gone")
    ] == [
        404,
        301,
        410,
    ]


def test_no_body_is_larger_than_the_web_allows(visit: Visiting) -> None:
    big = "http://big.test/big.bin"
    assert bring(visit, Request(big))[0].failure == FailureKind.TOO_LARGE
    assert (
        bring(visit, Request(big, types=TypeOptions(other=10**9)))[0].failure
        == FailureKind.TOO_LARGE
    )


@pytest.mark.parametrize(
    "url", [f"{WELL}/", f"{WELL}/packed", f"{WELL}/picture.png", "http://big.test/big.bin"]
)
def test_of_what_is_cut_the_beginning_comes_whatever_its_type_or_size(
    visit: Visiting, url: str
) -> None:
    (got,) = bring(visit, Request(url, cut=1000, types=TypeOptions(html=0)))
    assert (got.status, got.failure, len(got.body)) == (200, "", 1000)
    whole = page("Well") if url == f"{WELL}/" else page("Packed")
    if url.endswith(("/", "packed")):
        assert got.body == whole[:1000]


def test_what_is_shorter_than_its_cut_comes_whole(visit: Visiting) -> None:
    assert brings(visit, "/short.txt", cut=1000).body == b"short"
    assert brings(visit, "/", cut=10**6).body == page("Well")


def test_even_what_never_ends_can_be_cut(visit: Visiting) -> None:
    endless, bomb = bring(
        visit, *(Request(f"http://{host}.test/", cut=5000) for host in ("endless", "gzip-bomb"))
    )
    assert (endless.status, endless.body[:2000]) == (200, page("endless")[:2000])
    assert (bomb.status, bomb.body) == (200, b" " * 5000)


# --- failures -------------------------------------------------------------------------------------------

FAILURES = {
    "stall": FailureKind.IDLE_TIMEOUT,
    "reset": FailureKind.RESET,
    "missing-bytes": FailureKind.PROTOCOL,
    "absurd-length": FailureKind.PROTOCOL,
    "broken-chunks": FailureKind.PROTOCOL,
    "cut-chunks": FailureKind.PROTOCOL,
    "garbage": FailureKind.PROTOCOL,
    "endless": FailureKind.TOO_LARGE,
    "gzip-bomb": FailureKind.TOO_LARGE,
    "endless-headers": FailureKind.HEADERS,
    "header-flood": FailureKind.HEADERS,
}
NAMES = {
    "dns-unknown": FailureKind.NO_SUCH_HOST,
    "dns-failing": FailureKind.NAME_SERVER,
    "dns-silent": FailureKind.NAME_SERVER,
}
# What they say depends on who was there before, and when.
MOODY = {
    "too-many",
    "storm",
    "dies",
    "session-ids",
    "redirect-loopback",
    "redirect-private",
    "redirect-scheme",
}


@pytest.mark.parametrize(("habit", "kind"), FAILURES.items())
def test_a_misbehaving_host_fails_by_its_kind_and_the_web_goes_on(
    visit: Visiting, habit: str, kind: FailureKind
) -> None:
    bad, good = bring(visit, Request(f"http://{habit}.test/"), Request(f"{WELL}/"))
    assert (bad.failure, good.body) == (kind, page("Well"))


def test_a_failure_names_its_url(visit: Visiting) -> None:
    for habit in ("reset", "garbage", "endless"):
        with pytest.raises(FetchError, match=f"^http://{habit}.test/"):
            response(visit, f"http://{habit}.test/")


@pytest.mark.parametrize(("habit", "kind"), NAMES.items())
def test_a_name_that_leads_nowhere_fails_by_its_kind(
    visit: Visiting, box: Running, habit: str, kind: FailureKind
) -> None:
    async def work(web: Web) -> Outcome:
        return await outcome(web, Request(f"http://{habit}.test:{box.port}/"))

    assert visit(work, names=True).failure == kind


def test_the_webs_agree_on_every_page_and_every_habit(folder: Path, box: Running) -> None:
    urls = [
        url for url in open_web(folder).urls() if url.startswith(("http://well", "http://ruled"))
    ]
    hosts = [f"http://{habit}.test" for habit in HABITS if habit not in MOODY | set(NAMES)]
    urls += [
        f"{host}{path}" for host in hosts for path in ("/", "/robots.txt", "/absent", "/file.bin")
    ]
    slow = ("http://stall", "http://slow-first", "http://robots-slow", "http://reset")
    requests = [Request(url, types=types) for url in urls for types in (None, TypeOptions())]
    requests = [one for one in requests if not one.url.startswith(slow)]
    spoken, played = bring(over_http(box), *requests), bring(in_replay(folder), *requests)
    for request, one, other in zip(requests, spoken, played, strict=True):
        assert one == other, request


# --- manners --------------------------------------------------------------------------------------------


def test_many_requests_at_once_each_get_their_own_answer(visit: Visiting) -> None:
    hosts = ("no-length", "no-mime", "wrong-charset", "robots-page", "robots-closed")
    urls = [f"http://{host}.test/" for host in hosts] * 8

    async def work(web: Web) -> list[Response]:
        return await asyncio.gather(*(web.fetch(Request(url)) for url in urls))

    for url, got in zip(urls, visit(work), strict=True):
        assert got.url == url
        assert got.body == page(url.removeprefix("http://").removesuffix(".test/"))


def test_a_request_that_is_cancelled_is_in_nobodys_way(visit: Visiting) -> None:
    async def work(web: Web) -> Response:
        tasks = [asyncio.create_task(web.fetch(Request("http://stall.test/"))) for _ in range(5)]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(one) for one in ended} == {asyncio.CancelledError}
        return await web.fetch(Request(f"{WELL}/"))

    assert visit(work).status == 200


@pytest.mark.parametrize(
    "host", ["well.test", "dns-unknown.test", "", "[::1]", "a" * 300, "..", "ü.test"]
)
def test_whatever_is_expected_never_fails(visit: Visiting, host: str) -> None:
    async def work(web: Web) -> Response:
        web.expect(host)
        return await web.fetch(Request(f"{WELL}/"))

    assert visit(work).status == 200
