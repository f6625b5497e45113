"""robots.txt of many hosts: asked for, kept, and kept to."""

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from logging import WARNING
from typing import Any, TypeVar

import pytest

from motherlode.fetch import FetchError, RobotsOptions
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.robots import cache as rulebook_module
from motherlode.fetch.robots.cache import MAX_BYTES, RobotsCache, origin_of
from motherlode.lab.clock import run_virtually
from motherlode.records import RobotsFile
from support.scripted_web import AGENT, Plain, Said, ScriptedWeb, in_turn, moved, now

T = TypeVar("T")
ROBOTS = "http://a.test/robots.txt"
CLOSED = "User-agent: *\nDisallow: /x\n"
DAY = 86_400.0


def run(work: Coroutine[Any, Any, T]) -> T:
    return run_virtually(work)


def book(
    web: ScriptedWeb, load: Callable[[str], RobotsFile | None] = lambda _: None, **options: Any
) -> RobotsCache:
    return RobotsCache(web, RobotsOptions(**options), AGENT, load, clock=now)


async def allows(rules: RobotsCache, path: str = "/x", origin: str = "http://a.test") -> bool | str:
    """Whether a path may be fetched, or why nobody knows."""
    try:
        return (await rules.rules_for(f"{origin}{path}")).allows(f"{origin}{path}")
    except FetchError as error:
        return error.kind


def said(answer: Said, path: str = "/x", **pages: Said) -> bool | str:
    web = ScriptedWeb(
        {ROBOTS: answer, **{f"http://{host}.test/robots.txt": one for host, one in pages.items()}}
    )

    async def work() -> bool | str:
        return await allows(book(web), path)

    return run(work())


# --- what it says ---------------------------------------------------------------------------------------


def test_rules_are_kept_to() -> None:
    assert said(CLOSED) is False
    assert said(CLOSED, "/y") is True
    assert said("User-agent: motherlode\nDisallow: /y\nUser-agent: *\nDisallow: /x") is True


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 204])
def test_no_robots_txt_allows_everything(status: int) -> None:
    assert said(status) is True


@pytest.mark.parametrize("status", [429, 500, 503, 599])
def test_a_robots_txt_that_fails_closes_the_host_for_a_while(status: int) -> None:
    web = ScriptedWeb({ROBOTS: in_turn(status, status, CLOSED)})

    async def work() -> list[object]:
        rules = book(web, retry=300.0)
        seen: list[object] = []
        for _ in range(6):
            seen.append(await allows(rules, "/y"))
            await asyncio.sleep(150)
        return seen

    closed = FailureKind.ROBOTS_UNREACHABLE
    assert run(work()) == [closed, closed, closed, closed, True, True]
    assert [at for at, _ in web.asked] == [0.0, 300.0, 600.0]


@pytest.mark.parametrize(
    "kind", [FailureKind.REFUSED, FailureKind.FIRST_BYTE_TIMEOUT, FailureKind.NO_SUCH_HOST]
)
def test_a_host_that_does_not_answer_fails_as_such_and_is_asked_again(kind: FailureKind) -> None:
    web = ScriptedWeb({ROBOTS: in_turn(kind, CLOSED)})

    async def work() -> list[bool | str]:
        rules = book(web)
        return [await allows(rules), await allows(rules)]

    assert run(work()) == [kind, False]


def test_redirects_are_followed_to_other_hosts_five_times() -> None:
    names = [f"http://h{n}.test/robots.txt" for n in range(6)]
    web = ScriptedWeb({ROBOTS: moved(names[0]), **{one: moved(to) for one, to in pairwise(names)}})
    web.pages[names[4]] = CLOSED

    async def work() -> list[bool | str]:
        five = await allows(book(web))
        web.pages[names[4]] = moved(names[5])
        web.pages[names[5]] = CLOSED
        return [five, await allows(book(web))]

    assert run(work()) == [False, True]
    assert len(web.asked) == 6 + 6


