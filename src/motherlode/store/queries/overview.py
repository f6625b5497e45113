"""What a portal holds: counts, which read a whole table each, and its latest pages."""

from collections import Counter
from typing import Any

from msgspec import Struct
from sqlalchemy import case, func, select

from motherlode.records import HostState, ModelId, PageId, TopicId, UrlState
from motherlode.store.schema import (
    frontier,
    hosts,
    judgements,
    links,
    models,
    pages,
    redirects,
    urls,
)
from motherlode.store.session import Session
from motherlode.store.tables.judgements import ACCEPTED
from motherlode.store.tables.pages import UNREADABLE


class TopicPages(Struct, frozen=True):
    """The number of pages on a topic, with their mean margin."""

    pages: int
    margin: float


class ModelNote(Struct, frozen=True):
    """A model without its planes."""

    id: ModelId
    created_at: float
    report: dict[str, Any]


class Totals(Struct, frozen=True):
    """How much there is of everything; copies of pages that are here are no redirects."""

    pages: int
    size: int
    urls: int
    links: int
    redirects: int
    hosts: int


def totals(session: Session) -> Totals:
    number, size = _one(
        session, func.count(), func.coalesce(func.sum(pages.c.size), 0), table=pages
    )
    return Totals(
        pages=number,
        size=int(size),
        urls=_count(session, urls),
        links=_count(session, links),
        redirects=_one(session, func.count(case((redirects.c.status != 0, 1))), table=redirects)[0],
        hosts=_count(session, hosts),
    )


def page_totals(session: Session) -> tuple[int, int]:
    """How many pages there are, and how many bytes they have."""
    number, size = _one(
        session, func.count(), func.coalesce(func.sum(pages.c.size), 0), table=pages
    )
    return number, int(size)


def last_fetched(session: Session) -> float | None:
    """When the latest page was fetched; None: there is none."""
    (latest,) = _one(session, func.max(pages.c.fetched_at), table=pages)
    return None if latest is None else float(latest)


def pages_by(session: Session, what: str) -> dict[Any, int]:
    """How many pages have each value of a column (`mime`, `language`, `status`), the most frequent
    first.
    """
    column = pages.c[what]
    rows = session.connection.execute(select(column, func.count()).group_by(column))
    return dict(Counter({value: number for value, number in rows}).most_common())  # noqa: C416 - rows


def hosts_by_state(session: Session) -> dict[HostState, int]:
    rows = session.connection.execute(select(hosts.c.state, func.count()).group_by(hosts.c.state))
    return {HostState(state): number for state, number in rows}


def urls_by_state(session: Session) -> dict[UrlState, int]:
    rows = session.connection.execute(select(urls.c.state, func.count()).group_by(urls.c.state))
    return {UrlState(state): number for state, number in rows}


def redirected(session: Session) -> int:
    """How many URLs were met only on the way from others: they redirect, and do not wait."""
    open_hops = (
        select(redirects.c.url_id)
        .join_from(redirects, urls, urls.c.id == redirects.c.url_id)
        .where(urls.c.state == UrlState.OPEN)
    )
    met = open_hops.except_(
        select(frontier.c.url_id)
    ).subquery()  # the frontier has no index by URL
    return int(session.connection.execute(select(func.count()).select_from(met)).scalar_one())


def reasons(session: Session, state: UrlState) -> dict[str, int]:
    """Why URLs have come to a state, without the particulars, the most frequent reason first."""
    query = select(urls.c.reason, func.count()).where(urls.c.state == state).group_by(urls.c.reason)
    found: Counter[str] = Counter()
    for reason, number in session.connection.execute(query):
        found[(reason or "").partition(":")[0]] += number
    return dict(found.most_common())


def unreadable(session: Session) -> dict[str, int]:
    """Why pages are here without their text, the most frequent reason first."""
    query = (
        select(urls.c.reason, func.count())
        .where(urls.c.state == UrlState.FETCHED, urls.c.reason.startswith(UNREADABLE))
        .group_by(urls.c.reason)
    )
    rows = session.connection.execute(query)
    return dict(
        Counter({reason.removeprefix(UNREADABLE): number for reason, number in rows}).most_common()
    )


def pages_by_topic(session: Session) -> dict[TopicId, TopicPages]:
    """Return the pages on each topic, with their mean margins."""
    topic, margin = judgements.c.topic_id, func.avg(judgements.c.confidence)
    query = select(topic, func.count(), margin).where(ACCEPTED).group_by(topic)
    return {
        TopicId(topic): TopicPages(pages, float(margin))
        for topic, pages, margin in session.connection.execute(query)
    }


def harvest(session: Session, parts: int) -> list[float]:
    """The harvest rate of the crawl so far in so many parts, by what is thought of the
    pages now.
    """
    (last,) = _one(session, func.max(pages.c.id), table=pages)
    if not last:
        return []
    part = ((pages.c.id - 1) * parts) // int(last)
    query = (
        select(part.label("part"), func.count(), func.sum(case((ACCEPTED, 1), else_=0)))
        .join_from(pages, judgements, judgements.c.page_id == pages.c.id, isouter=True)
        .group_by("part")
        .order_by("part")
    )
    return [relevant / number for _, number, relevant in session.connection.execute(query)]


def latest_model_note(session: Session, kind: str) -> ModelNote | None:
    """What is said of the latest model; the model itself, which may be large, is left
    where it is.
    """
    query = (
        select(models.c.id, models.c.created_at, models.c.report)
        .where(models.c.kind == kind)
        .order_by(models.c.id.desc())
        .limit(1)
    )
    row = session.connection.execute(query).one_or_none()
    return None if row is None else ModelNote(ModelId(row.id), row.created_at, row.report)


def _count(session: Session, table: Any) -> int:
    (number,) = _one(session, func.count(), table=table)
    return int(number)


def _one(session: Session, *columns: Any, table: Any) -> tuple[Any, ...]:
    return tuple(session.connection.execute(select(*columns).select_from(table)).one())


class LatestPage(Struct, frozen=True):
    """A page that was kept lately; `topic` is None if it was not judged."""

    page: PageId
    url: str
    title: str
    fetched_at: float
    topic: TopicId | None
    confidence: float | None
    probability: float | None


def latest_pages(session: Session, limit: int) -> list[LatestPage]:
    """Return so many pages, the latest first; the size of the portal does not matter."""
    query = (
        select(
            pages.c.id,
            urls.c.url,
            pages.c.title,
            pages.c.fetched_at,
            judgements.c.topic_id.label("topic"),
        )
        .add_columns(judgements.c.confidence, judgements.c.probability)
        .join_from(pages, urls, urls.c.id == pages.c.url_id)
        .join(judgements, judgements.c.page_id == pages.c.id, isouter=True)
        .order_by(pages.c.id.desc())
        .limit(limit)
    )
    return [
        LatestPage(
            PageId(row.id),
            row.url,
            row.title,
            row.fetched_at,
            None if row.topic is None else TopicId(row.topic),
            row.confidence,
            row.probability,
        )
        for row in session.connection.execute(query)
    ]
