"""Crawl a portal: fetch the examples, learn from them, crawl, and bring the index up to date."""

import asyncio
import dataclasses
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.crawl import CrawlRequest
from motherlode.app.services.crawl_problem import (
    RequestCheck,
    bad_hosts_by_cause,
    check_examples,
    problem_with,
    told_examples,
)
from motherlode.crawl.context import Control, CrawlContext
from motherlode.crawl.counters import CrawlCounters
from motherlode.crawl.fetcher_setup import courtesy_of, reading_options_of, user_agent
from motherlode.crawl.log import CrawlLog
from motherlode.crawl.loop import crawl
from motherlode.crawl.outages import ResilientWorkerPool
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import UNLIMITED_PAGES, Limits, Progress
from motherlode.crawl.retraining import RetrainingPlan, TrainingProcess
from motherlode.fetch import Web
from motherlode.fetch.event_loop import run
from motherlode.fetch.http import HttpWeb
from motherlode.policies import Policy
from motherlode.policies.kind import PolicyKind, PolicySetup, load_policy
from motherlode.portal import Portal
from motherlode.records import BadInputError, QueueId, RunEnd, UsageError
from motherlode.search.index_updater import IndexUpdater
from motherlode.store.tables import frontier
from motherlode.topics import TopicTree, show_path
from motherlode.workers.fork_client import early_fork_server
from motherlode.workers.worker_pool import ProcessWorkerPool


class CrawlPlan(Struct, frozen=True):
    """The limits and options of a crawl. The limits count every page, examples included.

    `feedback` stops the crawl before it harvests, for the user to review the archetypes. `metrics`
    is the port of the Prometheus metrics. `learn_pages` ends the learning phase; None takes the
    portal's setting, and at most a tenth of the pages.
    """

    limits: Limits
    feedback: bool = False
    metrics: int | None = None
    learn_pages: int | None = None


class CrawlObserver(Protocol):
    """Shows the user how a crawl goes."""

    def say(self, sentence: str) -> None:
        """Show a sentence that stays."""
        ...

    def update(self, progress: Progress) -> None:
        """Show how far the crawl is."""
        ...


# Shows a crawl of these topics, up to these limits, for as long as the context lasts.
ShowCrawl = Callable[[TopicTree, Limits], AbstractContextManager[CrawlObserver]]


class CrawlResult(Struct, frozen=True):
    """The figures of a crawl, the reason of its end, and the number of URLs that wait."""

    pages: int
    failed: int
    skipped: int
    redirects: int
    copies: int
    hosts: int
    size: int
    seconds: float
    waiting: int
    relevant: int
    topics: dict[str, int]
    errors: dict[str, int]
    retrainings: int
    phase: str
    end: str
    problem: str = ""  # what failed, and what to do; empty if all went well


def crawl_directory(
    directory: Path, request: CrawlRequest, show: ShowCrawl
) -> tuple[Progress, CrawlResult]:
    """Crawl the portal in a directory as requested, while it is shown."""
    with early_fork_server(), Portal.crawling(directory, "crawl", request.overrides) as portal:
        plan = plan_for(request, portal)
        tree = portal.tree()
        with show(tree, plan.limits) as observer, told_examples(portal):
            progress = run(crawl_portal(portal, plan, observer))
        result = result_of(progress, portal.tree())
        return progress, replace(result, problem=_problem_of(progress, portal, directory))


def _problem_of(progress: Progress, portal: Portal, directory: Path) -> str:
    with portal.store.reading() as session:
        check = check_examples(session)
        bad_hosts = bad_hosts_by_cause(session)
    crawl = RequestCheck(
        pages=progress.pages,
        errors=progress.errors,
        requests=progress.requests,
        bad_hosts=bad_hosts,
        server=portal.config.network.connect,
    )
    return problem_with(progress.end, crawl, check, str(directory))


