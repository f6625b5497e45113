"""What the tests of the store share: made-up links, entries and outcomes, and looks into the tables."""

from typing import Any

import pytest
from sqlalchemy import func, select

from motherlode.records import (
    Document,
    Entry,
    Fate,
    Lane,
    Link,
    LinkFlag,
    Outcome,
    Page,
    PageId,
    QueueId,
    UrlId,
)
from motherlode.store import Session, Store
from motherlode.store.schema import metadata
from motherlode.store.tables import frontier, outcomes
from motherlode.urls import address
from support.helpers import follow

A: Any = 2  # numbers of topics, and of their queues
B: Any = 3

# SQLite has one writer at a time, and its file is locked with its directory.
only_shared = pytest.mark.parametrize("options", ["postgresql"], indirect=True)


class StopHereError(Exception):
    """Raised in the middle of a transaction."""


def link(url: str, anchor: str = "", flags: LinkFlag = LinkFlag.NONE) -> Link:
    found = address(url)
    return Link(found.url, found.key, anchor, flags)


def take(session: Session, url: str, queue: QueueId = A, rank: float = 1.0) -> Entry:
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


def lose(session: Session, url: str, fate: Fate) -> None:
    """Store what became of a URL that has no page, or none any more."""
    found = address(url)
    entry = Entry(UrlId(0), found.url, found.key, QueueId(0), 0.0, lane=Lane.REFRESH)
    outcomes.keep(session, [outcome(entry, page=None, document=None, fate=fate)])


def count_rows(store: Store, table: str) -> int:
    with store.reading() as session:
        query = select(func.count()).select_from(metadata.tables[table])
        return session.connection.execute(query).scalar_one()


def waiting(store: Store, queue: QueueId = A) -> list[tuple[str, float]]:
    with store.reading() as session:
        return [(entry.url, entry.rank) for entry in frontier.waiting(session, queue, 100)]


FRONTIER_OF_VERSION_5 = """CREATE TABLE frontier (
    queue INTEGER NOT NULL, rank DOUBLE PRECISION NOT NULL, url_id BIGINT NOT NULL,
    depth INTEGER NOT NULL, distance DOUBLE PRECISION NOT NULL, via BIGINT,
    PRIMARY KEY (queue, rank, url_id))"""


def as_in_version_8(store: Store) -> None:
    """Give the database the tables of version 8, which had no library."""
    with store.writing() as session:
        for statement in (
            "DROP TABLE library_members",
            "DROP TABLE library_objects",
            "DROP TABLE library_folders",
            "UPDATE about SET value = '8' WHERE name = 'schema_version'",
        ):
            session.connection.exec_driver_sql(statement)


def as_in_version_5(store: Store) -> None:
    """Give the database the tables of version 5; its frontier is empty then."""
    as_in_version_8(store)
    with store.writing() as session:
        for statement in (
            "DROP TABLE collection_choices",
            "DROP TABLE notes",
            "DROP TABLE frontier",
            FRONTIER_OF_VERSION_5,
            "ALTER TABLE judgements DROP COLUMN probability",
            "ALTER TABLE judgements DROP COLUMN score",
            "UPDATE about SET value = '5' WHERE name = 'schema_version'",
        ):
            session.connection.exec_driver_sql(statement)
