"""Sitemaps as a source of links: read once for each origin whose robots.txt was just fetched."""

import dataclasses
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from motherlode.crawl.fetcher_setup import HostChanges
from motherlode.crawl.outages import ResilientWorkerPool
from motherlode.fetch import FetchError
from motherlode.fetch.duplicates import Duplicates
from motherlode.fetch.fetcher import Fetcher, FetchRules
from motherlode.portal import Portal
from motherlode.records import Entry, Follow, QueueId, RobotsFile, StoreGoneError
from motherlode.sources.sitemaps import MAX_BYTES, read_sitemaps
from motherlode.store import Session
from motherlode.store.tables import frontier, ledger
from motherlode.urls import Address, UrlError, address


@dataclass(frozen=True, slots=True)
class PostponedSitemaps:
    """Origins whose sitemaps are read after a crawl, and the robots.txt files fetched there."""

    origins: Collection[str]
    files: dict[str, RobotsFile] = field(default_factory=dict)


class SitemapReader:
    """Reads the sitemaps of the hosts that a crawl visits.

    Until its sitemaps are read, a robots.txt is stored as expired: should the process die, the next
    crawl knows by that which sitemaps it must read.
    """

    def __init__(
        self,
        portal: Portal,
        fetcher: Fetcher,
        workers: ResilientWorkerPool,
        postponed: PostponedSitemaps | None = None,
    ) -> None:
        self._portal, self._fetcher, self._workers = portal, fetcher, workers
        self._is_enabled = portal.config.robots.sitemaps
        self._postponed = postponed or PostponedSitemaps(())
        self.unread: list[RobotsFile] = []  # whose sitemaps an earlier crawl did not read
        self._unread_target = (QueueId(0), 0.0)  # queue and rank of the pages that those list
        self._read_origins: set[str] = set()  # origins of `unread`, once their sitemaps are read

    def begin(self, session: Session, first: Follow) -> None:
        """Load the robots.txt files whose sitemaps an earlier crawl did not read."""
        if self._is_enabled:
            self.unread = ledger.unread_robots(session)
            self._unread_target = first.queue, first.rank - 1

    def split_changes(self, changes: HostChanges) -> tuple[HostChanges, list[RobotsFile]]:
        """Return the changes to store now, and the robots.txt files with sitemaps to read."""
        postponed, is_enabled = self._postponed, self._is_enabled
        postponed.files.update(
            {file.origin: file for file in changes.robots if file.origin in postponed.origins}
        )
        robots = [
            replace(file, expires_at=file.fetched_at)
            if is_enabled or file.origin in postponed.origins
            else file
            for file in changes.robots
        ]
        return replace(changes, robots=robots), changes.robots if is_enabled else []

    async def read(self, files: Sequence[RobotsFile], queue: QueueId, rank: float) -> list[Entry]:
        """Offer the pages that sitemaps list, and store the robots.txt files that name them.

        Files that an earlier crawl stored are not stored again.
        """
        unread = [file for file in files if file.origin not in self._read_origins]
        listed = await self._listed(unread, queue, rank)
        new = [file for file in files if file.expires_at > file.fetched_at]
        return await self._workers.run_in_writer(partial(self._offer, listed, new))

    async def read_unread(self) -> list[Entry]:
        """Offer the pages of sitemaps that an earlier crawl did not read."""
        offered = await self.read(self.unread, *self._unread_target)
        # Reading them has fetched their robots.txt again, which is no reason to read them twice.
        self._read_origins = {file.origin for file in self.unread}
        return offered

    async def _listed(
        self,
        files: Sequence[RobotsFile],
        queue: QueueId,
        rank: float,
    ) -> list[Follow]:
        while True:
            outages = self._workers.outages
            try:
                return await follows_from_sitemaps(self._fetcher, files, queue, rank)
            except StoreGoneError as error:
                await self._workers.wait_for_database(error, outages)

    def _offer(self, follows: Sequence[Follow], files: Sequence[RobotsFile]) -> list[Entry]:
        with self._portal.batch() as session:
            ledger.keep_robots(session, files)
            return frontier.offer(session, follows)


async def follows_from_sitemaps(
    fetcher: Fetcher, files: Iterable[RobotsFile], queue: QueueId, rank: float
) -> list[Follow]:
    """Return all pages that the sitemaps of these origins list, each once, at the same rank."""
    follows: dict[int, Follow] = {}
    for file in files:
        try:
            sitemaps = (await fetcher.rulebook.rules_for(f"{file.origin}/")).sitemaps
        except FetchError:
            continue
        for page in await read_sitemaps(lambda url: fetch_body(fetcher, url), sitemaps):
            target = _address(page.url, fetcher)
            if target is not None and fetcher.allows(target.host):
                follows[target.key] = Follow(target.url, target.key, queue, rank)
    return list(follows.values())


async def fetch_body(fetcher: Fetcher, url: str) -> bytes | None:
    """Fetch a URL as politely as any page; return its body, or None if there is none."""
    target = _address(url, fetcher)
    if target is None:
        return None
    await fetcher.courtesy.turn(target.host)
    # With a duplicate check of its own: no page is a copy of a sitemap, nor the other way round.
    separate = dataclasses.replace(
        fetcher,
        rules=_with_sitemap_sizes(fetcher.rules),
        duplicates=Duplicates(),
    )
    response = (await separate.fetch(target)).response
    return response.body if response is not None and response.ok else None


def _with_sitemap_sizes(rules: FetchRules) -> FetchRules:
    """Return fetch rules that allow the largest sitemaps, whatever the limits for documents are."""
    return replace(rules, types=replace(rules.types, text=MAX_BYTES, archive=MAX_BYTES))


def _address(url: str, fetcher: Fetcher) -> Address | None:
    try:
        return address(url, rules=fetcher.rules.urls)
    except UrlError:
        return None
