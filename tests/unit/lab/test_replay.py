"""Virtual time, and a web behind the `Web` seam without sockets."""

import asyncio
import gzip
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from motherlode.fetch import FetchError, NetworkOptions, Request, Response, Web
from motherlode.fetch.http import HttpWeb
from motherlode.lab.clock import StuckError, VirtualLoop, run_virtually
from motherlode.lab.description import WebPlan, write_plan
from motherlode.lab.generated.web import GeneratedWeb
from motherlode.lab.loader import open_web
from motherlode.lab.misbehaviour import HABITS, Habits
from motherlode.lab.recorded import RecordedWeb
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.serving.background import Running, sandbox
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity

T = TypeVar("T")
PAGE = b"<!DOCTYPE html><title>A page</title><a href='/two'>Two</a>" + b"<p>Words." * 100
HOSTS = ["one.test", "two.test", "three.test"]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay") / "web"
    html = b"Content-Type: text/html\r\n"
    with Archive(folder, ArchiveOptions(), Identity("tests")) as archive:

        def add(url: str, body: bytes, headers: bytes = html, status: bytes = b"200 OK") -> None:
            archive.append(Exchange(url, 0.0, b"HTTP/1.1 " + status + b"\r\n" + headers, body))

        for host in HOSTS:
            add(f"http://{host}/", PAGE)
            add(f"http://{host}/thousand", bytes(1000), b"Content-Type: image/png\r\n")
        add("http://one.test/tagged", PAGE, html + b'ETag: "tag"\r\n')
        add(
            "http://one.test/dated",
            PAGE,
            html + b"Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\n",
        )
        add("http://one.test/packed", gzip.compress(PAGE), html + b"Content-Encoding: gzip\r\n")
        add("http://one.test/moved", b"", b"Location: /tagged\r\n", b"301 Moved")
        add("http://one.test/gone", b"<p>gone", html, b"410 Gone")
        add("http://one.test/nothing", b"a body by mistake", html, b"204 No Content")
        add("http://one.test:8081/port", b"of another port", html)
        add(
            "http://one.test/broken-gzip",
            b"this is no gzip at all",
            html + b"Content-Encoding: gzip\r\n",
        )
        archive.flush()
    return folder


