"""What is read of a portal for an export."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.export.record_reader import ExportSource
from motherlode.portal import Portal
from motherlode.records import (
    ROOT,
    Document,
    Entry,
    Fate,
    Judgement,
    Outcome,
    Page,
    QueueId,
    TopicId,
    UrlId,
)
from motherlode.store.archive import Exchange
from motherlode.store.tables import outcomes
from motherlode.urls import host_of, url_key
from support.databases import both_databases
from support.training_webs import planted

BIRDS, OWLS, HERONS = TopicId(2), TopicId(3), TopicId(4)


@pytest.fixture
def portal(tmp_path: Path, database_url: str) -> Iterator[Portal]:
    settings = {"store__url": database_url} if database_url else {}
    planted(tmp_path / "p", {"birds/owls": [], "birds/herons": [], "OTHERS": []}, **settings)
    with Portal.crawling(tmp_path / "p", "test") as opened:
        yield opened


def keep(
    portal: Portal, url: str, judgement: Judgement | None = None, *, archived: bool = True
) -> None:
    with portal.batch() as session:
        key = url_key(url, host_of(url))
        where = None
        if archived:
            exchange = Exchange(url, 5.0, b"HTTP/1.1 200 OK\r\n", url.encode())
            where = portal.archive.append(exchange)
        page = Page(url, key, 5.0, 200, "text/html", 10, archived=where)
        entry = Entry(UrlId(0), url, key, QueueId(OWLS), 1.0)
        document = Document(title=f"At {url}", text="some text")
        outcomes.keep(session, [Outcome(entry, Fate(), page, document, judgement)], None)


def gathering(portal: Portal, topic: TopicId | None = None, what: str = "responses") -> list[str]:
    with portal.store.reading() as session:
        found = ExportSource(portal, session, portal.tree(), topic)
        if what == "responses":
            return [one.page.url for one in found.responses()]
        return [page.url for shelf in found.shelves(2) for page in shelf.pages]


@both_databases
def test_a_file_inside_an_archive_comes_with_the_archive_once(portal: Portal) -> None:
    keep(portal, "http://a.test/z.zip", Judgement(ROOT, -0.5))
    for name in ("a", "b"):
        keep(portal, f"http://a.test/z.zip#{name}", Judgement(OWLS, 0.5), archived=False)
    keep(portal, "http://a.test/y.zip", Judgement(OWLS, 0.5))
    keep(portal, "http://a.test/y.zip#a", Judgement(OWLS, 0.5), archived=False)
    keep(portal, "http://a.test/lost", Judgement(OWLS, 0.5), archived=False)
    keep(portal, "http://a.test/lost.zip#a", Judgement(OWLS, 0.5), archived=False)
    both = ["http://a.test/z.zip", "http://a.test/y.zip"]
    assert gathering(portal) == gathering(portal, OWLS) == both
    assert gathering(portal, HERONS) == []


@both_databases
def test_the_surest_pages_are_bookmarked_and_files_inside_others_are_not(portal: Portal) -> None:
    keep(portal, "http://a.test/z.zip#a", Judgement(OWLS, 0.9), archived=False)
    for number, sure in enumerate((0.1, 0.3, 0.2)):
        keep(portal, f"http://a.test/{number}", Judgement(OWLS, sure))
    keep(portal, "http://a.test/heron", Judgement(HERONS, 0.5))
    keep(portal, "http://a.test/off", Judgement(ROOT, -0.5))
    owls = ["http://a.test/1", "http://a.test/2"]
    assert gathering(portal, OWLS, "shelves") == owls
    assert gathering(portal, BIRDS, "shelves") == [*owls, "http://a.test/heron"]
    with portal.store.reading() as session:
        shelves = list(ExportSource(portal, session, portal.tree()).shelves(1))
    assert [shelf.path for shelf in shelves] == [("birds",), ("birds", "owls"), ("birds", "herons")]


@both_databases
def test_a_page_says_where_it_is(portal: Portal) -> None:
    for name, judgement in (
        ("owl", Judgement(OWLS, 0.5)),
        ("doubt", Judgement(OWLS, -0.5)),
        ("off", Judgement(ROOT, -0.5)),
        ("unjudged", None),
    ):
        keep(portal, f"http://a.test/{name}", judgement)
    with portal.store.reading() as session:
        found = ExportSource(portal, session, portal.tree(), texts=True)
        said = {
            page.url.rpartition("/")[2]: (page.topic, page.confidence, page.text)
            for page in found.pages()
        }
        judged = [(one.topic, one.confidence) for one in found.judgements()]
    assert said == {
        "owl": ("birds/owls", 0.5, "some text"),
        "doubt": ("OTHERS", -0.5, "some text"),
        "off": ("OTHERS", -0.5, "some text"),
        "unjudged": (None, None, "some text"),
    }
    assert judged == [("birds/owls", 0.5), ("OTHERS", -0.5), ("OTHERS", -0.5)]
