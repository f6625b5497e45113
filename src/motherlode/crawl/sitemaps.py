"""Sitemaps as a source of links: read once, for each origin whose robots.txt a crawl has just met."""

import dataclasses
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from motherlode.crawl.fetcher_setup import Books
from motherlode.crawl.outages import Steady
from motherlode.fetch import FetchError
from motherlode.fetch.duplicates import Duplicates
from motherlode.fetch.fetching import Fetcher, FetchRules
from motherlode.portal import Portal
from motherlode.records import Entry, Follow, RobotsFile, StoreGoneError, TopicId
from motherlode.sources.sitemaps import MAX_BYTES, read_sitemaps
from motherlode.store import Session, frontier, ledger
from motherlode.urls import Address, UrlError, address


@dataclass(frozen=True, slots=True)
class Postponed:
    """Sitemaps that are read when a crawl is over, and not by it: the origins whose they are, and of those
    that the crawl has met, robots.txt."""

    origins: Collection[str]
    files: dict[str, RobotsFile] = field(default_factory=dict)


class Maps:
    """The sitemaps of the hosts that a crawl meets. Until they are read, the robots.txt that names them is
    kept as one that holds no longer: should the process die, the next one knows by that."""

    def __init__(
        self, portal: Portal, fetcher: Fetcher, workers: Steady, postponed: Postponed | None = None
    ) -> None:
        self._portal, self._fetcher, self._workers = portal, fetcher, workers
        self._wanted = portal.config.robots.sitemaps
        self._postponed = postponed or Postponed(())
        self.left: list[RobotsFile] = []  # that a crawl before this one did not come to read
        self._place = (TopicId(0), 0.0)  # where what those list waits
        self._mapped: set[str] = set()  # the origins of those, once they are read

    def begin(self, session: Session, first: Follow) -> None:
        if self._wanted:
            self.left, self._place = ledger.unread_robots(session), (first.queue, first.rank - 1)

    def sorted_out(self, books: Books) -> tuple[Books, list[RobotsFile]]:
        """What is to be kept of hosts now; and robots.txt whose sitemaps are to be read."""
        later = self._postponed
        later.files.update({file.origin: file for file in books.robots if file.origin in later.origins})
        robots = [
            replace(file, expires_at=file.fetched_at)
            if self._wanted or file.origin in later.origins
            else file
            for file in books.robots
        ]
        return replace(books, robots=robots), books.robots if self._wanted else []

    async def read(self, met: Sequence[RobotsFile], queue: TopicId, rank: float) -> list[Entry]:
        """Offer what sitemaps list; robots.txt that names them is kept with it, unless it is an old one."""
        unread = [file for file in met if file.origin not in self._mapped]
        listed = await self._listed(unread, queue, rank)
        fresh = [file for file in met if file.expires_at > file.fetched_at]
        return await self._workers.run_in_writer(partial(self._offer, listed, fresh))

    async def finish(self) -> list[Entry]:
        """The same of what a crawl before this one left."""
        offered = await self.read(self.left, *self._place)
        self._mapped = {file.origin for file in self.left}  # they were met again with that
        return offered

    async def _listed(self, met: Sequence[RobotsFile], queue: TopicId, rank: float) -> list[Follow]:
        while True:
            outages = self._workers.outages
            try:
                return await follows_from_sitemaps(self._fetcher, met, queue, rank)
            except StoreGoneError as gone:
                await self._workers.mend(gone, outages)

    def _offer(self, follows: Sequence[Follow], met: Sequence[RobotsFile]) -> list[Entry]:
        with self._portal.batch() as session:
            ledger.keep_robots(session, met)
            return frontier.offer(session, follows)


async def follows_from_sitemaps(
    fetcher: Fetcher, met: Iterable[RobotsFile], queue: TopicId, rank: float
) -> list[Follow]:
    """Every page that the sitemaps of these origins list, at one rank."""
    found: dict[int, Follow] = {}
    for file in met:
        try:
            named = (await fetcher.rulebook.rules_for(f"{file.origin}/")).sitemaps
        except FetchError:
            continue
        for page in await read_sitemaps(lambda url: body_at(fetcher, url), named):
            listed = _address(page.url, fetcher)
            if listed is not None and fetcher.allows(listed.host):
                found[listed.key] = Follow(listed.url, listed.key, queue, rank)
    return list(found.values())


async def body_at(fetcher: Fetcher, url: str) -> bytes | None:
    """What lies at a URL, fetched as politely as anything else; None: nothing."""
    asked = _address(url, fetcher)
    if asked is None:
        return None
    await fetcher.courtesy.turn(asked.host)
    # On its own: no page is a copy of a sitemap, which is none itself.
    alone = dataclasses.replace(fetcher, rules=_roomy(fetcher.rules), duplicates=Duplicates())
    response = (await alone.fetch(asked)).response
    return response.body if response is not None and response.ok else None


def _roomy(rules: FetchRules) -> FetchRules:
    """The same, with room for a sitemap of any size that there may be, whatever is wanted of documents."""
    return replace(rules, types=replace(rules.types, text=MAX_BYTES, archive=MAX_BYTES))


def _address(url: str, fetcher: Fetcher) -> Address | None:
    try:
        return address(url, rules=fetcher.rules.urls)
    except UrlError:
        return None
