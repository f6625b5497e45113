"""Versions of the schema."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import select, text

from motherlode.records import (
    ROOT,
    Host,
    HostState,
    Judgement,
    Lane,
    ModelId,
    NewerStoreError,
    OlderStoreError,
    RobotsFile,
    StoreError,
    TopicId,
)
from motherlode.store import Store, StoreOptions, migrations, schema
from motherlode.store.schema import VERSION, about
from motherlode.store.tables import frontier, ledger, pages
from support.helpers import follow
from support.store_records import StopHereError, as_in_version_5, keep_one


def set_version(store: Store, version: int) -> None:
    with store.writing() as session:
        session.connection.execute(about.update().values(value=str(version)))


def test_a_newer_database_is_refused(store: Store, database: Path, options: StoreOptions) -> None:
    set_version(store, VERSION + 1)
    with pytest.raises(NewerStoreError, match=f"version {VERSION + 1}.* up to {VERSION}"):
        Store.open(database, options)


@pytest.mark.usefixtures("store")
def test_an_older_database_is_upgraded_only_if_asked(
    database: Path, options: StoreOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "is_current", lambda *_: False)
    monkeypatch.setattr(migrations, "migrate", lambda _: None)
    with pytest.raises(OlderStoreError):
        Store.open(database, options)
    Store.open(database, options, upgrade=True).close()


def test_an_older_database_is_brought_up_to_date_step_by_step(store: Store) -> None:
    done = []

    def first(_: object) -> None:
        done.append(1)

    def second(connection: object) -> None:
        done.append(2)
        connection.execute(text("CREATE TABLE novelty (x INTEGER)"))  # type: ignore[attr-defined]

    set_version(store, 1)
    with store.writing() as session:
        migrations.migrate(session.connection, (first, second))
        assert migrations.version(session.connection) == 3
        migrations.migrate(session.connection, (first, second))
    assert done == [1, 2]


def test_a_step_that_fails_leaves_the_old_version(store: Store) -> None:
    def fail(connection: object) -> None:
        connection.execute(text("CREATE TABLE novelty (x INTEGER)"))  # type: ignore[attr-defined]
        raise StopHereError

    set_version(store, 1)
    with pytest.raises(StopHereError), store.writing() as session:
        migrations.migrate(session.connection, (fail,))
    with store.reading() as session:
        assert migrations.version(session.connection) == 1
        with pytest.raises(StoreError), store.reading() as inner:
            inner.connection.execute(text("SELECT * FROM novelty"))


def test_the_newest_version_is_the_last_step() -> None:
    assert len(migrations.STEPS) + 1 == VERSION


@pytest.mark.usefixtures("store")
def test_a_database_in_use_is_not_taken_for_a_new_portal(
    database: Path, options: StoreOptions
) -> None:
    with pytest.raises(StoreError, match="holds a portal already"):
        Store.create(database, options)


HOSTS_OF_VERSION_1 = """CREATE TABLE hosts (
    name TEXT PRIMARY KEY, domain TEXT NOT NULL, state SMALLINT NOT NULL, reason TEXT NOT NULL,
    address TEXT NOT NULL, failures INTEGER NOT NULL, pages BIGINT NOT NULL, size BIGINT NOT NULL,
    delay DOUBLE PRECISION NOT NULL, next_at DOUBLE PRECISION NOT NULL,
    robots {blob}, robots_status SMALLINT NOT NULL, robots_expires DOUBLE PRECISION NOT NULL)"""
A_HOST_OF_VERSION_1 = """INSERT INTO hosts VALUES
    ('a.test', 'a.test', 1, 'stalled', '192.0.2.1', 2, 30, 4000, 1.5, 99.5, {body}, 200, 77.0)"""


def as_in_version_1(store: Store) -> None:
    """Robots.txt stood with its host, and nothing was found by its digest."""
    as_in_version_5(store)
    with store.writing() as session:
        postgres = session.connection.dialect.name == "postgresql"
        for statement in (
            "DROP TABLE marks",
            "DROP TABLE robots",
            "DROP TABLE fingerprints",
            "DROP TABLE hosts",
            "DROP INDEX pages_digest",
            HOSTS_OF_VERSION_1.format(blob="BYTEA" if postgres else "BLOB"),
            A_HOST_OF_VERSION_1.format(body="'\\x2a'::bytea" if postgres else "x'2a'"),
        ):
            session.connection.exec_driver_sql(statement)
    set_version(store, 1)


def test_a_database_of_version_1_keeps_its_hosts_and_gets_robots_by_origin(
    store: Store, database: Path, options: StoreOptions
) -> None:
    keep_one(store, "http://a.test/")
    as_in_version_1(store)
    store.close()
    with pytest.raises(OlderStoreError):
        Store.open(database, options)
    file = RobotsFile("http://a.test", 200, b"#", 1.0, 2.0)
    known = Host("a.test", "a.test", HostState.SLOW, "stalled", "192.0.2.1", 2, 30, 4000, 1.5, 99.5)
    with Store.open(database, options, upgrade=True) as upgraded:
        with upgraded.writing() as session:
            assert migrations.version(session.connection) == VERSION
            assert list(ledger.all_hosts(session)) == [known]
            known = replace(known, aliases="b.test cdn.test")
            ledger.keep_robots(session, [file])
            ledger.keep_hosts(session, [known, Host("b.test")])
        with upgraded.reading() as session:
            assert ledger.robots_of(session, "http://a.test") == file
            assert ledger.host_named(session, "a.test") == known
            assert pages.copies_of(session, {b"digest"}) == {b"digest": "http://a.test/"}
    Store.open(database, options).close()  # it is current now


# The queue of version 5, its rank; the lane, the queue and the rank of today.
ENTRIES_OF_VERSION_5 = [
    (7, 0.5, Lane.CRAWL, 7, 0.5),
    (-7, 0.25, Lane.HELD, 7, 0.25),
    (0, 3.0, Lane.PREPARATION, 0, 3.0),
    (-(2**31), -1.5, Lane.REFRESH, 0, -1.5),
    (7 - 2**30, 0.125, Lane.PARKED, 7, 0.125),
    (-7 - 2**30, 0.0625, Lane.PARKED, 7, 0.0625),
]


def test_the_frontier_of_version_5_gets_lanes(
    store: Store, database: Path, options: StoreOptions
) -> None:
    urls = [f"http://{at}.test/" for at in range(len(ENTRIES_OF_VERSION_5))]
    with store.writing() as session:
        numbers = {
            entry.url: entry.url_id
            for entry in frontier.offer(session, [follow(url) for url in urls])
        }
    as_in_version_5(store)
    with store.writing() as session:
        for url, (queue, rank, *_) in zip(urls, ENTRIES_OF_VERSION_5, strict=True):
            session.connection.exec_driver_sql(
                f"INSERT INTO frontier VALUES ({queue}, {rank}, {numbers[url]}, 2, 1.0, NULL)"  # noqa: S608
            )
    store.close()
    with Store.open(database, options, upgrade=True) as upgraded, upgraded.reading() as session:
        rows = session.connection.execute(
            select(schema.frontier).order_by(schema.frontier.c.url_id)
        ).all()
    assert [(row.url_id, row.share, row.lane, row.queue, -row.cost) for row in rows] == [
        (numbers[url], 0, lane, queue, rank)
        for url, (_, _, lane, queue, rank) in zip(urls, ENTRIES_OF_VERSION_5, strict=True)
    ]
    assert {(row.depth, row.distance, row.via) for row in rows} == {(2, 1.0, None)}


def test_judgements_and_runs_of_version_5_say_what_they_said(
    store: Store, database: Path, options: StoreOptions
) -> None:
    liked = keep_one(store, "http://a.test/", judgement=Judgement(TopicId(2), 0.5, ModelId(1)))
    alike = keep_one(store, "http://b.test/", judgement=Judgement(ROOT, 0.75))
    with store.writing() as session:
        run = ledger.start_run(session, "crawl", "BestFirst", 1.0)
        assert run.policy == "BestFirst"
    as_in_version_5(store)
    store.close()
    with Store.open(database, options, upgrade=True) as upgraded, upgraded.reading() as session:
        assert pages.judgement_of(session, liked) == Judgement(TopicId(2), 0.5, ModelId(1))
        assert pages.judgement_of(session, alike) == Judgement(ROOT, -0.25, score=0.75)
        assert [run.policy for run in ledger.all_runs(session)] == ["best-first"]


def test_judgements_keep_their_probability(store: Store) -> None:
    judgement = Judgement(TopicId(2), 0.5, ModelId(1), probability=0.75)
    sure = keep_one(store, "http://a.test/", judgement=judgement)
    unknown = keep_one(store, "http://b.test/", judgement=Judgement(TopicId(2), 0.5))
    with store.reading() as session:
        assert pages.judgement_of(session, sure) == judgement
        of_other = pages.judgement_of(session, unknown)
        assert of_other is not None
        assert of_other.probability is None