def plan_for(request: CrawlRequest, portal: Portal) -> CrawlPlan:
    """Return the plan of a requested crawl."""
    pages = UNLIMITED_PAGES if request.page_limit is None else request.page_limit
    limits = Limits(pages, portal.config.crawl.connections, seconds=request.seconds)
    return CrawlPlan(
        limits,
        feedback=request.feedback,
        metrics=request.metrics,
        learn_pages=request.learn_pages,
    )


def result_of(progress: Progress, tree: TopicTree) -> CrawlResult:
    """Return a crawl's final progress with its topics by their paths."""
    topics = {
        show_path(tree.path(topic.id)): progress.topics[topic.id]
        for topic in tree
        if topic.id in progress.topics
    }
    return CrawlResult(
        pages=progress.pages,
        failed=progress.failed,
        skipped=progress.skipped,
        redirects=progress.redirects,
        copies=progress.copies,
        hosts=progress.hosts,
        size=progress.size,
        seconds=progress.seconds,
        waiting=progress.waiting,
        relevant=progress.relevant,
        topics=topics,
        errors=progress.errors,
        retrainings=progress.retrainings,
        phase=progress.phase,
        end=progress.end,
    )


async def crawl_portal(portal: Portal, plan: CrawlPlan, observer: CrawlObserver) -> Progress:
    """Crawl a portal by its policy and return how far it came.

    Raises `BadInputError` if the Web would be crawled without a contact, or if there is nothing to
    learn from.
    """
    config = portal.config
    agent = user_agent(config)
    kind = load_policy(config.crawl.policy)
    if plan.feedback and not kind.learns:
        raise UsageError(
            f"Feedback is for policies that learn, and {kind.name} does not; leave --feedback out."
        )
    control, tree = Control(), portal.tree()
    counters = CrawlCounters(began=asyncio.get_running_loop().time())
    async with AsyncExitStack() as stack:
        stack.enter_context(stop_on_signals(control, observer.say))
        report: Callable[[Progress], None] = observer.update
        if plan.metrics is not None:
            from motherlode.app.services.metrics import HOST, Metrics  # noqa: PLC0415 - 40 ms

            metrics = await stack.enter_async_context(Metrics(plan.metrics, tree))
            observer.say(f"Metrics at http://{HOST}:{metrics.port}/metrics")
            report = _report_to_both(observer.update, metrics.update)
        report = _with_queue_names(report, kind.queue_names(tree))
        log = stack.enter_context(CrawlLog(portal))
        web = await stack.enter_async_context(HttpWeb(config.network, agent, config.dns))
        workers = await stack.enter_async_context(
            ProcessWorkerPool(reading_options_of(config), config.reading)
        )
        process = await stack.enter_async_context(TrainingProcess()) if kind.learns else None
        context = CrawlContext(
            workers, report, control, log=log, counters=counters, courtesy=courtesy_of(config)
        )
        updater = (
            await stack.enter_async_context(IndexUpdater(portal))
            if config.index.while_crawling
            else None
        )
        progress = await _CrawlRun(portal, web, plan, kind, context, counters, observer).run(
            workers, process
        )
        if updater is not None and progress.end != RunEnd.INTERRUPTED:
            observer.say("Bringing the index up to date ...")
            behind = await control.unless_stopped(updater.finish(), otherwise="It was stopped.")
            observer.say(f"The index is behind: {behind}" if behind else "The index is up to date.")
        return progress