@pytest.fixture(scope="module")
def web(recorded: Path) -> RecordedWeb:
    return RecordedWeb(recorded)


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may connect."""

    def refuse(*_: object) -> None:
        raise AssertionError("a socket was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def now() -> float:
    return asyncio.get_running_loop().time()


# --- the clock ------------------------------------------------------------------------------------------


def test_virtual_time_begins_at_zero_and_years_of_sleep_are_over_at_once() -> None:
    async def work() -> tuple[float, float]:
        begun = now()
        await asyncio.sleep(10 * 365 * 86400)
        return begun, now()

    assert run_virtually(work()) == (0.0, 10 * 365 * 86400.0)


def test_sleepers_wake_in_the_order_of_their_times() -> None:
    async def work() -> list[tuple[float, str]]:
        woken: list[tuple[float, str]] = []

        async def sleeper(name: str, *naps: float) -> None:
            for nap in naps:
                await asyncio.sleep(nap)
                woken.append((now(), name))

        await asyncio.gather(
            sleeper("a", 3, 3), sleeper("b", 2, 2, 2), sleeper("c", 1), sleeper("d", 0)
        )
        return woken

    first = run_virtually(work())
    assert first == [(0, "d"), (1, "c"), (2, "b"), (3, "a"), (4, "b"), (6, "a"), (6, "b")]
    assert all(run_virtually(work()) == first for _ in range(5))


def test_timeouts_fire_at_their_time() -> None:
    async def work() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3600):
                await asyncio.Event().wait()
        return now()

    assert run_virtually(work()) == 3600


def test_what_can_never_happen_is_an_error_and_not_an_eternity() -> None:
    async def work() -> None:
        await asyncio.sleep(5)
        await asyncio.Event().wait()

    with pytest.raises(StuckError, match="nothing left to wait for"):
        run_virtually(work())


def test_a_task_that_is_left_over_is_cancelled_at_the_end() -> None:
    ended: list[str] = []

    async def forever() -> None:
        try:
            await asyncio.sleep(1e9)
        finally:
            ended.append("cleaned up")

    async def work() -> str:
        task = asyncio.create_task(forever())
        await asyncio.sleep(1)
        return "done" if not task.done() else "too early"

    assert run_virtually(work()) == "done"
    assert ended == ["cleaned up"]


def test_an_exception_comes_out_as_it_is() -> None:
    async def work() -> None:
        await asyncio.sleep(1)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run_virtually(work())


def test_locks_queues_and_call_later_run_on_virtual_time() -> None:
    async def work() -> list[float]:
        queue: asyncio.Queue[float] = asyncio.Queue(1)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.call_later(7.5, lambda: queue.put_nowait(now()))
        loop.call_at(2.5, lambda: queue.put_nowait(now()))
        return [await queue.get(), await queue.get()]

    assert run_virtually(work()) == [2.5, 7.5]


# --- answers --------------------------------------------------------------------------------------------


def replay(web: RecordedWeb | GeneratedWeb, habit: str = "", **timing: Any) -> Replay:
    habits = Habits([("one.test", habit)]) if habit else None
    return Replay(web, Timing(**timing), habits)


def fetched(player: Replay, url: str, *headers: tuple[str, str]) -> Response:
    return run_virtually(player.fetch(Request(url, headers)))


def kind(player: Replay, url: str = "http://one.test/") -> str:
    with pytest.raises(FetchError) as caught:
        fetched(player, url)
    return caught.value.kind


async def outcome(web: Web, request: Request) -> tuple[object, ...]:
    try:
        response = await web.fetch(request)
    except FetchError as error:
        return ("failed", error.kind)
    kept = ("content-type", "etag", "last-modified", "location", "retry-after")
    return (response.status, response.body, *(response.header(name) for name in kept))


CONDITIONS: list[tuple[tuple[str, str], ...]] = [
    (),
    (("If-None-Match", '"tag"'),),
    (("If-None-Match", "*"),),
    (("If-Modified-Since", "Thu, 02 Jan 2025 00:00:00 GMT"),),
]


def through(running: Running, work: Callable[[Web], Coroutine[Any, Any, T]]) -> T:
    async def run() -> T:
        options = NetworkOptions(connect=running.address, timeout=100.0)
        async with HttpWeb(options, "tests") as web:
            return await work(web)

    return asyncio.run(run())


def over_http(folder: Path, work: Callable[[Web], Coroutine[Any, Any, T]]) -> T:
    with sandbox(folder) as running:
        return through(running, work)


def same_both_ways(folder: Path, requests: list[Request]) -> None:
    async def all_of_them(web: Web) -> list[tuple[object, ...]]:
        return [await outcome(web, request) for request in requests]

    spoken = over_http(folder, all_of_them)
    played = run_virtually(all_of_them(Replay(open_web(folder))))
    for request, one, other in zip(requests, spoken, played, strict=True):
        assert one == other, request


def test_a_recorded_web_says_the_same_over_http_and_in_process(
    recorded: Path, web: RecordedWeb
) -> None:
    urls = [
        *web.urls(),
        "http://one.test/absent",
        "http://unknown.test/",
        "http://one.test/robots.txt",
    ]
    same_both_ways(recorded, [Request(url, headers) for url in urls for headers in CONDITIONS])


def test_a_generated_web_says_the_same_over_http_and_in_process(tmp_path: Path) -> None:
    write_plan(tmp_path / "web", WebPlan(seed=11, pages=120, hosts=8))
    urls = list(open_web(tmp_path / "web").urls())[::3]
    robots = [f"http://{host}/robots.txt" for host in open_web(tmp_path / "web").hosts()]
    same_both_ways(tmp_path / "web", [Request(url) for url in [*urls, *robots]])


AGREED = [
    *("broken-chunks", "absurd-length", "endless-headers", "header-flood", "surplus-bytes"),
    *("no-length", "missing-bytes", "cut-chunks", "garbage", "endless", "gzip-bomb:20"),
    *(
        "no-mime",
        "wrong-mime",
        "wrong-charset",
        "redirect-loop",
        "redirect-endless",
        "redirect-private",
    ),
    *("calendar", "session-ids", "robots-closed", "robots-error", "robots-marked", "storm:1"),
]


def host_with(habit: str) -> str:
    return f"{habit.replace(':', '-')}.test"


@pytest.fixture(scope="module")
def misbehaving(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A web with one host for each agreed habit."""
    folder = tmp_path_factory.mktemp("misbehaving") / "web"
    html = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    with Archive(folder, ArchiveOptions(), Identity("tests")) as archive:
        for host in map(host_with, AGREED):
            archive.append(Exchange(f"http://{host}/", 0.0, html, PAGE))
            archive.append(Exchange(f"http://{host}/tagged", 0.0, html + b'ETag: "tag"\r\n', PAGE))
        archive.flush()
    habits = [f'"{host_with(habit)}" = "{habit}"\n' for habit in AGREED]
    (folder / "about.toml").write_text("[misbehaviour]\n" + "".join(habits))
    return folder


