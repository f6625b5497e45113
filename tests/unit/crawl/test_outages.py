"""A database that goes away while a crawl is at work, on virtual time."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Any

import pytest

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.lab.clock import run_virtually
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import LockedError, RunEnd, StoreGoneError
from motherlode.store import Session, Store
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import page_log
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address
from support.scripted_web import ScriptedWeb
from support.small_webs import html

SEED = "http://a.test/"
LEAVES = [f"http://h{host}.test/{page}" for page in range(12) for host in range(10)]


class Outages:
    """Takes the database away for some stretches of the loop's time."""

    def __init__(self, *stretches: tuple[float, float]) -> None:
        self.stretches = stretches
        self.refused = 0
        self.error: type[StoreGoneError | LockedError] = StoreGoneError

    def check(self) -> None:
        try:
            now = asyncio.get_running_loop().time()
        except RuntimeError:  # before or after the crawl
            return
        if any(begin <= now < end for begin, end in self.stretches):
            self.refused += 1
            raise self.error("The database does not answer.")


@pytest.fixture
def outages(monkeypatch: pytest.MonkeyPatch) -> Outages:
    found = Outages()
    transaction: Callable[..., Any] = Store._transaction

    def failing(self: Store, *, writing: bool) -> Any:
        found.check()
        return transaction(self, writing=writing)

    def mend(_self: Store) -> None:
        found.check()

    monkeypatch.setattr(Store, "_transaction", failing)
    monkeypatch.setattr(Store, "mend", mend)
    return found


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Portal]:
    settings: dict[str, object] = {"store.patience": 60.0}
    create_portal(tmp_path / "p", plant_seeds([(("a",), [SEED])], UrlRules()), settings)
    with Portal.crawling(tmp_path / "p", "test") as portal:
        yield portal


def run(opened: Portal, reports: list[Progress]) -> tuple[Progress, ScriptedWeb]:
    pages = {
        SEED: html("Seed", "first", *LEAVES),
        **{url: html(url, f"words of {url}") for url in LEAVES},
    }
    web = ScriptedWeb(pages, seconds=0.3)

    async def work() -> Progress:
        context = CrawlContext(report=reports.append)
        return await crawl(
            opened, web, BreadthFirst([address(SEED)]), Limits(1000, connections=8), context
        )

    return run_virtually(work()), web


def kept(opened: Portal) -> list[str]:
    with opened.store.reading() as session:
        return [url for url, _, _ in page_log(session)]


def test_everybody_waits_for_it_and_goes_on(opened: Portal, outages: Outages) -> None:
    outages.stretches = ((0.0, 3.0), (4.5, 20.0), (22.0, 60.0))
    reports: list[Progress] = []
    progress, web = run(opened, reports)
    assert outages.refused > 10
    assert (progress.pages, progress.end, progress.idle) == (121, RunEnd.DONE, None)
    assert len(kept(opened)) == len(set(kept(opened))) == 121
    assert len(web.urls()) == 121  # nothing was fetched twice for that
    told = [
        one.idle for one in reports if one.idle is not None and "does not answer" in one.idle.why
    ]
    assert told
    assert all(abs(idle.until - time()) < 60 for idle in told)


def test_if_it_does_not_come_back_that_is_told(opened: Portal, outages: Outages) -> None:
    outages.stretches = ((4.5, 1e9),)
    with pytest.raises(StoreGoneError, match="does not answer"):
        run(opened, [])
    outages.stretches = ()
    assert 0 < len(kept(opened)) < 121
    run(opened, [])
    assert len(kept(opened)) == len(set(kept(opened))) == 121


def test_if_somebody_else_has_it_meanwhile_that_is_told(
    opened: Portal, outages: Outages, monkeypatch: pytest.MonkeyPatch
) -> None:
    outages.stretches = ((4.5, 1e9),)

    def taken(_self: Store) -> None:
        raise LockedError("It is being written by another process.")

    monkeypatch.setattr(Store, "mend", taken)
    with pytest.raises(LockedError):
        run(opened, [])


@pytest.mark.parametrize("unheard", [1, 2, 3])
def test_what_was_committed_unheard_is_counted_once(
    opened: Portal, monkeypatch: pytest.MonkeyPatch, unheard: int
) -> None:
    """The first commit is the beginning of the run, others are batches."""
    batch, committed = Portal.batch, list[int]()

    @contextmanager
    def deaf(self: Portal) -> Iterator[Session]:
        with batch(self) as session:
            yield session
        committed.append(1)
        if len(committed) == unheard:
            raise StoreGoneError("The database does not answer.")

    monkeypatch.setattr(Portal, "batch", deaf)
    progress, _ = run(opened, [])
    with opened.store.reading() as session:
        (noted,) = ledger.all_runs(session)
    assert noted.pages == progress.pages == len(kept(opened)) == 121
