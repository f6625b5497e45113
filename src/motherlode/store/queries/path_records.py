"""Where each page of a crawl was found, and how it was judged: the path records (SPEC T5)."""

from collections.abc import Iterator

from msgspec import Struct
from sqlalchemy import select

from motherlode.records import PageId, TopicId
from motherlode.store.schema import judgements, pages, urls
from motherlode.store.session import Session

_BATCH_PAGES = 5_000


class PathRow(Struct, frozen=True):
    """A page with its place in the crawl. `parent_distance` is that of the page with the link."""

    page: PageId
    url: str
    depth: int
    parent_distance: float
    via: PageId | None
    topic: TopicId | None
    score: float | None


def path_rows(session: Session, newest: int | None = None) -> Iterator[PathRow]:
    """Yield all pages in the order in which they were fetched, or only the newest ones."""
    columns = (
        pages.c.id,
        urls.c.url,
        pages.c.depth,
        pages.c.distance,
        pages.c.via,
        judgements.c.topic_id,
        judgements.c.score,
    )
    query = (
        select(*columns)
        .join_from(pages, urls, urls.c.id == pages.c.url_id)
        .outerjoin(judgements, judgements.c.page_id == pages.c.id)
    )
    if newest is not None:
        rows = session.rows(query.order_by(pages.c.id.desc()).limit(newest))
        yield from (PathRow(*row) for row in reversed(rows))
        return
    query, last = query.order_by(pages.c.id).limit(_BATCH_PAGES), 0
    while rows := session.rows(query.where(pages.c.id > last)):
        yield from (PathRow(*row) for row in rows)
        last = rows[-1][0]
