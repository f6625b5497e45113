"""The crawl: take the best entry whose host may be asked, fetch, read, judge and steer, keep.

Fetchers, readers, one who settles and one who keeps work side by side, with bounded queues between them:
whoever is slowest sets the pace, and whatever has piled up before the keeper goes into one transaction. A
page, all it says and all that it leads to are kept together or not at all; until then its entry waits in the
store. Kill the process anywhere, and nothing is lost; take the database away for a while, and everybody waits
for it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from time import time
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.context import Company, Teacher
from motherlode.crawl.counters import Tally
from motherlode.crawl.decisions import Catch, Draft, for_known_page, settle
from motherlode.crawl.duplicates import Copies, has_document
from motherlode.crawl.fetcher_setup import Books, books_of, courtesy_of, fetcher_for, manner_of
from motherlode.crawl.outages import Steady
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.queues import first_of, portion, wait
from motherlode.crawl.scheduler import Dispatch
from motherlode.crawl.sitemaps import Maps
from motherlode.crawl.termination import Ending
from motherlode.crawl.writer import Keeper
from motherlode.documents.raw import Raw
from motherlode.documents.spaces import Surroundings
from motherlode.fetch import Web
from motherlode.fetch.fetching import Fetched
from motherlode.frontier import Frontier
from motherlode.learning.tree import Sample
from motherlode.policies.policy import Policy, Revising
from motherlode.portal import Portal
from motherlode.records import (
    Document,
    Entry,
    LodeError,
    Outcome,
    RunEnd,
    StoreGoneError,
    TopicId,
)
from motherlode.store import frontier as stock
from motherlode.store.outcomes import Kept
from motherlode.store.pages import newest_url
from motherlode.training.samples import sample_of, surroundings_of
from motherlode.urls import Address, host_of
from motherlode.workers.cpu_priority import batch_scheduling
from motherlode.workers.gc_settings import rare_gc
from motherlode.workers.worker_pool import InlineWorkerPool

T = TypeVar("T")

_READ_AT_ONCE = 32
_SETTLED_AT_ONCE = 16
_KEPT_AT_ONCE = 16  # parts of so many
_WORTH_IT = 64  # pages, at least, if they come within a moment
_MOMENT = 0.1
_LOOK = 1.0  # seconds between two looks at how far they are
_GRACE = 10.0  # seconds that fetches under way are given when a crawl ends


async def crawl(
    portal: Portal, web: Web, policy: Policy, limits: Limits, company: Company | None = None
) -> Progress:
    """Crawl until a limit is reached, nothing waits, or somebody says stop."""
    with rare_gc(), batch_scheduling():
        return await _Crawl(portal, web, policy, limits, company or Company()).run()


class _Part(Struct, frozen=True):
    """Some catches, and what becomes of them."""

    catches: Sequence[Catch]
    drafts: Sequence[Draft]


class _Crawl:
    """One crawl, from its beginning to its end."""

    def __init__(self, portal: Portal, web: Web, policy: Policy, limits: Limits, company: Company) -> None:
        self._portal, self._policy, self._limits = portal, policy, limits
        self._workers = Steady(company.workers or InlineWorkerPool(manner_of(portal.config)), portal)
        self._report, self._control, self._teacher = company.report, company.control, company.teacher
        self._journal, self._conditions = company.journal, company.conditions
        self._loop = asyncio.get_running_loop()
        self._opened, self._since = self._loop.time(), time()
        courtesy = courtesy_of(portal.config) if company.courtesy is None else company.courtesy
        self._fetcher = fetcher_for(portal, web, courtesy, self._now)
        revise = policy.rank_now if isinstance(policy, Revising) else None
        self._frontier = Frontier(self._load, revise=revise)
        self._dispatch = Dispatch(self._frontier, courtesy, web, self._now)
        self._fetched: asyncio.Queue[Catch | None] = asyncio.Queue(2 * _READ_AT_ONCE)
        self._caught: asyncio.Queue[Catch | None] = asyncio.Queue(4 * _READ_AT_ONCE)
        self._drafted: asyncio.Queue[_Part | None] = asyncio.Queue(_KEPT_AT_ONCE)
        self._copies = Copies(again=self._conditions is not None)
        self._resting: set[asyncio.Task[Any]] = set()  # fetchers that wait for an entry
        self._errands: set[asyncio.Task[None]] = set()
        self._lesson: asyncio.Task[None] | None = None
        self._search: asyncio.Task[None] | None = None  # for the stock, while it cannot be read
        self._room = asyncio.Event()
        self._closing = False
        self._reserved = self._fetching = 0
        self._tally = company.tally or Tally()
        if self._tally.began is None:
            self._tally.began = self._opened
        self._ending = Ending(
            limits=limits,
            control=self._control,
            tally=self._tally,
            dispatch=self._dispatch,
            rest=portal.config.politeness.max_delay,
            now=self._now,
            seconds=self._seconds,
        )
        self._keeper = Keeper(portal)
        self._maps = Maps(portal, self._fetcher, self._workers, company.postponed)

    async def run(self) -> Progress:
        try:
            await self._workers.run_in_writer(self._begin)
            self._control.begun = True
            async with asyncio.TaskGroup() as group:
                self._group = group
                fetchers = [group.create_task(self._fetch_pages()) for _ in range(self._connections())]
                readers = [
                    group.create_task(self._read_pages()) for _ in range(2 * self._workers.reader_count + 1)
                ]
                keepers = [group.create_task(self._settle_pages()), group.create_task(self._keep_pages())]
                if self._maps.left:
                    self._send(self._await_listed(self._maps.finish))
                end = await self._watch()
                await self._close(fetchers, readers, keepers)
        except BaseExceptionGroup as failed:
            await self._break_off(RunEnd.FAILED)
            raise first_of(failed) from failed
        except asyncio.CancelledError:
            await self._break_off(RunEnd.INTERRUPTED)
            raise
        await self._note(end)
        left = await self._workers.run_in_writer(self._left)
        progress = replace(self._progress(), end=end, waiting=left)
        self._report(progress)
        return progress

    def _connections(self) -> int:
        return max(1, min(self._limits.connections, self._limits.pages))

    def _begin(self) -> None:
        self._keeper.begin(self._policy, self._limits.command, self._maps)
        self._copies.recall(self._portal.store)
        with self._portal.store.reading() as session:
            self._tally.newest = newest_url(session)
        self._await_all(*self._counted())

    def _counted(self) -> tuple[dict[TopicId, int], int]:
        return self._sizes(), self._left()

    def _await_all(self, sizes: dict[TopicId, int], urls: int) -> None:
        self._tally.await_all(sizes, urls)
        self._frontier.open(sizes)

    async def _break_off(self, end: RunEnd) -> None:
        """Note how it ended, if that can be noted: whatever broke it off may be in the way of that, too."""
        with suppress(LodeError):
            await self._note(end)

    async def _note(self, end: RunEnd) -> None:
        """Note how it ended. Whoever breaks it off just now waits for that, too."""
        noted = asyncio.ensure_future(
            self._workers.run_in_writer(partial(self._keeper.end, end, self._books()))
        )
        try:
            await asyncio.shield(noted)
        except asyncio.CancelledError:
            await noted
            raise

    def _books(self) -> Books:
        """What was learned of hosts and is not kept yet, with sitemaps that nobody will come to read now."""
        return self._maps.sorted_out(books_of(self._fetcher))[0]

    # --- the stages -------------------------------------------------------------------------------------

    async def _fetch_pages(self) -> None:
        while (entry := await self._next()) is not None:
            asked = Address(entry.url, entry.key, host_of(entry.url))
            self._fetching += 1
            try:
                fetched = await self._fetch(entry, asked)
            finally:
                self._fetching -= 1
            await self._fetched.put(Catch(entry, fetched))

    async def _fetch(self, entry: Entry, asked: Address) -> Fetched:
        headers = await self._workers.lasting(partial(self._conditions, entry)) if self._conditions else ()
        while True:
            outages = self._workers.outages
            try:
                return await self._fetcher.fetch(asked, headers, entry.attempts + 1)
            except StoreGoneError as gone:  # nobody can look up what is known of the host
                await self._workers.mend(gone, outages)
                await self._fetcher.courtesy.turn(asked.host)

    async def _next(self) -> Entry | None:
        """The next entry, as soon as there is one; None: the crawl ends."""
        while not (self._closing or self._control.stopping):
            if self._has_room():
                self._reserved += 1
                try:
                    return await self._rest(self._dispatch.next())
                except asyncio.CancelledError:
                    self._reserved -= 1
                    raise
            self._room.clear()
            await self._rest(self._room.wait())
        return None

    def _has_room(self) -> bool:
        if self._limits.ahead is not None and self._reserved >= self._limits.ahead:
            return False
        if self._teacher is not None and self._reserved >= self._teacher.spare():
            return False
        return self._tally.pages + self._reserved < self._limits.pages

    async def _rest(self, waiting: Awaitable[T]) -> T:
        """Wait, as somebody who may be sent home."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a fetcher
        self._resting.add(task)
        try:
            return await waiting
        finally:
            self._resting.discard(task)

    async def _read_pages(self) -> None:
        while catches := await portion(self._fetched, _READ_AT_ONCE):
            while catches:
                catches = await self._read(catches)

    async def _read(self, catches: Sequence[Catch]) -> list[Catch]:
        """Have some read, and hand them on. Returns copies of pages that were not kept after all."""
        told = await self._workers.lasting(partial(self._copies.tell, catches, self._portal.store))
        found = [catch for catch, first in told if first is None]
        new = [place for place, catch in enumerate(found) if has_document(catch.fetched)]
        said = await self._workers.read_documents([_raw(found[place].fetched) for place in new])
        for place, one in zip(new, said, strict=True):
            found[place] = replace(found[place], said=one)
        for catch in found:
            await self._caught.put(catch)
        again: list[Catch] = []
        for catch, first in told:  # all of our own is on its way: nobody waits in a circle
            if first is None:
                continue
            await first.settled.wait()
            if first.is_kept:
                copy = replace(catch.fetched, copy_of=first.fetched.final.url)
                await self._caught.put(replace(catch, fetched=copy))
            else:
                again.append(catch)
        return again

    async def _settle_pages(self) -> None:
        """A few at a time: readers, fetchers and the keeper get their turns in between."""
        obey = self._portal.config.robots.page_rules
        while catches := await portion(self._caught, _SETTLED_AT_ONCE):
            settling = partial(settle, catches, self._policy, self._in_spaces, obey=obey)
            drafts = await self._workers.lasting(settling)
            if self._conditions is not None:
                drafts = list(map(for_known_page, drafts))
            await self._drafted.put(_Part(catches, drafts))
            await asyncio.sleep(0)  # a queue with room makes nobody wait
        await self._drafted.put(None)

    async def _keep_pages(self) -> None:
        while parts := await self._batch():
            catches = [catch for part in parts for catch in part.catches]
            drafts = [draft for part in parts for draft in part.drafts]
            books, met = self._maps.sorted_out(books_of(self._fetcher))
            outages = self._workers.outages
            kept, outcomes = await self._workers.run_in_writer(partial(self._keeper.keep, drafts, books))
            self._settled(catches, drafts, outcomes, kept)
            if (
                self._workers.outages != outages
            ):  # it may have been kept unheard: what it led to is no news then
                await self._begin_anew()
            if self._journal is not None:
                await self._workers.run_in_writer(partial(self._journal.note, drafts, self._progress()))
            if met:
                like = catches[0].entry
                self._send(self._await_listed(partial(self._maps.read, met, like.queue, like.rank - 1)))

    async def _batch(self) -> list[_Part]:
        """What has been settled; while more is on its way it is worth a moment: a transaction costs as much
        for one page as for ten."""
        parts = await portion(self._drafted, _KEPT_AT_ONCE)
        few = sum(len(part.catches) for part in parts) < _WORTH_IT
        if parts and few and self._fetching and self._limits.ahead is None:
            await asyncio.sleep(_MOMENT)
            if not self._drafted.empty():
                more = await portion(self._drafted, _KEPT_AT_ONCE)
                if not more:
                    self._drafted.put_nowait(None)  # the end is for the next time
                parts += more
        return parts

    def _settled(
        self, catches: Sequence[Catch], drafts: Sequence[Draft], outcomes: Sequence[Outcome], kept: Kept
    ) -> None:
        """A batch is committed."""
        self._copies.put_down(catches, outcomes)
        self._reserved -= len(catches)
        offered = [entry for entry in kept.offered if self._ours(entry.queue)]
        again = [entry for entry in map(_again, outcomes) if entry and entry.url_id not in kept.settled]
        self._tally.count(drafts, kept)
        self._tally.await_more(kept.offered if self._limits.queues is None else offered)
        self._dispatch.settle(kept.settled, again, offered)
        if self._teacher is not None:
            self._teacher.saw(outcomes)
        self._room.set()
        self._control.changed.set()

    def _in_spaces(self, entry: Entry, document: Document) -> Sample:
        spaces = self._policy.spaces
        if all(space in document.vectors for space in spaces):
            return sample_of(document, spaces, Surroundings(entry.url))
        with self._portal.store.reading() as session:
            return sample_of(document, spaces, surroundings_of(session, entry.url, entry.key, spaces))

    # --- besides ----------------------------------------------------------------------------------------

    def _send(self, errand: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Have something done beside the crawl, which does not end before it."""
        task = self._group.create_task(errand)
        self._errands.add(task)
        task.add_done_callback(self._returned)
        return task

    def _returned(self, task: "asyncio.Task[None]") -> None:
        self._errands.discard(task)
        self._control.changed.set()

    async def _await_listed(self, read: Callable[[], Awaitable[list[Entry]]]) -> None:
        """What sitemaps list waits like anything else."""
        offered = await read()
        self._tally.await_more(offered)
        self._dispatch.offer(offered)

    def _teach(self, *, idle: bool) -> bool:
        """Have a lesson given if it is time for one; whether one is under way."""
        if self._lesson is not None and not self._lesson.done():
            return True
        if self._teacher is None or not self._teacher.due(idle=idle):
            return False
        self._lesson = self._send(self._give_lesson(self._teacher))
        return True

    async def _give_lesson(self, teacher: Teacher) -> None:
        if await teacher.teach(self._workers):
            await self._begin_anew()
        self._room.set()  # for those who had to wait for the lesson

    async def _begin_anew(self) -> None:
        """Begin anew with what waits in the store: it may be more, or at other ranks."""
        self._await_all(*await self._workers.run_in_writer(self._counted))
        self._dispatch.reread()
        self._dispatch.stock_up()

    def _sizes(self) -> dict[TopicId, int]:
        """How many URLs wait in each of our queues; everything is looked at, so seldom asked for."""
        with self._portal.store.reading() as session:
            return {queue: size for queue, size in stock.sizes(session).items() if self._ours(queue)}

    def _left(self) -> int:
        """How many URLs wait after all, those included that are for later."""
        if self._limits.queues is not None:
            return sum(self._sizes().values())
        with self._portal.store.reading() as session:
            return stock.size(session)

    # --- until when -------------------------------------------------------------------------------------

    async def _watch(self) -> RunEnd:
        """Wait until there is a reason to end, and tell it."""
        while True:
            self._control.changed.clear()
            end = self._over()
            if end is not None:
                return end
            self._dispatch.stock_up()
            self._teach(idle=False)
            self._report(self._progress())
            await wait(self._control.changed, self._ending.pause(busy=bool(self._errands)))

    def _over(self) -> RunEnd | None:
        end = self._ending.reached()
        if end is None and self._ending.is_idle(busy=bool(self._errands)):
            more = self._dispatch.stock_up() or self._teach(idle=True)
            return RunEnd.DONE if not more and self._ending.is_vain() else None
        return end

    async def _close(
        self,
        fetchers: Sequence["asyncio.Task[None]"],
        readers: Sequence["asyncio.Task[None]"],
        keepers: Sequence["asyncio.Task[None]"],
    ) -> None:
        """Let what is under way come to its end, for a while, and keep it."""
        self._closing = True
        self._dispatch.drain()
        for resting in self._resting:
            resting.cancel()
        for errand in self._errands:
            errand.cancel()
        late, until = set(fetchers), self._loop.time() + _GRACE
        while late and self._loop.time() < until:
            _, late = await asyncio.wait(late, timeout=min(_LOOK, until - self._loop.time()))
            self._report(self._progress())
        for fetcher in late:
            fetcher.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        for _ in readers:
            await self._fetched.put(None)
        await asyncio.wait(readers)
        await self._caught.put(None)
        await asyncio.gather(*keepers)

    def _progress(self) -> Progress:
        progress = replace(
            self._tally.progress(self._seconds()),
            retries=self._dispatch.retries,
            under_way=self._fetching,
            idle=self._workers.idle or self._dispatch.idle(),
        )
        return progress if self._teacher is None else self._teacher.told(progress)

    def _seconds(self) -> float:
        return self._tally.age(self._loop.time())

    def _now(self) -> float:
        """The time of day, by a clock that never jumps."""
        return self._since + self._loop.time() - self._opened

    def _load(self, queue: TopicId, limit: int, after: Entry | None) -> list[Entry]:
        outages = self._workers.outages
        try:
            with self._portal.store.reading() as session:
                return stock.waiting(session, queue, limit, after)
        except StoreGoneError as gone:  # it seems to be empty, until somebody has looked again
            if self._search is None:
                self._search = self._send(self._look_again(gone, outages))
            return []

    async def _look_again(self, gone: StoreGoneError, outages: int) -> None:
        await self._workers.mend(gone, outages)
        self._search = None
        self._dispatch.reread()
        self._dispatch.stock_up()

    def _ours(self, queue: TopicId) -> bool:
        return queue > 0 if self._limits.queues is None else queue in self._limits.queues


def _raw(fetched: Fetched) -> Raw:
    response = fetched.response
    assert response is not None  # noqa: S101 - it has a document
    return Raw(response.url, response.body, response.mime, response.header("content-type"))


def _again(outcome: Outcome) -> Entry | None:
    """The entry as it waits for another attempt; None: it does not."""
    entry, fate = outcome.entry, outcome.fate
    if outcome.page is not None or fate.retry_at is None:
        return None
    return replace(entry, attempts=entry.attempts + fate.tried, not_before=fate.retry_at)
