"""What the search index is made of, read in bulk."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from sqlalchemy import ColumnElement, Select, select

from motherlode.records import PageId, UrlId, UrlState
from motherlode.records.texts import Parts, unpack_parts
from motherlode.store.queries.link_targets import targets_from
from motherlode.store.schema import judgements, pages, texts, urls
from motherlode.store.session import Session
from motherlode.store.tables.judgements import ACCEPTED
from motherlode.store.tables.pages import vectors_of_all

Numbers = npt.NDArray[np.int64]


class Marks(Struct, frozen=True):
    """By what it is seen that pages have changed, a row for each; topic 0: it is on none."""

    pages: Numbers
    fetched_at: npt.NDArray[np.float64]
    fingerprints: Numbers
    topics: Numbers


class Material(Struct, frozen=True, gc=False):
    """A page as the index wants it."""

    page: PageId
    url_id: UrlId
    url: str
    fetched_at: float
    mime: str
    title: str
    language: str
    fingerprint: int
    topic: int
    text: Parts
    vector: bytes


_ON_TOPIC = (judgements.c.page_id == pages.c.id) & ACCEPTED


def _present(*columns: ColumnElement[Any]) -> Select[Any]:
    """Something of the pages that are at their addresses; what is gone is not to be found."""
    query: Select[Any] = select(*columns)
    return (
        query.join_from(pages, urls, urls.c.id == pages.c.url_id)
        .outerjoin(judgements, _ON_TOPIC)
        .where(urls.c.state == UrlState.FETCHED)
    )


_MARKS = _present(pages.c.id, pages.c.fetched_at, pages.c.fingerprint, judgements.c.topic_id)
_PAGES = _present(
    pages.c.id,
    pages.c.url_id,
    urls.c.url,
    pages.c.fetched_at,
    pages.c.mime,
    pages.c.title,
    pages.c.language,
    pages.c.fingerprint,
    judgements.c.topic_id,
)


def marks_of(session: Session) -> Marks:
    """Of every page that can be found."""
    rows = session.rows(_MARKS)
    ids, times, prints, topics = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Marks(
        np.array(ids, np.int64),
        np.array(times, np.float64),
        np.array(prints, np.int64),
        np.array([topic or 0 for topic in topics], np.int64),
    )


def materials_of(
    session: Session,
    wanted: Sequence[PageId],
    space: str,
    spelled: Callable[[bytes], bytes] = bytes,
) -> list[Material]:
    """These pages with their texts and vectors, as far as they are still there; a thousand at most.
    What `spelled` is given, see `unpack_parts`.
    """
    found = session.connection.execute(
        _PAGES.where(pages.c.id.in_(wanted)).order_by(pages.c.id)
    ).all()
    packed = dict(_texts(session, wanted))
    rows = [row for row in found if row[0] in packed]
    parts = unpack_parts([packed[row[0]] for row in rows], spelled)
    vectors = vectors_of_all(session, wanted, space)
    return [
        Material(*[*row[:8], row[8] or 0, text, vectors.get(row[0], b"")])
        for row, text in zip(rows, parts, strict=True)
    ]


def _texts(session: Session, wanted: Sequence[PageId]) -> Iterator[tuple[PageId, bytes]]:
    for page, packed in session.bulk.find(texts, "page_id", sorted(wanted), ("page_id", "packed")):
        yield PageId(page), bytes(packed)


def pages_linked_from(session: Session, of: Sequence[PageId]) -> Numbers:
    """The pages that these pages link to."""
    found = [np.unique(targets) for _, targets in targets_from(session, of)]
    if not found:
        return np.array([], np.int64)
    wanted = np.unique(np.concatenate(found)).tolist()
    rows = session.bulk.find(pages, "url_id", wanted, ("id",))
    return np.array(sorted(row[0] for row in rows), np.int64)


def url_ids_of(session: Session, wanted: Sequence[PageId]) -> dict[PageId, UrlId]:
    """The URLs of these pages, by their numbers."""
    rows = session.bulk.find(pages, "id", sorted(wanted), ("id", "url_id"))
    return {PageId(page): UrlId(url_id) for page, url_id in rows}