@pytest.mark.parametrize("target", ["ftp://a.test/robots.txt", "http://", "/robots.txt"])
def test_a_redirect_to_nowhere_or_in_a_circle_is_no_robots_txt(target: str) -> None:
    assert said(moved(target)) is True


def test_the_fault_of_a_host_that_robots_txt_redirects_to_is_not_this_hosts() -> None:
    there = moved("http://b.test/robots.txt")
    assert (
        said(there, b=FailureKind.REFUSED) == said(there, b=503) == FailureKind.ROBOTS_UNREACHABLE
    )
    assert (
        said(there, b=404) is said(there, b=FailureKind.FORBIDDEN_ADDRESS) is True
    )  # nowhere that we could go
    assert (
        said(in_turn(moved("/robots.txt"), FailureKind.REFUSED)) == FailureKind.REFUSED
    )  # its own


def test_a_long_file_counts_up_to_its_limit_and_to_whole_lines() -> None:
    early, late = b"User-agent: *\nDisallow: /x\n", b"Disallow: /late\n"
    filler = b"#" * (MAX_BYTES - len(early) - len(b"Disallow: /") - 1) + b"\n"
    body = early + filler + late  # cut behind the slash: half a line that would close the host
    assert said((200, {}, body)) is False
    assert said((200, {}, body), "/late") is True
    assert said((200, {}, body), "/y") is True


def test_thousands_of_patterns_hold_nobody_up() -> None:
    """Each was compiled once, which took seconds."""
    lines = "".join(f"Disallow: /*a{n}*b*c$\n" for n in range(25_000))
    assert said(f"User-agent: *\n{lines}"[:MAX_BYTES], "/1/a77/b/c") is False


# --- asked for once -------------------------------------------------------------------------------------


def test_many_fetches_wait_for_one_robots_txt() -> None:
    web = ScriptedWeb({ROBOTS: CLOSED}, seconds=5.0)

    async def work() -> list[bool | str]:
        rules = book(web)
        return await asyncio.gather(*(allows(rules, f"/{n}") for n in range(200)))

    assert run(work()) == [True] * 200
    assert len(web.asked) == 1


def test_many_fetches_share_one_failure() -> None:
    web = ScriptedWeb({ROBOTS: FailureKind.RESET}, seconds=5.0)

    async def work() -> set[bool | str]:
        rules = book(web)
        return set(await asyncio.gather(*(allows(rules) for _ in range(50))))

    assert run(work()) == {FailureKind.RESET}
    assert len(web.asked) == 1


def test_one_that_gives_up_does_not_take_the_others_along() -> None:
    web = ScriptedWeb({ROBOTS: CLOSED}, seconds=5.0)

    async def work() -> list[object]:
        rules = book(web)
        tasks = [asyncio.create_task(allows(rules)) for _ in range(3)]
        await asyncio.sleep(1)
        tasks[0].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, *others = run(work())
    assert isinstance(first, asyncio.CancelledError)
    assert (others, len(web.asked)) == ([False, False], 1)


def test_whoever_comes_when_all_have_given_up_asks_anew() -> None:
    web = ScriptedWeb({ROBOTS: CLOSED}, seconds=5.0)

    async def work() -> bool | str:
        rules = book(web)
        gone = asyncio.create_task(allows(rules))
        await asyncio.sleep(1)
        gone.cancel()
        await asyncio.sleep(0)
        answer = await allows(rules)
        assert rules._asking == {}
        return answer

    assert run(work()) is False
    assert [at for at, _ in web.asked] == [0.0, 1.0]


def test_schemes_and_ports_have_their_own() -> None:
    web = ScriptedWeb(
        {ROBOTS: CLOSED, "http://a.test:81/robots.txt": "User-agent: *\nDisallow: /y"}
    )

    async def work() -> list[bool | str]:
        rules = book(web)
        origins = ("http://a.test", "http://a.test:81", "https://a.test")
        return [await allows(rules, path, origin) for origin in origins for path in ("/x", "/y")]

    assert run(work()) == [False, True, True, False, True, True]
    assert origin_of("http://[::1]:80/a:b/c") == "http://[::1]:80"


