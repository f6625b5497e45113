"""A crawl as a person starts it: what it goes out with, how it is stopped, and how far it is."""

import asyncio
import dataclasses
import signal
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.cli.display import Display
from motherlode.app.services.metrics import HOST, Metrics
from motherlode.crawl.context import Company, Control
from motherlode.crawl.counters import Tally
from motherlode.crawl.fetcher_setup import courtesy_of, manner_of, user_agent
from motherlode.crawl.log import Records
from motherlode.crawl.loop import crawl
from motherlode.crawl.outages import Steady
from motherlode.crawl.preparation import fetch_examples
from motherlode.crawl.progress import Limits, Progress
from motherlode.fetch import Web
from motherlode.fetch.http import HttpWeb
from motherlode.policies import Policy
from motherlode.policies.baselines import BestFirst, BreadthFirst, Centroid
from motherlode.policies.bingo.teacher import StudyRoom, Teacher, learning_share
from motherlode.policies.options import PolicyName
from motherlode.portal import Portal
from motherlode.records import Document, RunEnd, UsageError
from motherlode.search.index_updater import IndexUpdater
from motherlode.store import frontier
from motherlode.store import topics as topic_rows
from motherlode.store.pages import page_at, vectors_of
from motherlode.topics import TopicTree
from motherlode.urls import Address, address
from motherlode.workers.worker_pool import ProcessWorkerPool

LEARNING = frozenset({PolicyName.BINGO, PolicyName.BINGO_2003})


class Outing(Struct, frozen=True):
    """How a portal is crawled this time. The limits are of everything that is done, examples included.

    `feedback`: harvesting waits until a person has seen the archetypes. `metrics`: the port to serve them at.
    `aside`: what is shown goes to the standard error.
    `learn_pages`: how long to learn at most; None: as configured, for a tenth of the pages at most.
    """

    limits: Limits
    feedback: bool = False
    quiet: bool = False
    aside: bool = False
    metrics: int | None = None
    learn_pages: int | None = None


async def crawl_portal(portal: Portal, outing: Outing) -> Progress:
    """Crawl a portal by its policy, and show how it goes.

    Raises `BadInputError` where the Web would be crawled without saying by whom, and where there is nothing
    to learn from.
    """
    config = portal.config
    agent = user_agent(config)
    learns = config.crawl.policy in LEARNING
    if outing.feedback and not learns:
        name = config.crawl.policy.value
        raise UsageError(f"Feedback is for policies that learn, and {name} does not; leave --feedback out.")
    control, tree = Control(), portal.tree()
    tally = Tally(began=asyncio.get_running_loop().time())
    async with AsyncExitStack() as stack:
        display = stack.enter_context(Display(tree, outing.limits, quiet=outing.quiet, aside=outing.aside))
        stack.enter_context(stopped_by_signals(control, display.say))
        report: Callable[[Progress], None] = display.update
        if outing.metrics is not None:
            metrics = await stack.enter_async_context(Metrics(outing.metrics, tree))
            display.say(f"Metrics at http://{HOST}:{metrics.port}/metrics")
            report = _both(display.update, metrics.update)
        journal = stack.enter_context(Records(portal))
        web = await stack.enter_async_context(HttpWeb(config.network, agent, config.dns))
        workers = await stack.enter_async_context(ProcessWorkerPool(manner_of(config), config.reading))
        room = await stack.enter_async_context(StudyRoom()) if learns else None
        company = Company(
            workers, report, control, journal=journal, tally=tally, courtesy=courtesy_of(config)
        )
        follower = (
            await stack.enter_async_context(IndexUpdater(portal)) if config.index.while_crawling else None
        )
        progress = await _Trip(portal, web, outing, company, tally, display).go(workers, room)
        if follower is not None and progress.end != RunEnd.INTERRUPTED:
            display.say("Bringing the index up to date ...")
            behind = await control.unless_stopped(follower.finish(), otherwise="It was stopped.")
            display.say(f"The index is behind: {behind}" if behind else "The index is up to date.")
        return progress


