"""When a batch is written, what is in it, and what happens when writing fails."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from motherlode.crawl.context import Control
from motherlode.crawl.decisions import DraftOutcome, FetchedEntry
from motherlode.crawl.fetcher_setup import HostChanges
from motherlode.crawl.progress import Limits
from motherlode.crawl.stages import write
from motherlode.crawl.stages.decide import DecidedBatch
from motherlode.crawl.stages.write import BatchWriter, WriteStage, retry_of
from motherlode.fetch.fetcher import Fetched
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import (
    Entry,
    Fate,
    Lane,
    Outcome,
    Page,
    QueueId,
    RunEnd,
    StoreError,
    UrlId,
    UrlState,
)
from motherlode.store.archive import Exchange
from motherlode.store.tables import ledger, pages
from motherlode.store.tables.outcomes import Kept
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address

RETRY_AT = 1_700_000_060.0
NO_CHANGES = HostChanges([], [])


def entry_of(number: int, lane: Lane = Lane.CRAWL, attempts: int = 0) -> Entry:
    url = address(f"http://a.test/{number}")
    return Entry(
        url_id=UrlId(number),
        url=url.url,
        key=url.key,
        queue=QueueId(2),
        rank=0.5,
        attempts=attempts,
        lane=lane,
    )


def page_of(entry: Entry) -> Page:
    return Page(entry.url, entry.key, 1.7e9, 200)


def draft_of(
    number: int, *, has_page: bool = True, is_member: bool = False, is_archived: bool = False
) -> DraftOutcome:
    entry = entry_of(number)
    page, fate = (page_of(entry), Fate()) if has_page else (None, Fate(UrlState.FAILED))
    exchange = Exchange(entry.url, 1.7e9, b"HTTP/1.1 200 OK\r\n", b"owls") if is_archived else None
    fetched = None if is_member else Fetched(entry.url, address(entry.url))
    return DraftOutcome(Outcome(entry, fate=fate, page=page), exchange, fetched)


def fetched_entry_of(number: int) -> FetchedEntry:
    entry = entry_of(number)
    return FetchedEntry(entry, Fetched(entry.url, address(entry.url)))


def batch_of(*numbers: int) -> DecidedBatch:
    return DecidedBatch(list(map(fetched_entry_of, numbers)), list(map(draft_of, numbers)))


def batch_of_size(size: int) -> DecidedBatch:
    return batch_of(*range(1, size + 1))


class FakeWorkers:
    """Runs work at once; `outages_during_work` database outages happen meanwhile."""

    def __init__(self, outages_during_work: int = 0) -> None:
        self.outages, self._outages_during_work = 0, outages_during_work

    async def run_in_writer(self, work: Callable[[], Any]) -> Any:
        self.outages += self._outages_during_work
        self._outages_during_work = 0
        return work()


def stage_of(**parts: Any) -> WriteStage:
    """Return a write stage of mocks, except for the given parts."""
    sitemaps = Mock()
    sitemaps.split_changes.return_value = (NO_CHANGES, parts.pop("robots", []))
    writer = Mock()
    writer.write.return_value = (Kept([], set(), []), [])
    mocks: dict[str, Any] = {
        "writer": writer,
        "workers": FakeWorkers(),
        "sitemaps": sitemaps,
        "fetching": Mock(under_way=0),
        "limits": Limits(100),
        "control": Control(),
        "reload": AsyncMock(),
    }
    others = ("fetcher", "scheduler", "duplicates", "counters", "slots", "retrainer", "log")
    mocks |= {name: Mock() for name in (*others, "settled", "progress", "read_sitemaps")}
    return WriteStage(**(mocks | parts))


def run_stage(stage: WriteStage, *batches: DecidedBatch) -> None:
    async def run() -> None:
        source = asyncio.Queue[DecidedBatch | None]()
        for batch in (*batches, None):
            source.put_nowait(batch)
        await stage.run(source)

    asyncio.run(run())


# --- when a batch is written ---


@pytest.mark.parametrize(
    ("first", "later", "under_way", "ahead", "expected"),
    [
        # Nothing more can come: do not wait.
        ([1], [2], 0, None, [1]),
        # Fetches are under way: a small batch waits for more.
        ([1], [2], 3, None, [1, 2]),
        ([1], [2, 3], 3, None, [1, 2, 3]),
        ([1], [], 3, None, [1]),
        ([write.MIN_PAGES - 1], [2], 3, None, [write.MIN_PAGES - 1, 2]),
        # A batch that is large enough does not wait.
        ([write.MIN_PAGES], [2], 3, None, [write.MIN_PAGES]),
        ([32, 32], [2], 3, None, [32, 32]),
        # With a limit of pages under way, fetchers wait for the commit: do not wait for them.
        ([1], [2], 3, 1, [1]),
        # All batches in the queue are taken, up to the limit.
        ([1, 2, 3], [], 0, None, [1, 2, 3]),
        ([1] * (write.MAX_BATCHES + 1), [], 0, None, [1] * write.MAX_BATCHES),
    ],
)
def test_a_small_batch_waits_for_more_pages_while_fetches_are_under_way(
    monkeypatch: pytest.MonkeyPatch,
    first: Sequence[int],
    later: Sequence[int],
    under_way: int,
    ahead: int | None,
    expected: Sequence[int],
) -> None:
    monkeypatch.setattr(write, "MAX_WAIT_S", 0)  # one turn of the event loop
    stage = stage_of(fetching=Mock(under_way=under_way), limits=Limits(100, ahead=ahead))

    async def take() -> list[DecidedBatch]:
        source = asyncio.Queue[DecidedBatch | None]()
        for size in first:
            source.put_nowait(batch_of_size(size))
        for size in later:
            asyncio.get_running_loop().call_soon(source.put_nowait, batch_of_size(size))
        return await stage._take(source)

    assert [len(batch.pages) for batch in asyncio.run(take())] == expected


@pytest.mark.parametrize("under_way", [0, 3])
def test_the_end_of_the_queue_ends_the_stage_after_the_last_batch(
    monkeypatch: pytest.MonkeyPatch, under_way: int
) -> None:
    monkeypatch.setattr(write, "MAX_WAIT_S", 0)
    stage = stage_of(fetching=Mock(under_way=under_way))
    run_stage(stage, batch_of(1), batch_of(2))
    assert stage.slots.give_back.call_args_list == [((2,),)]  # type: ignore[attr-defined]


# --- what a commit leads to ---


@pytest.mark.parametrize(
    ("lane", "scheduled", "counted"),
    [
        # A crawl counts all waiting URLs, and schedules those of its own lane.
        (Lane.CRAWL, [1], [1, 2]),
        (Lane.REFRESH, [2], [2]),
        (Lane.PREPARATION, [], []),
    ],
)
def test_new_entries_are_scheduled_in_the_lane_of_the_crawl(
    lane: Lane, scheduled: list[int], counted: list[int]
) -> None:
    offered = [entry_of(1), entry_of(2, Lane.REFRESH)]
    stage: Any = stage_of(limits=Limits(100, lane=lane))
    stage.writer.write.return_value = (Kept([], {UrlId(7)}, offered), [])
    run_stage(stage, batch_of(7))
    settled, retries, entries = stage.scheduler.apply_batch.call_args.args
    assert (settled, retries) == ({7}, [])
    assert [entry.url_id for entry in entries] == scheduled
    assert [entry.url_id for entry in stage.counters.add_waiting.call_args.args[0]] == counted


@pytest.mark.parametrize(("settled", "retried"), [(set(), [7]), ({UrlId(7)}, [])])
def test_a_failed_entry_is_retried_unless_it_waits_no_longer(
    settled: set[UrlId],
    retried: list[int],
) -> None:
    stage: Any = stage_of()
    failed = Outcome(entry_of(7), fate=Fate(UrlState.FAILED, retry_at=RETRY_AT))
    stage.writer.write.return_value = (Kept([], settled, []), [failed])
    run_stage(stage, batch_of(7))
    assert [entry.url_id for entry in stage.scheduler.apply_batch.call_args.args[1]] == retried


@pytest.mark.parametrize(
    ("fate", "has_page", "expected"),
    [
        (Fate(), True, None),
        (Fate(UrlState.FAILED), False, None),
        (Fate(UrlState.FAILED, retry_at=RETRY_AT), False, (3, RETRY_AT)),
        # An attempt that sent no request does not count.
        (Fate(UrlState.SKIPPED, retry_at=RETRY_AT, tried=False), False, (2, RETRY_AT)),
        (Fate(UrlState.FETCHED, retry_at=RETRY_AT), True, None),
    ],
)
def test_an_entry_without_a_page_waits_for_its_retry(
    fate: Fate, *, has_page: bool, expected: tuple[int, float] | None
) -> None:
    entry = entry_of(1, attempts=2)
    retry = retry_of(Outcome(entry, fate=fate, page=page_of(entry) if has_page else None))
    assert (retry and (retry.attempts, retry.not_before)) == expected


@pytest.mark.parametrize(("outages", "reloads"), [(0, 0), (1, 1), (2, 1)])
def test_the_frontier_is_reloaded_after_an_outage(outages: int, reloads: int) -> None:
    stage: Any = stage_of(workers=FakeWorkers(outages))
    run_stage(stage, batch_of(1))
    assert stage.reload.await_count == reloads


@pytest.mark.parametrize("robots", [[], ["robots.txt"]])
def test_sitemaps_are_read_if_a_new_robots_file_names_them(robots: list[str]) -> None:
    stage: Any = stage_of(robots=robots)
    run_stage(stage, batch_of(1))
    assert stage.read_sitemaps.call_count == len(robots)


def test_after_a_failed_write_nothing_is_released_counted_or_logged() -> None:
    stage: Any = stage_of()
    stage.writer.write.side_effect = StoreError("The disk is full.")
    with pytest.raises(StoreError):
        run_stage(stage, batch_of(1))
    assert not stage.control.changed.is_set()
    for untouched in (stage.duplicates, stage.counters, stage.scheduler, stage.slots, stage.log):
        assert untouched.mock_calls == []
    stage.retrainer.record_outcomes.assert_not_called()


# --- the transaction ---


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    create_portal(tmp_path / "p", plant_seeds([(("a",), ["http://a.test/"])], UrlRules()), {})
    return tmp_path / "p"


def begin(opened: Portal) -> BatchWriter:
    writer = BatchWriter(opened)
    writer.begin(BreadthFirst([address("http://a.test/")]), "crawl", Mock())
    return writer


def stored(opened: Portal) -> tuple[int, int]:
    """Return the number of stored pages, and the number that the run has counted."""
    with opened.store.reading() as session:
        return pages.count_pages(session), ledger.all_runs(session)[-1].pages


@pytest.mark.parametrize(
    ("drafts", "stored_pages", "counted_pages"),
    [
        ([], 0, 0),
        ([draft_of(1)], 1, 1),
        ([draft_of(1), draft_of(2)], 2, 2),
        ([draft_of(1), draft_of(2, has_page=False)], 1, 1),
        # A member of an archive is a stored page, but was not fetched by itself.
        ([draft_of(1), draft_of(2, is_member=True)], 2, 1),
    ],
)
def test_a_run_counts_the_pages_that_were_fetched(
    portal: Path, drafts: list[DraftOutcome], stored_pages: int, counted_pages: int
) -> None:
    with Portal.crawling(portal, "test") as opened:
        begin(opened).write(drafts, NO_CHANGES)
        assert stored(opened) == (stored_pages, counted_pages)


@pytest.mark.parametrize("is_archived", [True, False])
def test_a_page_has_the_archive_position_of_its_response(
    portal: Path,
    *,
    is_archived: bool,
) -> None:
    with Portal.crawling(portal, "test") as opened:
        _, (outcome,) = begin(opened).write([draft_of(1, is_archived=is_archived)], NO_CHANGES)
        assert outcome.page is not None
        position = outcome.page.archived
        assert (position is not None) == is_archived
        if position is not None:
            assert opened.archive.read(position).body == b"owls"


def test_a_batch_that_failed_leaves_nothing_and_can_be_written_again(
    portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = [draft_of(1, is_archived=True), draft_of(2, is_archived=True)]
    with Portal.crawling(portal, "test") as opened:
        writer = begin(opened)
        with monkeypatch.context() as broken:
            broken.setattr(ledger, "advance_run", Mock(side_effect=StoreError("No space is left.")))
            with pytest.raises(StoreError):
                writer.write(batch, NO_CHANGES)
        assert stored(opened) == (0, 0)
        writer.write(batch, NO_CHANGES)
        assert stored(opened) == (2, 2)


@pytest.mark.parametrize("end", [RunEnd.DONE, RunEnd.PAGES, RunEnd.FAILED])
def test_the_end_of_a_run_is_written(portal: Path, end: RunEnd) -> None:
    with Portal.crawling(portal, "test") as opened:
        begin(opened).end(end, NO_CHANGES)
        with opened.store.reading() as session:
            run = ledger.all_runs(session)[-1]
        assert run.end == end
        assert run.ended_at is not None
