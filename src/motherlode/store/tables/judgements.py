"""Judgements: kept, and pages found again by them."""

from collections.abc import Collection, Iterator, Sequence
from math import inf
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple
from sqlalchemy import ColumnElement, Row, func, select

from motherlode.records import ROOT, Judgement, MeanProbability, ModelId, PageId, TopicId, UrlId
from motherlode.records.learning import is_accepted
from motherlode.store.schema import judgements, pages, urls, vectors
from motherlode.store.session import Session

COLUMNS = ("page_id", "topic_id", "confidence", "model_id", "score", "probability")
# Whether a page is accepted, as a condition of a query.
ACCEPTED = is_accepted(judgements.c.topic_id, judgements.c.confidence)
_AT_ONCE = 500


class Judged(Struct, frozen=True):
    """A page with the confidence of its judgement."""

    page: PageId
    url_id: UrlId
    url: str
    title: str
    topic: TopicId
    confidence: float
    probability: float | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the page counts as relevant."""
        return is_accepted(self.topic, self.confidence)


def judgement_row(page: PageId, judgement: Judgement) -> tuple[object, ...]:
    """Return the row of a judgement, in the order of `COLUMNS`."""
    return page, *astuple(judgement)


def judgement_from(row: Row[Any]) -> Judgement:
    """Return the judgement in a row that has all columns of the table."""
    model = None if row.model_id is None else ModelId(row.model_id)
    return Judgement(TopicId(row.topic_id), row.confidence, model, row.score, row.probability)


def keep_judgements(session: Session, made: Sequence[tuple[PageId, Judgement]]) -> None:
    """Keep what is now thought of pages, in the place of what was thought before; the last word
    counts.
    """
    rows = {page: judgement_row(page, judgement) for page, judgement in made}
    session.bulk.upsert(judgements, COLUMNS, [rows[page] for page in sorted(rows)])


def judged_for(session: Session, topics: Collection[TopicId], limit: int) -> list[Judged]:
    """Return the accepted pages of these topics, those with the highest margin first."""
    return _judged(session, judgements.c.topic_id.in_(list(topics)) & ACCEPTED, limit)


def off_topic(
    session: Session, limit: int, above: float = -inf, at_most: float = inf
) -> list[Judged]:
    """Return the pages on no topic with such margins, those with the highest margin first.

    Pages of a topic that was removed keep their margins, which are above 0.
    """
    margin = judgements.c.confidence
    on_root = judgements.c.topic_id == ROOT
    return _judged(session, on_root & (margin > above) & (margin <= at_most), limit)


def _judged(session: Session, condition: ColumnElement[bool], limit: int) -> list[Judged]:
    query = (
        select(judgements, urls.c.id.label("url_id"), urls.c.url, pages.c.title)
        .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .join(urls, urls.c.id == pages.c.url_id)
        .where(condition)
        .order_by(judgements.c.confidence.desc(), judgements.c.page_id)
        .limit(limit)
    )
    return [
        Judged(
            PageId(row.page_id),
            UrlId(row.url_id),
            row.url,
            row.title,
            TopicId(row.topic_id),
            row.confidence,
            row.probability,
        )
        for row in session.connection.execute(query)
    ]


def nearest_to_plane(session: Session, topics: Collection[TopicId], limit: int) -> list[PageId]:
    """Return the pages judged into these topics whose confidence is nearest to 0."""
    query = (
        select(judgements.c.page_id)
        .where(judgements.c.topic_id.in_(list(topics)))
        .order_by(func.abs(judgements.c.confidence), judgements.c.page_id)
        .limit(limit)
    )
    return [PageId(page) for (page,) in session.connection.execute(query)]


def latest_for(
    session: Session, topics: Collection[TopicId], limit: int
) -> list[tuple[PageId, Judgement]]:
    """Return the latest pages on these topics with their judgements, the last one first."""
    query = (
        select(judgements)
        .where(judgements.c.topic_id.in_(list(topics)), ACCEPTED)
        .order_by(judgements.c.page_id.desc())
        .limit(limit)
    )
    rows = session.connection.execute(query)
    return [(PageId(row.page_id), judgement_from(row)) for row in rows]


def surest_on(session: Session, topic: TopicId) -> Iterator[list[tuple[PageId, Judgement]]]:
    """Yield all pages on a topic with their judgements, in batches, the highest margin first."""
    query = (
        select(judgements)
        .where(judgements.c.topic_id == topic, ACCEPTED)
        .order_by(judgements.c.confidence.desc(), judgements.c.page_id)
        .limit(_AT_ONCE)
    )
    beyond = query
    while rows := session.connection.execute(beyond).all():
        yield [(PageId(row.page_id), judgement_from(row)) for row in rows]
        last = rows[-1]
        beyond = query.where(
            (judgements.c.confidence < last.confidence)
            | ((judgements.c.confidence == last.confidence) & (judgements.c.page_id > last.page_id))
        )


def judgements_of(session: Session, wanted: Collection[PageId]) -> dict[PageId, Judgement]:
    """What is thought of those of these pages that were judged at all."""
    rows = session.bulk.find(judgements, "page_id", sorted(wanted), COLUMNS)
    return {PageId(row[0]): Judgement(*row[1:]) for row in rows}


def judged_pages(session: Session) -> list[PageId]:
    """Return all pages that have a judgement, in the order of their numbers."""
    query = select(judgements.c.page_id).order_by(judgements.c.page_id)
    return [PageId(page) for (page,) in session.rows(query)]


def counts_by_topic(session: Session) -> dict[TopicId, int]:
    """How many pages are on each topic."""
    query = select(judgements.c.topic_id, func.count()).where(ACCEPTED)
    rows = session.connection.execute(query.group_by(judgements.c.topic_id))
    return {TopicId(topic): number for topic, number in rows}


def mean_probabilities(
    session: Session, without: Collection[PageId] = ()
) -> dict[TopicId, MeanProbability]:
    """Return the mean probability of the pages on each topic, where it is known.

    The pages in `without` are left out.
    """
    topic, probability = judgements.c.topic_id, judgements.c.probability
    query = (
        select(topic, func.sum(probability), func.count(probability))
        .where(ACCEPTED)
        .group_by(topic)
    )
    sums = {
        TopicId(topic): (float(total), pages)
        for topic, total, pages in session.connection.execute(query)
        if pages
    }
    for judgement in judgements_of(session, without).values():
        if judgement.is_accepted and judgement.probability is not None:
            total, pages = sums[judgement.topic]
            sums[judgement.topic] = total - judgement.probability, pages - 1
    return {
        topic: MeanProbability(total / pages, pages)
        for topic, (total, pages) in sums.items()
        if pages
    }


def on_topic(session: Session) -> set[PageId]:
    """The pages that are on any topic."""
    query = select(judgements.c.page_id).where(ACCEPTED)
    return {PageId(page) for (page,) in session.connection.execute(query)}


def vectors_in(
    session: Session, space: str, every: int = 1
) -> Iterator[list[tuple[PageId, bytes]]]:
    """The vectors of pages in a feature space, some at a time, in the order of the pages' numbers.

    Of all pages, or of those whose number can be divided by `every`.
    """
    last = 0
    while True:
        query = (
            select(vectors.c.page_id, vectors.c.packed)
            .where(
                vectors.c.page_id > last, vectors.c.space == space, vectors.c.page_id % every == 0
            )
            .order_by(vectors.c.page_id)
            .limit(_AT_ONCE)
        )
        found = [
            (PageId(row.page_id), bytes(row.packed)) for row in session.connection.execute(query)
        ]
        if not found:
            return
        yield found
        last = found[-1][0]