# --- kept -----------------------------------------------------------------------------------------------


def test_it_is_asked_for_again_after_a_day() -> None:
    web = ScriptedWeb({ROBOTS: in_turn(CLOSED, "User-agent: *\nDisallow:")})

    async def work() -> list[bool | str]:
        rules, seen = book(web, keep=DAY), []
        for pause in (0.0, DAY - 1, 1.0):
            await asyncio.sleep(pause)
            seen.append(await allows(rules))
        return seen

    assert run(work()) == [False, False, True]
    assert [at for at, _ in web.asked] == [0.0, DAY]


@pytest.mark.parametrize(
    "trouble", [500, 429, FailureKind.CONNECT_TIMEOUT, moved("http://b.test/robots.txt")]
)
def test_a_refresh_that_fails_keeps_the_old_rules_and_is_tried_again(trouble: Plain) -> None:
    web = ScriptedWeb({ROBOTS: in_turn(CLOSED, trouble, "User-agent: *\nDisallow: /y")})
    web.pages["http://b.test/robots.txt"] = FailureKind.REFUSED

    async def work() -> list[bool | str]:
        rules, seen = book(web, keep=1000.0, retry=100.0), []
        for pause in (0.0, 1000.0, 99.0, 1.0):
            await asyncio.sleep(pause)
            seen.append(await allows(rules))
        (file,) = rules.changed()
        assert (file.origin, file.status, file.expires_at) == ("http://a.test", 200, 2100.0)
        return seen

    assert run(work()) == [False, False, False, True]


def test_what_an_earlier_run_kept_is_used_until_it_expires() -> None:
    web = ScriptedWeb({ROBOTS: "User-agent: *\nDisallow:"})
    kept = {"http://a.test": RobotsFile("http://a.test", 200, CLOSED.encode(), -5.0, 60.0)}

    async def work() -> list[bool | str]:
        rules = book(web, kept.get)
        seen = [await allows(rules)]
        assert (web.asked, rules.changed()) == ([], [])
        await asyncio.sleep(60)
        return [*seen, await allows(rules)]

    assert run(work()) == [False, True]
    assert len(web.asked) == 1


def test_what_an_earlier_run_kept_holds_on_if_it_cannot_be_had_now() -> None:
    kept = {"http://a.test": RobotsFile("http://a.test", 200, CLOSED.encode(), -500.0, -1.0)}

    async def work(load: Callable[[str], RobotsFile | None], answer: Plain) -> bool | str:
        return await allows(book(ScriptedWeb({ROBOTS: answer}), load))

    assert run(work(kept.get, 503)) is False
    assert run(work(kept.get, FailureKind.RESET)) is False
    closed = {"http://a.test": RobotsFile("http://a.test", 500, None, -500.0, -1.0)}
    assert run(work(closed.get, 503)) == FailureKind.ROBOTS_UNREACHABLE
    assert run(work(closed.get, FailureKind.RESET)) == FailureKind.RESET


def test_what_was_fetched_is_handed_over_once_and_can_be_read_back() -> None:
    web = ScriptedWeb({ROBOTS: CLOSED, "http://b.test/robots.txt": 503})

    async def work() -> list[RobotsFile]:
        rules = book(web, keep=1000.0, retry=100.0)
        await allows(rules)
        await allows(rules, origin="http://b.test")
        await allows(rules, origin="http://c.test")
        changed = rules.changed()
        assert rules.changed() == []
        return changed

    files = run(work())
    assert files == [
        RobotsFile("http://a.test", 200, CLOSED.encode(), 0.0, 1000.0),
        RobotsFile("http://b.test", 503, None, 0.0, 100.0),
        RobotsFile("http://c.test", 404, b"", 0.0, 1000.0),
    ]
    loaded = {file.origin: file for file in files}

    async def again() -> list[bool | str]:
        rules = book(ScriptedWeb({}), loaded.get)
        return [await allows(rules, origin=f"http://{host}.test") for host in "abc"]

    assert run(again()) == [False, FailureKind.ROBOTS_UNREACHABLE, True]


