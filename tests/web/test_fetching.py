"""The fetcher against hosts of every habit: each ends as it should, in time, and the crawl goes on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import urljoin

import pytest
from msgspec import structs

from motherlode.fetch import DnsOptions, NetworkOptions, PolitenessOptions, RobotsOptions
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.fetcher import Fetched, Fetcher, FetchRules
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.lab.misbehaviour import HABITS
from motherlode.lab.serving.background import Running, sandbox
from motherlode.records import HostState
from motherlode.urls import address
from motherlode.urls.traps import TrapRules
from support.misbehaving_web import FIGURES
from support.scripted_web import AGENT

# Long enough for a busy machine, short enough to wait for.
LIMITS: dict[str, Any] = {
    "timeout": 15.0,
    "connect_timeout": 5.0,
    "first_byte_timeout": 1.5,
    "idle_timeout": 1.2,
    "min_rate": 2000.0,
    "rate_after": 1.6,
    "max_bytes": 2_000_000,
}
PATIENCE = 30.0  # seconds; a limit, never a measure
EAGER = PolitenessOptions(delay=0.0, slowdown=0.0)
# Beyond all limits here, where a test of the sandbox itself would rather wait.
SLOWER = {"slow-first-byte": "60", "robots-slow": "60", "slow-drip": "0.3", "too-many": "1"}


@pytest.fixture(scope="module")
def box(recorded: Path) -> Iterator[Running]:
    told = [f"--misbehave={name}.test={name}:{figure}" for name, figure in SLOWER.items()]
    with sandbox(recorded, "--dns-port", "0", *told) as running:
        yield running


class Trip:
    """A fetcher that is out in the sandbox. Whatever a host asks for, nobody waits for it here."""

    def __init__(
        self, box: Running, web: HttpWeb, robots: RobotsOptions, rules: FetchRules
    ) -> None:
        self.box = box
        self.later = 0.0  # seconds by which our clock is fast
        courtesy: RateLimiter[None] = RateLimiter(EAGER)
        rulebook = RobotsCache(web, robots, AGENT, clock=self.clock)
        rulebook.reachability.note_answer()  # else no host would be to blame
        self.fetcher = Fetcher(
            web=web, courtesy=courtesy, rulebook=rulebook, rules=rules, clock=self.clock
        )

    def clock(self) -> float:
        return time() + self.later

    async def fetch(self, url: str, attempts: int = 1) -> Fetched:
        """What becomes of a URL; time for its host has passed."""
        found = address(url)
        fresh = replace(self.fetcher, courtesy=RateLimiter(EAGER))
        await fresh.courtesy.turn(found.host)
        return await fresh.fetch(found, attempts=attempts)

    async def kind(self, url: str, attempts: int = 1) -> FailureKind | None:
        return (await self.fetch(url, attempts)).failure

    def forgive(self, host: str) -> None:
        """It need not be left alone any longer."""
        hosts = self.fetcher.hosts
        hosts.put(structs.replace(hosts[host], next_at=0.0, failures=0))

    def state(self, host: str) -> HostState:
        return self.fetcher.hosts[host].state


@asynccontextmanager
async def trip(
    box: Running,
    robots: RobotsOptions | None = None,
    rules: FetchRules | None = None,
    network: NetworkOptions | None = None,
) -> AsyncIterator[Trip]:
    """A trip on which neither a socket nor a task is lost, and after which the crawl goes on."""
    before = sockets()
    dns = DnsOptions(servers=(f"127.0.0.1:{box.dns_port}",), timeout=1.0)
    network = network or NetworkOptions(overrides=(f"*.test=127.0.0.1:{box.port}",), **LIMITS)
    async with asyncio.timeout(PATIENCE):
        async with HttpWeb(network, "tests", dns) as web:
            gone = Trip(box, web, robots or RobotsOptions(), rules or FetchRules())
            yield gone
            well = await gone.fetch(
                f"http://well.test:{box.port}/" if network.private else "http://well.test/"
            )
            assert well.response is not None
            assert (well.failure, well.response.status) == (None, 200)
        await come_true(lambda: asyncio.all_tasks() == {asyncio.current_task()})
        await come_true(lambda: sockets() <= before)


async def come_true(true: Callable[[], bool]) -> None:
    """Sockets are closed by the loop, in its own time."""
    while not true():  # noqa: ASYNC110 - there is nothing that would tell us
        await asyncio.sleep(0.01)


def sockets() -> int:
    """How many this process has open; 0 where the system does not say."""
    count = 0
    with suppress(FileNotFoundError):
        for descriptor in list(Path("/proc/self/fd").iterdir()):
            with suppress(OSError):
                count += descriptor.readlink().name.startswith("socket:")
    return count


Story = Callable[[Running], Awaitable[None]]
STORIES: dict[str, Story] = {}


def meeting(habit: str) -> Callable[[Story], Story]:
    """Mark the story of a fetcher that meets a habit."""

    def mark(story: Story) -> Story:
        STORIES[habit] = story
        return story

    return mark


@pytest.mark.parametrize("habit", sorted(HABITS))
def test_a_fetcher_meets_every_habit_and_goes_on(box: Running, habit: str) -> None:
    assert habit in STORIES, "a habit without an expectation"
    asyncio.run(told(STORIES[habit], box))


async def told(story: Story, box: Running) -> None:
    await story(box)


def test_no_expectation_is_without_its_habit() -> None:
    assert set(STORIES) == set(HABITS)


# --- delivery -------------------------------------------------------------------------------------------

FAILING = {
    "slow-first-byte": FailureKind.FIRST_BYTE_TIMEOUT,
    "slow-drip": FailureKind.TOO_SLOW,
    "stall": FailureKind.IDLE_TIMEOUT,
    "reset": FailureKind.RESET,
    "missing-bytes": FailureKind.PROTOCOL,
    "absurd-length": FailureKind.PROTOCOL,
    "broken-chunks": FailureKind.PROTOCOL,
    "cut-chunks": FailureKind.PROTOCOL,
    "garbage": FailureKind.PROTOCOL,
    "endless-headers": FailureKind.HEADERS,
    "header-flood": FailureKind.HEADERS,
    "robots-slow": FailureKind.FIRST_BYTE_TIMEOUT,
}
BLAMELESS = ("endless-headers", "header-flood")


def failing(habit: str, kind: FailureKind) -> Story:
    async def story(box: Running) -> None:
        async with trip(box, RobotsOptions(ignore=("slow-drip.test",))) as out:  # to wait but once
            got = await out.fetch(f"http://{habit}.test/")
            assert (got.failure, got.response) == (kind, None)
            blameless = habit in BLAMELESS
            assert out.state(f"{habit}.test") is (HostState.GOOD if blameless else HostState.SLOW)
            assert (got.retry_at is None) is blameless

    return story


for name, failure in FAILING.items():
    STORIES[name] = failing(name, failure)


def oversized(habit: str) -> Story:
    """robots.txt is cut, and said nothing; the page is given up."""

    async def story(box: Running) -> None:
        async with trip(box) as out:
            got = await out.fetch(f"http://{habit}.test/")
            assert (got.failure, got.retry_at) == (FailureKind.TOO_LARGE, None)
            assert out.state(f"{habit}.test") is HostState.GOOD

    return story


for name in ("endless", "gzip-bomb"):
    STORIES[name] = oversized(name)


def harmless(habit: str) -> Story:
    """A page comes all the same."""

    async def story(box: Running) -> None:
        async with trip(box) as out:
            got = await out.fetch(f"http://{habit}.test/")
            assert got.response is not None
            assert (got.failure, got.response.status, got.response.mime) == (None, 200, "text/html")
            assert f"<h1>{habit}</h1>".encode() in got.response.body

    return story


STORIES["no-length"] = harmless("no-length")
STORIES["wrong-charset"] = harmless("wrong-charset")
STORIES["no-mime"] = harmless("no-mime")
STORIES["wrong-mime"] = harmless("wrong-mime")


@meeting("surplus-bytes")
async def half_a_page_is_what_was_promised(box: Running) -> None:
    """Packed, half a page cannot be unpacked, or only half of it can."""
    async with trip(box) as out:
        got = await out.fetch("http://surplus-bytes.test/")
        assert got.failure in (None, FailureKind.PROTOCOL)
        # The bytes that nobody asked for are no answer to the next request.
        assert await out.kind("http://surplus-bytes.test/page.html") in (None, FailureKind.PROTOCOL)


# --- redirects ------------------------------------------------------------------------------------------


@meeting("redirect-loop")
async def a_circle_is_seen_and_its_hops_are_kept(box: Running) -> None:
    async with trip(box) as out:
        got = await out.fetch("http://redirect-loop.test/")
        assert (got.failure, got.retry_at) == (FailureKind.REDIRECT_LOOP, None)
        assert [hop.target.partition("?")[2] for hop in got.hops] == [
            "turn=1",
            "turn=2",
            "turn=0",
            "turn=1",
        ]
        assert {hop.status for hop in got.hops} == {302}


@meeting("redirect-endless")
async def redirects_end_after_twenty_five(box: Running) -> None:
    async with trip(box) as out:
        got = await out.fetch("http://redirect-endless.test/")
        assert (got.failure, len(got.hops)) == (FailureKind.REDIRECTS, 25)
        assert len({hop.target for hop in got.hops}) == 25


async def led_inside(box: Running, host: str, ways: int) -> set[str]:
    """Where one is led, each way there is to write it; nobody arrives."""
    seen: set[str] = set()
    for _ in range(ways):
        async with trip(box, RobotsOptions(ignore=(host,))) as out:
            got = await out.fetch(f"http://{host}/")
            unknown = (
                got.final.host == "localhost" and got.failure is FailureKind.NO_SUCH_HOST
            )  # to this machine
            inside = FailureKind.NO_SUCH_HOST if unknown else FailureKind.FORBIDDEN_ADDRESS
            assert (got.failure, got.response, len(got.hops)) == (inside, None, 1), got.final.url
            assert out.state(host) is HostState.GOOD
            seen.add(got.final.host)
    return seen


@meeting("redirect-loopback")
async def nobody_is_led_to_this_machine(box: Running) -> None:
    assert await led_inside(box, "redirect-loopback.test", 5) == {"127.0.0.1", "localhost", "[::1]"}


@meeting("redirect-private")
async def nobody_is_led_inside(box: Running) -> None:
    assert len(await led_inside(box, "redirect-private.test", 8)) == 8
    async with trip(box) as out:  # with robots.txt, which lies inside as well
        got = await out.fetch("http://redirect-private.test/")
        assert (got.failure, got.retry_at) == (FailureKind.FORBIDDEN_ADDRESS, None)


@meeting("redirect-scheme")
async def nobody_is_led_out_of_the_web(box: Running) -> None:
    async with trip(box) as out:
        for number in range(5):
            got = await out.fetch(f"http://redirect-scheme.test/{number}")
            assert (got.failure, got.hops) == (FailureKind.BAD_REDIRECT, ())


# --- traps ----------------------------------------------------------------------------------------------


async def until_full(out: Trip, url: str, most: int) -> list[FailureKind | None]:
    """Follow the last link of each page."""
    kinds: list[FailureKind | None] = []
    for _ in range(most + 2):
        got = await out.fetch(url)
        kinds.append(got.failure)
        if got.response is not None:
            url = urljoin(url, got.response.body.decode().rpartition('href="')[2].partition('"')[0])
    return kinds


@meeting("calendar")
async def a_calendar_ends_with_the_pages_of_its_host(box: Running) -> None:
    async with trip(box, rules=FetchRules(traps=TrapRules(pages_per_host=6))) as out:
        kinds = await until_full(out, "http://calendar.test/", 6)
        assert kinds == [None] * 6 + [FailureKind.HOST_FULL] * 2


@meeting("session-ids")
async def session_ids_end_with_the_pages_of_their_host(box: Running) -> None:
    async with trip(box, rules=FetchRules(traps=TrapRules(pages_per_host=6))) as out:
        kinds = await until_full(out, "http://session-ids.test/", 6)
        assert kinds == [None] * 6 + [FailureKind.HOST_FULL] * 2


# --- robots.txt -----------------------------------------------------------------------------------------


@meeting("robots-closed")
async def a_closed_host_is_not_asked(box: Running) -> None:
    async with trip(box) as out:
        got = await out.fetch("http://robots-closed.test/")
        assert (got.failure, got.retry_at, got.response) == (FailureKind.ROBOTS, None, None)
    async with trip(box, RobotsOptions(ignore=("robots-closed.test",))) as out:
        assert await out.kind("http://robots-closed.test/") is None


@meeting("robots-error")
async def a_robots_txt_that_fails_closes_its_host_for_a_while(box: Running) -> None:
    async with trip(box) as out:
        began = out.clock()
        got = await out.fetch("http://robots-error.test/")
        assert (got.failure, got.detail) == (FailureKind.ROBOTS_UNREACHABLE, "status 500")
        assert got.retry_at is not None
        assert 299 < got.retry_at - began < 300 + PATIENCE
        (file,) = out.fetcher.rulebook.changed()
        assert (file.status, file.body) == (500, None)


def open_to_us(habit: str) -> Story:
    async def story(box: Running) -> None:
        async with trip(box) as out:
            assert await out.kind(f"http://{habit}.test/") is None

    return story


for name in ("robots-forbidden", "robots-page", "robots-binary"):
    STORIES[name] = open_to_us(name)


def closed_in_part(habit: str, closed: str) -> Story:
    async def story(box: Running) -> None:
        async with trip(box) as out:
            assert await out.kind(f"http://{habit}.test{closed}x") is FailureKind.ROBOTS
            assert await out.kind(f"http://{habit}.test/page.html") is None

    return story


STORIES["robots-redirect"] = closed_in_part("robots-redirect", "/private/")
STORIES["robots-marked"] = closed_in_part("robots-marked", "/private/")


@meeting("robots-huge")
async def what_is_early_in_a_huge_robots_txt_counts(box: Running) -> None:
    async with trip(box) as out:
        paths = ("early/x", "a-path-that-nobody-has-ever-asked-for/7", "late/x", "page.html")
        kinds = [await out.kind(f"http://robots-huge.test/{path}") for path in paths]
        assert kinds == [FailureKind.ROBOTS, FailureKind.ROBOTS, FailureKind.CLIENT, None]


@meeting("robots-delay")
async def a_host_rests_as_it_asks(box: Running) -> None:
    async with trip(box) as out:
        assert await out.kind("http://robots-delay.test/") is None
        assert out.fetcher.hosts["robots-delay.test"].delay == FIGURES["robots-delay"]
        asked: RateLimiter[None] = RateLimiter(EAGER)
        fetcher, found = (
            replace(out.fetcher, courtesy=asked),
            address("http://robots-delay.test/page.html"),
        )
        await asked.turn(found.host)
        began = asyncio.get_running_loop().time()
        await fetcher.fetch(found)
        next_turn = asked._turns.next_at()
        assert next_turn is not None
        assert next_turn - began >= FIGURES["robots-delay"]


@meeting("robots-sitemaps")
async def sitemaps_are_named(box: Running) -> None:
    async with trip(box) as out:
        assert await out.kind("http://robots-sitemaps.test/") is None
        rules = await out.fetcher.rulebook.rules_for("http://robots-sitemaps.test/")
        assert [one.rpartition("-")[2] for one in rules.sitemaps] == [
            "index.xml",
            "broken.xml",
            "missing.xml",
        ]


# --- refusals -------------------------------------------------------------------------------------------


@meeting("too-many")
async def a_host_says_when_to_come_back(box: Running) -> None:
    """In seconds and as a date; we would not come back that soon of our own."""
    async with trip(box, RobotsOptions(ignore=("too-many.test",))) as out:
        told: set[bool] = set()
        while len(told) < 2:
            began = out.clock()
            got = await out.fetch("http://too-many.test/")
            if got.failure is None:
                continue
            assert (got.failure, out.state("too-many.test")) == (
                FailureKind.TOO_MANY,
                HostState.SLOW,
            )
            assert got.retry_at is not None
            assert got.retry_at >= began + 60
            assert got.response is not None
            told.add(got.response.header("retry-after") == "1")
            out.forgive("too-many.test")


@meeting("storm")
async def a_host_recovers_from_a_storm(box: Running) -> None:
    async with trip(box, RobotsOptions(ignore=("storm.test",))) as out:
        states: list[tuple[FailureKind | None, HostState]] = []
        for attempt in range(1, 20):
            kind = await out.kind("http://storm.test/", min(attempt, 3))
            states.append((kind, out.state("storm.test")))
            out.later += 600.0
            if kind is None:
                break
        assert states[0] == (FailureKind.UNAVAILABLE, HostState.SLOW)
        assert states[-1] == (None, HostState.GOOD)
        assert out.fetcher.hosts["storm.test"].failures == 0


@meeting("dies")
async def a_dead_host_is_slow_and_good_again_when_it_is_back(box: Running) -> None:
    async with trip(box) as out:
        kinds: list[FailureKind | None] = []
        while (
            None not in kinds[kinds.index(FailureKind.RESET) :]
            if FailureKind.RESET in kinds
            else True
        ):
            kinds.append(await out.kind("http://dies.test/", 2))
            assert out.state("dies.test") is (HostState.SLOW if kinds[-1] else HostState.GOOD)
            out.forgive("dies.test")
            await asyncio.sleep(0.1)
        assert set(kinds) == {FailureKind.RESET, None}


# --- names ----------------------------------------------------------------------------------------------


def nameless(habit: str, kind: FailureKind) -> Story:
    async def story(box: Running) -> None:
        network = NetworkOptions(private=True, **LIMITS)
        async with trip(box, network=network) as out:
            got = await out.fetch(f"http://{habit}.test:{box.port}/")
            assert (got.failure, out.state(f"{habit}.test")) == (kind, HostState.SLOW)
            assert got.retry_at is not None
            out.later += 600.0
            await out.fetch(f"http://{habit}.test:{box.port}/", 2)
            bad = kind is FailureKind.NO_SUCH_HOST
            assert out.state(f"{habit}.test") is (HostState.BAD if bad else HostState.SLOW)

    return story


STORIES["dns-unknown"] = nameless("dns-unknown", FailureKind.NO_SUCH_HOST)
STORIES["dns-failing"] = nameless("dns-failing", FailureKind.NAME_SERVER)
STORIES["dns-silent"] = nameless("dns-silent", FailureKind.NAME_SERVER)


# --- many at once ---------------------------------------------------------------------------------------


def test_all_hosts_at_once_end_in_time_and_nobody_is_in_the_others_way(box: Running) -> None:
    slow = {"too-many", "storm", "dies"}  # what they say depends on who was there before

    async def work() -> None:
        async with trip(box) as out:
            urls = [f"http://{habit}.test/" for habit in HABITS if habit not in slow]
            got = await asyncio.gather(*(out.fetch(url) for url in urls * 2))
            assert len(got) == 2 * len(urls)
            assert all(
                one.failure is not None or one.response is not None or one.copy_of for one in got
            )

    asyncio.run(work())


def test_fetches_that_are_cancelled_leave_nothing_behind(box: Running) -> None:
    async def work() -> None:
        async with trip(box) as out:
            hosts = (
                "stall",
                "slow-first-byte",
                "robots-slow",
                "slow-drip",
                "endless",
                "redirect-endless",
            )
            tasks = [asyncio.create_task(out.fetch(f"http://{host}.test/")) for host in hosts * 3]
            await asyncio.sleep(0.2)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(work())
