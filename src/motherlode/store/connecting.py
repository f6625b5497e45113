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

from motherlode.records import BadInputError

_PAGE_SIZE = 8192  # a page's text and vector fit; 4096 costs a third of the write speed
_CHECKPOINT_EVERY = 40_000  # database pages, 320 MB: a page changed in many batches is copied back once
_BUSY_SECONDS = 30


class StoreOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the portal's database lies and how hard it works."""

    url: Annotated[
        str,
        Meta(description="Empty for SQLite in the portal's directory, or postgresql://user@host/name."),
    ] = ""
    cache_mb: Annotated[
        int,
        Meta(ge=1, le=65536, description="Memory for SQLite's page cache, in MB."),
    ] = 256
    sync: Annotated[
        Literal["normal", "full"],
        Meta(
            description="normal survives a killed process; full also survives a power cut, but writes slower."
        ),
    ] = "normal"
    patience: Annotated[
        float,
        Meta(ge=0, description="Seconds that a crawl waits for a PostgreSQL server that has gone away."),
    ] = 300.0


def connect(database: Path, options: StoreOptions) -> Engine:
    """An engine for the portal's database. Nothing is opened yet."""
    if not options.url:
        return _sqlite(database, options)
    return _postgres(options)


def shown(database: Path, options: StoreOptions) -> str:
    """The database as messages name it: never with a user or a password."""
    if not options.url:
        return str(database)
    url = make_url(options.url)
    return f"The PostgreSQL database {url.database}" + (f" on {url.host}" if url.host else "")


def _sqlite(database: Path, options: StoreOptions) -> Engine:
    frozen = _is_frozen(database)

    def driver() -> sqlite3.Connection:
        """By path, not by URL: a directory may be called anything."""
        path, is_uri = os.fsencode(database), False
        if frozen:  # write-ahead logging wants to write beside the file even for a reader; this does not
            path, is_uri = b"file:" + quote(path).encode() + b"?mode=ro&immutable=1", True
        return sqlite3.connect(os.fsdecode(path), timeout=_BUSY_SECONDS, check_same_thread=False, uri=is_uri)

    engine = create_engine("sqlite://", creator=driver, poolclass=QueuePool)

    @event.listens_for(engine, "connect")
    def set_up(connection: DBAPIConnection, _record: object) -> None:
        assert isinstance(connection, sqlite3.Connection)  # noqa: S101 - by the driver above
        connection.isolation_level = None  # transactions begin where `begin` below says
        for pragma in (
            *(() if frozen else (f"page_size = {_PAGE_SIZE}", "journal_mode = WAL")),
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


def _is_frozen(database: Path) -> bool:
    """Whether the database lies whole on a disk that nobody here can write, such as a snapshot."""
    log = database.with_name(database.name + "-wal")
    return database.exists() and not os.access(database.parent, os.W_OK) and not log.exists()


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
