"""Judgements: kept, and pages found again by them."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct
from sqlalchemy import func, select

from motherlode.records import ROOT, Judgement, PageId, TopicId, UrlId
from motherlode.store.schema import judgements, pages, urls, vectors
from motherlode.store.session import Session

_COLUMNS = ("page_id", "topic_id", "confidence", "model_id")
_AT_ONCE = 500


class Judged(Struct, frozen=True):
    """A page with the confidence of its judgement."""

    page: PageId
    url_id: UrlId
    url: str
    title: str
    topic: TopicId
    confidence: float


def keep_judgements(session: Session, made: Sequence[tuple[PageId, Judgement]]) -> None:
    """Keep what is now thought of pages, in the place of what was thought before; the last word counts."""
    rows = {page: (page, said.topic, said.confidence, said.model) for page, said in made}
    session.bulk.upsert(judgements, _COLUMNS, [rows[page] for page in sorted(rows)])


def judged_for(session: Session, topics: Collection[TopicId], limit: int, above: float = 0.0) -> list[Judged]:
    """The pages that are on one of these topics, the surest first; or those that are less sure as well."""
    query = (
        select(judgements, urls.c.id.label("url_id"), urls.c.url, pages.c.title)
        .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .join(urls, urls.c.id == pages.c.url_id)
        .where(judgements.c.topic_id.in_(list(topics)), judgements.c.confidence > above)
        .order_by(judgements.c.confidence.desc(), judgements.c.page_id)
        .limit(limit)
    )
    return [
        Judged(
            PageId(row.page_id), UrlId(row.url_id), row.url, row.title, TopicId(row.topic_id), row.confidence
        )
        for row in session.connection.execute(query)
    ]


def latest_for(session: Session, topics: Collection[TopicId], limit: int) -> list[tuple[PageId, float]]:
    """The pages on these topics that were found last, with their confidence; the last one first."""
    query = (
        select(judgements.c.page_id, judgements.c.confidence)
        .where(judgements.c.topic_id.in_(list(topics)), judgements.c.confidence > 0)
        .order_by(judgements.c.page_id.desc())
        .limit(limit)
    )
    return [(PageId(page), sure) for page, sure in session.connection.execute(query)]


def surest_on(session: Session, topic: TopicId) -> Iterator[list[tuple[PageId, float]]]:
    """Every page that is on a topic with its confidence, the surest first, some at a time."""
    query = (
        select(judgements.c.page_id, judgements.c.confidence)
        .where(judgements.c.topic_id == topic, judgements.c.confidence > 0)
        .order_by(judgements.c.confidence.desc(), judgements.c.page_id)
        .limit(_AT_ONCE)
    )
    beyond = query
    while rows := session.connection.execute(beyond).all():
        yield [(PageId(page), sure) for page, sure in rows]
        last = rows[-1]
        beyond = query.where(
            (judgements.c.confidence < last.confidence)
            | ((judgements.c.confidence == last.confidence) & (judgements.c.page_id > last.page_id))
        )


def judgements_of(session: Session, wanted: Collection[PageId]) -> dict[PageId, Judgement]:
    """What is thought of those of these pages that were judged at all."""
    rows = session.bulk.find(judgements, "page_id", sorted(wanted), _COLUMNS)
    return {PageId(page): Judgement(TopicId(topic), sure, model) for page, topic, sure, model in rows}


def counts_by_topic(session: Session) -> dict[TopicId, int]:
    """How many pages are on each topic."""
    query = select(judgements.c.topic_id, func.count()).where(judgements.c.confidence > 0)
    rows = session.connection.execute(query.group_by(judgements.c.topic_id))
    return {TopicId(topic): number for topic, number in rows}


def on_topic(session: Session) -> set[PageId]:
    """The pages that are on any topic."""
    query = select(judgements.c.page_id).where(judgements.c.topic_id != ROOT, judgements.c.confidence > 0)
    return {PageId(page) for (page,) in session.connection.execute(query)}


def vectors_in(session: Session, space: str, every: int = 1) -> Iterator[list[tuple[PageId, bytes]]]:
    """The vectors of pages in a feature space, some at a time, in the order of the pages' numbers.

    Of all pages, or of those whose number can be divided by `every`.
    """
    last = 0
    while True:
        query = (
            select(vectors.c.page_id, vectors.c.packed)
            .where(vectors.c.page_id > last, vectors.c.space == space, vectors.c.page_id % every == 0)
            .order_by(vectors.c.page_id)
            .limit(_AT_ONCE)
        )
        found = [(PageId(row.page_id), bytes(row.packed)) for row in session.connection.execute(query)]
        if not found:
            return
        yield found
        last = found[-1][0]
