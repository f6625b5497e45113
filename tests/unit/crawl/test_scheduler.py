"""Which entry is next, over a frontier in memory and on virtual time."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

import pytest
from msgspec.structs import replace

from motherlode.crawl.progress import Idle
from motherlode.crawl.scheduler import (
    MAX_ENTRIES,
    MAX_ENTRIES_PER_HOST,
    MIN_ENTRIES_PER_HOST,
    Scheduler,
)
from motherlode.fetch import PolitenessOptions
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.frontier import Frontier
from motherlode.lab.clock import run_virtually
from motherlode.records import Entry, QueueId, UrlId
from motherlode.urls import address, host_of
from support.scripted_web import ScriptedWeb, now

P = ParamSpec("P")
OWLS, BATS = QueueId(2), QueueId(3)
DELAY_S = 10.0  # between two requests to one host


def on_virtual_time(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    @wraps(test)
    def run(*args: P.args, **options: P.kwargs) -> None:
        run_virtually(test(*args, **options))

    return run


class ExpectingWeb(ScriptedWeb):
    """A web that remembers which hosts it was told to expect."""

    def __init__(self) -> None:
        super().__init__({})
        self.expected: list[str] = []

    def expect(self, host: str) -> None:
        self.expected.append(host)


class Schedule:
    """A scheduler, with its database in a dictionary and one connection to each host."""

    def __init__(self, *entries: Entry) -> None:
        self.rows = {entry.url_id: entry for entry in entries}
        self.frontier = Frontier(self._load)
        self.frontier.open([OWLS, BATS])
        options = PolitenessOptions(delay=DELAY_S, slowdown=0.0, host_connections=1)
        self.courtesy = RateLimiter[Entry](options)
        self.web = ExpectingWeb()
        self.scheduler = Scheduler(self.frontier, self.courtesy, self.web, now)

    def _load(self, queue: QueueId, limit: int, after: Entry | None) -> list[Entry]:
        rows = sorted((row for row in self.rows.values() if row.queue == queue), key=position)
        return [row for row in rows if after is None or position(row) > position(after)][:limit]

    async def take(self) -> str | None:
        """Return the URL of the entry that is next at this moment; None if no host is free."""
        try:
            async with asyncio.timeout(0):
                return (await self.scheduler.next()).url
        except TimeoutError:
            return None

    async def take_all(self) -> list[str]:
        """Return the URLs that are next at this moment, in order; their hosts stay busy."""
        urls = []
        while (url := await self.take()) is not None:
            urls.append(url)
        return urls

    def finish(self, url: str) -> None:
        """End a fetch, and remove its entry."""
        self.courtesy.release(host_of(url), 0.1)
        self.remove(url)

    def remove(self, url: str) -> None:
        done = [row.url_id for row in self.rows.values() if row.url == url]
        for url_id in done:
            del self.rows[url_id]
        self.scheduler.apply_batch(done, (), ())

    def offer(self, *entries: Entry) -> None:
        self.rows.update((entry.url_id, entry) for entry in entries)
        self.scheduler.offer(entries)


def position(entry: Entry) -> tuple[float, int]:
    return (-entry.rank, entry.url_id)


def entry(number: int, url: str, rank: float = 0.0, queue: QueueId = OWLS) -> Entry:
    place = address(f"http://{url}")
    return Entry(UrlId(number), place.url, place.key, queue, rank)


def urls(*names: str) -> list[str]:
    return [f"http://{name}" for name in names]


# --- the best entry whose host is free ---


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], []),
        ([entry(1, "a.test/", 0.1), entry(2, "b.test/", 0.9)], ["b.test/", "a.test/"]),
        (  # of equal ranks, the earliest discovery
            [entry(2, "b.test/"), entry(3, "c.test/"), entry(1, "a.test/")],
            ["a.test/", "b.test/", "c.test/"],
        ),
        (  # queues do not matter
            [entry(1, "a.test/", 0.5), entry(2, "b.test/", 0.9, BATS), entry(3, "c.test/", 0.7)],
            ["b.test/", "c.test/", "a.test/"],
        ),
        (  # a busy host holds up no other, however good its entries are
            [entry(1, "a.test/1", 0.9), entry(2, "a.test/2", 0.8), entry(3, "b.test/", 0.1)],
            ["a.test/1", "b.test/"],
        ),
        (  # a host has its own order
            [entry(1, "a.test/1", 0.1), entry(2, "a.test/2", 0.8)],
            ["a.test/2"],
        ),
    ],
)
@on_virtual_time
async def test_the_best_entry_of_a_free_host_is_next(
    entries: list[Entry],
    expected: list[str],
) -> None:
    assert await Schedule(*entries).take_all() == urls(*expected)


@on_virtual_time
async def test_a_host_at_rest_is_asked_again_after_its_delay() -> None:
    schedule = Schedule(
        entry(1, "a.test/1", 0.9),
        entry(2, "a.test/2", 0.8),
        entry(3, "b.test/", 0.1),
    )
    first = await schedule.take()
    schedule.finish("http://a.test/1")
    second = await schedule.take()
    third = (await schedule.scheduler.next()).url
    assert [first, second, third] == urls("a.test/1", "b.test/", "a.test/2")
    assert now() == DELAY_S


@on_virtual_time
async def test_a_fetcher_that_waits_is_given_what_is_offered_later() -> None:
    schedule = Schedule()
    waiting = asyncio.create_task(schedule.scheduler.next())
    await asyncio.sleep(5)
    schedule.offer(entry(1, "a.test/"))
    assert (await waiting).url == "http://a.test/"
    assert now() == 5.0


@on_virtual_time
async def test_entries_that_wait_for_one_host_come_by_rank_however_late_they_were_found() -> None:
    schedule = Schedule(entry(1, "a.test/1", 0.9), entry(2, "a.test/2", 0.5))
    assert await schedule.take_all() == urls("a.test/1")
    fetcher = asyncio.create_task(schedule.scheduler.next())
    await asyncio.sleep(0)
    schedule.offer(entry(3, "a.test/3", 0.8))
    schedule.finish("http://a.test/1")
    assert (await fetcher).url == "http://a.test/3"


@on_virtual_time
async def test_hosts_are_prepared_for_entries_that_wait_for_them_and_for_no_others() -> None:
    schedule = Schedule(entry(1, "a.test/", 0.9), entry(2, "b.test/", 0.1))
    await schedule.take()
    assert schedule.web.expected == ["a.test"]


@on_virtual_time
async def test_an_entry_that_was_done_while_it_waited_is_passed_over() -> None:
    """A redirect of another host has led to its page meanwhile."""
    schedule = Schedule(
        entry(1, "a.test/1", 0.9),
        entry(2, "a.test/2", 0.8),
        entry(3, "a.test/3", 0.7),
    )
    assert await schedule.take_all() == urls("a.test/1")  # the others wait for the host
    schedule.remove("http://a.test/2")
    schedule.finish("http://a.test/1")
    assert (await schedule.scheduler.next()).url == "http://a.test/3"
    assert now() == DELAY_S  # it cost the host no request


# --- nothing is pulled ahead of time ---


@on_virtual_time
async def test_entries_stay_in_the_frontier_until_a_fetcher_wants_one() -> None:
    schedule = Schedule(*(entry(number, f"h{number}.test/") for number in range(1, 6)))
    schedule.scheduler.pull_entries()
    assert schedule.scheduler.under_way == 0
    assert await schedule.take() == "http://h1.test/"
    assert schedule.scheduler.under_way == 1
    schedule.offer(entry(9, "better.test/", 0.9))
    assert await schedule.take() == "http://better.test/"
    assert schedule.scheduler.under_way == 2


@on_virtual_time
async def test_no_more_is_pulled_than_it_takes_to_find_a_free_host() -> None:
    schedule = Schedule(
        entry(1, "a.test/1", 0.9),
        entry(2, "a.test/2", 0.8),
        entry(3, "b.test/", 0.7),
        entry(4, "c.test/", 0.6),
    )
    assert [await schedule.take(), await schedule.take()] == urls("a.test/1", "b.test/")
    assert schedule.scheduler.under_way == 3


@pytest.mark.parametrize(
    ("names", "is_wanted", "has_any", "under_way"),
    [
        ([], False, False, 0),
        ([], True, False, 0),
        (["a.test/"], False, True, 0),
        (["a.test/"], True, True, 1),
        (["busy.test/1", "a.test/", "b.test/"], True, True, 2),
    ],
)
@on_virtual_time
async def test_pulling_says_whether_the_frontier_has_any(
    names: list[str],
    is_wanted: bool,  # noqa: FBT001 - a parameter
    has_any: bool,  # noqa: FBT001
    under_way: int,
) -> None:
    schedule = Schedule(entry(1, "busy.test/"))
    await schedule.take()
    waiting = asyncio.create_task(schedule.scheduler.next()) if is_wanted else None
    await asyncio.sleep(0)
    entries = [entry(2 + place, name) for place, name in enumerate(names)]
    schedule.rows.update((entry.url_id, entry) for entry in entries)
    schedule.frontier.offer(entries)
    assert schedule.scheduler.pull_entries() is has_any
    assert schedule.scheduler.under_way == 1 + under_way
    if waiting is not None:
        waiting.cancel()


# --- hosts for which too much waits ---


@pytest.mark.parametrize(
    ("at_host", "elsewhere", "is_pulled"),
    [
        (MAX_ENTRIES_PER_HOST - 1, 0, True),
        (MAX_ENTRIES_PER_HOST, 0, False),
        (MIN_ENTRIES_PER_HOST - 1, MAX_ENTRIES, True),
        (MIN_ENTRIES_PER_HOST, MAX_ENTRIES, False),
        (MIN_ENTRIES_PER_HOST, MAX_ENTRIES - MIN_ENTRIES_PER_HOST - 1, True),
        (MIN_ENTRIES_PER_HOST, MAX_ENTRIES - MIN_ENTRIES_PER_HOST, False),
    ],
)
@on_virtual_time
async def test_an_entry_is_left_to_the_database_if_its_host_has_enough(
    at_host: int,
    elsewhere: int,
    is_pulled: bool,  # noqa: FBT001 - a parameter
) -> None:
    schedule = Schedule(entry(1, "a.test/"), entry(2, "b.test/"))
    await schedule.take_all()  # both hosts are busy
    for host, waiting in ("a.test", at_host), ("b.test", elsewhere):
        for _ in range(waiting):
            schedule.courtesy.add(entry(3, "a.test/3"), 0.0, host)
    fetcher = asyncio.create_task(schedule.scheduler.next())
    await asyncio.sleep(0)
    schedule.offer(entry(4, "a.test/4"))
    assert schedule.courtesy.waiting("a.test") == at_host + is_pulled
    assert schedule.scheduler.under_way == 2 + is_pulled
    fetcher.cancel()


@on_virtual_time
async def test_what_was_left_to_the_database_comes_once_its_host_has_nothing_else() -> None:
    count = MAX_ENTRIES_PER_HOST + 10
    schedule = Schedule(*(entry(number, f"a.test/{number}") for number in range(count)))
    taken = [await schedule.take()]
    fetcher = asyncio.create_task(schedule.scheduler.next())
    await asyncio.sleep(0)
    for _ in range(3):  # each looks at some hundreds of entries
        schedule.scheduler.pull_entries()
    assert schedule.courtesy.waiting("a.test") == MAX_ENTRIES_PER_HOST
    while len(taken) < count:
        schedule.finish(str(taken[-1]))
        taken.append((await fetcher).url)
        fetcher = asyncio.create_task(schedule.scheduler.next())
        await asyncio.sleep(0)
    assert taken == [f"http://a.test/{number}" for number in range(count)]
    fetcher.cancel()


@on_virtual_time
async def test_the_frontier_is_loaded_again_for_full_hosts_at_intervals_only() -> None:
    schedule = Schedule(entry(1, "a.test/"))
    await schedule.take()
    fetcher = asyncio.create_task(schedule.scheduler.next())
    await asyncio.sleep(0)
    waiting = []
    for number in 2, 3:
        for _ in range(MAX_ENTRIES_PER_HOST):
            schedule.courtesy.add(entry(9, "a.test/9"), 0.0, "a.test")
        schedule.offer(entry(number, f"a.test/{number}"))  # the host is full
        schedule.courtesy.drain()
        schedule.scheduler.pull_entries()
        waiting.append(schedule.courtesy.waiting("a.test"))
    await asyncio.sleep(0.25)
    schedule.scheduler.pull_entries()
    waiting.append(schedule.courtesy.waiting("a.test"))
    assert waiting == [1, 0, 1]
    fetcher.cancel()


# --- retries ---


@on_virtual_time
async def test_a_retry_comes_when_it_is_due_and_knows_its_attempts() -> None:
    first = entry(1, "a.test/", 0.9)
    schedule = Schedule(first, entry(2, "b.test/", 0.1))
    await schedule.take()
    schedule.courtesy.release("a.test", 0.1)
    schedule.scheduler.apply_batch((), [replace(first, attempts=1, not_before=30.0)], ())
    assert (schedule.scheduler.retries, schedule.scheduler.retry_at()) == (1, 30.0)
    assert await schedule.take_all() == urls("b.test/")
    fetcher = asyncio.create_task(schedule.scheduler.next())
    await asyncio.sleep(29.9)
    assert not schedule.scheduler.pull_entries()
    await asyncio.sleep(0.1)
    assert schedule.scheduler.pull_entries()
    retried = await fetcher
    assert (retried.url, retried.attempts) == ("http://a.test/", 1)
    assert (schedule.scheduler.retries, schedule.scheduler.retry_at()) == (0, None)


# --- releasing what waits ---


@on_virtual_time
async def test_what_waits_for_hosts_can_be_released_while_fetches_go_on() -> None:
    schedule = Schedule(entry(1, "a.test/1", 0.9), entry(2, "a.test/2", 0.8))
    await schedule.take_all()
    assert schedule.scheduler.under_way == 2
    schedule.scheduler.release_waiting()
    assert (schedule.scheduler.under_way, len(schedule.courtesy)) == (1, 0)
    assert not schedule.scheduler.pull_entries()


@on_virtual_time
async def test_a_reload_puts_what_waits_at_its_new_rank() -> None:
    schedule = Schedule(
        entry(1, "a.test/1", 0.9),
        entry(2, "a.test/2", 0.8),
        entry(3, "a.test/3", 0.1),
    )
    assert await schedule.take_all() == urls("a.test/1")
    schedule.rows[UrlId(3)] = entry(3, "a.test/3", 0.85)
    schedule.scheduler.reload()
    assert schedule.scheduler.under_way == 1
    schedule.finish("http://a.test/1")
    assert (await schedule.scheduler.next()).url == "http://a.test/3"


@on_virtual_time
async def test_a_reload_gives_no_entry_out_twice() -> None:
    schedule = Schedule(entry(1, "a.test/"), entry(2, "b.test/"))
    assert await schedule.take() == "http://a.test/"
    schedule.scheduler.reload()
    assert await schedule.take_all() == urls("b.test/")


# --- what an idle crawl waits for ---


@pytest.mark.parametrize(
    ("resting", "retries", "expected"),
    [
        (0, [], None),
        (1, [], Idle(100.0 + DELAY_S, "1 waits for hosts that rest")),
        (2, [], Idle(100.0 + DELAY_S, "2 wait for hosts that rest")),
        (0, [130.0], Idle(130.0, "1 waits for another attempt")),
        (
            1,
            [130.0, 140.0],
            Idle(100.0 + DELAY_S, "1 waits for hosts that rest, 2 wait for another attempt"),
        ),
        (
            1,
            [105.0],
            Idle(105.0, "1 waits for hosts that rest, 1 waits for another attempt"),
        ),
    ],
)
@on_virtual_time
async def test_an_idle_crawl_says_until_when_and_why(
    resting: int, retries: list[float], expected: Idle | None
) -> None:
    await asyncio.sleep(100.0)
    waiting = [entry(2 + place, f"a.test/{place}") for place in range(resting)]
    schedule = Schedule(entry(1, "a.test/", 0.9), *waiting)
    await schedule.take_all()
    assert schedule.scheduler.idle() is None  # a fetch is under way
    schedule.finish("http://a.test/")
    deferred = [
        replace(entry(number, f"r{number}.test/"), not_before=retry_at)
        for number, retry_at in enumerate(retries, start=100)
    ]
    schedule.scheduler.apply_batch((), deferred, ())
    assert schedule.scheduler.idle() == expected
