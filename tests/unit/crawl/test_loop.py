"""A crawl from a replayed web into a portal."""

import asyncio
import gzip
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec.structs import replace
from sqlalchemy import select
from warcio.archiveiterator import ArchiveIterator

from motherlode.app.services.portals.hosts import Forgiven, forgive_hosts
from motherlode.crawl import supervisor as crawling
from motherlode.crawl.context import CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.documents.analysis import Manner
from motherlode.fetch import Request, Response, Web
from motherlode.fetch.duplicates import Duplicates
from motherlode.fetch.failures import FailureKind
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import Host, HostState, RunEnd, UrlState
from motherlode.records.digests import digest_of
from motherlode.store.schema import redirects, urls
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables.pages import known_url, links_from, page_at, page_log, redirect_of
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address
from motherlode.workers.worker_pool import InlineWorkerPool
from support.scripted_web import Said as Scripted
from support.scripted_web import ScriptedWeb, in_turn, moved
from support.small_webs import Said, html, record_web

PAGES: dict[str, Said] = {
    "http://a.test/": html("A", "first", "/1", "/2", "http://b.test/old", "/gone"),
    "http://a.test/1": html("A1", "second", "/3"),
    "http://a.test/2": html("A2", "third", "http://a.test/"),
    "http://a.test/3": html("A3", "fourth"),
    "http://b.test/old": (302, {"Location": "/new"}, b""),
    "http://b.test/new": html("B", "fifth"),
}


T = TypeVar("T")


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    create_portal(tmp_path / "p", plant_seeds([(("a",), ["http://a.test/"])], UrlRules()), {})
    return tmp_path / "p"


def run(portal: Path, web: Path, pages: int = 100) -> tuple[Progress, list[Progress]]:
    reports: list[Progress] = []
    with Portal.crawling(portal, "test") as opened:
        policy = BreadthFirst([address("http://a.test/")])
        context = CrawlContext(report=reports.append)
        work = crawl(opened, Replay(open_web(web)), policy, Limits(pages, connections=2), context)
        return run_virtually(work), reports


def crawl_scripted(portal: Path, said: Mapping[str, Scripted]) -> ScriptedWeb:
    web = ScriptedWeb(said)
    with Portal.crawling(portal, "test") as opened:
        run_virtually(crawl(opened, web, BreadthFirst([address("http://a.test/")]), Limits(100)))
    return web


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return record_web(tmp_path / "web", PAGES)


