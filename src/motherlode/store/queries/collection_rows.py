"""What collections are made of: judged pages by score, their links to documents, and their
paths.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Row, Select, func, or_, select

from motherlode.records import PageId, TopicId, UrlState
from motherlode.store.schema import judgements, links, pages, urls
from motherlode.store.session import Session
from motherlode.store.tables.pages import UNREADABLE

_BATCH_ROWS = 200


class CandidateRow(Struct, frozen=True):
    """A page that may join a collection. `topic` is its nearest subject, `score` its
    correlation.
    """

    page: PageId
    url: str
    title: str
    topic: TopicId | None
    score: float | None
    fingerprint: int
    digest: bytes
    fetched_at: float
    language: str
    mime: str


class DocumentLinkRow(Struct, frozen=True):
    """A link of a page to a file; `is_read` if the file is a page of the portal with a text."""

    page: PageId
    url: str
    anchor: str
    is_read: bool
    is_broken: bool


class PathPageRow(Struct, frozen=True):
    """A page on a path; `via` is the page that led to it."""

    page: PageId
    url: str
    title: str
    via: PageId | None
    score: float | None


def candidate_rows(session: Session, topic: TopicId, min_score: float) -> Iterator[CandidateRow]:
    """Yield the pages nearest to a subject, best first; gone and unreadable ones are left out."""
    query = (
        _candidates()
        .where(
            judgements.c.topic_id == topic,
            judgements.c.score >= min_score,
            urls.c.state == UrlState.FETCHED.value,
        )
        .order_by(judgements.c.score.desc(), pages.c.id)
        .limit(_BATCH_ROWS)
    )
    beyond = query
    while rows := session.connection.execute(beyond).all():
        yield from map(_candidate, rows)
        score, page = rows[-1].score, rows[-1].id
        is_lower = judgements.c.score < score
        is_later = (judgements.c.score == score) & (pages.c.id > page)
        beyond = query.where(is_lower | is_later)


def candidate_row(session: Session, page: PageId) -> CandidateRow | None:
    """Return one page, whatever its judgement; None if there is none of this number."""
    row = session.connection.execute(_candidates().where(pages.c.id == page)).one_or_none()
    return None if row is None else _candidate(row)


def document_link_rows(
    session: Session, of: Sequence[PageId], suffixes: Sequence[str]
) -> Iterator[DocumentLinkRow]:
    """Yield the links of pages to URLs that contain one of these suffixes, in their order there."""
    has_suffix = or_(
        *(func.lower(urls.c.url).contains(suffix, autoescape=True) for suffix in suffixes)
    )
    for start in range(0, len(of), _BATCH_ROWS):
        query = (
            select(links.c.page_id, links.c.anchor, urls.c.url, urls.c.state, urls.c.reason)
            .join_from(links, urls, urls.c.id == links.c.url_id)
            .where(links.c.page_id.in_(of[start : start + _BATCH_ROWS]), has_suffix)
            .order_by(links.c.page_id, links.c.position)
        )
        for row in session.connection.execute(query):
            has_text = not (row.reason or "").startswith(UNREADABLE)
            yield DocumentLinkRow(
                page=PageId(row.page_id),
                url=row.url,
                anchor=row.anchor,
                is_read=row.state == UrlState.MOVED or (row.state == UrlState.FETCHED and has_text),
                is_broken=row.state == UrlState.FAILED,
            )


def path_page_rows(session: Session, wanted: Collection[PageId]) -> list[PathPageRow]:
    """Return where pages were found and how they were judged, in no order."""
    numbers = sorted(wanted)
    rows: list[PathPageRow] = []
    for start in range(0, len(numbers), _BATCH_ROWS):
        query = (
            select(pages.c.id, urls.c.url, pages.c.title, pages.c.via, judgements.c.score)
            .join_from(pages, urls, urls.c.id == pages.c.url_id)
            .outerjoin(judgements, judgements.c.page_id == pages.c.id)
            .where(pages.c.id.in_(numbers[start : start + _BATCH_ROWS]))
        )
        rows += [PathPageRow(*row) for row in session.connection.execute(query)]
    return rows


def _candidates() -> Select[Any]:
    return (
        select(
            pages.c.id,
            urls.c.url,
            pages.c.title,
            judgements.c.topic_id,
            judgements.c.score,
            pages.c.fingerprint,
            pages.c.digest,
            pages.c.fetched_at,
            pages.c.language,
            pages.c.mime,
        )
        .join_from(pages, urls, urls.c.id == pages.c.url_id)
        .outerjoin(judgements, judgements.c.page_id == pages.c.id)
    )


def _candidate(row: Row[Any]) -> CandidateRow:
    return CandidateRow(
        page=PageId(row.id),
        url=row.url,
        title=row.title,
        topic=None if row.topic_id is None else TopicId(row.topic_id),
        score=row.score,
        fingerprint=row.fingerprint,
        digest=bytes(row.digest),
        fetched_at=row.fetched_at,
        language=row.language,
        mime=row.mime,
    )