@pytest.fixture(scope="module")
def served(misbehaving: Path) -> Iterator[Running]:
    with sandbox(misbehaving) as running:
        yield running


@pytest.mark.parametrize("habit", AGREED)
def test_misbehaving_hosts_say_the_same_over_http_and_in_process(
    misbehaving: Path, served: Running, habit: str
) -> None:
    """Where what a client makes of it is not a matter of taste."""
    paths = ("/", "/robots.txt", "/tagged")
    requests = [Request(f"http://{host_with(habit)}{path}") for path in paths]

    async def outcomes(web: Web) -> list[tuple[object, ...]]:
        return [await outcome(web, request) for request in requests]

    assert through(served, outcomes) == run_virtually(outcomes(Replay(open_web(misbehaving))))


def test_an_answer_is_unpacked(web: RecordedWeb) -> None:
    assert fetched(replay(web), "http://one.test/packed").body == PAGE


@pytest.mark.usefixtures("no_sockets")
def test_no_sockets_are_used(web: RecordedWeb) -> None:
    assert fetched(replay(web), "http://one.test/").body == PAGE
    assert fetched(replay(web, "slow-drip"), "http://one.test/").body == PAGE


# --- time -----------------------------------------------------------------------------------------------


def crawl(player: Replay, urls: list[str]) -> list[tuple[str, float, float]]:
    """All at once; when each came back, and how long it took."""

    async def work() -> list[tuple[str, float, float]]:
        done: list[tuple[str, float, float]] = []

        async def one(url: str) -> None:
            response = await player.fetch(Request(url))
            done.append((url, now(), response.seconds))

        await asyncio.gather(*map(one, urls))
        return done

    return run_virtually(work())


def test_a_web_without_timing_takes_no_time(web: RecordedWeb) -> None:
    done = crawl(replay(web), ["http://one.test/", "http://one.test/thousand", "http://two.test/"])
    assert {at for _, at, _ in done} == {0.0}


def test_latency_and_bandwidth_add_up(web: RecordedWeb) -> None:
    player = replay(web, latency=0.5, bandwidth=2000.0)
    assert crawl(player, ["http://one.test/thousand"]) == [("http://one.test/thousand", 1.0, 1.0)]


def test_connections_of_a_host_wait_for_each_other_and_those_of_others_do_not(
    web: RecordedWeb,
) -> None:
    urls = ["http://one.test/thousand"] * 5 + ["http://two.test/thousand"]
    times = [at for _, at, _ in crawl(replay(web, latency=2.0, connections=2), urls)]
    assert sorted(times) == [2.0, 2.0, 2.0, 4.0, 4.0, 6.0]