def test_a_delay_is_told_with_the_rules() -> None:
    web = ScriptedWeb({ROBOTS: "User-agent: *\nCrawl-delay: 7"})

    async def work() -> float | None:
        return (await book(web).rules_for("http://a.test/y")).delay

    assert run(work()) == 7.0


# --- not kept to ----------------------------------------------------------------------------------------


def test_a_host_whose_robots_txt_is_not_kept_to_is_named_once_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    web = ScriptedWeb(dict.fromkeys((ROBOTS, "http://b.test/robots.txt"), CLOSED))

    async def work() -> list[bool | str]:
        rules = book(web, ignore=("a.test", "*.c.test"))
        hosts = ("a", "a", "b", "www.a", "c", "www.c")
        return [await allows(rules, origin=f"http://{host}.test") for host in hosts]

    with caplog.at_level(WARNING, "motherlode.robots"):
        assert run(work()) == [True, True, False, True, True, True]
    named = [record.getMessage().split()[2] for record in caplog.records]
    assert named == ["a.test", "c.test", "www.c.test"]
    assert [url for _, url in web.asked] == [
        "http://b.test/robots.txt",
        "http://www.a.test/robots.txt",
    ]


def test_turning_it_off_is_logged_as_well(caplog: pytest.LogCaptureFixture) -> None:
    web = ScriptedWeb({ROBOTS: CLOSED})

    async def work() -> bool | str:
        return await allows(book(web, obey=False))

    with caplog.at_level(WARNING, "motherlode.robots"):
        assert run(work()) is True
    assert "a.test" in caplog.text
    assert web.asked == []


# --- memory ---------------------------------------------------------------------------------------------


def test_memory_is_bounded_in_bytes_however_many_hosts_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rulebook_module, "_MEMORY", 100_000)
    monkeypatch.setattr(rulebook_module, "_REMEMBERED", 500)
    large = "User-agent: *\n" + "#" * 20_000
    web = ScriptedWeb(
        {f"http://h{n}.test/robots.txt": large if n % 50 == 0 else CLOSED for n in range(3000)}
    )

    async def work() -> None:
        rules = book(web, ignore=("*.ignored.test",))
        for n in range(3000):
            assert await allows(rules, origin=f"http://h{n}.test") is (n % 50 == 0)
            assert await allows(rules, origin=f"http://h{n}.ignored.test") is True
            if n % 100 == 0:
                rules.changed()
        kept = [file for file, _ in rules._files.values()]
        assert 3 <= len(kept) <= 100
        assert sum(len(file.body or b"") for file in kept) <= 100_000
        assert len(rules._ignored) <= 500
        assert rules._asking == {}
        assert rules._room >= 0

    run(work())


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("told", "wait"), [("3600", 3600.0), ("1", 300.0), ("nonsense", 300.0), ("999999", DAY)]
)
def test_robots_txt_is_not_asked_for_before_the_time_that_the_host_named(
    status: int, told: str, wait: float
) -> None:
    web = ScriptedWeb({ROBOTS: in_turn((status, {"Retry-After": told}), CLOSED)})

    async def work() -> tuple[float | None, list[bool | str]]:
        rules = book(web, retry=300.0)
        with pytest.raises(FetchError) as failure:
            await rules.rules_for("http://a.test/x")
        await asyncio.sleep(wait - 1)
        before = await allows(rules)
        await asyncio.sleep(2)
        return failure.value.wait, [before, await allows(rules)]

    assert run(work()) == (wait, [FailureKind.ROBOTS_UNREACHABLE, False])
    assert [url for _, url in web.asked] == [ROBOTS, ROBOTS]
