"""The write stage: commit pages with their links and judgements, and update the frontier."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import time

from msgspec.structs import replace

from motherlode.crawl.context import Control, OutcomeLog
from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.decisions import DraftOutcome
from motherlode.crawl.fetcher_setup import HostChanges, save_host_changes, take_host_changes
from motherlode.crawl.outages import ResilientWorkerPool
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.queueable_moves import QueueableMoves, SettledUrls
from motherlode.crawl.retraining import Retrainer
from motherlode.crawl.scheduler import Scheduler
from motherlode.crawl.sitemaps import SitemapReader
from motherlode.crawl.stages.decide import DecidedBatch
from motherlode.crawl.stages.duplicates import DuplicateDetector
from motherlode.crawl.stages.fetch import FetchStage, PageSlots
from motherlode.crawl.stages.queues import take_batch
from motherlode.fetch.fetcher import Fetcher
from motherlode.policies.policy import FollowWatcher, Moves, Policy
from motherlode.portal import Portal
from motherlode.records import Entry, Lane, Outcome, RunEnd, RunId
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables.notes import keep_notes
from motherlode.store.tables.outcomes import Kept, keep
from motherlode.store.tables.pages import settled_keys

MAX_BATCHES = 16  # of the decide stage, in one transaction
MIN_PAGES = 64  # a smaller transaction waits for more pages, but no longer than:
MAX_WAIT_S = 0.1

# Reads sitemaps in the background; returns the entries that they list.
ReadSitemaps = Callable[[], Awaitable[list[Entry]]]


class BatchWriter:
    """Writes the start of a run, batches of outcomes, and the end: one transaction each.

    A page, its contents and its links are stored together or not at all. Meanwhile only retraining
    writes as well.
    """

    def __init__(self, portal: Portal) -> None:
        self._portal = portal
        self._run, self._began, self._pages = RunId(0), time(), 0
        self._seeds: QueueableMoves | None = None

    def begin(self, policy: Policy, command: str, sitemaps: SitemapReader) -> None:
        """Start a run with the seeds of the policy, and the notes that it has not written yet."""
        start = self._start_of(policy)
        notes = {(note.kind, note.key): note for note in start.notes}
        with self._portal.batch() as session:
            run = ledger.start_run(session, command, policy.name, self._began)
            keep_notes(session, list(notes.values()))
            frontier.offer(session, start.follows)
            if start.follows:
                sitemaps.begin(session, start.follows[0])
        self._run = run.id

    def _start_of(self, policy: Policy) -> Moves:
        if not isinstance(policy, FollowWatcher):
            return Moves(list(policy.seed()))
        if self._seeds is None:  # else the database was away, and this is another attempt
            seeds = list(policy.seed())
            self._seeds = QueueableMoves(policy, Moves(seeds, policy.unwritten_notes()))
        with self._portal.store.reading() as session:
            return self._seeds.check(partial(settled_keys, session))

    def write(
        self,
        drafts: Sequence[DraftOutcome],
        host_changes: HostChanges,
    ) -> tuple[Kept, list[Outcome]]:
        """Write a batch of outcomes, and the changes of host records that came with it."""
        pages = self._pages + sum(map(_is_page, drafts))
        with self._portal.batch() as session:
            outcomes = [self._archived(draft) for draft in drafts]
            kept = keep(session, outcomes, self._run)
            save_host_changes(session, host_changes)
            ledger.advance_run(session, self._run, pages)
        self._pages = pages
        return kept, outcomes

    def end(self, end: RunEnd, host_changes: HostChanges) -> None:
        with self._portal.batch() as session:
            save_host_changes(session, host_changes)
            ledger.end_run(session, self._run, end, time())

    def _archived(self, draft: DraftOutcome) -> Outcome:
        page = draft.outcome.page
        if page is None or draft.exchange is None:
            return draft.outcome
        position = self._portal.archive.append(draft.exchange)
        return replace(draft.outcome, page=replace(page, archived=position))


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteStage:
    """Writes batches, one transaction each.

    `reload` loads the frontier again after an outage; `read_sitemaps` runs in the background;
    `progress` is passed to the log.
    """

    writer: BatchWriter
    workers: ResilientWorkerPool
    fetcher: Fetcher
    sitemaps: SitemapReader
    scheduler: Scheduler
    duplicates: DuplicateDetector
    settled: SettledUrls
    counters: CrawlCounters
    slots: PageSlots
    fetching: FetchStage
    limits: Limits
    control: Control
    retrainer: Retrainer | None
    log: OutcomeLog | None
    progress: Callable[[], Progress]
    reload: Callable[[], Awaitable[None]]
    read_sitemaps: Callable[[ReadSitemaps], object]

    async def run(self, source: asyncio.Queue[DecidedBatch | None]) -> None:
        """Write batch after batch until no more comes."""
        while batches := await self._take(source):
            pages = [page for batch in batches for page in batch.pages]
            drafts = [draft for batch in batches for draft in batch.outcomes]
            hosts, robots = self.sitemaps.split_changes(take_host_changes(self.fetcher))
            outages = self.workers.outages
            write = partial(self.writer.write, drafts, hosts)
            kept, outcomes = await self.workers.run_in_writer(write)
            self.duplicates.release(pages, outcomes)
            self.settled.release(outcomes)
            self.counters.count(drafts, kept)
            self._committed(len(pages), outcomes, kept)
            if self.workers.outages != outages:
                # The commit before the outage may have succeeded; then its repetition returned no
                # new entries.
                await self.reload()
            if self.log is not None:
                note = partial(self.log.note, drafts, self.progress())
                await self.workers.run_in_writer(note)
            if robots:
                first = pages[0].entry
                self.read_sitemaps(partial(self.sitemaps.read, robots, first.queue, first.rank - 1))

    async def _take(self, source: asyncio.Queue[DecidedBatch | None]) -> list[DecidedBatch]:
        """Return the next batches; while fetches are under way, wait a moment for more.

        A transaction costs as much for one page as for ten.
        """
        batches = await take_batch(source, MAX_BATCHES)
        is_small = sum(len(batch.pages) for batch in batches) < MIN_PAGES
        if batches and is_small and self.fetching.under_way and self.limits.ahead is None:
            await asyncio.sleep(MAX_WAIT_S)
            if not source.empty():
                more = await take_batch(source, MAX_BATCHES)
                if not more:
                    source.put_nowait(None)  # leave the end marker for the next call
                batches += more
        return batches

    def _committed(self, pages: int, outcomes: Sequence[Outcome], kept: Kept) -> None:
        """Update frontier, counters and retrainer after a commit, and free the page slots."""
        lane = self.limits.lane
        offered = [entry for entry in kept.offered if entry.lane == lane]
        retries = [
            entry
            for entry in map(retry_of, outcomes)
            if entry is not None and entry.url_id not in kept.settled
        ]
        self.counters.add_waiting(kept.offered if lane is Lane.CRAWL else offered)
        self.scheduler.apply_batch(kept.settled, retries, offered)
        if self.retrainer is not None:
            self.retrainer.record_outcomes(outcomes)
        self.slots.give_back(pages)
        self.control.changed.set()


def retry_of(outcome: Outcome) -> Entry | None:
    """Return the entry as it waits for a retry; None if there is none."""
    entry, fate = outcome.entry, outcome.fate
    if outcome.page is not None or fate.retry_at is None:
        return None
    return replace(entry, attempts=entry.attempts + fate.tried, not_before=fate.retry_at)


def _is_page(draft: DraftOutcome) -> bool:
    """Return whether a page was fetched; archive members do not count."""
    return draft.fetched is not None and draft.outcome.page is not None
