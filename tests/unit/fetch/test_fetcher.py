"""The life of a fetch, in a web that says what it is told to, on virtual time."""

import asyncio
from collections.abc import Coroutine
from email.utils import formatdate
from typing import Any, TypeVar

import pytest

from motherlode.fetch import FetchError, PolitenessOptions, Request, Response
from motherlode.fetch.duplicates import Duplicates
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.fetcher import MAX_HOPS, Fetched, Fetcher, FetchRules
from motherlode.fetch.host_records import HostBook
from motherlode.lab.clock import run_virtually
from motherlode.records import Host, HostState
from motherlode.records.digests import digest_of
from motherlode.urls import address
from motherlode.urls.traps import TrapRules
from support.scripted_web import Said, ScriptedWeb, fetch, fetcher, in_turn, moved, now, numbered

T = TypeVar("T")
EAGER = PolitenessOptions(delay=0.0, slowdown=0.0)


def run(work: Coroutine[Any, Any, T]) -> T:
    return run_virtually(work)


def fetched(pages: dict[str, Said], url: str = "http://a.test/", **parts: Any) -> Fetched:
    """What becomes of one URL."""

    async def work() -> Fetched:
        return await fetch(fetcher(ScriptedWeb(pages), **parts), url)

    return run(work())


# --- answers --------------------------------------------------------------------------------------------


def test_a_page_comes_with_its_digest_and_what_its_head_says() -> None:
    headers = {"X-Robots-Tag": "noindex", "Link": '<http://www.a.test/>; rel="canonical"'}
    got = fetched({"http://a.test/": (200, headers, b"<p>Words")})
    assert got.response is not None
    assert (got.response.body, got.failure, got.hops, got.copy_of) == (b"<p>Words", None, (), "")
    assert got.digest == digest_of(b"<p>Words")
    assert (got.directives.index, got.directives.follow) == (False, True)
    assert got.canonical == "http://www.a.test/"


def test_what_a_head_says_to_crawlers_can_be_passed_over() -> None:
    pages: dict[str, Said] = {"http://a.test/": (200, {"X-Robots-Tag": "none"}, b"<p>Words")}
    said = fetched(pages, rules=FetchRules(page_rules=False)).directives
    assert (said.index, said.follow) == (True, True)


def test_an_empty_page_has_no_digest_and_is_nobodys_copy() -> None:
    async def work() -> list[Fetched]:
        given = fetcher(ScriptedWeb({"http://a.test/": (200, {}), "http://b.test/": (200, {})}))
        return [await fetch(given, "http://a.test/"), await fetch(given, "http://b.test/")]

    assert [(one.digest, one.copy_of, one.failure) for one in run(work())] == [(b"", "", None)] * 2


@pytest.mark.parametrize(
    ("status", "kind", "retried"),
    [
        (404, FailureKind.CLIENT, False),
        (410, FailureKind.CLIENT, False),
        (500, FailureKind.SERVER, True),
        (503, FailureKind.UNAVAILABLE, True),
        (429, FailureKind.TOO_MANY, True),
        (300, FailureKind.BAD_REDIRECT, False),
        (302, FailureKind.BAD_REDIRECT, False),  # to nowhere
    ],
)
def test_a_status_is_a_failure_of_its_kind(status: int, kind: FailureKind, retried: bool) -> None:  # noqa: FBT001 - a table
    got = fetched({"http://a.test/": status})
    assert (got.failure, got.retry_at is not None) == (kind, retried)
    assert got.response is not None
    assert got.response.status == status


def test_a_page_that_has_not_changed_is_no_failure() -> None:
    got = fetched({"http://a.test/": 304})
    assert (got.failure, got.response is not None, got.digest) == (None, True, b"")


def test_no_answer_is_a_failure_of_its_kind_with_a_time_for_another_try() -> None:
    got = fetched({"http://a.test/": FailureKind.CONNECT_TIMEOUT})
    assert (got.failure, got.response, got.retry_at) == (FailureKind.CONNECT_TIMEOUT, None, 30.0)


