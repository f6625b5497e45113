"""How far a portal's crawl is, by what the store, the reports and the jobs say: whoever started it."""

from collections.abc import Mapping

from msgspec import Struct

from motherlode.app.jobs.crawls import CrawlState, crawl_job, state_of
from motherlode.app.jobs.queue import Board
from motherlode.app.jobs.records import Job
from motherlode.app.services.harvest import HarvestPoint, harvest_rows, points_of
from motherlode.app.services.overview import named
from motherlode.app.services.registry import Shelf
from motherlode.app.services.status import RunNow, Status, run_now, status_of
from motherlode.portal.lock import Holder, holder_of
from motherlode.records import TopicId, UrlState
from motherlode.store import Session, ledger, overview
from motherlode.store import topics as topic_rows
from motherlode.store.latest import LatestPage, latest_pages
from motherlode.topics import TopicTree, show_path

LATEST = 25  # judgements that are shown
_ERRORS = 12  # kinds


class CrawlNow(Struct, frozen=True):
    """A portal's crawl. `job`: the latest that was asked for here; `run`: the latest of all.

    `writing`: the command that has the portal now, if any.
    """

    state: CrawlState
    writing: Holder | None
    job: Job | None
    run: RunNow | None


class JudgedNow(Struct, frozen=True):
    """A page that was just kept. Without a topic it is on none; without a confidence nobody has judged it."""

    page: int
    url: str
    title: str
    fetched_at: float
    topic: str | None
    confidence: float | None


class CrawlProgress(Struct, frozen=True):
    """How far a crawl is. `rate`: the harvest rate so far; `pace`: pages a second, most recently."""

    crawl: CrawlNow
    status: Status
    relevant: int
    rate: float | None
    pace: float | None
    errors: dict[str, int]
    harvest: list[HarvestPoint]
    judgements: list[JudgedNow]


def progress_at(shelf: Shelf, board: Board, name: str) -> CrawlProgress:
    path = shelf.path(name)
    job, holder, rows = crawl_job(board, name), holder_of(path), harvest_rows(path)
    with shelf.reading(name) as portal, portal.store.reading() as session:
        status = named(status_of(session, portal, holder), name)
        starts = [run.started_at for run in ledger.all_runs(session)]
        errors = overview.reasons(session, UrlState.FAILED)
        judged = judgements_in(session, LATEST)
    last = status.runs[-1] if status.runs else None
    harvest = points_of(rows, starts)
    return CrawlProgress(
        crawl=CrawlNow(state_of(job, holder, last), holder, job, last),
        status=status,
        relevant=sum(one.pages for one in status.topics),
        rate=rows[-1].relevant / rows[-1].pages if rows else None,
        pace=harvest[-1].pace if harvest and harvest[-1].time >= max(starts, default=0.0) else None,
        errors=dict(list(errors.items())[:_ERRORS]),
        harvest=harvest,
        judgements=judged,
    )


def crawl_at(shelf: Shelf, board: Board, name: str) -> CrawlNow:
    """The crawl alone, without a look at what it brought."""
    job, holder = crawl_job(board, name), holder_of(shelf.path(name))
    with shelf.reading(name) as portal, portal.store.reading() as session:
        runs = ledger.all_runs(session)
    last = run_now(runs[-1]) if runs else None
    return CrawlNow(state_of(job, holder, last), holder, job, last)


def judgements_at(shelf: Shelf, name: str, limit: int) -> list[JudgedNow]:
    with shelf.reading(name) as portal, portal.store.reading() as session:
        return judgements_in(session, limit)


def judgements_in(session: Session, limit: int) -> list[JudgedNow]:
    """The pages that were kept last, and what is thought of them."""
    tree = TopicTree(topic_rows.all_topics(session))
    names = {topic.id: show_path(tree.path(topic.id)) for topic in tree}
    return [_judged(one, names) for one in latest_pages(session, limit)]


def _judged(one: LatestPage, names: Mapping[TopicId, str]) -> JudgedNow:
    """A topic that is gone is none."""
    on = names.get(one.topic) if one.topic is not None and (one.confidence or 0.0) > 0 else None
    return JudgedNow(one.page, one.url, one.title, one.fetched_at, on, one.confidence)
