"""The pages that were kept last, with what is thought of them."""

from msgspec import Struct
from sqlalchemy import select

from motherlode.records import PageId, TopicId
from motherlode.store.schema import judgements, pages, urls
from motherlode.store.session import Session


class LatestPage(Struct, frozen=True):
    """A page; without a topic it was not judged."""

    page: PageId
    url: str
    title: str
    fetched_at: float
    topic: TopicId | None
    confidence: float | None
    probability: float | None


def latest_pages(session: Session, limit: int) -> list[LatestPage]:
    """So many pages, the latest first. It costs the same however large the portal is."""
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