# --- redirects ------------------------------------------------------------------------------------------


def test_redirects_are_followed_and_recorded() -> None:
    pages: dict[str, Said] = {
        "http://a.test/": moved("/one", 301),
        "http://a.test/one": moved("http://b.test/two", 307),
        "http://b.test/two": "<p>There",
    }
    got = fetched(pages)
    assert [(hop.url, hop.target, hop.status) for hop in got.hops] == [
        ("http://a.test/", "http://a.test/one", 301),
        ("http://a.test/one", "http://b.test/two", 307),
    ]
    assert (got.url, got.final.url, got.failure) == ("http://a.test/", "http://b.test/two", None)


@pytest.mark.parametrize("target", ["/", "http://A.test:80/#top", "/?utm_source=x"])
def test_a_page_that_redirects_to_itself_is_a_loop(target: str) -> None:
    got = fetched({"http://a.test/": moved(target)})
    assert (got.failure, len(got.hops)) == (FailureKind.REDIRECT_LOOP, 1)


def test_a_circle_is_left_where_it_closes() -> None:
    pages: dict[str, Said] = {
        "http://a.test/": moved("/1"),
        "http://a.test/1": moved("/2"),
        "http://a.test/2": moved("/1"),
    }
    web = ScriptedWeb(pages)

    async def work() -> Fetched:
        return await fetch(fetcher(web), "http://a.test/")

    got = run(work())
    assert got.failure is FailureKind.REDIRECT_LOOP
    assert [hop.target for hop in got.hops] == [
        "http://a.test/1",
        "http://a.test/2",
        "http://a.test/1",
    ]
    assert len(web.urls()) == 3


def test_twenty_five_redirects_are_followed_and_no_more() -> None:
    pages: dict[str, Said] = {f"http://a.test/{n}": moved(f"/{n + 1}") for n in range(MAX_HOPS)}
    web = ScriptedWeb({**pages, f"http://a.test/{MAX_HOPS}": "<p>At last"})

    async def work() -> list[Fetched]:
        given = fetcher(web, EAGER)
        last = await fetch(given, "http://a.test/0")
        web.pages[f"http://a.test/{MAX_HOPS}"] = moved(f"/{MAX_HOPS + 1}")
        return [last, await fetch(given, "http://a.test/0")]

    last, too_many = run(work())
    assert (last.failure, len(last.hops)) == (None, 25)
    assert (too_many.failure, len(too_many.hops)) == (FailureKind.REDIRECTS, 25)


@pytest.mark.parametrize(
    "target", ["ftp://a.test/", "javascript:1", "http://", "http://a.test/" + "x" * 2000]
)
def test_a_redirect_out_of_the_web_leads_nowhere(target: str) -> None:
    got = fetched({"http://a.test/": moved(target)})
    assert (got.failure, got.hops) == (FailureKind.BAD_REDIRECT, ())
    assert got.detail


def test_a_redirect_to_a_known_url_is_not_followed() -> None:
    web = ScriptedWeb({"http://a.test/": moved("http://b.test/"), "http://b.test/": "<p>Known"})
    key = address("http://b.test/").key

    async def work() -> Fetched:
        known = {key: "http://b.test/"}
        return await fetch(fetcher(web, known=lambda asked: known.get(asked, "")), "http://a.test/")

    got = run(work())
    assert (got.copy_of, got.final.url, len(got.hops)) == ("http://b.test/", "http://b.test/", 1)
    assert (got.failure, web.urls()) == (None, ["http://a.test/"])


