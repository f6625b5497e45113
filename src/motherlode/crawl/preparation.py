"""Fetching a portal's examples: a topic is learned from its pages, so they must be there."""

import dataclasses
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from motherlode.crawl.context import Company
from motherlode.crawl.counters import Tally
from motherlode.crawl.fetcher_setup import books_of, courtesy_of, fetcher_for, keep_books, without_sitemaps
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits
from motherlode.crawl.sitemaps import Postponed, follows_from_sitemaps
from motherlode.fetch import Web
from motherlode.fetch.fetching import Fetcher
from motherlode.fetch.rulebook import origin_of
from motherlode.policies.baselines import QUEUE, follow_links
from motherlode.policies.options import CrawlOptions
from motherlode.policies.policy import Visit
from motherlode.portal import Portal
from motherlode.records import Follow, Judgement, RobotsFile, RunEnd, TopicId, UrlKey, UrlState
from motherlode.store import frontier, ledger
from motherlode.store import topics as topic_rows
from motherlode.store.pages import known_url
from motherlode.topics import TopicTree
from motherlode.training.training_set import page_behind
from motherlode.urls import host_of, url_key
from motherlode.workers.worker_pool import WorkerPool

_OWN_QUEUE = TopicId(0)  # of no topic: what else waits is not fetched with them
_FIRST = 2e9
_NEXT = -1.0  # the rank of what is one step away, as the crawl has it


class Wanted(Struct, frozen=True):
    """An example that may still be fetched. `against`: it is one of OTHERS and of no topic."""

    url: str
    key: UrlKey
    against: bool


@dataclass(frozen=True, slots=True)
class _Examples:
    """The examples and nothing else; their links wait for the crawl, except those of counterexamples."""

    spaces: ClassVar[Sequence[str]] = ()
    wanted: Sequence[Wanted]
    against: Collection[str]
    options: CrawlOptions

    def seed(self) -> Iterable[Follow]:
        return (Follow(one.url, one.key, _OWN_QUEUE, _FIRST - place) for place, one in enumerate(self.wanted))

    def judge(self, visits: Sequence[Visit]) -> list[None]:
        return [None] * len(visits)

    def steer(self, visit: Visit, _judgement: Judgement | None) -> Iterable[Follow]:
        whole = visit.entry.url.partition("#")[0]  # of a file in an archive, the archive
        return () if whole in self.against else follow_links(visit, _NEXT, self.options)


async def fetch_examples(
    portal: Portal,
    web: Web,
    workers: WorkerPool | None = None,
    company: Company | None = None,
    within: Limits | None = None,
) -> int:
    """Fetch the examples that nobody tried to fetch yet, or not for the last time. Returns how many came.

    `company`: who goes along besides, if it is part of a crawl, and `within`: when that ends.
    """
    wanted = unfetched(portal)
    if not wanted:
        return 0
    origins = {origin_of(one.url) for one in wanted if not one.against} - _met(portal, wanted)
    maps = Postponed(origins if portal.config.robots.sitemaps else ())
    _empty(portal)
    policy = _Examples(wanted, {one.url for one in wanted if one.against}, portal.config.crawl)
    company = company or Company(workers)
    company = dataclasses.replace(company, tally=company.tally or Tally())
    courtesy = courtesy_of(portal.config) if company.courtesy is None else company.courtesy
    company = dataclasses.replace(company, postponed=maps, courtesy=courtesy)
    before = company.tally.pages if company.tally is not None else 0
    beyond = before + len(wanted) + 1  # who has them all is done, and has reached no limit
    limits = Limits(beyond, command="train", patience=0.0, queues=frozenset({_OWN_QUEUE}))
    if within is not None:
        most = min(within.pages, beyond)
        limits = replace(limits, pages=most, seconds=within.seconds, connections=within.connections)
    plain = without_sitemaps(portal)
    progress = await crawl(plain, web, policy, limits, company)
    if within is not None and progress.end == RunEnd.DONE and not _any_is_here(portal):
        limits = replace(limits, patience=within.patience)  # without one there is no crawl
        progress = await crawl(plain, web, policy, limits, company)
    fetched, end = progress.pages - before, progress.end
    _empty(portal)
    if within is not None and end == RunEnd.DONE:
        _hand_over(portal)
    if maps.files and end == RunEnd.DONE:  # else the next crawl reads them
        listing = _offer_listed(portal, fetcher_for(portal, web, courtesy), list(maps.files.values()))
        left = None if within is None or within.seconds is None else within.seconds - progress.seconds
        await company.control.unless_stopped(listing, otherwise=None, seconds=left)
    return fetched


def unfetched(portal: Portal) -> list[Wanted]:
    """The examples of topics and of OTHERS that may still be fetched, each once."""
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = [
            (one.url, tree[one.topic])
            for one in topic_rows.examples_of(session)
            if one.url and tree[one.topic].parent is not None
        ]
        shown = {url for url, topic in examples if not topic.is_others}
        wanted = [
            Wanted(url, url_key(url, host_of(url)), url not in shown)
            for url in dict.fromkeys(url for url, _ in examples)
        ]
        states = {one.key: known.state for one in wanted if (known := known_url(session, one.key))}
        return [one for one in wanted if states.get(one.key, UrlState.OPEN) is UrlState.OPEN]


def _empty(portal: Portal) -> None:
    """What could not be fetched now is offered anew by the next training, if it is still an example then."""
    with portal.batch() as session:
        frontier.clear(session, _OWN_QUEUE)


def _any_is_here(portal: Portal) -> bool:
    """Whether there is a page to begin with."""
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
        shown = {one.url for one in examples if one.url and not tree[one.topic].is_others}
        return any(page_behind(session, url) is not None for url in shown)


def _hand_over(portal: Portal) -> None:
    """What could not be fetched yet waits for the crawl, before all else; counterexamples do not: their links
    are not to be followed."""
    late = [one for one in unfetched(portal) if not one.against]
    with portal.batch() as session:
        frontier.offer(session, [Follow(one.url, one.key, QUEUE, _FIRST) for one in late])


def _met(portal: Portal, wanted: Iterable[Wanted]) -> set[str]:
    """The origins whose robots.txt was read before, and with it their sitemaps."""
    with portal.store.reading() as session:
        origins = {origin_of(one.url) for one in wanted}
        unread = {file.origin for file in ledger.unread_robots(session)}
        return {one for one in origins - unread if ledger.robots_of(session, one) is not None}


async def _offer_listed(portal: Portal, fetcher: Fetcher, files: Sequence[RobotsFile]) -> None:
    """Offer to the crawl what sitemaps list. With that, and not before, the robots.txt that names them holds:
    should the process die, the next crawl reads them."""
    for file in files:
        fetcher.rulebook.know(file)
    listed = await follows_from_sitemaps(fetcher, files, QUEUE, _NEXT)
    with portal.batch() as session:
        frontier.offer(session, listed)
        ledger.keep_robots(session, files)
        keep_books(session, books_of(fetcher))
