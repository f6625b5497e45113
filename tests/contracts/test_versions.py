"""Versions of the schema."""

from pathlib import Path

import pytest
from sqlalchemy import text

from motherlode.records import (
    NewerStoreError,
    OlderStoreError,
    StoreError,
)
from motherlode.store import Store, StoreOptions, migrations
from motherlode.store.schema import VERSION, about
from storing import StopHereError


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
def test_a_database_in_use_is_not_taken_for_a_new_portal(database: Path, options: StoreOptions) -> None:
    with pytest.raises(StoreError, match="holds a portal already"):
        Store.create(database, options)
