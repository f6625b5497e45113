"""Sitemaps as a source of links, in a crawl and one by one."""

import asyncio
from pathlib import Path

import pytest

from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits
from motherlode.fetch import Request, Response
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.sources.sitemaps import MAX_FILES, read_sitemaps
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import page_log
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address
from support.small_webs import Said, html, record_web

ROBOTS = b"User-agent: *\nDisallow:\nSitemap: http://a.test/map.xml\n"
INDEX = b"<sitemapindex><sitemap><loc>http://a.test/inner.xml</loc></sitemap></sitemapindex>"
INNER = (
    b"<urlset><url><loc>http://a.test/hidden</loc></url>"
    b"<url><loc>http://www.a.test/sister</loc></url><url><loc>http://b.test/foreign</loc></url></urlset>"
)
PAGES: dict[str, Said] = {
    "http://a.test/robots.txt": (200, {"Content-Type": "text/plain"}, ROBOTS),
    "http://a.test/map.xml": (200, {"Content-Type": "application/xml"}, INDEX),
    "http://a.test/inner.xml": (200, {"Content-Type": "application/xml"}, INNER),
    "http://a.test/": html("A", "no links"),
    "http://a.test/hidden": html("Hidden", "linked from nowhere"),
    "http://www.a.test/sister": html("Sister", "of the same domain"),
    "http://b.test/foreign": html("Foreign", "nobody asked for it"),
}


def crawled(tmp_path: Path, *, sitemaps: bool, **settings: object) -> list[str]:
    web = record_web(tmp_path / "web", PAGES)
    planting = plant_seeds([(("a",), ["http://a.test/"])], UrlRules())
    create_portal(tmp_path / "p", planting, {"robots.sitemaps": sitemaps, **settings})
    with Portal.crawling(tmp_path / "p", "test") as portal:
        policy = BreadthFirst([address("http://a.test/")])
        run_virtually(crawl(portal, Replay(open_web(web)), policy, Limits(50)))
        with portal.store.reading() as session:
            return [url for url, _, _ in page_log(session)]


def test_pages_that_only_a_sitemap_lists_are_found_if_wanted(tmp_path: Path) -> None:
    assert sorted(crawled(tmp_path, sitemaps=True)) == [
        "http://a.test/",
        "http://a.test/hidden",
        "http://www.a.test/sister",
    ]


def test_sitemaps_are_read_though_no_such_documents_are_wanted(tmp_path: Path) -> None:
    settings = {"types.text": 0, "types.archive": 0}
    assert "http://a.test/hidden" in crawled(tmp_path, sitemaps=True, **settings)


def test_sitemaps_lead_nowhere_that_is_closed_to_the_crawl(tmp_path: Path) -> None:
    settings = {"crawl.locked": ["www.a.test"]}
    assert "http://www.a.test/sister" not in crawled(tmp_path, sitemaps=True, **settings)


def test_sitemaps_that_a_crawl_did_not_come_to_read_are_read_by_the_next(tmp_path: Path) -> None:
    planting = plant_seeds([(("a",), ["http://a.test/"])], UrlRules())
    create_portal(tmp_path / "p", planting, {"robots.sitemaps": True})
    web = Replay(open_web(record_web(tmp_path / "web", PAGES)))
    policy = BreadthFirst([address("http://a.test/")])
    for pages in (1, 50, 50):  # the first ends before the sitemaps are there
        with Portal.crawling(tmp_path / "p", "test") as portal:
            run_virtually(crawl(portal, web, policy, Limits(pages)))
            with portal.store.reading() as session:
                found, left = (
                    [url for url, _, _ in page_log(session)],
                    ledger.unread_robots(session),
                )
        assert len(found) == (1 if pages == 1 else 3)
        assert len(left) == (1 if pages == 1 else 0)


class _Broken(Replay):
    async def fetch(self, request: Request) -> Response:
        if request.url == "http://a.test/":
            raise InterruptedError
        return await super().fetch(request)


def test_sitemaps_that_a_broken_crawl_has_met_are_read_by_the_next(tmp_path: Path) -> None:
    planting = plant_seeds([(("a",), ["http://a.test/"])], UrlRules())
    create_portal(tmp_path / "p", planting, {"robots.sitemaps": True})
    web = open_web(record_web(tmp_path / "web", PAGES))
    policy = BreadthFirst([address("http://a.test/")])
    with pytest.raises(InterruptedError), Portal.crawling(tmp_path / "p", "test") as portal:
        run_virtually(crawl(portal, _Broken(web), policy, Limits(50)))
    with Portal.crawling(tmp_path / "p", "test") as portal:
        run_virtually(crawl(portal, Replay(web), policy, Limits(50)))
        with portal.store.reading() as session:
            assert len(list(page_log(session))) == 3


def test_sitemaps_are_left_alone_otherwise(tmp_path: Path) -> None:
    assert crawled(tmp_path, sitemaps=False) == ["http://a.test/"]


def test_an_index_that_leads_to_itself_or_on_for_ever_ends() -> None:
    asked: list[str] = []

    async def endless(url: str) -> bytes:
        asked.append(url)
        inner = f"<sitemap><loc>http://a.test/{len(asked)}</loc></sitemap>"
        return f"<sitemapindex><sitemap><loc>{url}</loc></sitemap>{inner}</sitemapindex>".encode()

    assert asyncio.run(read_sitemaps(endless, ["http://a.test/0"])) == []
    assert len(asked) == MAX_FILES
    assert len(set(asked)) == MAX_FILES


def test_what_is_missing_is_passed_over() -> None:
    async def nothing(_url: str) -> None:
        return None

    assert asyncio.run(read_sitemaps(nothing, ["http://a.test/0", "not a url"])) == []


def test_no_page_is_taken_for_a_copy_of_a_sitemap(tmp_path: Path) -> None:
    """Some sites answer whatever they are asked for with their home page."""
    home = PAGES["http://a.test/"]
    said: dict[str, Said] = {
        **PAGES,
        "http://a.test/": html("A", "start", "/home"),
        "http://a.test/home": home,
    }
    web = Replay(open_web(record_web(tmp_path / "web", {**said, "http://a.test/map.xml": home})))
    planting = plant_seeds([(("a",), ["http://a.test/"])], UrlRules())
    create_portal(tmp_path / "p", planting, {"robots.sitemaps": True})
    with Portal.crawling(tmp_path / "p", "test") as portal:
        run_virtually(crawl(portal, web, BreadthFirst([address("http://a.test/")]), Limits(50)))
        with portal.store.reading() as session:
            assert "http://a.test/home" in [url for url, _, _ in page_log(session)]
