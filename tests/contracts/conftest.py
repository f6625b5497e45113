"""Every contract test of the store runs over both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.store import Store, StoreOptions
from support.databases import DATABASES, fresh_database


@pytest.fixture(params=DATABASES)
def options(request: pytest.FixtureRequest) -> Iterator[StoreOptions]:
    """Where a store can be made that nothing else uses."""
    with fresh_database(request) as url:
        yield StoreOptions(url=url)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "lode.db"


@pytest.fixture
def store(options: StoreOptions, database: Path) -> Iterator[Store]:
    with Store.create(database, options) as made:
        yield made
