"""Turns at hosts, waited for on virtual time."""

import asyncio
import gc
from collections import Counter
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.fetch import event_loop
from motherlode.fetch.options import PolitenessOptions
from motherlode.fetch.politeness.host_slots import Turns
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.lab.clock import run_virtually
from support.scripted_web import now

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return run_virtually(work)


def courtesy(**options: Any) -> RateLimiter[str]:
    return RateLimiter(PolitenessOptions(**{"slowdown": 0.0, **options}))


async def serve(
    given: RateLimiter[str], seconds: float, log: list[tuple[float, str]], hosts: dict[str, str]
) -> None:
    """A worker: takes what comes, for ever."""
    while True:
        entry = await given.next()
        log.append((now(), entry))
        await asyncio.sleep(seconds)
        given.release(hosts[entry], seconds)


async def served(
    given: RateLimiter[str], entries: dict[str, str], workers: int = 3
) -> list[tuple[float, str]]:
    """When each entry was given out."""
    log: list[tuple[float, str]] = []
    tasks = [asyncio.create_task(serve(given, 1.0, log, entries)) for _ in range(workers)]
    for entry, host in entries.items():
        given.add(entry, 0.0, host)
    await asyncio.sleep(10_000.0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return log


def test_a_host_rests_and_holds_nobody_back() -> None:
    entries = {f"slow {n}": "slow.test" for n in range(3)} | {
        f"{n}": f"h{n}.test" for n in range(3)
    }
    log = run(served(courtesy(delay=50.0, host_connections=1), entries))
    assert [at for at, entry in log if entry.startswith("slow")] == [0.0, 51.0, 102.0]
    assert max(at for at, entry in log if not entry.startswith("slow")) <= 1.0


def test_the_best_entry_is_given_out_first() -> None:
    async def work() -> list[str]:
        given = courtesy()
        for entry, rank in (("worse", 1.0), ("best", 9.0), ("good", 5.0)):
            given.add(entry, rank, f"{entry}.test")
        return [await given.next() for _ in range(3)]

    assert run(work()) == ["best", "good", "worse"]


def test_whoever_asks_before_there_is_anything_gets_the_first_thing() -> None:
    async def work() -> str:
        given = courtesy()
        taker = asyncio.create_task(given.next())
        await asyncio.sleep(5)
        given.add("late", 0.0, "a.test")
        return await taker

    assert run(work()) == "late"


def test_a_cancelled_taker_loses_nothing() -> None:
    """Neither one that had nothing yet, nor one that was given something it never came to see."""

    async def work() -> tuple[str, int]:
        given = courtesy(delay=2.0, host_connections=1)
        idle = asyncio.create_task(given.next())
        await asyncio.sleep(1)
        idle.cancel()
        unlucky = asyncio.create_task(given.next())
        await asyncio.sleep(0)
        given.add("entry", 1.0, "a.test")
        unlucky.cancel()  # in the very moment
        await asyncio.gather(idle, unlucky, return_exceptions=True)
        assert len(given) == 1
        return await given.next(), len(given)

    assert run(work()) == ("entry", 0)


def test_a_cancelled_step_loses_nothing() -> None:
    async def work() -> float:
        given = courtesy(delay=0.0, host_connections=1)
        await given.turn("a.test")
        waiting = asyncio.create_task(given.turn("a.test"))
        unlucky = asyncio.create_task(given.turn("a.test"))
        given.add("entry", 0.0, "a.test")
        await asyncio.sleep(1)
        waiting.cancel()
        await asyncio.sleep(0)
        given.release("a.test", 0.0)  # to the unlucky one
        unlucky.cancel()
        await asyncio.gather(waiting, unlucky, return_exceptions=True)
        assert await given.next() == "entry"
        given.release("a.test", 0.0)
        assert len(given) == 0
        return now()

    assert run(work()) == 1.0


def test_a_step_goes_before_entries_and_needs_no_taker() -> None:
    async def work() -> list[str]:
        given = courtesy(delay=5.0, host_connections=1)
        order: list[str] = []

        async def step() -> None:
            await given.turn("a.test")
            order.append(f"step at {now():g}")
            given.release("a.test", 0.0)

        given.add("first", 9.0, "a.test")
        given.add("second", 9.0, "a.test")
        assert await given.next() == "first"
        task = asyncio.create_task(step())
        await asyncio.sleep(1)
        given.release("a.test", 0.0)
        await task
        order.append(f"{await given.next()} at {now():g}")
        return order

    assert run(work()) == ["step at 6", "second at 11"]


def test_a_step_is_not_kept_waiting_by_an_entry_that_nobody_takes() -> None:
    """The domain's only connection becomes free for an entry, and nobody is there to take it."""

    async def work() -> float:
        given = courtesy(delay=0.0, domain_connections=1)
        await fill_domain(given)
        given.release("one.hub.test", 0.0)
        async with asyncio.timeout(10):
            await given.turn("three.hub.test")
        return now()

    assert run(work()) == 1.0


async def fill_domain(given: RateLimiter[str]) -> None:
    """Three entries for one connection: the first is given out, the others have been told to wait."""
    for entry, rank in (("one", 9.0), ("two", 5.0), ("three", 1.0)):
        given.add(entry, rank, f"{entry}.hub.test")
    assert await given.next() == "one"
    taker = asyncio.create_task(given.next())
    await asyncio.sleep(1)
    taker.cancel()
    await asyncio.gather(taker, return_exceptions=True)


def test_a_host_is_left_alone_for_as_long_as_it_is_told() -> None:
    async def work() -> list[float]:
        given, times = courtesy(delay=1.0), []
        given.add("a", 0.0, "a.test")
        await given.next()
        given.hold("a.test", 50.0)
        given.hold("a.test", 20.0)  # shorter: no use
        given.release("a.test", 0.0)
        given.add("b", 0.0, "a.test")
        given.add("c", 0.0, "b.test")
        for _ in range(2):
            times += [(await given.next(), now())]
        assert times == [("c", 0.0), ("b", 50.0)]
        given.hold("a.test", 10.0)
        given.release("a.test", 0.0)
        given.add("d", 0.0, "a.test")
        await given.next()
        return [now()]

    assert run(work()) == [60.0]


def test_a_host_on_hold_passes_its_place_in_the_domain_on() -> None:
    async def work() -> tuple[str, float]:
        given = courtesy(delay=0.0, domain_connections=1)
        await fill_domain(given)
        given.release("one.hub.test", 0.0)
        given.hold("two.hub.test", 1000.0)
        return await given.next(), now()

    assert run(work()) == ("three", 1.0)


def test_a_sandbox_rests_by_its_own_delay_however_slow_it_is() -> None:
    async def rests(*, sandbox: bool) -> list[float]:
        options = PolitenessOptions(delay=1.0, sandbox_delay=0.0, slowdown=2.0, max_delay=60.0)
        given: RateLimiter[str] = RateLimiter(options, sandbox=sandbox)
        return [
            given.rest(seconds, told)
            for seconds, told in ((0.1, None), (5, None), (0, 7), (5, 3600))
        ]

    assert run(rests(sandbox=True)) == [0.0, 0.0, 7.0, 60.0]
    assert run(rests(sandbox=False)) == [1.0, 10.0, 7.0, 60.0]


def test_what_waits_can_be_had_back_while_fetches_go_on() -> None:
    async def work() -> list[str]:
        given = courtesy(delay=10.0, host_connections=1)
        for entry in ("under way", "waiting", "waiting too"):
            given.add(entry, 0.0, "a.test")
        given.add("elsewhere", 0.0, "b.test")
        taken = [await given.next(), await given.next()]
        step = asyncio.create_task(given.turn("a.test"))
        await asyncio.sleep(1)
        drained = given.drain()
        assert (len(given), sorted([*taken, *drained])) == (
            0,
            ["elsewhere", "under way", "waiting", "waiting too"],
        )
        given.release("a.test", 0.0)
        given.release("b.test", 0.0)
        await step  # it goes on waiting, and the host is as tired as before
        assert now() == 11.0
        given.release("a.test", 0.0)
        given.add("again", 0.0, "a.test")
        await given.next()
        assert now() == 21.0
        return given.drain()

    assert run(work()) == []


def test_hosts_that_come_and_go_leave_nothing_behind() -> None:
    async def work() -> None:
        given = courtesy(delay=1.0)
        for number in range(100_000):
            host = f"h{number}.test"
            given.add(host, 0.0, host)
            assert await given.next() == host
            if number % 10 == 0:
                given.hold(host, 3.0)
            given.release(host, 0.0)
            if number % 100 == 0:
                await asyncio.sleep(1.0)
        await asyncio.sleep(10)
        given.add("last", 0.0, "last.test")
        await given.next()
        turns = given._turns
        assert len(turns._hosts) == len(turns._domains) == 1
        assert len(turns._ready) + len(turns._resting) <= 1
        assert (len(given._takers), given._steps) == (0, 0)

    run(work())


def test_the_lines_do_not_grow_where_a_poor_entry_waits_for_ever() -> None:
    turns: Turns[str] = Turns(PolitenessOptions(delay=0.0))
    turns.add("poor", 0.0, "a.test", "test")
    for number in range(20_000):
        assert turns.take(float(number), floor=0.5) is None  # the host lines up, and is passed over
        turns.add("good", 1.0, "a.test", "test")
        assert turns.take(float(number)) == "good"
        turns.done("a.test", float(number), 0.0)
    assert len(turns._ready) + len(turns._resting) < 200
    assert turns.take(1e9) == "poor"


def test_nothing_holds_an_entry_that_was_given_out() -> None:
    class Entry:
        pass

    async def work() -> int:
        given: RateLimiter[Entry] = RateLimiter(PolitenessOptions(delay=0.0))
        for number in range(50):
            given.add(Entry(), 0.0, f"h{number % 5}.test")
            await given.next()
            given.release(f"h{number % 5}.test", 0.0)
        gc.collect()
        return sum(isinstance(one, Entry) for one in gc.get_objects())

    assert run(work()) <= 1


# --- against a model ------------------------------------------------------------------------------------

HOSTS = ("a.x.test", "b.x.test", "c.x.test", "d.y.test")
jobs = st.lists(
    st.tuples(
        st.sampled_from(HOSTS),
        st.integers(0, 3),  # when it is added
        st.integers(0, 4),  # its rank
        st.integers(0, 3),  # how long it takes
        st.sampled_from([None, *HOSTS]),  # where a redirect leads
        st.integers(0, 6),  # how long the host is left alone after it
        st.sampled_from([None, None, None, 1, 2]),  # when its worker is cancelled
    ),
    max_size=14,
)
settings = st.builds(
    PolitenessOptions,
    delay=st.integers(0, 2).map(float),
    slowdown=st.just(0.0),
    host_connections=st.integers(1, 2),
    domain_connections=st.integers(1, 3),
)


class Watched:
    """Counts who is where, and complains of any turn that comes too early or is one too many."""

    def __init__(self, options: PolitenessOptions) -> None:
        self.options = options
        self.given: RateLimiter[int] = RateLimiter(options)
        self.there: Counter[str] = Counter()
        self.rests: list[tuple[str, float, float]] = []  # which host, from when, until when
        self.taken: list[int] = []

    def enter(self, host: str) -> None:
        self.there[host] += 1
        domain = host[2:]
        assert self.there[host] <= self.options.host_connections
        assert (
            sum(self.there[one] for one in HOSTS if one[2:] == domain)
            <= self.options.domain_connections
        )
        # A turn that was given in the very moment in which a rest began, was given before it.
        assert not any(one == host and begun < now() < until for one, begun, until in self.rests)

    def leave(self, host: str, hold: float) -> None:
        if hold:
            self.given.hold(host, hold)
        self.there[host] -= 1
        self.rests.append((host, now(), now() + max(hold, self.options.delay)))
        self.given.release(host, 0.0)


async def be_polite(options: PolitenessOptions, told: list[Any], workers: int) -> list[int]:
    watched = Watched(options)

    async def stay(host: str, seconds: float, hold: float) -> None:
        watched.enter(host)
        try:
            await asyncio.sleep(seconds)
        finally:
            watched.leave(host, hold)

    async def work() -> None:
        while True:
            number = await watched.given.next()
            watched.taken.append(number)
            host, _, _, seconds, target, hold, _ = told[number]
            await stay(host, seconds, hold)
            if target is not None:
                await watched.given.turn(target)
                await stay(target, seconds, 0.0)

    async def add(number: int) -> None:
        await asyncio.sleep(told[number][1])
        watched.given.add(number, told[number][2], told[number][0])

    async def interrupt(number: int) -> None:
        """Another worker takes the place of a cancelled one."""
        if told[number][6] is not None:
            await asyncio.sleep(told[number][6])
            victim = number % len(tasks)
            tasks[victim].cancel()
            await asyncio.gather(tasks[victim], return_exceptions=True)
            tasks[victim] = asyncio.create_task(work())

    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    numbers = range(len(told))
    await asyncio.gather(*map(add, numbers), *map(interrupt, numbers))
    await asyncio.sleep(1000)
    for task in tasks:
        assert not task.done()
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (len(watched.given), watched.given._steps, watched.given.drain()) == (0, 0, [])
    return watched.taken


@given(settings, jobs, st.integers(1, 4))
def test_every_entry_is_given_out_once_never_too_early_never_too_many(
    options: PolitenessOptions, told: list[Any], workers: int
) -> None:
    assert sorted(run(be_polite(options, told, workers))) == list(range(len(told)))


@pytest.mark.parametrize("workers", [1, 20])
def test_a_large_crowd_is_served_in_turn(workers: int) -> None:
    entries = {f"e{n}": f"h{n % 40}.d{n % 4}.test" for n in range(400)}
    log = run(served(courtesy(delay=1.0), entries, workers))
    assert sorted(entry for _, entry in log) == sorted(entries)


def test_rests_too_short_for_the_clock_are_kept_on_the_real_loop() -> None:
    """What is due by the time that a timer is made for it is no timer to uvloop."""

    async def work() -> int:
        courtesy: RateLimiter[int] = RateLimiter(
            PolitenessOptions(sandbox_delay=1e-4), sandbox=True
        )
        for number in range(4000):
            courtesy.add(number, 0.0, f"h{number % 40}.test")

        async def worker() -> None:
            for _ in range(500):
                number = await courtesy.next()
                await asyncio.sleep(0)
                courtesy.release(f"h{number % 40}.test", 0.0)

        async with asyncio.timeout(60):
            await asyncio.gather(*(worker() for _ in range(8)))
        return len(courtesy)

    assert event_loop.run(work()) == 0
