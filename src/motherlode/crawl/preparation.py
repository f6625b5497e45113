"""Preparation of a crawl: fetch the pages that training needs before it begins.

By default these are the examples of the topics. A policy may want others, such as search hits or
the first pages of a site, and says for each page whether its links enter the crawl.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.fetcher_setup import (
    courtesy_of,
    fetcher_for,
    save_host_changes,
    take_host_changes,
    without_sitemaps,
)
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.sitemaps import PostponedSitemaps, follows_from_sitemaps
from motherlode.fetch import Web
from motherlode.fetch.fetcher import Fetcher
from motherlode.fetch.robots.cache import origin_of
from motherlode.policies.follows import QUEUE, follow_links
from motherlode.policies.options import CrawlOptions
from motherlode.policies.policy import NO_MOVES, Moves, PolicyDefaults, Visit
from motherlode.portal import Portal
from motherlode.records import (
    NO_QUEUE,
    Follow,
    Judgement,
    Lane,
    Origin,
    QueueId,
    RobotsFile,
    RunEnd,
    UrlKey,
    UrlState,
)
from motherlode.records.pages import PREPARATION
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import known_url
from motherlode.topics import TopicTree
from motherlode.training.training_document import page_at_url
from motherlode.urls import host_of, url_key
from motherlode.workers.worker_pool import WorkerPool

_RANK = 2e9  # before everything that a crawl ranks
_LINK_RANK = -1.0  # of pages that a wanted page links to


class Wanted(Struct, frozen=True):
    """A page that training wants. `follows_links` says whether its links enter the crawl.

    `queue` is where they wait then, and where the page waits if it could not be fetched yet.
    `is_needed`: a crawl needs at least one of these pages. By default those whose links it follows.
    """

    url: str
    key: UrlKey
    follows_links: bool = True
    queue: QueueId = QUEUE
    is_needed: bool | None = None

    @property
    def counts(self) -> bool:
        """Whether a crawl can begin with this page alone."""
        return self.follows_links if self.is_needed is None else self.is_needed


# Returns the pages that training wants, stored or not, each once. It is asked again after they were
# fetched, and may want more then: the pages of a site become known from page to page.
ListWanted = Callable[[Portal], list[Wanted]]


def wanted_examples(portal: Portal) -> list[Wanted]:
    """Return the examples of all topics, and of OTHERS.

    The links of counterexamples and of search hits do not enter the crawl.
    """
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = [
            (example.url, tree[example.topic].is_others or example.origin is Origin.HIT)
            for example in topic_rows.examples_of(session)
            if example.url and tree[example.topic].parent is not None
        ]
    followed = {url for url, is_dead_end in examples if not is_dead_end}
    urls = dict.fromkeys(url for url, _ in examples)
    return [Wanted(url, url_key(url, host_of(url)), url in followed) for url in urls]


@dataclass(frozen=True, slots=True)
class _WantedPages(PolicyDefaults):
    """Fetches wanted pages only, and queues their links for the crawl unless they are dead ends."""

    name: ClassVar[str] = PREPARATION
    wanted: Sequence[Wanted]
    queues: Mapping[str, QueueId]  # for the links of pages, by URL; dead ends have none
    options: CrawlOptions

    def seed(self) -> Iterable[Follow]:
        return (
            Follow(page.url, page.key, NO_QUEUE, _RANK - place, lane=Lane.PREPARATION)
            for place, page in enumerate(self.wanted)
        )

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Moves:
        archive = visit.entry.url.partition("#")[0]  # for a member, the URL of its archive
        queue = self.queues.get(archive)
        if queue is None:
            return NO_MOVES
        return Moves(follow_links(visit, _LINK_RANK, self.options, queue))


async def prepare(
    portal: Portal,
    web: Web,
    list_wanted: ListWanted = wanted_examples,
    workers: WorkerPool | None = None,
    context: CrawlContext | None = None,
    within: Limits | None = None,
) -> int:
    """Fetch the wanted pages that may still be fetched; return how many were stored.

    `context` and `within` are the context and the limits of the crawl that this is a part of.
    """
    context = context or CrawlContext(workers)
    context = dataclasses.replace(context, counters=context.counters or CrawlCounters())
    stored, tried = 0, set[UrlKey]()
    while wanted := [page for page in unfetched(portal, list_wanted) if page.key not in tried]:
        tried.update(page.key for page in wanted)
        new = await _Preparation(portal, web, list_wanted, wanted).run(context, within)
        stored += new
        if not new or _is_spent(context, within):
            break
    return stored


def unfetched(portal: Portal, list_wanted: ListWanted = wanted_examples) -> list[Wanted]:
    """Return the wanted pages that may still be fetched."""
    wanted = list_wanted(portal)
    with portal.store.reading() as session:
        known_urls = [(page.key, known_url(session, page.key)) for page in wanted]
    states = {key: known.state for key, known in known_urls if known}
    return [page for page in wanted if states.get(page.key, UrlState.OPEN) is UrlState.OPEN]


@dataclass(frozen=True, slots=True)
class _Preparation:
    portal: Portal
    web: Web
    list_wanted: ListWanted
    wanted: Sequence[Wanted]

    async def run(self, context: CrawlContext, within: Limits | None) -> int:
        followed = [page for page in self.wanted if page.follows_links]
        origins = {origin_of(page.url) for page in followed} - self._known_origins()
        sitemaps = PostponedSitemaps(origins if self.portal.config.robots.sitemaps else ())
        context = self._joining(context, sitemaps)
        before = 0 if context.counters is None else context.counters.pages
        self._clear()
        progress = await self._fetch(context, within, before)
        self._clear()
        if within is not None and progress.end == RunEnd.DONE:
            self._hand_over()
        if sitemaps.files and progress.end == RunEnd.DONE:  # else the next crawl reads them
            await self._read_sitemaps(sitemaps, context, within, progress)
        return progress.pages - before

    def _joining(self, context: CrawlContext, sitemaps: PostponedSitemaps) -> CrawlContext:
        courtesy = context.courtesy
        return dataclasses.replace(
            context,
            counters=context.counters or CrawlCounters(),
            postponed=sitemaps,
            courtesy=courtesy_of(self.portal.config) if courtesy is None else courtesy,
        )

    async def _fetch(self, context: CrawlContext, within: Limits | None, before: int) -> Progress:
        queues = {page.url: page.queue for page in self.wanted if page.follows_links}
        policy = _WantedPages(self.wanted, queues, self.portal.config.crawl)
        limits = _limits(before + len(self.wanted) + 1, within)
        portal = without_sitemaps(self.portal)
        progress = await crawl(portal, self.web, policy, limits, context)
        if within is not None and progress.end == RunEnd.DONE and not self._has_any_page():
            limits = replace(limits, patience=within.patience)  # a crawl needs at least one page
            progress = await crawl(portal, self.web, policy, limits, context)
        return progress

    def _clear(self) -> None:
        """Remove pages that could not be fetched; the next preparation offers them if wanted."""
        with self.portal.batch() as session:
            frontier.clear(session, Lane.PREPARATION)

    def _has_any_page(self) -> bool:
        urls = [page.url for page in self.list_wanted(self.portal) if page.counts]
        with self.portal.store.reading() as session:
            return any(page_at_url(session, url) is not None for url in urls)

    def _hand_over(self) -> None:
        """Queue pages that could not be fetched yet at the front of the crawl, unless dead ends."""
        late = [page for page in unfetched(self.portal, self.list_wanted) if page.follows_links]
        with self.portal.batch() as session:
            offers = [Follow(page.url, page.key, page.queue, _RANK) for page in late]
            frontier.offer(session, offers)

    def _known_origins(self) -> set[str]:
        """Return the origins whose robots.txt and sitemaps were read before."""
        with self.portal.store.reading() as session:
            origins = {origin_of(page.url) for page in self.wanted}
            unread = {file.origin for file in ledger.unread_robots(session)}
            candidates = origins - unread
            return {
                origin
                for origin in candidates
                if ledger.robots_of(session, origin) is not None  # fetched before
            }

    async def _read_sitemaps(
        self,
        sitemaps: PostponedSitemaps,
        context: CrawlContext,
        within: Limits | None,
        progress: Progress,
    ) -> None:
        courtesy = context.courtesy or courtesy_of(self.portal.config)
        fetcher = fetcher_for(self.portal, self.web, courtesy)
        listing = self._offer_listed(fetcher, list(sitemaps.files.values()))
        limit = None if within is None else within.seconds
        left = None if limit is None else limit - progress.seconds
        await context.control.unless_stopped(listing, otherwise=None, seconds=left)

    async def _offer_listed(self, fetcher: Fetcher, files: Sequence[RobotsFile]) -> None:
        """Queue the pages that sitemaps list for the crawl.

        The robots.txt that names them is stored in the same transaction: should the process die
        before, the next crawl reads the sitemaps.
        """
        for file in files:
            fetcher.rulebook.know(file)
        listed: list[Follow] = []
        for queue, files_of_queue in self._files_by_queue(files).items():
            listed += await follows_from_sitemaps(fetcher, files_of_queue, queue, _LINK_RANK)
        with self.portal.batch() as session:
            frontier.offer(session, listed)
            ledger.keep_robots(session, files)
            save_host_changes(session, take_host_changes(fetcher))

    def _files_by_queue(self, files: Sequence[RobotsFile]) -> dict[QueueId, list[RobotsFile]]:
        """Return the robots.txt files by the queue of the first wanted page of their origin."""
        followed = [page for page in self.wanted if page.follows_links]
        queue_of = {origin_of(page.url): page.queue for page in reversed(followed)}
        by_queue: dict[QueueId, list[RobotsFile]] = {}
        for file in files:
            by_queue.setdefault(queue_of.get(file.origin, QUEUE), []).append(file)
        return by_queue


def _is_spent(context: CrawlContext, within: Limits | None) -> bool:
    """Return whether the crawl was stopped, or has fetched all the pages that it may."""
    counters = context.counters
    is_full = within is not None and counters is not None and counters.pages >= within.pages
    return context.control.stopping or is_full


def _limits(pages: int, within: Limits | None) -> Limits:
    """Return the limits. `pages` is one more than is wanted: having all is not a limit reached."""
    limits = Limits(pages, command="train", patience=0.0, lane=Lane.PREPARATION)
    if within is None:
        return limits
    return replace(
        limits,
        pages=min(within.pages, pages),
        seconds=within.seconds,
        connections=within.connections,
        requests=within.requests,
    )
