"""The index equals_rebuilt with the store after every kind of change."""

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import update

from motherlode.portal import Portal
from motherlode.portal.lock import PortalLock
from motherlode.records import Judgement, LockedError, PageId, UrlState
from motherlode.search import indexer
from motherlode.search.index import INDEX_FORMAT, PageIndex
from motherlode.search.indexer import IndexUpdate, index_directory, pending_changes, update_index
from motherlode.store.queries.index_rows import Material, materials_of
from motherlode.store.schema import urls
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import keep_judgements
from motherlode.store.tables.pages import page_at
from motherlode.topics import parse_path
from motherlode.urls import address
from support.databases import both_databases
from support.search_portals import SamplePage, fill_portal, found_hosts, search_portal

OWL, HERON = "http://owl.test/", "http://heron.test/"
PAGES = {
    OWL: SamplePage("Owls", "The barn owl hunts mice at night.", topic="birds/owls"),
    HERON: SamplePage("Herons", "The grey heron spears fish.", topic="birds"),
}
TOPICS = ("birds", "birds/owls", "news")


@pytest.fixture
def portal(tmp_path: Path, database_url: str) -> Path:
    path = fill_portal(tmp_path / "p", PAGES, TOPICS, database_url)
    assert update_index_of(path).written == 2
    return path


def update_index_of(path: Path, *, rebuild: bool = False) -> IndexUpdate:
    with Portal.reading(path) as portal:
        return update_index(portal, rebuild=rebuild)


def index_content(path: Path) -> list[tuple[int, int, int]]:
    """Return page, stamp and anchor stamp of each page in an index that is up to date."""
    with Portal.reading(path) as portal:
        index = PageIndex.open(index_directory(portal))
        assert index is not None
        contents = index.contents()
        with portal.store.reading() as session:
            assert pending_changes(session, portal.tree(), contents).change_count == 0
        columns = (contents.pages, contents.stamps, contents.anchor_stamps)
        return sorted(zip(*(column.tolist() for column in columns), strict=True))


def equals_rebuilt(path: Path) -> bool:
    """Whether a rebuilt index has the same contents."""
    before = index_content(path)
    update_index_of(path, rebuild=True)
    return before == index_content(path)


def test_without_changes_nothing_is_written(portal: Path) -> None:
    result = update_index_of(portal)
    assert (result.written, result.removed, result.pages) == (0, 0, 2)


@both_databases
def test_only_new_and_changed_pages_are_written(portal: Path) -> None:
    eagle = SamplePage("Eagles", "The eagle soars over the mountains.")
    fill_portal(portal, {"http://eagle.test/": eagle})
    assert update_index_of(portal).written == 1
    assert found_hosts(portal, "eagles") == ["eagle"]
    fill_portal(portal, {OWL: replace(PAGES[OWL], text="The tawny owl hoots.", day=1)})
    assert update_index_of(portal).written == 1
    assert found_hosts(portal, "mice") == []
    assert found_hosts(portal, "tawny") == ["owl"]
    assert equals_rebuilt(portal)


@both_databases
def test_a_page_with_a_new_judgement_is_found_under_its_new_topic(portal: Path) -> None:
    assert found_hosts(portal, "owl", topic="birds") == ["owl"]
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        page = page_at(session, address(OWL).key)
        assert page is not None
        news = opened.tree().at(parse_path("news")).id
        keep_judgements(session, [(page.id, Judgement(news, 0.2))])
    assert update_index_of(portal).written == 1
    assert found_hosts(portal, "owl", topic="birds") == []
    assert found_hosts(portal, "owl", topic="news") == ["owl"]
    assert equals_rebuilt(portal)


def test_another_confidence_alone_changes_nothing_in_the_index(portal: Path) -> None:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        page = page_at(session, address(OWL).key)
        assert page is not None
        owls = opened.tree().at(parse_path("birds/owls")).id
        keep_judgements(session, [(page.id, Judgement(owls, 0.9))])
    assert update_index_of(portal).written == 0
    assert search_portal(portal, "owl").results[0].confidence == 0.9


@both_databases
def test_the_pages_of_a_moved_topic_move_with_it(portal: Path) -> None:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        tree = opened.tree()
        owls, news = tree.at(parse_path("birds/owls")).id, tree.at(parse_path("news")).id
        topic_rows.move_topic(session, owls, news)
    assert update_index_of(portal).written == 1
    assert found_hosts(portal, "owl", topic="news") == ["owl"]
    assert found_hosts(portal, "owl", topic="birds") == []


@both_databases
def test_a_page_that_is_gone_is_not_found(portal: Path) -> None:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        gone = update(urls).where(urls.c.url == OWL).values(state=UrlState.FAILED)
        session.connection.execute(gone)
    assert update_index_of(portal).removed == 1
    assert found_hosts(portal, "owl") == []
    assert equals_rebuilt(portal)


@both_databases
def test_anchor_texts_of_new_links_are_indexed_with_their_targets(portal: Path) -> None:
    assert found_hosts(portal, "nocturnal") == []
    hub = SamplePage("Links", "Pages", links={OWL: "nocturnal hunters"})
    fill_portal(portal, {"http://hub.test/": hub})
    assert update_index_of(portal).written == 2
    assert found_hosts(portal, "anchor:nocturnal") == ["owl"]
    fill_portal(
        portal,
        {"http://hub2.test/": SamplePage("Links too", "Pages", links={OWL: "nocturnal hunters"})},
    )
    assert update_index_of(portal).written == 1  # the anchor text is not new
    assert equals_rebuilt(portal)