TRAP = "http://b.test/" + "x/" * 9


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (TRAP, FailureKind.TRAP),
        ("http://b.test/closed/", FailureKind.ROBOTS),
        ("http://bad.test/", FailureKind.BAD_HOST),
        ("http://dead.test/", FailureKind.REFUSED),
        ("http://locked.test/", FailureKind.OUTSIDE),
    ],
)
def test_what_holds_for_urls_holds_for_the_targets_of_redirects(
    target: str, kind: FailureKind
) -> None:
    pages: dict[str, Said] = {
        "http://a.test/": moved(target),
        "http://b.test/robots.txt": "User-agent: *\nDisallow: /closed",
        "http://dead.test/robots.txt": FailureKind.REFUSED,
    }
    web = ScriptedWeb(pages)
    hosts = HostBook({"bad.test": Host("bad.test", "bad.test", HostState.BAD, "refused")}.get)

    async def work() -> Fetched:
        return await fetch(
            fetcher(web, hosts=hosts, allows=lambda host: host != "locked.test"), "http://a.test/"
        )

    got = run(work())
    assert (got.failure, got.final.url, len(got.hops)) == (kind, target, 1)
    assert web.urls() == ["http://a.test/"]
    assert hosts["a.test"].failures == 0  # it is not to blame


def test_redirects_keep_to_the_connections_and_rests_of_where_they_lead() -> None:
    pages: dict[str, Said] = {}
    for n in range(30):
        pages[f"http://s{n}.test/"] = moved(f"http://h{n % 3}.hub.test/{n}")
        pages[f"http://h{n % 3}.hub.test/{n}"] = f"<p>{n}"
    web = ScriptedWeb(pages, seconds=3.0)
    options = PolitenessOptions(delay=1.0, slowdown=0.0, domain_connections=5)

    async def work() -> list[Fetched]:
        given = fetcher(web, options)
        return await asyncio.gather(*(fetch(given, f"http://s{n}.test/") for n in range(30)))

    assert all(one.failure is None and len(one.hops) == 1 for one in run(work()))
    assert web.most["domain hub.test"] == 5
    assert max(web.most[f"host h{n}.hub.test"] for n in range(3)) <= 2


def test_redirects_within_a_host_rest_as_fetches_do() -> None:
    web = ScriptedWeb(
        {
            "http://a.test/": moved("/1"),
            "http://a.test/1": moved("/2"),
            "http://a.test/2": "<p>There",
        }
    )

    async def work() -> Fetched:
        return await fetch(fetcher(web, PolitenessOptions(delay=7.0)), "http://a.test/")

    assert run(work()).failure is None
    assert web.times("a.test") == [0.0, 7.0, 14.0]


# --- refusals -------------------------------------------------------------------------------------------


def test_a_trap_a_full_host_and_a_bad_host_are_not_asked() -> None:
    hosts = {
        "bad.test": Host("bad.test", "bad.test", HostState.BAD, "connect timed out"),
        "full.test": Host("full.test", "full.test", pages=10),
    }
    web = ScriptedWeb({})

    async def work() -> list[Fetched]:
        rules = FetchRules(traps=TrapRules(pages_per_host=10))
        given = fetcher(web, hosts=HostBook(hosts.get), rules=rules)
        urls = ("http://bad.test/", "http://full.test/", TRAP)
        return [await fetch(given, url) for url in urls]

    got = run(work())
    assert [one.failure for one in got] == [
        FailureKind.BAD_HOST,
        FailureKind.HOST_FULL,
        FailureKind.TRAP,
    ]
    assert [one.detail for one in got] == ["connect timed out", "10 pages", "repeating path"]
    assert [one.retry_at for one in got] == [None] * 3
    assert web.asked == []


def test_a_host_is_full_once_so_many_pages_came() -> None:
    web = ScriptedWeb(dict.fromkeys(numbered("http://a.test/{}", 20), "<p>One more"))

    async def work() -> list[FailureKind | None]:
        given = fetcher(web, EAGER, rules=FetchRules(traps=TrapRules(pages_per_host=5)))
        return [(await fetch(given, url)).failure for url in numbered("http://a.test/{}", 20)]

    assert run(work()) == [None] * 5 + [FailureKind.HOST_FULL] * 15
    assert len(web.urls()) == 5


