"""An engine for either database, set up the way the store wants it."""

import os
import sqlite3
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

from msgspec import Meta, Struct
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import QueuePool

from motherlode.records import BadInputError, LockedError

_PAGE_SIZE = 8192  # a page's text and vector fit; 4096 costs a third of the write speed
_CHECKPOINT_EVERY = (
    40_000  # database pages, 320 MB: a page changed in many batches is copied back once
)
_BUSY_SECONDS = 30


class StoreOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the portal's database lies and how hard it works."""

    url: Annotated[
        str,
        Meta(
            description=(
                "Empty for SQLite in the portal's directory, or postgresql://user@host/name."
            )
        ),
    ] = ""
    cache_mb: Annotated[
        int,
        Meta(ge=1, le=65536, description="Memory for SQLite's page cache, in MB."),
    ] = 256
    sync: Annotated[
        Literal["normal", "full"],
        Meta(
            description=(
                "normal survives a killed process; full also survives a power cut, but writes "
                "slower."
            )
        ),
    ] = "normal"
    patience: Annotated[
        float,
        Meta(
            ge=0,
            description="Seconds that a crawl waits for a PostgreSQL server that has gone away.",
        ),
    ] = 300.0


class Database(Struct, frozen=True):
    """An engine, and the file that it reads without locks, if it is in a read-only directory."""

    engine: Engine
    unlocked: "UnlockedFile | None" = None


class UnlockedFile:
    """A database file that is read without locks, and must not change meanwhile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = _stamp(path)

    def check_unchanged(self) -> None:
        """Raise `LockedError` if the file was written since it was opened."""
        if _stamp(self._path) != self._stamp:
            raise LockedError(
                f"{self._path} was written by another process while it was read; "
                "run the command again."
            )


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def connect(database: Path, options: StoreOptions) -> Database:
    """An engine for the portal's database. Nothing is opened yet."""
    if options.url:
        return Database(_postgres(options))
    parameters = _read_only_parameters(database)
    unlocked = None if parameters is None else UnlockedFile(database)
    return Database(_sqlite(database, options, parameters), unlocked)


def shown(database: Path, options: StoreOptions) -> str:
    """The database as messages name it: never with a user or a password."""
    if not options.url:
        return str(database)
    url = make_url(options.url)
    return f"The PostgreSQL database {url.database}" + (f" on {url.host}" if url.host else "")


def _sqlite(database: Path, options: StoreOptions, parameters: str | None) -> Engine:
    """An engine for SQLite; `parameters` are those of `_read_only_parameters`."""

    def driver() -> sqlite3.Connection:
        """By path, not by URL: a directory may be called anything."""
        path = os.fsencode(database)
        if parameters is not None:
            path = f"file:{quote(path)}?{parameters}".encode()
        return sqlite3.connect(
            os.fsdecode(path),
            timeout=_BUSY_SECONDS,
            check_same_thread=False,
            uri=parameters is not None,
        )

    engine = create_engine("sqlite://", creator=driver, poolclass=QueuePool)

    @event.listens_for(engine, "connect")
    def set_up(connection: DBAPIConnection, _record: object) -> None:
        assert isinstance(connection, sqlite3.Connection)  # noqa: S101 - by the driver above
        connection.isolation_level = None  # transactions begin where `begin` below says
        for pragma in (
            *(
                (f"page_size = {_PAGE_SIZE}", "journal_mode = WAL")
                if parameters is None
                else ("locking_mode = EXCLUSIVE",)  # so that no file is needed to share a log
            ),
            f"synchronous = {options.sync.upper()}",
            f"cache_size = -{options.cache_mb * 1024}",
            f"wal_autocheckpoint = {_CHECKPOINT_EVERY}",
            "temp_store = MEMORY",
            "foreign_keys = ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("writing", False)
        connection.exec_driver_sql(f"PRAGMA query_only = {0 if writing else 1}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _read_only_parameters(database: Path) -> str | None:
    """Return the URI parameters that open a database in a directory that cannot be written.

    Write-ahead logging creates files beside the database, even for a reader. Without a log, the
    database is complete in its file. With the log of a killed writer, but without its index, SQLite
    indexes the log in memory, if it takes no locks. None: it can be opened as usual.
    """
    if not database.exists() or os.access(database.parent, os.W_OK):
        return None
    log, log_index = (database.with_name(f"{database.name}-{end}") for end in ("wal", "shm"))
    if not log.exists():
        return "mode=ro&immutable=1"
    return None if log_index.exists() else "mode=ro&vfs=unix-none"


def _postgres(options: StoreOptions) -> Engine:
    try:
        url = make_url(options.url)
        if url.get_backend_name() != "postgresql":
            raise BadInputError(
                f"[store] url: {url.drivername!r} is not supported; leave it empty for SQLite or "
                f"write postgresql://user@host/name."
            )
        arguments: dict[str, Any] = {"connect_timeout": 10}
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args=arguments,
        )
    except (ArgumentError, ValueError) as error:
        raise BadInputError("[store] url is not a database URL.") from error
    except (ImportError, NoSuchModuleError) as error:
        raise BadInputError(
            "PostgreSQL needs an extra package: pip install 'motherlode[postgres]'."
        ) from error
