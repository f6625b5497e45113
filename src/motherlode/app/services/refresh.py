"""Refresh a portal: fetch its pages again and keep what has changed."""

from pathlib import Path
from time import time

from msgspec.structs import replace

from motherlode.app.requests.crawl import RefreshRequest
from motherlode.app.services.crawl import CrawlObserver, ShowCrawl, stop_on_signals
from motherlode.app.services.crawl_problem import RequestCheck, bad_hosts_by_cause, no_answer
from motherlode.crawl.context import Control
from motherlode.crawl.fetcher_setup import reading_options_of, user_agent
from motherlode.crawl.log import CrawlLog
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.refresh import RefreshContext, RefreshResult, RefreshSelection, refresh
from motherlode.fetch.event_loop import run
from motherlode.fetch.http import HttpWeb
from motherlode.policies.kind import PolicySetup, load_policy
from motherlode.portal import Portal
from motherlode.records import RunEnd, TopicId
from motherlode.topics import parse_path
from motherlode.workers.fork_client import early_fork_server
from motherlode.workers.worker_pool import ProcessWorkerPool

REFRESHING = "refreshing"  # the phase that observers are shown: nothing is searched for or learned


def refresh_directory(directory: Path, request: RefreshRequest, show: ShowCrawl) -> RefreshResult:
    """Fetch pages of the portal in a directory again as requested, while it is shown."""
    with early_fork_server(), Portal.crawling(directory, "refresh", request.settings) as portal:
        fetched_before = time() - request.min_age_seconds
        topics = _topics_below(portal, request.topic)
        selection = RefreshSelection(fetched_before, request.pages, topics)
        with show(portal.tree(), Limits(request.pages)) as observer:
            result = run(refresh_portal(portal, selection, observer))
        return replace(result, problem=_problem_of(result, portal))


def _problem_of(result: RefreshResult, portal: Portal) -> str:
    answered = result.changed + result.unchanged + result.gone + result.moved
    with portal.store.reading() as session:
        requests = RequestCheck(
            pages=answered,
            errors=result.errors,
            requests=result.requests,
            bad_hosts=bad_hosts_by_cause(session),
            server=portal.config.network.connect,
        )
    if result.end == RunEnd.INTERRUPTED or not requests.nothing_answered:
        return ""
    return no_answer(requests, str(portal.path), kept="All pages stay as they are.")


def _topics_below(portal: Portal, path: str | None) -> set[TopicId] | None:
    if path is None:
        return None
    tree = portal.tree()
    topic = tree.at(parse_path(path)).id
    return {topic, *tree.descendants(topic)}


async def refresh_portal(
    portal: Portal, selection: RefreshSelection, observer: CrawlObserver
) -> RefreshResult:
    """Fetch pages of a portal again and return how many changed, moved or are gone.

    Raises `BadInputError` if the Web would be crawled without a contact.
    """
    config = portal.config
    agent = user_agent(config)
    kind = load_policy(config.crawl.policy)
    policy = kind.make(PolicySetup(portal))
    control = Control()

    def show(progress: Progress) -> None:
        observer.update(replace(progress, phase=REFRESHING))

    with stop_on_signals(control), CrawlLog(portal, harvests=False) as log:
        async with (
            HttpWeb(config.network, agent, config.dns) as web,
            ProcessWorkerPool(reading_options_of(config), config.reading) as workers,
        ):
            context = RefreshContext(
                workers=workers,
                control=control,
                policy=policy,
                report=show,
                log=log,
                queue=kind.refresh_queue,
            )
            return await refresh(portal, web, selection, context)