def test_what_robots_txt_disallows_is_not_asked_for() -> None:
    web = ScriptedWeb(
        {"http://a.test/robots.txt": "User-agent: *\nDisallow: /x", "http://a.test/y": "<p>Y"}
    )

    async def work() -> list[FailureKind | None]:
        given = fetcher(web)
        return [(await fetch(given, f"http://a.test/{path}")).failure for path in ("x", "y")]

    assert run(work()) == [FailureKind.ROBOTS, None]
    assert web.urls() == ["http://a.test/y"]


# --- hosts that fail ------------------------------------------------------------------------------------


def test_a_host_is_slow_then_bad_after_three_retries_and_asked_no_more() -> None:
    web = ScriptedWeb({"http://a.test/": FailureKind.FIRST_BYTE_TIMEOUT})

    async def work() -> list[tuple[FailureKind | None, HostState]]:
        given, seen = fetcher(web), []
        for attempt in range(1, 6):
            got = await fetch(given, "http://a.test/", attempt)
            seen.append((got.failure, given.hosts["a.test"].state))
            await asyncio.sleep(max(0.0, (got.retry_at or 0.0) - now()))
        return seen

    slow, bad = HostState.SLOW, HostState.BAD
    late = FailureKind.FIRST_BYTE_TIMEOUT
    assert run(work()) == [
        (late, slow),
        (late, slow),
        (late, slow),
        (late, bad),
        (FailureKind.BAD_HOST, bad),
    ]
    assert web.times("a.test") == [0.0, 30.0, 90.0, 210.0]


def test_a_host_recovers() -> None:
    web = ScriptedWeb(
        {
            "http://a.test/": in_turn(
                FailureKind.RESET,
                FailureKind.RESET,
                FailureKind.RESET,
                "<p>Back",
                FailureKind.RESET,
            )
        }
    )

    async def work() -> list[tuple[HostState, int]]:
        given, seen = fetcher(web), []
        for attempt in range(1, 6):
            await fetch(given, "http://a.test/", min(attempt, 3))
            seen.append((given.hosts["a.test"].state, given.hosts["a.test"].failures))
        return seen

    slow, good = HostState.SLOW, HostState.GOOD
    assert run(work()) == [(slow, 1), (slow, 2), (slow, 3), (good, 0), (slow, 1)]


@pytest.mark.parametrize("attempts", [1, 9])  # with retries left, and without
def test_failures_in_parallel_are_one_failure(attempts: int) -> None:
    pages: dict[str, Said] = dict.fromkeys(
        numbered("http://a.test/{}", 2), FailureKind.CONNECT_TIMEOUT
    )
    web = ScriptedWeb({**pages, "http://a.test/": "<p>A"}, seconds=5.0)

    async def work() -> Host:
        given = fetcher(web)
        await fetch(given, "http://a.test/")  # nobody asks a stranger twice at once
        urls = numbered("http://a.test/{}", 2)
        await asyncio.gather(*(fetch(given, url, attempts) for url in urls))
        return given.hosts["a.test"]

    host = run(work())
    assert (host.failures, host.state) == (1, HostState.SLOW)
    assert host.next_at > 5.0  # though it was given up, the host is left alone for a while


def test_a_host_is_left_alone_though_it_was_an_earlier_crawl_that_it_told() -> None:
    web = ScriptedWeb({"http://a.test/0": "<p>A", "http://a.test/1": "<p>B"})
    kept = Host(
        "a.test", "a.test", HostState.SLOW, str(FailureKind.UNAVAILABLE), failures=1, next_at=600.0
    )

    async def work() -> list[Fetched]:
        given = fetcher(web, hosts=HostBook({"a.test": kept}.get))
        return [await fetch(given, url) for url in numbered("http://a.test/{}", 2)]

    first, second = run(work())
    assert (first.failure, first.retry_at) == (FailureKind.RESTING, 600.0)
    assert second.failure is None
    assert web.times("a.test") == [600.0]


