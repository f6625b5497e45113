"""What the tests of the store share: made-up links, entries and outcomes, and looks into the tables."""

import pytest
from sqlalchemy import func, select

from motherlode.records import (
    Document,
    Entry,
    Link,
    LinkFlag,
    Outcome,
    Page,
    PageId,
    TopicId,
)
from motherlode.store import Session, Store, frontier, outcomes
from motherlode.store.schema import metadata
from motherlode.urls import address
from support.helpers import follow

A, B = TopicId(1), TopicId(2)

# SQLite has one writer at a time, and its file is locked with its directory.
only_shared = pytest.mark.parametrize("options", ["postgresql"], indirect=True)


class StopHereError(Exception):
    """Raised in the middle of a transaction."""


def link(url: str, anchor: str = "", flags: LinkFlag = LinkFlag.NONE) -> Link:
    found = address(url)
    return Link(found.url, found.key, anchor, flags)


def take(session: Session, url: str, queue: TopicId = A, rank: float = 1.0) -> Entry:
    """Offer a URL and take its entry."""
    frontier.offer(session, [follow(url, rank, queue)])
    return next(entry for entry in frontier.waiting(session, queue, 1000) if entry.url == url)


def outcome(entry: Entry, *links_to: Link, **parts: object) -> Outcome:
    page = Page(entry.url, entry.key, 1.5, 200, "text/html", 10, b"digest")
    document = Document(
        title="Title",
        language="en",
        text="Some text",
        fingerprint=7,
        vectors={"terms": b"\x01"},
        links=links_to,
    )
    defaults: dict[str, object] = {"page": page, "document": document}
    return Outcome(entry, **(defaults | parts))  # type: ignore[arg-type]


def keep_one(store: Store, url: str, *links_to: Link, **parts: object) -> PageId:
    with store.writing() as session:
        return outcomes.keep(session, [outcome(take(session, url), *links_to, **parts)]).pages[0]


def count_rows(store: Store, table: str) -> int:
    with store.reading() as session:
        query = select(func.count()).select_from(metadata.tables[table])
        return session.connection.execute(query).scalar_one()


def waiting(store: Store, queue: TopicId = A) -> list[tuple[str, float]]:
    with store.reading() as session:
        return [(entry.url, entry.rank) for entry in frontier.waiting(session, queue, 100)]