@dataclass(frozen=True, slots=True)
class _Trip:
    """One outing: the examples, then what they teach, then the crawl; all of it within the limits."""

    portal: Portal
    web: Web
    outing: Outing
    company: Company
    tally: Tally
    display: Display

    async def go(self, workers: ProcessWorkerPool, room: StudyRoom | None) -> Progress:
        await self._fetch_examples()
        end = self._over()
        if end is not None:
            return self._ended(end)
        if room is None:
            return await self._crawl(baseline(self.portal), self.company)
        self.display.say("Learning from the examples ...")
        pause = self._pause if self.outing.feedback else None
        told = self.outing.learn_pages is not None
        teacher = Teacher(self.portal, room, pause, self._learn_pages(), exact=told)
        try:
            async with asyncio.timeout(self._seconds_left()) as timeout:
                policy = await teacher.begin(workers)
        except TimeoutError:
            if not timeout.expired():
                raise
            return self._ended(RunEnd.TIME)
        progress = await self._crawl(policy, dataclasses.replace(self.company, teacher=teacher))
        if progress.end == RunEnd.PAGES and teacher.is_behind:
            self.display.say("Learning from all that was found ...")
            lesson = teacher.teach(Steady(workers, self.portal))
            await self.company.control.unless_stopped(lesson, otherwise=False)
        return teacher.told(progress)

    def _learn_pages(self) -> int:
        told = self.outing.learn_pages
        return learning_share(self.portal.config.crawl, self.outing.limits.pages) if told is None else told

    async def _fetch_examples(self) -> None:
        self.display.say("Fetching the examples ...")
        report = self.company.report
        company = dataclasses.replace(self.company, report=lambda told: report(replace(told, end="")))
        await fetch_examples(self.portal, self.web, company=company, within=self.outing.limits)
        self.company.control.begun = False  # what comes next cannot be stopped in good order, only at once

    async def _crawl(self, policy: Policy, company: Company) -> Progress:
        self.display.say(f"Crawling, {self.portal.config.crawl.policy.value} ...")
        return await crawl(self.portal, self.web, policy, self.outing.limits, company)

    def _over(self) -> RunEnd | None:
        """Why nothing more is to be done, if that is so."""
        if self.company.control.stopping:
            return self.company.control.end
        if self.tally.pages >= self.outing.limits.pages:
            return RunEnd.PAGES
        left = self._seconds_left()
        return RunEnd.TIME if left is not None and left <= 0 else None

    def _ended(self, end: RunEnd) -> Progress:
        with self.portal.store.reading() as session:
            left = frontier.size(session)
        progress = replace(self.tally.progress(self._seconds()), end=end, waiting=left)
        self.company.report(progress)
        return progress

    def _seconds(self) -> float:
        return self.tally.age(asyncio.get_running_loop().time())

    def _seconds_left(self) -> float | None:
        limit = self.outing.limits.seconds
        return None if limit is None else limit - self._seconds()

    def _pause(self) -> None:
        self.company.control.stop(RunEnd.FEEDBACK)


def _both(one: Callable[[Progress], None], other: Callable[[Progress], None]) -> Callable[[Progress], None]:
    def report(progress: Progress) -> None:
        one(progress)
        other(progress)

    return report


@contextmanager
def stopped_by_signals(control: Control, say: Callable[[str], None] = lambda _what: None) -> Iterator[None]:
    """The first Ctrl-C ends a crawl in good order, the second at once."""
    loop, main = asyncio.get_running_loop(), asyncio.current_task()

    def stop() -> None:
        if main is not None and (control.stopping or not control.begun):
            main.cancel()
        else:
            say("Stopping; what is under way is still kept. Ctrl-C again stops at once.")
        control.stop()

    for one in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(one, stop)
    try:
        yield
    finally:
        for one in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError, ValueError):
                loop.remove_signal_handler(one)


def baseline(portal: Portal) -> Policy:
    """The policy of a portal that learns nothing on the way."""
    seeds = seeds_of(portal)
    if portal.config.crawl.policy is PolicyName.BREADTH_FIRST:
        return BreadthFirst(seeds, portal.config.crawl)
    return BestFirst(seeds, Centroid(_documents(portal, seeds)), portal.config.crawl)


def seeds_of(portal: Portal) -> list[Address]:
    """The pages that stand for the topics, in the order of the tree; counterexamples lead nowhere."""
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
    shown = [one.url for one in examples if one.url and not tree[one.topic].is_others]
    return [address(url, rules=portal.config.urls) for url in shown]


def _documents(portal: Portal, seeds: list[Address]) -> list[Document]:
    """The seeds that were fetched, as far as their terms go."""
    with portal.store.reading() as session:
        pages = [page for seed in seeds if (page := page_at(session, seed.key)) is not None]
        return [Document(vectors=vectors_of(session, page.id)) for page in pages]
