"""What the tests of faults share: a web that counts, a process that starts crawls, databases."""

from collections.abc import Iterator

import pytest
from bench.kills import LodeServer, Served, crawl_killed, make_portal, make_web, served
from bench.wrongs import Snapshot, snapshot

from support.databases import DATABASES, fresh_database

SIZE = 400  # pages


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


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """What `store.url` says: nothing, or a database that nobody else uses."""
    with fresh_database(request) as url:
        yield url
