"""The store: one database, transactions for reading and for writing."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Self

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import SQLAlchemyError

from motherlode.records import LockedError, OlderStoreError, ReadOnlyError, StoreError
from motherlode.store import migrations
from motherlode.store.bulk import bulk_for
from motherlode.store.driver_errors import understood
from motherlode.store.engine import Database, StoreOptions, connect, shown
from motherlode.store.session import Session
from motherlode.store.sieve import Sieve, SieveMemory

_WRITER = 0x4C4F4445  # the advisory lock of whoever writes: "LODE"
_MOMENT = 3.0  # seconds in which a server notices that whoever had the lock was killed


class Store:
    """A portal's database. Any number of readers, one writer at a time.

    Every write happens inside `writing()`: all of a block is kept, or nothing of it. A process that
    dies inside one leaves the database as it was before.
    """

    def __init__(self, database: Database, where: str) -> None:
        self._engine: Engine = database.engine
        self._unlocked = database.unlocked
        self._memory = SieveMemory()
        self._writer = Lock()
        self._guard: Connection | None = None  # holds the lock of whoever writes
        self._is_guarded = False
        self.where = where

    @classmethod
    def create(
        cls, database: Path, options: StoreOptions, fill: Callable[[Session], object] | None = None
    ) -> Self:
        """Make the tables of a new portal and `fill` them, all in one transaction."""
        with cls._connected(database, options) as store:
            with store.writing() as session:
                migrations.create(session.connection)
                if fill is not None:
                    fill(session)
            return store

    @classmethod
    def open(cls, database: Path, options: StoreOptions, *, upgrade: bool = False) -> Self:
        """Open a portal's database. A newer one is refused, and an older one unless it may be
        upgraded.
        """
        if not options.url and not database.is_file():
            raise StoreError(f"{database} is missing; restore it from a copy of the portal.")
        if not options.url and not os.access(database, os.R_OK):
            raise ReadOnlyError(f"{database} cannot be read: it belongs to another user; ask them.")
        with cls._connected(database, options) as store:
            with store._transaction(writing=False) as connection:
                current = migrations.is_current(connection)
            if not current and not upgrade:
                raise OlderStoreError(f"{store.where} was written by an older Motherlode.")
            if not current:
                with store._transaction(writing=True) as connection:
                    migrations.migrate(connection)
            return store

    @classmethod
    @contextmanager
    def _connected(cls, database: Path, options: StoreOptions) -> Iterator[Self]:
        """A store that is closed again if it cannot be used."""
        store = cls(connect(database, options), shown(database, options))
        try:
            yield store
        except BaseException:
            store.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one moment of the database, from its first question on, and cannot
        write.
        """
        with self._transaction(writing=False) as connection:
            bulk = bulk_for(connection)
            yield Session(connection, bulk, Sieve(bulk, SieveMemory(size=1)))

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are committed together when the block ends well."""
        with self._writer:
            try:
                with self._transaction(writing=True) as connection:
                    bulk = bulk_for(connection)
                    yield Session(connection, bulk, Sieve(bulk, self._memory))
            except BaseException:
                self._memory.forget()
                raise

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep writers of other portals away from a shared database; SQLite's file needs no such
        care.
        """
        if self._engine.dialect.name == "sqlite":
            yield
            return
        self._is_guarded = True
        try:
            self._take_guard()
            yield
        finally:
            self._is_guarded = False
            self._drop_guard()

    def mend(self) -> None:
        """Come back to a server that went away, with the lock that it has forgotten.

        Raises `StoreGoneError` while it is still away, and `LockedError` where somebody else was
        quicker.
        """
        if self._engine.dialect.name == "sqlite":
            return
        self._drop_guard()
        self._engine.dispose()
        if self._is_guarded:
            self._take_guard()
        with self.reading() as session:
            session.connection.execute(select(1))

    def _take_guard(self) -> None:
        with understood(self.where, self._engine.dialect.loaded_dbapi.Error):
            guard = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            try:
                self._lock(guard)
            except BaseException:
                guard.close()
                raise
        self._guard = guard

    def _lock(self, guard: Connection) -> None:
        until = monotonic() + _MOMENT
        while not guard.execute(select(func.pg_try_advisory_lock(_WRITER))).scalar_one():
            if monotonic() > until:
                raise LockedError(
                    f"{self.where} is being written by another process; wait for it or stop it."
                )
            sleep(0.05)

    def _drop_guard(self) -> None:
        """The lock goes with its connection, whether or not the server is there to hear of it."""
        guard, self._guard = self._guard, None
        if guard is not None:
            with suppress(SQLAlchemyError):
                guard.invalidate()
            with suppress(SQLAlchemyError):
                guard.close()

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[Connection]:
        options: dict[str, object] = {"writing": writing}
        if self._engine.dialect.name == "postgresql":
            options["postgresql_readonly"] = not writing
            options["isolation_level"] = "READ COMMITTED" if writing else "REPEATABLE READ"
        with (
            self._unchanged(),
            understood(self.where, self._engine.dialect.loaded_dbapi.Error),
            self._engine.connect().execution_options(**options) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        """Raise `LockedError` at the end if the database, read without locks, was written
        meanwhile.

        Then pages may have been read half old, half new, which SQLite may call damage.
        """
        if self._unlocked is None:
            yield
            return
        try:
            yield
        except StoreError:
            self._unlocked.check_unchanged()
            raise
        self._unlocked.check_unchanged()
