"""Pages and links as whole websites need them: pages that were read, and links that leave hosts."""

from collections.abc import Iterator

from msgspec import Struct
from sqlalchemy import select

from motherlode.records import PageId, UrlKey
from motherlode.store.schema import judgements, links, pages, urls
from motherlode.store.session import Session

_BATCH_PAGES = 2_000
_HOST_SHIFT = 48  # bits of a URL's key below those of its host (`urls.keys`)


class SitePageRow(Struct, frozen=True):
    """A page that was read. `margin` is None where it was not judged."""

    page: PageId
    url: str
    key: UrlKey
    title: str
    depth: int
    margin: float | None


class LeavingLink(Struct, frozen=True):
    """A link to another host. The `page` is the one that has it."""

    page: PageId
    url: str
    key: UrlKey
    anchor: str


def site_page_rows(session: Session) -> Iterator[SitePageRow]:
    """Yield all pages in the order in which they were read."""
    query = (
        select(
            pages.c.id,
            urls.c.url,
            urls.c.key,
            pages.c.title,
            pages.c.depth,
            judgements.c.confidence,
        )
        .join_from(pages, urls, urls.c.id == pages.c.url_id)
        .outerjoin(judgements, judgements.c.page_id == pages.c.id)
        .order_by(pages.c.id)
        .limit(_BATCH_PAGES)
    )
    last = 0
    while rows := session.rows(query.where(pages.c.id > last)):
        yield from (SitePageRow(*row) for row in rows)
        last = rows[-1][0]


def leaving_links(session: Session, *, within_hosts: bool) -> Iterator[LeavingLink]:
    """Yield the links of all pages to other hosts, in the order of pages and links.

    `within_hosts`: those within a host as well. Two hosts whose names have the same 16-bit hash are
    taken for one.
    """
    source, target = urls.alias(), urls.alias()
    query = (
        select(links.c.page_id, target.c.url, target.c.key, links.c.anchor)
        .join_from(links, pages, pages.c.id == links.c.page_id)
        .join(source, source.c.id == pages.c.url_id)
        .join(target, target.c.id == links.c.url_id)
        .order_by(links.c.page_id, links.c.position)
    )
    if not within_hosts:
        shift = _HOST_SHIFT
        query = query.where(source.c.key.op(">>")(shift) != target.c.key.op(">>")(shift))
    last = -1
    while True:
        upper = last + _BATCH_PAGES
        batch = query.where(links.c.page_id > last, links.c.page_id <= upper)
        yield from (LeavingLink(*row) for row in session.rows(batch))
        last = upper
        if last >= _last_page(session):
            return


def _last_page(session: Session) -> int:
    query = select(pages.c.id).order_by(pages.c.id.desc()).limit(1)
    return int(session.connection.execute(query).scalar() or 0)
