"""Transactions: all or nothing, one moment for a reader, several writers."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import func, select

from motherlode.records import (
    ROOT,
    Follow,
    Judgement,
    LockedError,
    PageId,
    StoreError,
    StoreGoneError,
)
from motherlode.store import Store, StoreOptions
from motherlode.store import store as store_module
from motherlode.store.schema import metadata, urls
from motherlode.store.tables import frontier, ledger, outcomes, pages
from motherlode.store.tables import topics as topic_rows
from motherlode.urls import address
from support.helpers import follow
from support.store_records import (
    A,
    StopHereError,
    count_rows,
    keep_one,
    link,
    only_shared,
    outcome,
    take,
    waiting,
)


def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    keep_one(store, "http://before/")
    tables = list(metadata.tables)
    before = {table: count_rows(store, table) for table in tables}
    with pytest.raises(StopHereError), store.writing() as session:
        topic_rows.add_topic(session, ROOT, "x")
        entry = take(session, "http://a/")
        found = outcome(
            entry, link("http://b/"), judgement=Judgement(A, 1.0), follows=(follow("http://c/"),)
        )
        outcomes.keep(session, [found])
        ledger.note_archives(session, {"f": 3})
        raise StopHereError
    assert {table: count_rows(store, table) for table in tables} == before


def test_what_a_failed_transaction_saw_is_not_believed_later(store: Store) -> None:
    with pytest.raises(StopHereError), store.writing() as session:
        frontier.offer(session, [follow("http://a/"), follow("http://b/")])
        raise StopHereError
    with store.writing() as session:
        frontier.offer(session, [follow("http://a/")])
    assert waiting(store) == [("http://a/", 1.0)]
    keep_one(store, "http://c/", link("http://b/"))
    with store.reading() as session:
        assert pages.links_from(session, PageId(1))[0].url == "http://b/"


def test_a_reader_sees_one_moment(store: Store) -> None:
    keep_one(store, "http://a/")
    with store.reading() as session:
        before = pages.count_pages(session)
        keep_one(store, "http://b/")
        assert pages.count_pages(session) == before == 1
    with store.reading() as session:
        assert pages.count_pages(session) == 2


def test_writers_of_one_process_take_turns(store: Store) -> None:
    def write(number: int) -> None:
        for step in range(5):
            keep_one(store, f"http://h{number}/{step}", link("http://shared/"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count_rows(store, "pages") == 20
    assert count_rows(store, "urls") == 21


def test_two_stores_on_one_database_agree_on_rows(
    store: Store, database: Path, options: StoreOptions
) -> None:
    """As two engines do: each has a memory of its own."""
    with Store.open(database, options) as other:
        for number, each in enumerate([store, other] * 3):
            with each.writing() as session:
                offers: Sequence[Follow] = [
                    follow(f"http://h/{n}", number) for n in range(number, number + 4)
                ]
                frontier.offer(session, offers)
    with store.reading() as session:
        rows = session.connection.execute(select(urls.c.key, urls.c.url)).all()
    assert len(rows) == len({row.key for row in rows}) == 9
    assert all(address(row.url).key == row.key for row in rows)


def test_two_writers_with_the_same_news_agree(
    store: Store, database: Path, options: StoreOptions
) -> None:
    """Both transactions are open at once where the database allows it; no URL gets two rows."""
    ready = threading.Barrier(2)
    failed: list[BaseException] = []

    def write(each: Store, number: int) -> None:
        ready.wait()
        try:
            for step in range(20):
                with each.writing() as session:
                    frontier.offer(
                        session, [follow(f"http://h/{step}/{n}", number) for n in range(20)]
                    )
        except StoreError as error:
            failed.append(error)

    with Store.open(database, options) as other:
        threads = [threading.Thread(target=write, args=pair) for pair in ((store, 0), (other, 1))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []
    assert count_rows(store, "urls") == 400
    with store.reading() as session:
        assert frontier.sizes(session) == {A: 400}


@only_shared
def test_a_url_that_another_engine_is_just_adding(
    store: Store, database: Path, options: StoreOptions
) -> None:
    """The other's row appears between our look and our insert."""
    entered, go_on = threading.Event(), threading.Event()

    def first() -> None:
        with store.writing() as session:
            frontier.offer(session, [follow("http://a/", 0.5)])
            entered.set()
            go_on.wait(10)

    with Store.open(database, options) as other:
        thread = threading.Thread(target=first)
        thread.start()
        entered.wait(10)
        threading.Timer(0.3, go_on.set).start()
        number = keep_one(other, "http://b/", link("http://a/"))
        thread.join()
        with other.reading() as session:
            (found,) = pages.links_from(session, number)
            known = pages.known_url(session, address("http://a/").key)
            assert known is not None
            assert found.url_id == known.id


def test_a_reader_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError), store.reading() as session:
        topic_rows.add_topic(session, ROOT, "x")
    assert count_rows(store, "topics") == 1
    keep_one(store, "http://a/")


@only_shared
def test_one_writer_at_a_time_on_a_shared_database(
    store: Store, database: Path, options: StoreOptions
) -> None:
    with Store.open(database, options) as other:
        with store.exclusive(), refused(), other.exclusive():
            pass
        with other.exclusive():
            pass


@only_shared
def test_a_server_that_cuts_us_off_is_told_from_other_failures_and_can_be_come_back_to(
    store: Store, database: Path, options: StoreOptions
) -> None:
    with store.exclusive():
        with store.reading() as session:
            ours = session.connection.execute(select(func.current_database())).scalar_one()
        _cut_off(options, ours)
        with pytest.raises(StoreGoneError, match="does not answer"), store.writing() as session:
            session.connection.execute(select(1))
        store.mend()
        keep_one(store, "http://a/")
        with Store.open(database, options) as other, refused(), other.exclusive():
            pass  # the lock is ours again
    with Store.open(database, options) as other, other.exclusive():
        assert count_rows(other, "pages") == 1


@contextmanager
def refused() -> Iterator[None]:
    """Whoever wants a lock in this block does not get it, and does not wait long for it."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(LockedError, match="being written"):
        patch.setattr(store_module, "_MOMENT", 0.1)
        yield


def _cut_off(options: StoreOptions, name: str) -> None:
    """End every connection to a database but our own."""
    with psycopg.connect(options.url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = %s AND pid != pg_backend_pid()",
            (name,),
        )


def test_mending_what_is_whole_changes_nothing(store: Store) -> None:
    keep_one(store, "http://a/")
    store.mend()
    keep_one(store, "http://b/")
    assert count_rows(store, "pages") == 2
