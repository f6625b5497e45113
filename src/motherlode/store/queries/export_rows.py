"""Everything that was gathered, page by page in the order of their numbers: for whoever carries it
away.

A part at a time is read, so memory does not grow with the portal; in one session all parts fit
together.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Row, Select, bindparam, select

from motherlode.records import Archived, Judgement, PageId, TopicId, UrlId, UrlState
from motherlode.records.texts import unpack_text
from motherlode.store.queries.graph import resolved
from motherlode.store.schema import judgements, links, pages, texts, urls
from motherlode.store.session import Session
from motherlode.store.tables.judgements import ACCEPTED, judgement_from, judgements_of
from motherlode.store.tables.pages import pages_at

_AT_ONCE = 200  # pages; each may have a title of a megabyte
_TEXT = select(texts.c.packed).where(texts.c.page_id == bindparam("sought"))

Topics = Collection[TopicId] | None  # None: whatever the topic, and none at all


class Gathered(Struct, frozen=True):
    """A page with what is thought of it."""

    id: PageId
    url: str
    title: str
    fetched_at: float
    status: int
    mime: str
    size: int
    digest: bytes
    language: str
    gone: bool
    judgement: Judgement | None
    archived: Archived | None


class GatheredLink(Struct, frozen=True):
    """A link of a page, by its place there."""

    page: PageId
    position: int
    url: str
    anchor: str
    flags: int


def gathered(session: Session, topics: Topics = None) -> Iterator[Gathered]:
    """Every page, or those that are on one of these topics."""
    query = _chosen(topics)
    last = 0
    while rows := session.connection.execute(query.where(pages.c.id > last)).all():
        yield from map(_gathered, rows)
        last = rows[-1].id


def text_or_nothing(session: Session, page: PageId) -> str:
    """Everything that a page says; nothing, where it was never read."""
    packed = session.connection.execute(_TEXT, {"sought": page}).scalar_one_or_none()
    return "" if packed is None else unpack_text(packed)[0]


def gathered_links(session: Session, topics: Topics = None) -> Iterator[GatheredLink]:
    """Every link of those pages, wherever it leads."""
    for part in _numbers(session, topics):
        query = (
            select(links.c.page_id, links.c.position, urls.c.url, links.c.anchor, links.c.flags)
            .join_from(links, urls, urls.c.id == links.c.url_id)
            .where(links.c.page_id.in_(part))
            .order_by(links.c.page_id, links.c.position)
        )
        for page, position, url, anchor, flags in session.connection.execute(query):
            yield GatheredLink(PageId(page), position, url, anchor, flags)


def gathered_edges(session: Session, topics: Topics = None) -> Iterator[tuple[PageId, PageId]]:
    """Which of those pages link to which, redirects resolved, each pair once; no page to itself."""
    for part in _numbers(session, topics):
        rows = session.bulk.find(links, "page_id", part, ("page_id", "url_id"))
        pairs: set[tuple[int, int]] = {(row[0], row[1]) for row in rows}
        final = resolved(session, {target for _, target in pairs})
        led = {(PageId(source), UrlId(final.get(target, target))) for source, target in pairs}
        goals = pages_at(session, {target for _, target in led})
        inside = _inside(session, set(goals.values()), topics)
        found = {(source, goals[target]) for source, target in led if target in goals}
        yield from sorted(
            (source, goal) for source, goal in found if goal in inside and goal != source
        )


def _inside(session: Session, wanted: Collection[PageId], topics: Topics) -> set[PageId]:
    if topics is None:
        return set(wanted)
    judged = judgements_of(session, wanted)
    return {page for page, said in judged.items() if said.topic in topics and said.is_accepted}


def _chosen(topics: Topics) -> Select[Any]:
    query = select(
        pages,
        urls.c.url,
        urls.c.state,
        judgements.c.topic_id,
        judgements.c.confidence,
        judgements.c.model_id,
        judgements.c.score,
        judgements.c.probability,
    ).join_from(pages, urls, urls.c.id == pages.c.url_id)
    return _among(query.outerjoin(judgements, judgements.c.page_id == pages.c.id), topics)


def _among(query: Select[Any], topics: Topics) -> Select[Any]:
    if topics is not None:
        query = query.where(judgements.c.topic_id.in_(list(topics)), ACCEPTED)
    return query.order_by(pages.c.id).limit(_AT_ONCE)


def _numbers(session: Session, topics: Topics) -> Iterator[Sequence[int]]:
    """The numbers of those pages, some at a time."""
    joined = select(pages.c.id).outerjoin(judgements, judgements.c.page_id == pages.c.id)
    query = _among(joined, topics)
    last = 0
    while found := session.connection.execute(query.where(pages.c.id > last)).scalars().all():
        yield list(found)
        last = found[-1]


def _gathered(row: Row[Any]) -> Gathered:
    judgement = archived = None
    if row.topic_id is not None:
        judgement = judgement_from(row)
    if row.archive_file is not None:
        archived = Archived(row.archive_file, row.archive_offset, row.archive_length)
    return Gathered(
        id=PageId(row.id),
        url=row.url,
        title=row.title,
        fetched_at=row.fetched_at,
        status=row.status,
        mime=row.mime,
        size=row.size,
        digest=bytes(row.digest),
        language=row.language,
        gone=row.state != UrlState.FETCHED,
        judgement=judgement,
        archived=archived,
    )
