"""The store: one database, transactions for reading and for writing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Self

from sqlalchemy import Connection, Engine, func, select

from motherlode.records import LockedError, OlderStoreError, StoreError
from motherlode.store import migrations
from motherlode.store.bulk import bulk_for
from motherlode.store.connecting import StoreOptions, connect, shown
from motherlode.store.failures import understood
from motherlode.store.session import Session
from motherlode.store.sieve import Sieve, SieveMemory

_WRITER = 0x4C4F4445  # the advisory lock of whoever writes: "LODE"


class Store:
    """A portal's database. Any number of readers, one writer at a time.

    Every write happens inside `writing()`: all of a block is kept, or nothing of it. A process that dies
    inside one leaves the database as it was before.
    """

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine = engine
        self._memory = SieveMemory()
        self._writer = Lock()
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
        """Open a portal's database. A newer one is refused, and an older one unless it may be upgraded."""
        if not options.url and not database.is_file():
            raise StoreError(f"{database} is missing; restore it from a copy of the portal.")
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
        """A session that sees one moment of the database, from its first question on, and cannot write."""
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
        """Keep writers of other portals away from a shared database; SQLite's file needs no such care."""
        if self._engine.dialect.name == "sqlite":
            yield
            return
        with understood(self.where, self._engine.dialect.loaded_dbapi.Error):
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        with connection:
            if not connection.execute(select(func.pg_try_advisory_lock(_WRITER))).scalar_one():
                raise LockedError(
                    f"{self.where} is being written by another process; wait for it or stop it."
                )
            try:
                yield
            finally:
                connection.execute(select(func.pg_advisory_unlock(_WRITER)))

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
            understood(self.where, self._engine.dialect.loaded_dbapi.Error),
            self._engine.connect().execution_options(**options) as connection,
            connection.begin(),
        ):
            yield connection