@dataclass(frozen=True, slots=True)
class _CrawlRun:
    """Fetches the examples, learns from them and crawls, all within the plan's limits."""

    portal: Portal
    web: Web
    plan: CrawlPlan
    kind: PolicyKind
    context: CrawlContext
    counters: CrawlCounters
    observer: CrawlObserver

    async def run(self, workers: ProcessWorkerPool, process: TrainingProcess | None) -> Progress:
        await self._prepare()
        if self.kind.before_crawl is not None:
            await workers.run_in_writer(partial(self.kind.before_crawl, self.portal))
        end = self._end()
        if end is not None:
            return self._finish(end)
        if self.kind.make_retrainer is None:
            return await self._crawl(self._policy(), self.context)
        retrainer = self.kind.make_retrainer(self.portal, self._retraining_plan(process))
        self.observer.say("Learning from the examples ...")
        try:
            async with asyncio.timeout(self._seconds_left()) as timeout:
                policy = await retrainer.begin(workers)
        except TimeoutError:
            if not timeout.expired():
                raise
            return self._finish(RunEnd.TIME)
        progress = await self._crawl(policy, dataclasses.replace(self.context, retrainer=retrainer))
        if progress.end == RunEnd.PAGES and retrainer.is_behind:
            self.observer.say("Learning from all fetched pages ...")
            retraining = retrainer.retrain(ResilientWorkerPool(workers, self.portal))
            await self.context.control.unless_stopped(retraining, otherwise=False)
        return retrainer.describe(progress)

    def _policy(self) -> Policy:
        policy = self.kind.make(PolicySetup(self.portal))
        if policy is None:
            raise BadInputError(
                f"There is nothing to crawl by {self.kind.name} from; give the topics more "
                "examples."
            )
        return policy

    def _retraining_plan(self, process: TrainingProcess | None) -> RetrainingPlan:
        return RetrainingPlan(
            process=process,
            pages=self.plan.limits.pages,
            learn_pages=self.plan.learn_pages,
            pause=self._pause if self.plan.feedback else None,
        )

    async def _prepare(self) -> None:
        self.observer.say("Fetching the examples ...")
        report = self.context.report
        context = dataclasses.replace(
            self.context, report=lambda progress: report(replace(progress, end=""))
        )
        await prepare(
            self.portal, self.web, self.kind.wanted, context=context, within=self.plan.limits
        )
        self.context.control.begun = False  # the next steps can only be stopped at once

    async def _crawl(self, policy: Policy, context: CrawlContext) -> Progress:
        self.observer.say(f"Crawling, {self.kind.name} ...")
        return await crawl(self.portal, self.web, policy, self.plan.limits, context)

    def _end(self) -> RunEnd | None:
        """Return why the crawl is over after the examples, or None if it goes on."""
        if self.context.control.stopping:
            return self.context.control.end
        if self.counters.pages >= self.plan.limits.pages:
            return RunEnd.PAGES
        seconds = self._seconds_left()
        return RunEnd.TIME if seconds is not None and seconds <= 0 else None

    def _finish(self, end: RunEnd) -> Progress:
        with self.portal.store.reading() as session:
            waiting = frontier.size(session)
        progress = replace(self.counters.progress(self._seconds()), end=end, waiting=waiting)
        self.context.report(progress)
        return progress

    def _seconds(self) -> float:
        return self.counters.age(asyncio.get_running_loop().time())

    def _seconds_left(self) -> float | None:
        limit = self.plan.limits.seconds
        return None if limit is None else limit - self._seconds()

    def _pause(self) -> None:
        self.context.control.stop(RunEnd.FEEDBACK)


def _report_to_both(
    first: Callable[[Progress], None], second: Callable[[Progress], None]
) -> Callable[[Progress], None]:
    def report(progress: Progress) -> None:
        first(progress)
        second(progress)

    return report


def _with_queue_names(
    report: Callable[[Progress], None], names: Mapping[QueueId, str]
) -> Callable[[Progress], None]:
    return lambda progress: report(replace(progress, queue_names=names))


@contextmanager
def stop_on_signals(
    control: Control, say: Callable[[str], None] = lambda _sentence: None
) -> Iterator[None]:
    """On the first SIGINT or SIGTERM end the crawl in good order, on the second one at once."""
    loop, main = asyncio.get_running_loop(), asyncio.current_task()

    def stop() -> None:
        if main is not None and (control.stopping or not control.begun):
            main.cancel()
        else:
            say("Stopping; pages in progress are still stored. Ctrl-C again stops at once.")
        control.stop()

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in handlers:
        with suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            with suppress(NotImplementedError, ValueError):
                loop.remove_signal_handler(number)  # which leaves the system's default
                signal.signal(number, handler or signal.SIG_DFL)
