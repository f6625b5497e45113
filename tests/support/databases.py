"""Both databases for tests: SQLite is a portal's own file, PostgreSQL an empty database."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

DATABASES = ("sqlite", "postgresql")
_numbers = count(1)
_free: list[str] = []  # URLs of empty PostgreSQL databases: emptying takes a tenth of creating

# A test of a portal that is made where the fixture `database_url` says runs on both of them.
both_databases = pytest.mark.parametrize("database_url", DATABASES, indirect=True)


@contextmanager
def fresh_database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database that nothing else uses, of the kind that the fixture is asked for; '': SQLite."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield ""
        return
    server = request.getfixturevalue("postgres_server")
    url = _free.pop() if _free else _create_database(server)
    yield url
    _empty_database(server, url)
    _free.append(url)


def forget_durability(server: str) -> None:
    """Have a server wait for no disk: its data lasts as long as the tests, and nobody cuts the power."""
    with psycopg.connect(server, autocommit=True) as connection:
        for setting in (b"fsync", b"synchronous_commit", b"full_page_writes"):
            connection.execute(b"ALTER SYSTEM SET " + setting + b" = off")
        connection.execute("SELECT pg_reload_conf()")


def _create_database(server: str) -> str:
    name = f"lode_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY FILE_COPY".encode())
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


def _empty_database(server: str, url: str) -> None:
    """Cut everybody off who is still connected, and drop all that the database holds."""
    name = urlsplit(url).path[1:]
    others = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(others, [name])
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