def test_politeness_spaces_the_fetches_of_a_host(web: RecordedWeb) -> None:
    urls = ["http://one.test/"] * 4 + ["http://two.test/"] * 2
    done = crawl(replay(web, delay=10.0, latency=1.0, connections=8), urls)
    assert sorted(at for url, at, _ in done if "one" in url) == [1.0, 11.0, 21.0, 31.0]
    assert sorted(at for url, at, _ in done if "two" in url) == [1.0, 11.0]
    assert {seconds for _, _, seconds in done} == {1.0}


def test_a_delay_that_is_over_is_not_waited_for(web: RecordedWeb) -> None:
    player = replay(web, delay=10.0)

    async def work() -> list[float]:
        times = []
        for pause in (0.0, 25.0, 4.0):
            await asyncio.sleep(pause)
            await player.fetch(Request("http://one.test/"))
            times.append(now())
        return times

    assert run_virtually(work()) == [0.0, 25.0, 35.0]


def test_a_fetch_that_is_cancelled_leaves_its_place_to_others(web: RecordedWeb) -> None:
    player = replay(web, latency=100.0, connections=1, timeout=1000.0)

    async def work() -> float:
        first = asyncio.create_task(player.fetch(Request("http://one.test/")))
        await asyncio.sleep(1)
        first.cancel()
        await player.fetch(Request("http://one.test/"))
        return now()

    assert run_virtually(work()) == 101.0


def test_the_same_crawl_takes_the_same_course_every_time(web: RecordedWeb) -> None:
    urls = [f"http://{host}{path}" for path in ("/", "/thousand") for host in HOSTS] * 20

    def once() -> list[tuple[str, float, float]]:
        return crawl(replay(web, delay=0.3, latency=0.1, bandwidth=999.0, connections=3), urls)

    assert once() == once()


def test_days_of_crawling_cost_no_real_time(web: RecordedWeb) -> None:
    done = crawl(replay(web, delay=3600.0, timeout=1e9), ["http://one.test/thousand"] * 500)
    assert max(at for _, at, _ in done) == 499 * 3600.0


def test_a_body_too_large_and_a_transfer_too_slow_are_given_up(web: RecordedWeb) -> None:
    assert kind(replay(web, max_bytes=999), "http://one.test/thousand") == "too large"
    assert fetched(replay(web, max_bytes=1000), "http://one.test/thousand").status == 200
    assert (
        kind(replay(web, bandwidth=1.0, timeout=999.0), "http://one.test/thousand") == "timed out"
    )
    assert kind(replay(web), "http://one.test/broken-gzip") == "broken response"


# --- habits ---------------------------------------------------------------------------------------------


FAILURES = {
    "slow-first-byte": "no answer in time",
    "stall": "stalled",
    "absurd-length": "broken response",
    "reset": "connection reset",
    "missing-bytes": "broken response",
    "broken-chunks": "broken response",
    "cut-chunks": "broken response",
    "endless": "too large",
    "endless-headers": "too many headers",
    "header-flood": "too many headers",
    "garbage": "broken response",
    "gzip-bomb": "too large",
    "dns-unknown": "no such host",
    "dns-failing": "name server failed",
    "dns-silent": "name server failed",
}
# What is wrong with them does not matter where there is no page, or is robots.txt alone.
ELSEWHERE = {
    ("/absent", "endless"): 404,
    ("/robots.txt", "endless"): 404,
    ("/robots.txt", "robots-slow"): "no answer in time",
}


@pytest.mark.parametrize("habit", sorted(HABITS))
@pytest.mark.parametrize("path", ["/", "/robots.txt", "/absent"])
def test_every_habit_is_a_response_or_a_failure(web: RecordedWeb, habit: str, path: str) -> None:
    player = replay(web, habit, timeout=120.0)

    seen = run_virtually(outcome(player, Request(f"http://one.test{path}")))
    if (path, habit) in ELSEWHERE:
        assert ELSEWHERE[path, habit] in seen[:2]
    elif habit in FAILURES:
        assert seen == ("failed", FAILURES[habit])
    else:
        assert seen[0] in (200, 301, 302, 403, 404, 503)


