"""Every contract test of the store runs over both databases."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from motherlode.store import Store, StoreOptions

_numbers = count(1)


@pytest.fixture(params=["sqlite", "postgresql"])
def options(request: pytest.FixtureRequest) -> Iterator[StoreOptions]:
    """Where a store can be made that nothing else uses."""
    if request.param == "sqlite":
        yield StoreOptions()
        return
    server = request.getfixturevalue("postgres_server")
    name = f"lode_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    yield StoreOptions(url=urlunsplit(urlsplit(server)._replace(path=f"/{name}")))
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "lode.db"


@pytest.fixture
def store(options: StoreOptions, database: Path) -> Iterator[Store]:
    with Store.create(database, options) as made:
        yield made