def log(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [url for url, _, _ in page_log(session)]


class Packing:
    """A web whose answers come packed."""

    def __init__(self, web: Web) -> None:
        self._web = web

    async def fetch(self, request: Request) -> Response:
        found = await self._web.fetch(request)
        headers = (*found.headers, ("content-encoding", "gzip"))
        return replace(found, headers=headers, sent=gzip.compress(found.body))

    def expect(self, host: str) -> None:
        self._web.expect(host)


def test_what_came_packed_is_archived_as_it_came(portal: Path, web: Path) -> None:
    with Portal.crawling(portal, "test") as opened:
        policy = BreadthFirst([address("http://a.test/")])
        run_virtually(
            crawl(opened, Packing(Replay(open_web(web))), policy, Limits(5, connections=2))
        )
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        first = page_at(session, address("http://a.test/").key)
        assert first is not None
        assert first.page.archived is not None
        body = opened.archive.read(first.page.archived).body
        assert (len(body), digest_of(body)) == (first.page.size, first.page.digest)
        record = gzip.decompress(opened.archive.packed(first.page.archived))
        assert record.lower().count(b"content-encoding: gzip\r\n") == 1
        assert gzip.compress(body)[10:] in record


def test_the_archive_has_the_digests_that_other_tools_check(portal: Path, web: Path) -> None:
    run(portal, web)
    with (portal / "archive" / "lode-00001.warc.gz").open("rb") as file:
        found = []
        for record in ArchiveIterator(file, check_digests="raise"):
            record.content_stream().read()
            found.append(record.rec_headers.get_header("WARC-Payload-Digest"))
    assert [str(digest)[:5] for digest in found[1:]] == ["sha1:"] * 5


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


# --- what pages ask for ---------------------------------------------------------------------------------

ASKING: dict[str, Said] = {
    "http://a.test/": "<title>A</title>"
    '<a href="/1">1</a><a rel="nofollow" href="/no">no</a><a rel="nofollow" href="/1">1 again</a>'
    '<a href="/noindex">n</a><a href="/closed">c</a><a href="/head">h</a><a href="/other">o</a>',
    "http://a.test/1": html("One", "first"),
    "http://a.test/no": html("No", "nobody was to come here"),
    "http://a.test/noindex": '<meta name="robots" content="noindex"><p>Not for show. <a href="/behind">b</a>',
    "http://a.test/behind": html("Behind", "second"),
    "http://a.test/closed": '<meta name="ROBOTS" content="NoFollow"><p>Closed. <a href="/secret">s</a>',
    "http://a.test/head": (
        200,
        {"Content-Type": "text/html", "X-Robots-Tag": "noindex, nofollow"},
        b'<p>By its head. <a href="/secret">s</a>',
    ),
    "http://a.test/other": '<meta name="otherbot" content="none"><p>Others. <a href="/free">f</a>',
    "http://a.test/free": html("Free", "third"),
    "http://a.test/secret": html("Secret", "nobody was to come here either"),
}
ALLOWED = {f"http://a.test/{path}" for path in ("", "1", "behind", "closed", "other", "free")}


def test_what_pages_ask_of_crawlers_is_kept_to(portal: Path, tmp_path: Path) -> None:
    run(portal, record_web(tmp_path / "web", ASKING))
    assert set(log(portal)) == ALLOWED
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        for path, state in (
            ("noindex", UrlState.SKIPPED),
            ("head", UrlState.SKIPPED),
            ("no", UrlState.OPEN),
        ):
            found = known_url(session, address(f"http://a.test/{path}").key)
            assert found is not None
            assert found.state is state
        assert (
            known_url(session, address("http://a.test/secret").key) is not None
        )  # as a link, not as an entry
        assert frontier.sizes(session) == {}


def test_what_pages_ask_of_crawlers_can_be_passed_over(tmp_path: Path) -> None:
    planting = plant_seeds([(("a",), ["http://a.test/"])], UrlRules())
    create_portal(tmp_path / "p", planting, {"robots.page_rules": False})
    run(tmp_path / "p", record_web(tmp_path / "web", ASKING))
    assert set(log(tmp_path / "p")) == set(ASKING)


# --- copies ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pages", [100, 1]
)  # all in one run; or so that the store alone knows the first
def test_a_copy_is_moved_to_the_page_that_was_there_first(
    portal: Path, tmp_path: Path, pages: int
) -> None:
    same = html("Same", "words", "/2")
    said: dict[str, Said] = {"http://a.test/": same, "http://a.test/2": same}
    web = record_web(tmp_path / "web", said)
    run(portal, web, pages)
    progress, _ = run(portal, web)
    assert progress.failed == 0
    assert log(portal) == ["http://a.test/"]
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        copy, first = (
            known_url(session, address(f"http://a.test/{path}").key) for path in ("2", "")
        )
        assert copy is not None
        assert first is not None
        assert (copy.state, copy.reason) == (UrlState.MOVED, "copy of http://a.test/")
        assert redirect_of(session, copy.id) == first.id
        query = select(redirects.c.status).where(redirects.c.url_id == copy.id)
        assert session.connection.execute(query).scalar_one() == 0  # of our own making


def test_a_copy_of_what_the_fetcher_has_forgotten_is_known_by_the_store(
    portal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Duplicates, "after", lambda *_: "")
    same = html("Same", "words", "/2")
    said: dict[str, Said] = {
        "http://a.test/": html("A", "first", "/1"),
        "http://a.test/1": same,
        "http://a.test/2": html(
            "B", "second", "/3"
        ),  # so the third is not known before the first is kept
        "http://a.test/3": same,
    }
    run(portal, record_web(tmp_path / "web", said))
    assert set(log(portal)) == {f"http://a.test/{path}" for path in ("", "1", "2")}


def test_empty_pages_are_not_copies_of_each_other(portal: Path, tmp_path: Path) -> None:
    empty = (200, {"Content-Type": "text/html"}, b"")
    said: dict[str, Said] = {
        "http://a.test/": html("A", "first", "/1", "/2", "/3"),  # of two rounds
        "http://a.test/1": empty,
        "http://a.test/2": empty,
        "http://a.test/3": empty,
    }
    run(portal, record_web(tmp_path / "web", said))
    assert set(log(portal)) == set(said)


# --- failures -------------------------------------------------------------------------------------------


def busy(portal: Path) -> tuple[UrlState, int, float]:
    """What became of the page that is out of service: its state, its attempts, and when it is due."""
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        found = known_url(session, address("http://b.test/").key)
        assert found is not None
        query = select(urls.c.not_before).where(urls.c.id == found.id)
        due = session.connection.execute(query).scalar_one()
        return found.state, found.attempts, due or 0.0


