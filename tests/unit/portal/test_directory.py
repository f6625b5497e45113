"""Portals: made whole or not at all, opened, recovered."""

import os
from pathlib import Path

import pytest

from motherlode.portal import Portal, create_portal
from motherlode.records import (
    BadInputError,
    Document,
    NoPortalError,
    Outcome,
    Page,
    QueueId,
    StoreError,
)
from motherlode.store.archive import Exchange
from motherlode.store.tables import frontier, outcomes, pages
from motherlode.topics import Planting, plant_seeds
from motherlode.urls import UrlRules, address
from support.helpers import follow

PLANTING = plant_seeds([(("A", "B"), ["http://a.example/"])], UrlRules())


def test_a_portal_has_its_rooms_and_topics(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", PLANTING, {})
    names = {path.name for path in (tmp_path / "p").iterdir()}
    assert names >= {"lode.toml", "lode.db", "archive", "index", "reports", "logs"}
    with Portal.reading(tmp_path / "p") as portal:
        assert [topic.name for topic in portal.tree()] == ["A", "B"]
        assert portal.title == "p"


def test_an_empty_directory_is_taken(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    create_portal(tmp_path / "p", PLANTING, {})
    with Portal.reading(tmp_path / "p") as portal:
        assert len(portal.tree()) == 2


def test_the_current_directory_and_a_link_to_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    create_portal(tmp_path / "link", PLANTING, {})
    monkeypatch.chdir(tmp_path / "here")
    create_portal(Path(), PLANTING, {})
    for name in ("here", "there"):
        with Portal.reading(tmp_path / name) as portal:
            assert len(portal.tree()) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "link", "there"]


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "mine").write_text("x")
    with pytest.raises(BadInputError, match="is not empty"):
        create_portal(tmp_path / "p", PLANTING, {})
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInputError, match="is a file"):
        create_portal(tmp_path / "file", PLANTING, {})
    create_portal(tmp_path / "q", PLANTING, {})
    with pytest.raises(BadInputError, match="is a portal already"):
        create_portal(tmp_path / "q", PLANTING, {})


def test_a_failure_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    broken = Planting(
        (PLANTING.topics[0], *plant_seeds([(("OTHERS", "x"), [])], UrlRules()).topics)
    )
    with pytest.raises(Exception, match="no topics below it"):
        create_portal(tmp_path / "p", broken, {})
    assert list(tmp_path.iterdir()) == []


def test_no_portal(tmp_path: Path) -> None:
    for path, words in ((tmp_path, "is not a portal"), (tmp_path / "missing", "lode new")):
        with pytest.raises(NoPortalError, match=words), Portal.reading(path):
            pass


def keep_page(portal: Portal, url: str, body: bytes) -> None:
    """Archive and keep one page, as a crawl does."""
    with portal.batch() as session:
        frontier.offer(session, [follow(url)])
        (entry,) = frontier.waiting(session, QueueId(2), 1)
        archived = portal.archive.append(Exchange(entry.url, 1.7e9, b"HTTP/1.1 200 OK\r\n", body))
        page = Page(entry.url, entry.key, 1.7e9, 200, archived=archived)
        outcomes.keep(session, [Outcome(entry, page=page, document=Document())])


def test_a_batch_that_fails_leaves_nothing_in_the_archive(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", PLANTING, {"archive.max_mb": 1})
    archive = tmp_path / "p" / "archive"
    with Portal.crawling(tmp_path / "p", "test") as portal:
        keep_page(portal, "http://a.example/", b"kept")
        before = {path.name: path.stat().st_size for path in archive.iterdir()}
        with pytest.raises(KeyError), portal.batch():
            for number in range(5):  # more than one file's worth
                body = os.urandom(500_000)
                portal.archive.append(
                    Exchange(f"http://x/{number}", 1.7e9, b"HTTP/1.1 200 OK\r\n", body)
                )
            raise KeyError
        assert {path.name: path.stat().st_size for path in archive.iterdir()} == before
        keep_page(portal, "http://b.example/", b"kept too")


def test_an_edit_with_the_wrong_database_touches_no_archive(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", PLANTING, {})
    with Portal.crawling(tmp_path / "p", "test") as portal:
        keep_page(portal, "http://a.example/", b"kept")
    create_portal(tmp_path / "older", PLANTING, {})
    (tmp_path / "older" / "lode.db").replace(tmp_path / "p" / "lode.db")
    file = tmp_path / "p" / "archive" / "lode-00001.warc.gz"
    content = file.read_bytes()
    with Portal.writing(tmp_path / "p", "edit"):
        assert file.read_bytes() == content
    with Portal.crawling(tmp_path / "p", "crawl") as portal:
        keep_page(portal, "http://b.example/", b"new")
    assert file.with_name("lode-00001.warc.gz.1.aside").read_bytes() == content


def test_what_a_killed_writer_left_in_the_archive_is_cut_off(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", PLANTING, {})
    with Portal.crawling(tmp_path / "p", "test") as portal:
        keep_page(portal, "http://a.example/", b"kept")
        portal.archive.append(
            Exchange("http://lost.example/", 1.7e9, b"HTTP/1.1 200 OK\r\n", b"lost")
        )
    file = tmp_path / "p" / "archive" / "lode-00001.warc.gz"
    before = file.stat().st_size
    with Portal.crawling(tmp_path / "p", "test") as portal:
        assert file.stat().st_size < before
        keep_page(portal, "http://b.example/", b"kept too")
        with portal.store.reading() as session:
            for url, body in (("http://a.example/", b"kept"), ("http://b.example/", b"kept too")):
                page = pages.page_at(session, address(url).key)
                assert page is not None
                assert page.page.archived is not None
                assert portal.archive.read(page.page.archived).body == body


def test_a_file_of_the_archive_that_is_away_is_not_forgotten(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", PLANTING, {})
    with Portal.crawling(tmp_path / "p", "test") as portal:
        keep_page(portal, "http://a.example/", b"kept")
    file = tmp_path / "p" / "archive" / "lode-00001.warc.gz"
    file.rename(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="missing"), Portal.crawling(tmp_path / "p", "test"):
        pass
    (tmp_path / "elsewhere").rename(file)
    with Portal.crawling(tmp_path / "p", "test") as portal, portal.store.reading() as session:
        page = pages.page_at(session, address("http://a.example/").key)
        assert page is not None
        assert page.page.archived is not None
        assert portal.archive.read(page.page.archived).body == b"kept"
    file.write_bytes(b"")  # it is gone for good
    with Portal.crawling(tmp_path / "p", "test") as portal:
        keep_page(portal, "http://b.example/", b"kept too")


def test_what_a_power_cut_took_from_the_archive_is_forgotten(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", PLANTING, {})
    with Portal.crawling(tmp_path / "p", "test") as portal:
        keep_page(portal, "http://a.example/", b"kept")
        keep_page(portal, "http://b.example/", b"torn")
    file = tmp_path / "p" / "archive" / "lode-00001.warc.gz"
    with file.open("r+b") as torn:
        torn.truncate(file.stat().st_size - 10)
    with Portal.crawling(tmp_path / "p", "test") as portal, portal.store.reading() as session:
        kept = pages.page_at(session, address("http://a.example/").key)
        lost = pages.page_at(session, address("http://b.example/").key)
        assert kept is not None
        assert kept.page.archived is not None
        assert portal.archive.read(kept.page.archived).body == b"kept"
        assert lost is not None
        assert lost.page.archived is None
        assert file.stat().st_size == kept.page.archived.offset + kept.page.archived.length
