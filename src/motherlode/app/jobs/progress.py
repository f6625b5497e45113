"""The progress of a portal's crawl, from its store, its reports and its jobs."""

from collections.abc import Mapping

from msgspec import Struct

from motherlode.app.jobs.crawls import CrawlState, crawl_job, state_of
from motherlode.app.jobs.queue import JobQueue
from motherlode.app.jobs.records import Job
from motherlode.app.services.portals.overview import with_name
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.portals.reports import HarvestPoint, harvest_rows, points_of
from motherlode.app.services.portals.status import RunNow, Status, run_now, status_of
from motherlode.portal.lock import Holder, holder_of
from motherlode.records import TopicId, UrlState
from motherlode.records.learning import is_accepted
from motherlode.store import Session
from motherlode.store.queries import overview
from motherlode.store.queries.overview import LatestPage, latest_pages
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree, show_path
from motherlode.training.certainty import Assessed

MAX_JUDGEMENTS_SHOWN = 25
MAX_ERROR_KINDS = 12


class CrawlNow(Struct, frozen=True):
    """A portal's crawl. `job` is the latest of this server, `run` the latest of all.

    `writing` is the command that writes the portal now, if any.
    """

    state: CrawlState
    writing: Holder | None
    job: Job | None
    run: RunNow | None


class JudgedNow(Assessed, frozen=True):
    """A page that was just stored.

    `topic` is None if it is on none, `margin` if it is not judged.
    """

    page: int
    url: str
    title: str
    fetched_at: float
    topic: str | None


class CrawlProgress(Struct, frozen=True):
    """The progress of a crawl. `rate` is the harvest rate so far, `pace` the latest
    pages a second.
    """

    crawl: CrawlNow
    status: Status
    relevant: int
    rate: float | None
    pace: float | None
    errors: dict[str, int]
    harvest: list[HarvestPoint]
    judgements: list[JudgedNow]


def progress_at(registry: PortalRegistry, queue: JobQueue, name: str) -> CrawlProgress:
    path = registry.path(name)
    job, holder, rows = crawl_job(queue, name), holder_of(path), harvest_rows(path)
    with registry.reading(name) as portal, portal.store.reading() as session:
        status = with_name(status_of(session, portal, holder), name)
        starts = [run.started_at for run in ledger.all_runs(session)]
        errors = overview.reasons(session, UrlState.FAILED)
        judged = judgements_in(session, MAX_JUDGEMENTS_SHOWN)
    last = status.runs[-1] if status.runs else None
    harvest = points_of(rows, starts)
    return CrawlProgress(
        crawl=CrawlNow(state_of(job, holder, last), holder, job, last),
        status=status,
        relevant=sum(topic.pages for topic in status.topics),
        rate=rows[-1].relevant / rows[-1].pages if rows else None,
        pace=harvest[-1].pace if harvest and harvest[-1].time >= max(starts, default=0.0) else None,
        errors=dict(list(errors.items())[:MAX_ERROR_KINDS]),
        harvest=harvest,
        judgements=judged,
    )


def crawl_at(registry: PortalRegistry, queue: JobQueue, name: str) -> CrawlNow:
    """Return the state of a crawl without its progress."""
    job, holder = crawl_job(queue, name), holder_of(registry.path(name))
    with registry.reading(name) as portal, portal.store.reading() as session:
        runs = ledger.all_runs(session)
    last = run_now(runs[-1]) if runs else None
    return CrawlNow(state_of(job, holder, last), holder, job, last)


def judgements_at(registry: PortalRegistry, name: str, limit: int) -> list[JudgedNow]:
    """Return the latest pages of a served portal with their judgements."""
    with registry.reading(name) as portal, portal.store.reading() as session:
        return judgements_in(session, limit)


def judgements_in(session: Session, limit: int) -> list[JudgedNow]:
    """Return the latest pages with their judgements."""
    tree = TopicTree(topic_rows.all_topics(session))
    names = {topic.id: show_path(tree.path(topic.id)) for topic in tree}
    return [_judged_now(page, names) for page in latest_pages(session, limit)]


def _judged_now(page: LatestPage, names: Mapping[TopicId, str]) -> JudgedNow:
    is_on_topic = page.topic is not None and is_accepted(page.topic, page.confidence or 0.0)
    return JudgedNow(
        page=page.page,
        url=page.url,
        title=page.title,
        fetched_at=page.fetched_at,
        topic=names.get(page.topic) if is_on_topic and page.topic is not None else None,
        margin=page.confidence,
        probability=page.probability,
    )
