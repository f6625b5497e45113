"""What a person said of pages. Nothing is overwritten, so that the last word can be taken back."""

from collections.abc import Collection, Iterable

from msgspec import Struct
from sqlalchemy import delete, func, insert, select

from motherlode.records import Mark, PageId, TopicId, Word
from motherlode.store.schema import marks, pages, urls
from motherlode.store.session import Session
from motherlode.store.values import storable


class Marked(Struct, frozen=True):
    """A mark that holds, with the page that it is on."""

    mark: Mark
    url: str
    title: str


def give_marks(session: Session, given: Iterable[Mark]) -> None:
    """Keep what is said now; on the same pages and topics it counts in the place of what was said
    before.
    """
    rows = [
        {
            "page_id": one.page,
            "topic_id": one.topic,
            "word": one.word.value,
            "given_at": one.given_at,
            "note": storable(one.note),
        }
        for one in given
    ]
    if rows:
        session.connection.execute(insert(marks), rows)


def standing_marks(session: Session, only: Collection[PageId] | None = None) -> list[Marked]:
    """The last word on each page, or on these, and topic, in the order in which they were given."""
    last = select(func.max(marks.c.id)).group_by(marks.c.page_id, marks.c.topic_id)
    if only is not None:
        last = last.where(marks.c.page_id.in_(only))
    query = (
        select(marks, urls.c.url, pages.c.title)
        .join_from(marks, pages, pages.c.id == marks.c.page_id)
        .join(urls, urls.c.id == pages.c.url_id)
        .where(marks.c.id.in_(last), marks.c.word != Word.NOTHING.value)
        .order_by(marks.c.id)
    )
    return [
        Marked(
            Mark(
                PageId(row.page_id), TopicId(row.topic_id), Word(row.word), row.given_at, row.note
            ),
            row.url,
            row.title,
        )
        for row in session.connection.execute(query)
    ]


def take_back(session: Session) -> int:
    """Forget what was said last, all of it that was said together. Returns how many words that
    were.
    """
    query = select(marks.c.given_at).order_by(marks.c.id.desc()).limit(1)
    latest = session.connection.execute(query).scalar_one_or_none()
    if latest is None:
        return 0
    return session.connection.execute(delete(marks).where(marks.c.given_at == latest)).rowcount
