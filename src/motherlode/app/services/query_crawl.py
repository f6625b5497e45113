"""Crawl the portal of a query, and answer the query from its pages (SPEC B31)."""

import asyncio
from pathlib import Path

from msgspec import Struct

from motherlode.app.requests.crawl import AskRequest
from motherlode.app.services.ask import NothingFetchedError, answer_from
from motherlode.app.services.crawl import CrawlPlan, ShowCrawl, crawl_portal
from motherlode.crawl.progress import Limits, Progress
from motherlode.fetch.event_loop import run
from motherlode.portal import Portal
from motherlode.records import RunEnd
from motherlode.search.answers import QueryAnswer


class QueryOutcome(Struct, frozen=True):
    """The crawl of a query and its answer.

    `progress` is None if the crawl was interrupted before it began, or twice; `answer` is None if
    it was interrupted before there was any page.
    """

    progress: Progress | None
    answer: QueryAnswer | None

    @property
    def pages(self) -> int:
        return 0 if self.progress is None else self.progress.pages

    @property
    def end(self) -> str:
        return RunEnd.INTERRUPTED.value if self.progress is None else self.progress.end

    @property
    def is_interrupted(self) -> bool:
        return self.end == RunEnd.INTERRUPTED


def crawl_for_answer(
    directory: Path, query: str, request: AskRequest, show: ShowCrawl
) -> QueryOutcome:
    """Crawl the portal of a query as requested, while it is shown, and answer the query.

    Raises `NothingFetchedError` if no page could be fetched.
    """
    with Portal.crawling(directory, "ask", request.settings) as portal:
        limits = Limits(request.pages, portal.config.crawl.connections, "ask", request.seconds)
        outcome = QueryOutcome(_crawl(portal, limits, show), None)
        try:
            answer = answer_from(portal, query, request.most)
        except NothingFetchedError:
            if outcome.is_interrupted:
                return outcome
            raise
        return QueryOutcome(outcome.progress, answer)


def _crawl(portal: Portal, limits: Limits, show: ShowCrawl) -> Progress | None:
    try:
        with show(portal.tree(), limits) as observer:
            return run(crawl_portal(portal, CrawlPlan(limits), observer))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return None
