"""How a crawl goes: who waits for whom, when it ends and how, on virtual time."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from motherlode.crawl import scheduler
from motherlode.crawl.context import Control, CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.supervisor import CLOSING_GRACE_S
from motherlode.documents.analysis import Analysed, Manner
from motherlode.documents.extracts import Raw
from motherlode.fetch.politeness.host_slots import Turns
from motherlode.lab.clock import run_virtually
from motherlode.policies import Visit
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import Judgement, RunEnd, UrlState
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables.pages import known_url, page_log
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address
from motherlode.workers.worker_pool import InlineWorkerPool
from support.scripted_web import Said, ScriptedWeb, in_turn, moved
from support.small_webs import html

SEED = "http://a.test/"


def star(*leaves: str) -> dict[str, Said]:
    """A page that links to all others, each of which says its own name."""
    return {
        SEED: html("Seed", "first", *leaves),
        **{leaf: html(leaf, f"words of {leaf}") for leaf in leaves},
    }


def on_hosts(hosts: int, pages: int) -> list[str]:
    return [f"http://h{host}.test/{page}" for page in range(pages) for host in range(hosts)]


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    create_portal(tmp_path / "p", plant_seeds([(("a",), [SEED])], UrlRules()), {})
    return tmp_path / "p"


def run(
    portal: Path,
    web: ScriptedWeb,
    limits: Limits,
    context: Callable[[], CrawlContext] = CrawlContext,
    beside: Callable[[CrawlContext, "asyncio.Task[Progress]"], Coroutine[Any, Any, None]]
    | None = None,
    policy: BreadthFirst | None = None,
) -> Progress:
    """Crawl, with something going on beside it; afterwards nothing may be left of either."""

    async def work(opened: Portal) -> Progress:
        going_along = context()
        going = crawl(opened, web, policy or BreadthFirst([address(SEED)]), limits, going_along)
        task = asyncio.create_task(going)
        other = asyncio.create_task(beside(going_along, task)) if beside is not None else None
        try:
            return await task
        finally:
            if other is not None:
                await other
            assert asyncio.all_tasks() == {asyncio.current_task()}

    with Portal.crawling(portal, "test") as opened:
        return run_virtually(work(opened))


def kept(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [url for url, _, _ in page_log(session)]


def waiting(portal: Path) -> int:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return sum(frontier.sizes(session).values())


def ends(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [one.end for one in ledger.all_runs(session)]


# --- who waits for whom ---------------------------------------------------------------------------------


def test_a_slow_host_holds_up_no_other(tmp_path: Path) -> None:
    portal = tmp_path / "p"
    planted = plant_seeds([(("a",), [SEED])], UrlRules())
    create_portal(portal, planted, {"politeness.host_connections": 1})
    slow = [f"http://slow.test/{page}" for page in range(20)]
    quick = on_hosts(5, 20)
    said = star(*slow, *quick)
    said["http://slow.test/robots.txt"] = (200, {}, b"User-agent: *\nCrawl-delay: 30\n")
    web = ScriptedWeb(said, seconds=0.1)
    progress = run(portal, web, Limits(1000, connections=4))
    assert progress.pages == len(said) - 1
    assert progress.seconds >= 19 * 30
    assert max(at for host in range(5) for at in web.times(f"h{host}.test")) < 60
    gaps = [
        later - at
        for at, later in zip(web.times("slow.test"), web.times("slow.test")[1:], strict=False)
    ]
    assert min(gaps) >= 30


def test_what_is_too_much_for_a_host_is_left_to_the_store_and_comes_up_again(
    portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 0
    add = Turns.add

    def counted(self: Turns[Any], entry: Any, rank: float, host: str, domain: str) -> None:
        nonlocal most
        add(self, entry, rank, host, domain)
        most = max(most, self.waiting("slow.test"))

    monkeypatch.setattr(Turns, "add", counted)
    monkeypatch.setattr(scheduler, "MAX_ENTRIES_PER_HOST", 100)
    slow = [f"http://slow.test/{page}" for page in range(350)]
    said = star(*slow, *on_hosts(3, 10))
    web = ScriptedWeb(said)
    progress = run(portal, web, Limits(1000, connections=8))
    assert progress.pages == len(said)
    assert most == 100
    assert len(web.urls()) == len(set(web.urls())) == len(said)


def test_nothing_to_do_is_told_with_its_end_and_its_reason(portal: Path) -> None:
    said = star("http://b.test/", "http://c.test/")
    said["http://b.test/"] = in_turn((503, {"Retry-After": "90"}, b""), html("B", "back"))
    reports: list[Progress] = []
    progress = run(
        portal,
        ScriptedWeb(said),
        Limits(10),
        lambda: CrawlContext(report=reports.append),
    )
    assert progress.pages == 3
    assert progress.idle is None
    idle = [one for one in reports if one.idle is not None and "another attempt" in one.idle.why]
    assert idle
    for one in idle:
        assert one.idle is not None
        assert one.idle.why == "1 waits for another attempt"
    began = min(one.seconds for one in idle)
    left = {
        round(one.idle.until - reports[0].seconds - one.seconds)
        for one in idle
        if one.idle is not None
    }
    assert len({one.idle.until for one in idle if one.idle is not None}) == 1
    assert max(left) - min(left) >= 80  # it is one moment, which comes nearer
    assert began < 5


def test_hosts_that_rest_are_told_as_well(portal: Path) -> None:
    said = star("http://b.test/1", "http://b.test/2")
    said["http://b.test/robots.txt"] = (200, {}, b"User-agent: *\nCrawl-delay: 20\n")
    reports: list[Progress] = []
    run(portal, ScriptedWeb(said), Limits(10), lambda: CrawlContext(report=reports.append))
    assert {one.idle.why for one in reports if one.idle is not None} == {
        "1 waits for hosts that rest",
    }


# --- when it ends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("pages", [1, 2, 37, 64])
def test_the_page_limit_is_exact_however_many_are_fetched_at_once(portal: Path, pages: int) -> None:
    web = ScriptedWeb(star(*on_hosts(50, 4)), seconds=0.5)
    progress = run(portal, web, Limits(pages, connections=32))
    assert (progress.pages, progress.end) == (pages, RunEnd.PAGES)
    assert len(kept(portal)) == len(web.urls()) == pages
    assert run(portal, web, Limits(1000)).pages == 201 - pages
    assert len(set(kept(portal))) == 201


def test_pages_that_fail_do_not_count(portal: Path) -> None:
    said: dict[str, Said] = {**star(*on_hosts(40, 1)), **dict.fromkeys(on_hosts(40, 1)[::2], 404)}
    progress = run(portal, ScriptedWeb(said, seconds=0.5), Limits(15, connections=32))
    assert progress.pages == len(kept(portal)) == 15


def test_the_time_limit_ends_it_and_the_rest_goes_on_waiting(portal: Path) -> None:
    web = ScriptedWeb(star(*on_hosts(2, 100)), seconds=0.5)
    progress = run(portal, web, Limits(1000, connections=8, seconds=30.0))
    assert progress.end == RunEnd.TIME
    assert 30 <= progress.seconds <= 30 + CLOSING_GRACE_S
    assert max(at for at, _ in web.asked) <= 30
    assert sorted(kept(portal)) == sorted(web.urls())
    assert waiting(portal) == 201 - progress.pages


# --- who ends it ----------------------------------------------------------------------------------------


def test_stopping_keeps_what_is_under_way_and_takes_up_nothing_more(portal: Path) -> None:
    web = ScriptedWeb(star(*on_hosts(20, 10)), seconds=3.0)

    async def stop(context: CrawlContext, _task: "asyncio.Task[Progress]") -> None:
        await asyncio.sleep(10)
        context.control.stop()

    progress = run(portal, web, Limits(1000, connections=16), beside=stop)
    assert progress.end == RunEnd.INTERRUPTED
    assert ends(portal) == [RunEnd.INTERRUPTED]
    assert max(at for at, _ in web.asked) <= 10
    assert sorted(kept(portal)) == sorted(web.urls())
    assert 0 < waiting(portal) == 201 - progress.pages


def test_what_takes_too_long_after_that_is_given_up_and_waits_for_the_next_time(
    portal: Path,
) -> None:
    web = ScriptedWeb(star(*on_hosts(5, 2)))

    async def stop(context: CrawlContext, _task: "asyncio.Task[Progress]") -> None:
        await asyncio.sleep(0.5)
        web.seconds = 500.0
        await asyncio.sleep(10)
        context.control.stop()

    progress = run(portal, web, Limits(1000, connections=16), beside=stop)
    assert progress.seconds < 10.5 + CLOSING_GRACE_S + 1
    web.seconds = 0.0
    run(portal, web, Limits(1000))
    assert len(kept(portal)) == len(set(kept(portal))) == 11


def test_a_second_interruption_ends_it_at_once(portal: Path) -> None:
    web = ScriptedWeb(star(*on_hosts(20, 10)), seconds=8.0)
    ended: list[float] = []

    async def interrupt(context: CrawlContext, task: "asyncio.Task[Progress]") -> None:
        await asyncio.sleep(30)
        context.control.stop()
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        ended.append(asyncio.get_running_loop().time())

    with pytest.raises(asyncio.CancelledError):
        run(portal, web, Limits(1000, connections=16), beside=interrupt)
    assert ended == [31.0]
    assert ends(portal) == ["interrupted"]
    before = kept(portal)
    assert 0 < len(before) < len(web.urls())
    web.seconds = 0.0
    run(portal, web, Limits(1000))
    assert len(kept(portal)) == len(set(kept(portal))) == 201


# --- what goes wrong ------------------------------------------------------------------------------------


class StumblingPolicy(BreadthFirst):
    """Fails at the page that is named."""

    def judge(self, visits: Sequence[Visit]) -> Sequence[Judgement | None]:
        if any(visit.entry.url == "http://h3.test/1" for visit in visits):
            raise ValueError("what is this?")
        return super().judge(visits)


def test_an_error_of_whoever_keeps_ends_the_crawl_and_is_told(portal: Path) -> None:
    web = ScriptedWeb(star(*on_hosts(10, 10)), seconds=0.2)
    with pytest.raises(ValueError, match="what is this"):
        run(portal, web, Limits(1000), policy=StumblingPolicy([address(SEED)]))
    assert 0 < len(kept(portal)) < 101
    assert run(portal, web, Limits(1000)).end == RunEnd.DONE
    assert len(kept(portal)) == len(set(kept(portal))) == 101


def test_so_does_an_error_of_the_store(portal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = ScriptedWeb(star(*on_hosts(10, 10)), seconds=0.2)
    keep_hosts = ledger.keep_hosts

    def failing(session: Any, changed: Any) -> None:
        keep_hosts(session, changed)
        if len(web.asked) > 40:
            raise OSError("no more")

    monkeypatch.setattr(ledger, "keep_hosts", failing)
    with pytest.raises(OSError, match="no more"):
        run(portal, web, Limits(1000))
    monkeypatch.undo()
    run(portal, web, Limits(1000))
    assert len(kept(portal)) == len(set(kept(portal))) == 101


def test_control_remembers_who_came_first() -> None:
    control = Control()
    control.stop(RunEnd.FEEDBACK)
    control.stop()
    assert (control.stopping, control.end) == (True, RunEnd.FEEDBACK)


# --- two ways to one page -------------------------------------------------------------------------------

TARGET = "http://x.test/"


class SlowReader(InlineWorkerPool):
    """Takes long over one page."""

    reader_count = 2

    async def read_documents(self, raws: Sequence[Raw]) -> list[list[Analysed]]:
        if any(raw.url == TARGET for raw in raws):
            await asyncio.sleep(20)
        return await super().read_documents(raws)


def two_ways(first: str = "") -> ScriptedWeb:
    """A redirect leads to a page, and, a little later, a link."""
    said: dict[str, Said] = {
        SEED: html("Seed", "first", "http://r.test/", "http://z.test/"),
        "http://r.test/": moved(TARGET),
        "http://z.test/": html("Z", "second", "http://y.test/"),
        "http://y.test/": html("Y", "fourth", TARGET),
        TARGET: f"{first}{html('X', 'third')}",
    }
    return ScriptedWeb(said, seconds=0.1)


def test_a_page_is_not_said_to_be_there_before_it_is(
    portal: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Found by killing: the page that a redirect led to was lost if only its copy had been kept."""
    monkeypatch.setattr("motherlode.crawl.stages.read.BATCH_PAGES", 1)

    async def interrupt(_company: CrawlContext, task: "asyncio.Task[Progress]") -> None:
        await asyncio.sleep(10)
        task.cancel()

    web = two_ways()
    with pytest.raises(asyncio.CancelledError):
        run(portal, web, Limits(100), lambda: CrawlContext(SlowReader(Manner())), interrupt)
    assert web.urls().count(TARGET) == 2
    assert TARGET not in kept(portal)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        known = known_url(session, address(TARGET).key)
        assert known is not None
        assert known.state is UrlState.OPEN
    run(portal, two_ways(), Limits(100))
    assert sorted(kept(portal)) == [SEED, TARGET, "http://y.test/", "http://z.test/"]


@pytest.mark.parametrize("first", ["", '<meta name="robots" content="noindex">'])
def test_of_two_ways_to_one_page_the_later_waits_for_the_first(portal: Path, first: str) -> None:
    run(portal, two_ways(first), Limits(100), lambda: CrawlContext(SlowReader(Manner())))
    state = UrlState.SKIPPED if first else UrlState.FETCHED
    assert (TARGET in kept(portal)) == (not first)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        known = known_url(session, address(TARGET).key)
        assert known is not None
        assert known.state is state
