"""A crawl in rounds, from a replayed web into a portal."""

from pathlib import Path

import pytest

from motherlode.engine import Limits, Progress, crawl
from motherlode.lab.clock import run_virtually
from motherlode.lab.opening import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import RunEnd, UrlState
from motherlode.store import ledger
from motherlode.store.pages import known_url, links_from, page_at, page_log, redirect_of
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address
from webs import Said, html, record_web

PAGES: dict[str, Said] = {
    "http://a.test/": html("A", "first", "/1", "/2", "http://b.test/old", "/gone"),
    "http://a.test/1": html("A1", "second", "/3"),
    "http://a.test/2": html("A2", "third", "http://a.test/"),
    "http://a.test/3": html("A3", "fourth"),
    "http://b.test/old": (302, {"Location": "/new"}, b""),
    "http://b.test/new": html("B", "fifth"),
}


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    create_portal(tmp_path / "p", plant_seeds([(("a",), ["http://a.test/"])], UrlRules()), {})
    return tmp_path / "p"


def run(portal: Path, web: Path, pages: int = 100) -> tuple[Progress, list[Progress]]:
    reports: list[Progress] = []
    with Portal.crawling(portal, "test") as opened:
        policy = BreadthFirst([address("http://a.test/")])
        work = crawl(opened, Replay(open_web(web)), policy, Limits(pages, connections=2), reports.append)
        return run_virtually(work), reports


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return record_web(tmp_path / "web", PAGES)


def log(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [url for url, _, _ in page_log(session)]


def test_every_page_is_kept_with_what_it_caused(portal: Path, web: Path) -> None:
    progress, reports = run(portal, web)
    assert (progress.pages, progress.failed, progress.redirects, progress.hosts) == (5, 1, 1, 2)
    assert reports[-1] == progress
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        first = page_at(session, address("http://a.test/").key)
        assert first is not None
        assert first.title == "A"
        assert len(links_from(session, first.id)) == 4
        assert first.page.archived is not None
        assert b"first" in opened.archive.read(first.page.archived).body
        gone = known_url(session, address("http://a.test/gone").key)
        assert gone is not None
        assert (gone.state, gone.reason) == (UrlState.FAILED, "not there: status 404")
        old = known_url(session, address("http://b.test/old").key)
        new = known_url(session, address("http://b.test/new").key)
        assert old is not None
        assert new is not None
        assert (old.state, redirect_of(session, old.id)) == (UrlState.MOVED, new.id)
        assert [(r.pages, r.end) for r in ledger.all_runs(session)] == [(5, RunEnd.DONE)]


def test_the_page_limit_holds_and_the_rest_goes_on_waiting(portal: Path, web: Path) -> None:
    progress, _ = run(portal, web, 3)
    assert progress.pages == len(log(portal)) == 3
    run(portal, web, 2)
    assert len(log(portal)) == len(set(log(portal))) == 5


def test_breadth_comes_first(portal: Path, web: Path) -> None:
    run(portal, web)
    assert log(portal)[0] == "http://a.test/"
    assert log(portal)[-1] in ("http://a.test/3", "http://b.test/new")