def test_what_is_slow_takes_virtual_seconds(web: RecordedWeb) -> None:
    assert fetched(replay(web, "slow-first-byte:20"), "http://one.test/").seconds == 20.0
    assert fetched(replay(web, "robots-slow:20"), "http://one.test/robots.txt").seconds == 20.0
    drops = -(-1000 // 16)
    assert (
        fetched(replay(web, "slow-drip:0.25"), "http://one.test/thousand").seconds == drops * 0.25
    )


def test_what_is_too_slow_is_given_up_in_time(web: RecordedWeb) -> None:
    async def given_up(player: Replay) -> tuple[str, float]:
        with pytest.raises(FetchError) as caught:
            await player.fetch(Request("http://one.test/thousand"))
        return caught.value.kind, now()

    for habit, expected in (
        ("stall", ("stalled", 20.0)),
        ("slow-first-byte:1000", ("no answer in time", 30.0)),
        ("slow-drip:100", ("stalled", 20.0)),
        ("slow-drip:2", ("too slow", 30.0)),
        ("dns-silent", ("name server failed", 10.0)),
    ):
        assert run_virtually(given_up(replay(web, habit, timeout=60.0))) == expected
    assert run_virtually(given_up(replay(web, "stall", timeout=5.0))) == ("timed out", 5.0)


def test_an_endless_body_ends_where_the_limit_is(web: RecordedWeb) -> None:
    for habit in ("endless", "gzip-bomb"):
        assert kind(replay(web, habit, max_bytes=100_000)) == "too large"


def test_a_failure_costs_its_latency(web: RecordedWeb) -> None:
    player = replay(web, "reset", latency=2.0)

    async def work() -> float:
        with pytest.raises(FetchError):
            await player.fetch(Request("http://one.test/"))
        return now()

    assert run_virtually(work()) == pytest.approx(2.02)


def test_a_host_dies_and_comes_back_in_virtual_time(web: RecordedWeb) -> None:
    player = replay(web, "dies:20", latency=1.0)

    async def work() -> list[object]:
        return [(await outcome(player, Request("http://one.test/")))[0] for _ in range(45)]

    assert run_virtually(work()) == [200] * 20 + ["failed"] * 20 + [200] * 5


def test_a_limit_of_requests_goes_by_virtual_time(web: RecordedWeb) -> None:
    async def statuses(pause: float) -> list[object]:
        player = replay(web, "too-many:5")
        seen: list[object] = []
        for _ in range(8):
            seen.append((await outcome(player, Request("http://one.test/")))[0])
            await asyncio.sleep(pause)
        return seen

    assert run_virtually(statuses(0.125)) == [200] * 5 + [429] * 3
    assert run_virtually(statuses(0.25)) == [200] * 8


def test_other_hosts_of_the_web_behave(web: RecordedWeb) -> None:
    assert fetched(replay(web, "reset"), "http://two.test/").body == PAGE


def test_a_web_says_which_of_its_hosts_misbehave() -> None:
    generated = GeneratedWeb(WebPlan(seed=3, pages=400, hosts=100, misbehaving=0.5))
    player = replay(generated, timeout=120.0)

    async def work() -> set[str]:
        kinds: set[str] = set()
        for host in generated.hosts():
            seen = await outcome(player, Request(f"http://{host}/"))
            if seen[0] == "failed":
                assert generated.habit_of(host)
                kinds.add(str(seen[1]))
        return kinds

    kinds = run_virtually(work())
    assert len(kinds) > 2
    assert kinds <= {*FAILURES.values(), "too slow"}


def test_replay_is_a_web(web: RecordedWeb) -> None:
    seam: Web = replay(web)
    asked: Callable[[Request], Awaitable[Response]] = seam.fetch
    assert asked is not None
