"""Both databases for tests: SQLite is a portal's own file, PostgreSQL gets a new database each time."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

DATABASES = ("sqlite", "postgresql")
_numbers = count(1)

# A test of a portal that is made where the fixture `database_url` says runs on both of them.
both_databases = pytest.mark.parametrize("database_url", DATABASES, indirect=True)


@contextmanager
def fresh_database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database that nothing else uses, of the kind that the fixture is asked for; '': SQLite."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield ""
        return
    server = request.getfixturevalue("postgres_server")
    name = f"lode_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
