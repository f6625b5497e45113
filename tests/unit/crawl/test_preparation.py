"""Fetching examples: all of them, nothing else, and the crawl goes on from there."""

import asyncio
from collections.abc import Callable
from io import BytesIO
from itertools import count
from pathlib import Path
from time import time
from zipfile import ZipFile

import pytest

from motherlode.crawl import supervisor as crawling
from motherlode.crawl.context import Control, CrawlContext
from motherlode.crawl.fetcher_setup import courtesy_of
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare, unfetched
from motherlode.crawl.progress import Limits
from motherlode.documents.analysis import Manner
from motherlode.fetch import Request, Response
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.baselines import BreadthFirst
from motherlode.policies.kind import PolicySetup, load_policy
from motherlode.portal import Portal
from motherlode.records import NO_QUEUE, Lane, QueueId, RunEnd
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import page_log
from motherlode.training.training_document import page_at_url
from motherlode.urls import address
from motherlode.workers.worker_pool import InlineWorkerPool
from support.helpers import follow
from support.scripted_web import Plain, ScriptedWeb, numbered
from support.scripted_web import Said as ScriptedSaid
from support.small_webs import Said, record_web
from support.training_webs import (
    BIRDS,
    add_example,
    fetch,
    number_of,
    odd_pages,
    pages,
    paper,
    place,
    planted,
)

CRAWL = QueueId(1)