def test_a_url_waits_as_long_as_its_robots_txt_was_asked_to_be_left_alone() -> None:
    got = fetched(
        {"http://a.test/robots.txt": (503, {"Retry-After": "7200"}), "http://a.test/": "<p>A"}
    )
    assert (got.failure, got.retry_at) == (FailureKind.ROBOTS_UNREACHABLE, 7200.0)


@pytest.mark.parametrize("options", [EAGER, PolitenessOptions()])
@pytest.mark.parametrize("status", [429, 503])
def test_nobody_asks_a_host_before_the_time_it_named(
    status: int, options: PolitenessOptions
) -> None:
    pages: dict[str, Said] = {
        "http://a.test/0": in_turn((status, {"Retry-After": "600"}), "<p>Now")
    }
    web = ScriptedWeb(
        {**pages, "http://a.test/1": "<p>Another", "http://b.test/": "<p>B"}, seconds=0.5
    )

    async def work() -> list[float | None]:
        given = fetcher(web, options)
        urls = ("http://a.test/0", "http://b.test/")
        first, _ = await asyncio.gather(*(fetch(given, url) for url in urls))
        await fetch(given, "http://a.test/1")
        assert given.hosts["a.test"].state is HostState.GOOD
        return [first.retry_at]

    assert run(work()) == [601.0]
    assert web.times("a.test") == [0.5, 601.0]
    assert web.times("b.test") == [0.5]


def test_a_waiting_fetch_is_not_let_in_behind_one_that_was_refused() -> None:
    web = ScriptedWeb(
        dict.fromkeys(numbered("http://a.test/{}", 4), (429, {"Retry-After": "60"})), seconds=1.0
    )

    async def work() -> None:
        given = fetcher(web, PolitenessOptions(delay=0.0, slowdown=0.0, host_connections=1))
        await asyncio.gather(*(fetch(given, url) for url in numbered("http://a.test/{}", 4)))

    run(work())
    assert web.times("a.test") == [1.0, 62.0, 123.0, 184.0]  # the first second went to robots.txt


RETRY_AFTER = {
    "120": 120.0,
    " 5 ": 60.0,  # less than we would wait anyway
    formatdate(600, usegmt=True): 600.0,
    "Thu, 01 Jan 1970 00:10:00": 600.0,
    "Sat, 01 Jan 2050 00:00:00 GMT": 86_400.0,  # a day at most
    "999999999": 86_400.0,
    "": 60.0,
    "soon": 60.0,
    "-5": 60.0,
    "1e9": 60.0,
    "99999999999999999999": 60.0,
    "1 Jan 999999999999999999999 0:0:0": 60.0,
    "Mon, 01 Jan 0001 00:00:00 -0000": 86_400.0,  # year 2001, says RFC 5322
    "Thu, 01 Jan 1970 00:00:00 +9999": 60.0,
}


@pytest.mark.parametrize(("told", "wait"), RETRY_AFTER.items())
def test_a_host_says_when_to_come_back_in_either_form_or_in_none(told: str, wait: float) -> None:
    got = fetched({"http://a.test/": (429, {"Retry-After": told})})
    assert (got.failure, got.retry_at) == (FailureKind.TOO_MANY, wait)


# --- turns ----------------------------------------------------------------------------------------------