def test_a_page_that_changes_between_comparing_and_writing_is_written_by_the_next_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, read = fill_portal(tmp_path / "p", PAGES, TOPICS), materials_of
    calls = iter(range(9))
    changed = replace(PAGES[HERON], day=1, links={OWL: "nocturnal hunters"})

    def change_and_read(session: Session, page_ids: Sequence[PageId], *rest: Any) -> list[Material]:
        if next(calls) == 1:  # the first page is written, the second is not
            fill_portal(path, {HERON: changed})
        return read(session, page_ids, *rest)

    monkeypatch.setattr(indexer, "READ_BATCH_PAGES", 1)
    monkeypatch.setattr(indexer, "materials_of", change_and_read)
    assert update_index_of(path).written == 2
    assert update_index_of(path).written == 2  # the changed page, and the page that it links to
    assert found_hosts(path, "anchor:nocturnal") == ["owl"]
    assert equals_rebuilt(path)


@pytest.mark.parametrize("all_links_fraction", [0, 10**9])
def test_a_query_per_page_and_reading_all_links_give_the_same_anchors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, all_links_fraction: int
) -> None:
    random, words = Random(5), ["owl", "heron", "eagle", "crane", "wren"]
    sample_pages = {
        f"http://h{n}.test/": SamplePage(
            f"Page {n}",
            f"Page {n}",
            links={f"http://h{random.randrange(9)}.test/": random.choice(words)},
        )
        for n in range(200)
    }
    path = fill_portal(tmp_path / "p", sample_pages)
    monkeypatch.setattr(indexer, "ALL_LINKS_FRACTION", all_links_fraction)
    monkeypatch.setattr(indexer, "ANCHOR_BATCH_PAGES", 70)
    assert update_index_of(path).written == 200
    monkeypatch.undo()
    assert equals_rebuilt(path)
    assert len({anchor_stamp for _, _, anchor_stamp in index_content(path)}) > 5


@pytest.mark.parametrize("damage", ["deleted", "emptied", "truncated", "half"])
def test_a_damaged_index_is_rebuilt(portal: Path, damage: str) -> None:
    directory = portal / "index" / f"pages-{INDEX_FORMAT}"
    if damage == "deleted":
        shutil.rmtree(portal / "index")
    elif damage == "emptied":
        (directory / "meta.json").unlink()
    elif damage == "truncated":
        (directory / "meta.json").write_text("{")
    else:
        next(directory.glob("*.term")).unlink()
    assert found_hosts(portal, "owl") == ["owl"]
    assert equals_rebuilt(portal)


def test_only_one_process_writes_an_index_and_others_search_it(portal: Path) -> None:
    fill_portal(portal, {"http://eagle.test/": SamplePage("Eagles", "The eagle soars.")})
    with PortalLock(portal / "index", "lode index"):
        with pytest.raises(LockedError, match="is being written by 'lode index'"):
            update_index_of(portal)
        assert found_hosts(portal, "owl") == ["owl"]
        assert found_hosts(portal, "eagle") == []
    assert found_hosts(portal, "eagle") == ["eagle"]


@both_databases
def test_an_index_is_rebuilt_while_a_crawl_writes_the_portal(portal: Path) -> None:
    with Portal.crawling(portal, "crawl"):
        assert update_index_of(portal, rebuild=True).written == 2
        assert found_hosts(portal, "owl") == ["owl"]


INDEXER_SCRIPT = """
import sys
from pathlib import Path
from motherlode.search import indexer
from motherlode.portal import Portal
indexer.READ_BATCH_PAGES, indexer.COMMIT_PAGES = 5, 10
with Portal.reading(Path(sys.argv[1])) as portal:
    print("ready", flush=True)
    indexer.update_index(portal, rebuild=sys.argv[2] == "rebuild")
"""


def test_the_next_update_completes_the_index_of_a_killed_process(tmp_path: Path) -> None:
    def sample_pages(first: int) -> dict[str, SamplePage]:
        return {
            f"http://h{n}.test/": SamplePage(
                f"Page {n}",
                f"Words of page {n} word{n}",
                links={f"http://h{n // 2}.test/": f"to {n // 2}"},
            )
            for n in range(first, first + 200)
        }

    path, random, sizes = tmp_path / "p", Random(7), set()
    for turn in range(5):
        fill_portal(path, sample_pages(turn * 200))
        kill_after(path, 0.25 * random.random(), rebuild=turn == 3)
        with Portal.reading(path) as portal:
            index = PageIndex.open(index_directory(portal))
            sizes.add(index.page_count if index else 0)
        if turn % 2:
            assert update_index_of(path).pages == (turn + 1) * 200
            assert equals_rebuilt(path)
            assert search_portal(path, f"word{turn * 200}").total == 1
    assert len(sizes) > 2  # it was killed at different points


def kill_after(path: Path, seconds: float, *, rebuild: bool) -> None:
    mode = "rebuild" if rebuild else "update"
    process = subprocess.Popen(
        [sys.executable, "-c", INDEXER_SCRIPT, str(path), mode], stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.kill()