def test_a_retry_waits_for_its_time_and_comes_then(
    portal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: dict[str, Said] = {
        "http://a.test/": html("A", "first", "http://b.test/"),
        "http://b.test/": (503, {"Retry-After": "600"}, b"<p>Out of service"),
    }
    web = record_web(tmp_path / "web", said)
    began = time.time()
    progress, _ = run(portal, web)
    state, attempts, due = busy(portal)
    assert (progress.pages, progress.failed, state, attempts) == (1, 0, UrlState.OPEN, 1)
    assert due >= began + 600
    run(portal, web)
    assert busy(portal) == (state, 1, due)  # not yet
    record_web(tmp_path / "recovered", {**said, "http://b.test/": html("B", "back")})
    monkeypatch.setattr(crawling, "time", lambda: due)
    run(portal, tmp_path / "recovered")
    assert busy(portal)[:2] == (UrlState.FETCHED, 2)
    assert log(portal) == ["http://a.test/", "http://b.test/"]


def test_what_could_not_be_had_of_a_host_is_fetched_once_the_host_is_forgiven(
    portal: Path,
) -> None:
    down = [f"http://b.test/{page}" for page in range(4)]
    said: dict[str, Scripted] = {
        "http://a.test/": html("A", "first", "http://a.test/broken", "http://a.test/none", *down),
        "http://a.test/broken": 500,
        **dict.fromkeys(down, FailureKind.TLS),
    }
    crawl_scripted(portal, said)
    assert log(portal) == ["http://a.test/"]
    there = {url: html(url, f"words of {url}") for url in (*down, "http://a.test/broken")}
    assert crawl_scripted(portal, said | there).urls() == []  # nobody has said that it is back
    assert forgive_hosts(portal, "*.test") == Forgiven(1, 5)
    again = crawl_scripted(portal, said | there).urls()
    assert sorted(again) == sorted(there)
    assert sorted(log(portal)) == sorted(["http://a.test/", *there])
    assert forgive_hosts(portal, "*.test") == Forgiven(0, 0)


def test_what_redirects_to_a_host_that_is_forgiven_is_fetched_again(portal: Path) -> None:
    said: dict[str, Scripted] = {
        "http://a.test/": html("A", "first", "/old"),
        "http://a.test/old": moved("http://b.test/new"),
        "http://b.test/new": FailureKind.TLS,
    }
    crawl_scripted(portal, said)
    assert forgive_hosts(portal, "b.test") == Forgiven(1, 1)
    crawl_scripted(portal, said | {"http://a.test/old": html("Old", "it is here itself now")})
    assert log(portal) == ["http://a.test/", "http://a.test/old"]
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert session.connection.execute(select(redirects)).all() == []


def test_what_redirected_once_and_is_a_page_when_it_is_tried_again_redirects_no_more(
    portal: Path,
) -> None:
    said: dict[str, Scripted] = {
        "http://a.test/": html("A", "first", "/old"),
        "http://a.test/old": in_turn(
            moved("http://b.test/new"), html("Old", "it is here itself now")
        ),
        "http://b.test/new": FailureKind.RESET,  # for a moment, so that it is tried again
    }
    crawl_scripted(portal, said)
    assert log(portal) == ["http://a.test/", "http://a.test/old"]
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert session.connection.execute(select(redirects)).all() == []


def test_a_host_that_is_forgiven_is_asked_for_its_robots_txt_at_once(portal: Path) -> None:
    away: Scripted = (503, {"Retry-After": "80000"}, b"")
    pages = [f"http://b.test/{page}" for page in range(3)]
    said: dict[str, Scripted] = {
        "http://a.test/": html("A", "first", *pages),
        "http://b.test/robots.txt": away,
    }
    crawl_scripted(portal, said)
    assert forgive_hosts(portal, "b.test").forgiven == 1
    back: dict[str, Scripted] = {url: html(url, f"words of {url}") for url in pages}
    crawl_scripted(portal, said | back | {"http://b.test/robots.txt": 404})
    assert sorted(log(portal)) == ["http://a.test/", *pages]


def test_what_a_host_that_is_forgiven_had_put_off_is_fetched_at_once(portal: Path) -> None:
    said: dict[str, Scripted] = {
        "http://a.test/": html("A", "first", "http://b.test/1"),
        "http://b.test/1": (429, {"Retry-After": "80000"}, b""),
    }
    crawl_scripted(portal, said)
    assert forgive_hosts(portal, "b.test") == Forgiven(1, 1)
    crawl_scripted(portal, said | {"http://b.test/1": html("B", "there")})
    assert log(portal) == ["http://a.test/", "http://b.test/1"]


def test_hosts_are_forgiven_by_names_with_brackets(portal: Path) -> None:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        ledger.keep_hosts(
            session, [Host("[2001:db8::1]", "[2001:db8::1]", HostState.BAD, "timed out")]
        )
    assert forgive_hosts(portal, "[2001:db8::1]") == Forgiven(1, 0)


class Slow(InlineWorkerPool):
    """Takes its time to note the end of a crawl."""

    def __init__(self) -> None:
        super().__init__(Manner(UrlRules()))
        self.noting = asyncio.Event()

    async def run_in_writer(self, work: Callable[[], T]) -> T:
        if "BatchWriter.end" in repr(work):
            self.noting.set()
            await asyncio.sleep(5.0)
        return await super().run_in_writer(work)


def test_a_crawl_that_is_broken_off_while_its_end_is_noted_has_ended(
    portal: Path, web: Path
) -> None:
    async def work(opened: Portal) -> None:
        workers, policy = Slow(), BreadthFirst([address("http://a.test/")])
        crawling = asyncio.create_task(
            crawl(opened, Replay(open_web(web)), policy, Limits(2), CrawlContext(workers=workers))
        )
        await workers.noting.wait()
        crawling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await crawling

    with Portal.crawling(portal, "test") as opened:
        run_virtually(work(opened))
        with opened.store.reading() as session:
            assert [one.end for one in ledger.all_runs(session)] == [RunEnd.PAGES]


def test_hosts_and_robots_txt_are_kept_with_the_pages(portal: Path, tmp_path: Path) -> None:
    said: dict[str, Said] = {
        "http://a.test/": html("A", "first", "/x", "/y"),
        "http://a.test/robots.txt": (200, {}, b"User-agent: *\nDisallow: /x\n"),
        "http://a.test/y": html("Y", "second"),
    }
    run(portal, record_web(tmp_path / "web", said))
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        (host,) = ledger.all_hosts(session)
        assert (host.name, host.state, host.pages) == ("a.test", HostState.GOOD, 2)
        robots = ledger.robots_of(session, "http://a.test")
        assert robots is not None
        assert (robots.status, robots.body) == (200, b"User-agent: *\nDisallow: /x\n")
        closed = known_url(session, address("http://a.test/x").key)
        assert closed is not None
        assert (closed.state, closed.reason) == (UrlState.SKIPPED, "robots.txt")


def test_a_canonical_address_in_the_head_is_kept_as_a_link(portal: Path, tmp_path: Path) -> None:
    told = {"Content-Type": "text/html", "Link": '<http://a.test/true>; rel="canonical"'}
    web = record_web(
        tmp_path / "other", {"http://a.test/": (200, told, b"<title>A</title><p>words")}
    )
    run(portal, web)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        page = page_at(session, address("http://a.test/").key)
        assert page is not None
        links = [(link.url, link.flags) for link in links_from(session, page.id)]
    assert links == [("http://a.test/true", 8)]


@pytest.mark.parametrize(
    "later", [503, 404, html("About", "another time")], ids=["busy", "gone", "changed"]
)
def test_a_page_that_a_redirect_leads_to_while_its_own_entry_waits_is_fetched_once(
    portal: Path, later: Said
) -> None:
    web = ScriptedWeb(
        {
            "http://a.test/": html("Home", "home", "http://b.test/0", "/about/", "/about", "/1"),
            "http://a.test/about": moved("/about/"),
            "http://a.test/about/": in_turn(html("About", "once"), later),
            "http://a.test/1": html("One", "one"),
            **{f"http://b.test/{n}": html(f"B{n}", f"b {n}", f"/{n + 1}") for n in range(8)},
        },
        seconds=0.01,
    )
    with Portal.crawling(portal, "test") as opened:
        policy = BreadthFirst([address("http://a.test/")])
        progress = run_virtually(crawl(opened, web, policy, Limits(100, connections=2)))
    about = address("http://a.test/about/")
    assert web.urls().count(about.url) == 1
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        known, page = known_url(session, about.key), page_at(session, about.key)
        assert known is not None
        assert page is not None
        assert (known.state, page.title) == (UrlState.FETCHED, "About")
        assert progress.pages == len(list(page_log(session))) == 11