class Stuck:
    """A web that never answers, or breaks as no web should."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def expect(self, host: str) -> None:
        pass

    async def fetch(self, request: Request) -> Response:
        if request.url.endswith("/robots.txt"):
            raise FetchError(FailureKind.REFUSED, request.url)
        if self.error is not None:
            raise self.error
        await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.parametrize("error", [None, RuntimeError("a mistake of ours")])
def test_a_turn_is_given_back_however_a_fetch_ends(error: Exception | None) -> None:
    async def work() -> float:
        calm = fetcher(
            ScriptedWeb({"http://a.test/robots.txt": 404, "http://a.test/": "<p>A"}), EAGER
        )
        broken = Fetcher(
            web=Stuck(error), courtesy=calm.courtesy, rulebook=calm.rulebook, clock=now
        )
        tasks = [asyncio.create_task(fetch(broken, "http://a.test/")) for _ in range(5)]
        await asyncio.sleep(1)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(one) for one in ended} <= {asyncio.CancelledError, RuntimeError}
        async with asyncio.timeout(10):
            assert (await fetch(calm, "http://a.test/")).failure is None
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return now()

    assert run(work()) == 1.0


def test_a_fetch_that_is_cancelled_while_robots_txt_is_asked_for_leaves_no_task_behind() -> None:
    web = ScriptedWeb({"http://a.test/": "<p>A"}, seconds=10.0)

    async def work() -> FailureKind | None:
        given = fetcher(web, EAGER)
        first = asyncio.create_task(fetch(given, "http://a.test/"))
        second = asyncio.create_task(given.rulebook.rules_for("http://a.test/"))
        await asyncio.sleep(1)
        first.cancel()
        await asyncio.sleep(1)
        assert len(web.asked) == 1  # the other goes on waiting for the same robots.txt
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return (await fetch(given, "http://a.test/")).failure

    assert run(work()) is None


@pytest.mark.parametrize("delay", [0.0, 1.0])
def test_the_rest_that_robots_txt_asks_for_is_kept_to_and_noted(delay: float) -> None:
    pages: dict[str, Said] = dict.fromkeys(numbered("http://a.test/{}", 3), "<p>A")
    web = ScriptedWeb({**pages, "http://a.test/robots.txt": "User-agent: *\nCrawl-delay: 20"})

    async def work() -> float:
        given = fetcher(web, PolitenessOptions(delay=delay))
        await asyncio.gather(*(fetch(given, url) for url in pages))
        return given.hosts["a.test"].delay

    assert run(work()) == 20.0
    assert web.times("a.test") == [0.0, 20.0, 40.0]


# --- copies ---------------------------------------------------------------------------------------------


def test_a_page_with_the_content_of_another_is_its_copy() -> None:
    web = ScriptedWeb({"http://a.test/": "<p>Same", "http://b.test/x": "<p>Same"})

    async def work() -> list[str]:
        given = fetcher(web)
        urls = ("http://a.test/", "http://b.test/x", "http://a.test/")
        return [(await fetch(given, url)).copy_of for url in urls]

    assert run(work()) == ["", "http://a.test/", ""]


def test_a_page_that_is_not_to_be_kept_has_no_copies() -> None:
    pages: dict[str, Said] = {
        "http://a.test/": (200, {"X-Robots-Tag": "noindex"}, b"<p>Same"),
        "http://b.test/": "<p>Same",
    }

    async def work() -> list[str]:
        given = fetcher(ScriptedWeb(pages))
        return [(await fetch(given, url)).copy_of for url in pages]

    assert run(work()) == ["", ""]


def test_what_a_mirror_is_known_to_have_is_not_asked_for() -> None:
    hosts = ("www.a.test", "a.test")
    web = ScriptedWeb(
        {f"http://{host}/{n}": f"<p>{n}" for host in hosts for n in range(6)}, address="192.0.2.1"
    )

    async def work() -> list[Fetched]:
        given = fetcher(web, EAGER, duplicates=Duplicates())
        return [await fetch(given, f"http://{host}/{n}") for n in range(6) for host in hosts]

    got = run(work())
    assert [one.copy_of for one in got[1::2]] == [f"http://www.a.test/{n}" for n in range(6)]
    assert [one.response is None for one in got[1::2]] == [False] * 3 + [True] * 3
    assert len(web.urls()) == 6 + 3