def kept(portal: Path) -> list[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return sorted(url for url, _, _ in page_log(session))


def waiting(portal: Path, queue: QueueId = CRAWL, lane: Lane = Lane.CRAWL) -> set[str]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return {entry.url for entry in frontier.waiting(session, queue, 1000, lane=lane)}


def crawl_on(portal: Path, web: Path) -> None:
    """As `lode crawl` does it: from the examples of topics, level by level."""
    with Portal.crawling(portal, "test") as opened:
        with opened.store.reading() as session:
            tree, examples = opened.tree(), topic_rows.examples_of(session)
        seeds = [address(one.url) for one in examples if one.url and not tree[one.topic].is_others]
        work = crawl(opened, Replay(open_web(web)), BreadthFirst(seeds), Limits(100))
        run_virtually(work)


def test_the_examples_are_fetched_and_nothing_else(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", BIRDS)
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        frontier.offer(
            session, [follow(place("owl", 4), 5e9)]
        )  # of an earlier crawl, and better than all
    assert fetch(portal, pages(), tmp_path / "web") == 9
    assert kept(portal) == sorted(url for urls in BIRDS.values() for url in urls)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        (run,) = ledger.all_runs(session)
        assert (run.command, run.pages, run.end) == ("train", 9, RunEnd.DONE)


def test_a_crawl_goes_on_from_the_links_of_examples_but_not_of_counterexamples(
    tmp_path: Path,
) -> None:
    portal = planted(tmp_path / "p", BIRDS)
    fetch(portal, pages(), tmp_path / "web")
    assert waiting(portal) == {"http://hub.test/", place("owl", 3), place("heron", 3)}
    crawl_on(portal, tmp_path / "web")
    assert kept(portal) == sorted(set(pages()) - {place("news", number) for number in (3, 4, 5)})


def test_a_page_that_is_an_example_of_a_topic_too_leads_on(tmp_path: Path) -> None:
    for number, order in enumerate((("OTHERS", "owls"), ("owls", "OTHERS"))):
        portal = planted(tmp_path / f"p{number}", {path: [place("owl", 0)] for path in order})
        fetch(portal, pages(), tmp_path / f"web{number}")
        assert waiting(portal) == {"http://hub.test/", place("owl", 1)}


def test_files_in_an_archive_of_counterexamples_lead_nowhere(tmp_path: Path) -> None:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("news.html", paper("Packed", "News in a box", [place("news", 4)]))
    box = "http://box.test/news.zip"
    said: dict[str, Said] = {box: (200, {"Content-Type": "application/zip"}, packed.getvalue())}
    for topic, expected in (("owls", {place("news", 4)}), ("OTHERS", set[str]())):
        portal = planted(tmp_path / topic, {topic: [box]})
        assert fetch(portal, said, tmp_path / f"web-{topic}") == 1
        assert kept(portal) == [box, f"{box}#news.html"]
        assert waiting(portal) == expected


def test_loose_bookmarks_are_left_to_the_crawl(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", BIRDS)
    add_example(portal, "/", url="http://hub.test/")
    assert fetch(portal, pages(), tmp_path / "web") == 9


def test_what_can_never_be_had_is_asked_for_once(tmp_path: Path) -> None:
    urls = [f"http://{name}.test/" for name in ("nowhere", "hidden", "closed", "moved")]
    portal = planted(tmp_path / "p", {"owls": urls})
    assert fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web") == 1
    with Portal.reading(portal) as opened:
        assert unfetched(opened) == []
    assert fetch(portal, {**pages(), **odd_pages()}, tmp_path / "again") == 0
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert len(ledger.all_runs(session)) == 1


def test_what_may_come_later_is_asked_for_again_when_it_is_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://busy.test/"]})
    assert fetch(portal, odd_pages(), tmp_path / "web") == 0
    recovered: dict[str, Said] = {"http://busy.test/": paper("Back", "An owl is back")}
    assert fetch(portal, recovered, tmp_path / "soon") == 0
    now = time()
    monkeypatch.setattr(crawling, "time", lambda: now + 700)
    assert fetch(portal, recovered, tmp_path / "later") == 1


def busy(times: int, then: str) -> Callable[[Request], int | str]:
    """A page whose host has no time at first."""
    asked = count()
    return lambda _request: 503 if next(asked) < times else then


def crawled(portal: Path, web: ScriptedWeb, pages: int = 100) -> None:
    """As `lode crawl` does it: the examples as a part of the crawl, then all that waits."""

    async def work(opened: Portal) -> None:
        context = CrawlContext(InlineWorkerPool(Manner()), courtesy=courtesy_of(opened.config))
        await prepare(opened, web, context=context, within=Limits(pages))
        await crawl(opened, web, BreadthFirst([]), Limits(pages), context)

    with Portal.crawling(portal, "test") as opened:
        run_virtually(work(opened))


def test_the_only_example_is_waited_for_if_its_host_is_busy(tmp_path: Path) -> None:
    portal = planted(
        tmp_path / "p", {"owls": ["http://busy.test/"], "OTHERS": ["http://news.test/"]}
    )
    web = ScriptedWeb(
        {
            "http://busy.test/": busy(2, paper("Back", "An owl is back")),
            "http://news.test/": paper("News", "No owl"),
        }
    )
    with Portal.crawling(
        portal, "test"
    ) as opened:  # before anything is learned: else there is no crawl
        run_virtually(prepare(opened, web, workers=InlineWorkerPool(Manner()), within=Limits(100)))
    assert kept(portal) == ["http://busy.test/", "http://news.test/"]
    assert len(web.times("busy.test")) == 3


def test_an_example_whose_host_is_busy_comes_later_and_the_crawl_begins_with_the_others(
    tmp_path: Path,
) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://busy.test/", "http://a.test/"]})
    web = ScriptedWeb(
        {
            "http://busy.test/": busy(1, paper("Back", "An owl is back", ["/next"])),
            "http://busy.test/next": paper("Next", "Another owl"),
            "http://a.test/": paper("Owl", "An owl"),
        }
    )
    crawled(portal, web)
    assert kept(portal) == ["http://a.test/", "http://busy.test/", "http://busy.test/next"]


def test_examples_that_wait_for_one_busy_host_all_come_later(tmp_path: Path) -> None:
    """Those that nobody has tried as well, as the host asked to be left alone for long."""
    several = list(numbered("http://busy.test/{}", 3))
    portal = planted(tmp_path / "p", {"owls": [*several, "http://a.test/"]})
    asked = count()

    def say(request: Request) -> Plain:
        return (503, {"Retry-After": "90"}) if next(asked) == 0 else paper("Owl", request.url)

    slow: dict[str, ScriptedSaid] = {
        f"http://a.test/{n}": paper("Owl", "An owl", [f"/{n + 1}"]) for n in range(100)
    }
    web = ScriptedWeb(
        {"http://a.test/": paper("Owl", "An owl", ["/0"])} | slow | dict.fromkeys(several, say),
        seconds=1.0,
    )
    crawled(portal, web, 200)
    assert set(several) <= set(kept(portal))


def test_what_is_no_example_any_more_is_not_fetched_with_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor waits for ever, nor lends its links to the crawl: it was a counterexample."""
    portal = planted(tmp_path / "p", {"owls": [place("owl", 0)], "OTHERS": ["http://busy.test/"]})
    assert fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web") == 1
    assert waiting(portal, NO_QUEUE, Lane.PREPARATION) == set()
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        assert topic_rows.remove_example(session, number_of(portal, "OTHERS"), "http://busy.test/")
    add_example(portal, "owls", url=place("owl", 1))
    now = time()
    monkeypatch.setattr(crawling, "time", lambda: now + 700)
    recovered = {**pages(), "http://busy.test/": paper("Back", "News are back", [place("news", 0)])}
    assert fetch(portal, recovered, tmp_path / "later") == 1
    assert kept(portal) == [place("owl", 0), place("owl", 1)]
    assert place("news", 0) not in waiting(portal)


def test_a_url_is_fetched_as_it_was_given_whatever_the_rules_are_now(tmp_path: Path) -> None:
    url = "http://owl0.test/?utm_source=friend"
    portal = planted(tmp_path / "p", {"owls": []})
    add_example(portal, "owls", url=url)
    assert fetch(portal, {url: paper("Owl", "The owl that a friend sent")}, tmp_path / "web") == 1
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert page_at_url(session, url) is not None


MAPPED: dict[str, Said] = {
    f"http://{kind}0.test/{path}": (200, {"Content-Type": "application/xml"}, body)
    for kind in ("owl", "news")
    for path, body in (
        (
            "robots.txt",
            f"User-agent: *\nDisallow:\nSitemap: http://{kind}0.test/map.xml\n".encode(),
        ),
        ("map.xml", f"<urlset><url><loc>http://{kind}0.test/listed</loc></url></urlset>".encode()),
    )
}


@pytest.mark.parametrize("wanted", [True, False])
def test_what_sitemaps_list_waits_for_the_crawl(tmp_path: Path, *, wanted: bool) -> None:
    """A missing example makes room for a page; no listed one is to take it."""
    said: dict[str, Said] = {
        **pages(),
        **MAPPED,
        "http://owl0.test/listed": paper("Listed", "An owl that nothing links to"),
        "http://news0.test/listed": paper("News", "Nobody is to come here"),
    }
    topics = {"owls": [place("owl", 0), "http://nowhere.test/"], "OTHERS": [place("news", 0)]}
    portal = planted(tmp_path / "p", topics, robots__sitemaps=wanted)
    assert fetch(portal, said, tmp_path / "web") == 2
    assert kept(portal) == [place("news", 0), place("owl", 0)]
    assert ("http://owl0.test/listed" in waiting(portal)) is wanted
    assert "http://news0.test/listed" not in waiting(portal)
    crawl_on(portal, tmp_path / "web")
    assert ("http://owl0.test/listed" in kept(portal)) is wanted
    assert "http://news0.test/listed" not in kept(portal)


class Killed(Replay):
    """A web that ends the program when some URL is asked for."""

    at = ""

    async def fetch(self, request: Request) -> Response:
        if request.url == self.at:
            raise InterruptedError
        return await super().fetch(request)


@pytest.mark.parametrize("at", ["http://owl0.test/map.xml", "http://owl0.test/1"])
@pytest.mark.parametrize("examples_again", [True, False])
def test_sitemaps_of_examples_are_read_by_the_next_who_comes_if_one_is_killed(
    tmp_path: Path, at: str, *, examples_again: bool
) -> None:
    said: dict[str, Said] = {
        **pages(),
        **MAPPED,
        "http://owl0.test/1": paper("Another", "An owl beside the first"),
        "http://owl0.test/listed": paper("Listed", "An owl that nothing links to"),
        "http://news0.test/listed": paper("News", "Nobody is to come here"),
    }
    topics = {"owls": [place("owl", 0), "http://owl0.test/1"], "OTHERS": [place("news", 0)]}
    portal = planted(tmp_path / "p", topics, robots__sitemaps=True)
    web = Killed(open_web(record_web(tmp_path / "web", said)))
    web.at = at
    with pytest.raises(InterruptedError), Portal.crawling(portal, "test") as opened:
        run_virtually(prepare(opened, web, workers=InlineWorkerPool(Manner())))
    if examples_again:
        fetch(portal, said, tmp_path / "again")
    crawl_on(portal, tmp_path / "web")
    assert "http://owl0.test/listed" in kept(portal)
    assert "http://news0.test/listed" not in kept(portal)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert ledger.unread_robots(session) == []


def test_robots_txt_is_asked_for_once_though_its_sitemaps_are_read_later(tmp_path: Path) -> None:
    asked: list[str] = []

    class Listening(Replay):
        async def fetch(self, request: Request) -> Response:
            asked.append(request.url)
            return await super().fetch(request)

    portal = planted(tmp_path / "p", {"owls": [place("owl", 0)]}, robots__sitemaps=True)
    web = Listening(open_web(record_web(tmp_path / "web", {**pages(), **MAPPED})))
    with Portal.crawling(portal, "test") as opened:
        run_virtually(prepare(opened, web, workers=InlineWorkerPool(Manner())))
    assert (
        asked.count("http://owl0.test/robots.txt"),
        asked.count("http://owl0.test/map.xml"),
    ) == (1, 1)


def test_a_portal_without_examples_fetches_nothing(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": []})
    add_example(portal, "owls", title="owls", text="owls")
    assert fetch(portal, pages(), tmp_path / "web") == 0
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert ledger.all_runs(session) == []


class Broken(Replay):
    """A web that ends the program after some fetches."""

    left = 5

    async def fetch(self, request: Request) -> Response:
        self.left -= 1
        if self.left < 0:
            raise InterruptedError
        return await super().fetch(request)


def test_after_an_interruption_all_that_are_still_examples_are_fetched(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", BIRDS)
    web = record_web(tmp_path / "web", pages())
    with pytest.raises(InterruptedError), Portal.crawling(portal, "test") as opened:
        run_virtually(prepare(opened, Broken(open_web(web)), workers=InlineWorkerPool(Manner())))
    assert kept(portal) == []
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        assert topic_rows.remove_example(session, number_of(portal, "OTHERS"), place("news", 2))
    assert fetch(portal, pages(), tmp_path / "again") == 8
    assert place("news", 2) not in kept(portal)
    assert waiting(portal, NO_QUEUE, Lane.PREPARATION) == set()


@pytest.mark.parametrize(
    "bounds", [{"crawl__locked": ["locked.test"]}, {"crawl__domains": ["a.test"]}]
)
@pytest.mark.parametrize("policy", ["breadth-first", "best-first"])
def test_domains_that_are_closed_to_a_crawl_are_not_entered_by_any_way(
    tmp_path: Path, bounds: dict[str, object], policy: str
) -> None:
    said: dict[str, Said] = {
        "http://a.test/": paper(
            "A", "An example", ["http://locked.test/linked", "http://a.test/next"]
        ),
        "http://a.test/next": paper(
            "B", "A page", ["http://www.locked.test/linked", "http://a.test/away"]
        ),
        "http://a.test/away": (302, {"Location": "http://locked.test/moved"}, b""),
    }
    locked = (
        "http://locked.test/linked",
        "http://www.locked.test/linked",
        "http://locked.test/moved",
    )
    said |= {url: paper(url, f"The page {url}") for url in locked}
    portal = planted(tmp_path / "p", {"a": ["http://a.test/"]}, crawl__policy=policy, **bounds)
    fetch(portal, said, tmp_path / "web")
    with Portal.crawling(portal, "test") as opened:
        made = load_policy(opened.config.crawl.policy).make(PolicySetup(opened))
        assert made is not None
        run_virtually(crawl(opened, Replay(open_web(tmp_path / "web")), made, Limits(100)))
    assert kept(portal) == ["http://a.test/", "http://a.test/next"]


@pytest.mark.parametrize("how", ["said", "time"])
def test_who_is_to_stop_reads_no_sitemaps_first(tmp_path: Path, how: str) -> None:
    topics = {"owls": [place("owl", 0)], "OTHERS": [place("news", 0)]}
    portal = planted(tmp_path / "p", topics, robots__sitemaps=True)
    control, asked = Control(), list[str]()

    class Slow(Replay):
        async def fetch(self, request: Request) -> Response:
            asked.append(request.url)
            if request.url.endswith("map.xml"):
                if how == "said":
                    control.stop()
                await asyncio.sleep(1000)
            return await super().fetch(request)

    web = Slow(open_web(record_web(tmp_path / "web", {**pages(), **MAPPED})))
    within = Limits(100, seconds=60.0 if how == "time" else None)
    with Portal.crawling(portal, "test") as opened:
        context = CrawlContext(InlineWorkerPool(Manner()), control=control)

        async def work() -> float:
            await prepare(opened, web, context=context, within=within)
            return asyncio.get_running_loop().time()

        assert run_virtually(work()) < 100
    assert "http://owl0.test/map.xml" in asked
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert ledger.unread_robots(session)  # by the next crawl
