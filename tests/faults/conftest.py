"""What the tests of faults share: a web that counts, a process that starts crawls, databases."""

import os
from collections.abc import Iterator
from itertools import count
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from bench.kills import LodeServer, Served, crawl_killed, make_portal, make_web, served
from bench.wrongs import Snapshot, snapshot

SIZE = 400  # pages
_numbers = count(1)


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(make_web(tmp_path_factory.mktemp("kills") / "web", SIZE)) as found:
        yield found


@pytest.fixture(scope="session")
def running_lode_server() -> Iterator[LodeServer]:
    with LodeServer() as started:
        yield started


@pytest.fixture
def lode_server(running_lode_server: LodeServer) -> Iterator[LodeServer]:
    """Starts crawls; none outlives its test."""
    yield running_lode_server
    running_lode_server.tidy()


@pytest.fixture(scope="session")
def unbroken(
    tmp_path_factory: pytest.TempPathFactory, running_lode_server: LodeServer, web: Served
) -> Snapshot:
    """What a crawl finds that nobody disturbs."""
    portal = make_portal(tmp_path_factory.mktemp("unbroken") / "p", web.address)
    report = crawl_killed(running_lode_server, portal, web, 0, SIZE)
    found = snapshot(portal)
    assert len(found.pages) == report.pages == SIZE
    return found


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """What `store.url` says: nothing, or a database that nobody else uses."""
    if request.param == "sqlite":
        yield ""
        return
    server = request.getfixturevalue("postgres_server")
    name = f"lode_kill_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
