"""The index against the store, whatever happened in between."""

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
from motherlode.search import indexer as indexing
from motherlode.search.index import INDEX_FORMAT, PageIndex
from motherlode.search.indexer import IndexUpdate, index_directory, pending_changes, update_index
from motherlode.store import topics as topic_rows
from motherlode.store.indexed import Material, materials_of
from motherlode.store.judged import keep_judgements
from motherlode.store.pages import page_at
from motherlode.store.schema import urls
from motherlode.store.session import Session
from motherlode.topics import parse_path
from motherlode.urls import address
from support.databases import both_databases
from support.search_portals import Paper, found, searched, shelve

OWL, HERON = "http://owl.test/", "http://heron.test/"
PAPERS = {
    OWL: Paper("Owls", "The barn owl hunts mice at night.", topic="birds/owls"),
    HERON: Paper("Herons", "The grey heron spears fish.", topic="birds"),
}
TOPICS = ("birds", "birds/owls", "news")


@pytest.fixture
def portal(tmp_path: Path, database_url: str) -> Path:
    path = shelve(tmp_path / "p", PAPERS, TOPICS, database_url)
    assert renewed(path).written == 2
    return path


def renewed(path: Path, *, rebuild: bool = False) -> IndexUpdate:
    with Portal.reading(path) as portal:
        return update_index(portal, rebuild=rebuild)


def content(path: Path) -> list[tuple[int, int, int]]:
    """What an index says it was made of."""
    with Portal.reading(path) as portal:
        index = PageIndex.open(index_directory(portal))
        assert index is not None
        known = index.contents()
        with portal.store.reading() as session:
            assert pending_changes(session, portal.tree(), known).change_count == 0
        rows = zip(known.pages.tolist(), known.stamps.tolist(), known.anchor_stamps.tolist(), strict=True)
        return sorted(rows)


def agrees(path: Path) -> bool:
    """Whether the index is what one made anew would be."""
    here = content(path)
    renewed(path, rebuild=True)
    return here == content(path)


def test_nothing_is_done_where_nothing_has_changed(portal: Path) -> None:
    again = renewed(portal)
    assert (again.written, again.removed, again.pages) == (0, 0, 2)


@both_databases
def test_new_and_changed_pages_are_written_and_others_left_alone(portal: Path) -> None:
    shelve(portal, {"http://eagle.test/": Paper("Eagles", "The eagle soars over the mountains.")})
    assert renewed(portal).written == 1
    assert found(portal, "eagles") == ["eagle"]
    shelve(portal, {OWL: replace(PAPERS[OWL], text="The tawny owl hoots.", day=1)})
    assert renewed(portal).written == 1
    assert found(portal, "mice") == []
    assert found(portal, "tawny") == ["owl"]
    assert agrees(portal)


@both_databases
def test_a_page_that_was_judged_anew_is_found_under_its_new_topic(portal: Path) -> None:
    assert found(portal, "owl", topic="birds") == ["owl"]
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        page = page_at(session, address(OWL).key)
        assert page is not None
        news = opened.tree().at(parse_path("news")).id
        keep_judgements(session, [(page.id, Judgement(news, 0.2))])
    assert renewed(portal).written == 1
    assert found(portal, "owl", topic="birds") == []
    assert found(portal, "owl", topic="news") == ["owl"]
    assert agrees(portal)


def test_another_confidence_alone_changes_nothing_in_the_index(portal: Path) -> None:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        page = page_at(session, address(OWL).key)
        assert page is not None
        owls = opened.tree().at(parse_path("birds/owls")).id
        keep_judgements(session, [(page.id, Judgement(owls, 0.9))])
    assert renewed(portal).written == 0
    assert searched(portal, "owl").results[0].confidence == 0.9


@both_databases
def test_a_topic_that_was_moved_takes_its_pages_along(portal: Path) -> None:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        tree = opened.tree()
        owls, news = tree.at(parse_path("birds/owls")).id, tree.at(parse_path("news")).id
        topic_rows.move_topic(session, owls, news)
    assert renewed(portal).written == 1
    assert found(portal, "owl", topic="news") == ["owl"]
    assert found(portal, "owl", topic="birds") == []


@both_databases
def test_a_page_that_is_gone_is_not_found(portal: Path) -> None:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        gone = update(urls).where(urls.c.url == OWL).values(state=UrlState.FAILED)
        session.connection.execute(gone)
    assert renewed(portal).removed == 1
    assert found(portal, "owl") == []
    assert agrees(portal)


@both_databases
def test_what_new_links_say_is_found_at_the_pages_that_they_lead_to(portal: Path) -> None:
    assert found(portal, "nocturnal") == []
    shelve(portal, {"http://hub.test/": Paper("Links", "Pages", links={OWL: "nocturnal hunters"})})
    assert renewed(portal).written == 2
    assert found(portal, "anchor:nocturnal") == ["owl"]
    shelve(portal, {"http://hub2.test/": Paper("Links too", "Pages", links={OWL: "nocturnal hunters"})})
    assert renewed(portal).written == 1  # it says nothing new
    assert agrees(portal)


def test_a_page_that_changes_between_being_compared_and_being_written_is_seen_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, read = shelve(tmp_path / "p", PAPERS, TOPICS), materials_of
    turns = iter(range(9))

    def meanwhile(session: Session, wanted: Sequence[PageId], *rest: Any) -> list[Material]:
        if next(turns) == 1:  # the first page is written, the second is not
            shelve(path, {HERON: replace(PAPERS[HERON], day=1, links={OWL: "nocturnal hunters"})})
        return read(session, wanted, *rest)

    monkeypatch.setattr(indexing, "READ_BATCH_PAGES", 1)
    monkeypatch.setattr(indexing, "materials_of", meanwhile)
    assert renewed(path).written == 2
    assert renewed(path).written == 2  # the page that changed, and the one that it links to
    assert found(path, "anchor:nocturnal") == ["owl"]
    assert agrees(path)


@pytest.mark.parametrize("worth", [0, 10**9])
def test_anchors_are_the_same_asked_for_one_by_one_and_read_all_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth: int
) -> None:
    dice, words = Random(5), ["owl", "heron", "eagle", "crane", "wren"]
    papers = {
        f"http://h{n}.test/": Paper(
            f"Page {n}", f"Page {n}", links={f"http://h{dice.randrange(9)}.test/": dice.choice(words)}
        )
        for n in range(200)
    }
    path = shelve(tmp_path / "p", papers)
    monkeypatch.setattr(indexing, "ALL_LINKS_FRACTION", worth)
    monkeypatch.setattr(indexing, "ANCHOR_BATCH_PAGES", 70)
    assert renewed(path).written == 200
    monkeypatch.undo()
    assert agrees(path)
    assert len({anchored for _, _, anchored in content(path)}) > 5


@pytest.mark.parametrize("damage", ["deleted", "emptied", "truncated", "half"])
def test_a_damaged_index_is_made_anew(portal: Path, damage: str) -> None:
    place = portal / "index" / f"pages-{INDEX_FORMAT}"
    if damage == "deleted":
        shutil.rmtree(portal / "index")
    elif damage == "emptied":
        (place / "meta.json").unlink()
    elif damage == "truncated":
        (place / "meta.json").write_text("{")
    else:
        next(place.glob("*.term")).unlink()
    assert found(portal, "owl") == ["owl"]
    assert agrees(portal)


def test_only_one_process_writes_an_index_and_others_search_it(portal: Path) -> None:
    shelve(portal, {"http://eagle.test/": Paper("Eagles", "The eagle soars.")})
    with PortalLock(portal / "index", "lode index"):
        with pytest.raises(LockedError, match="is being written by 'lode index'"):
            renewed(portal)
        assert found(portal, "owl") == ["owl"]
        assert found(portal, "eagle") == []
    assert found(portal, "eagle") == ["eagle"]


@both_databases
def test_an_index_is_made_while_a_crawl_writes_the_portal(portal: Path) -> None:
    with Portal.crawling(portal, "crawl"):
        assert renewed(portal, rebuild=True).written == 2
        assert found(portal, "owl") == ["owl"]


INDEX = """
import sys
from pathlib import Path
import motherlode.search.indexer as indexing
from motherlode.portal import Portal
indexing.READ_BATCH_PAGES, indexing.COMMIT_PAGES = 5, 10
with Portal.reading(Path(sys.argv[1])) as portal:
    print("ready", flush=True)
    indexing.update_index(portal, rebuild=sys.argv[2] == "rebuild")
"""


def test_a_killed_indexer_leaves_an_index_that_the_next_one_completes(tmp_path: Path) -> None:
    def papers(first: int) -> dict[str, Paper]:
        return {
            f"http://h{n}.test/": Paper(
                f"Page {n}", f"Words of page {n} word{n}", links={f"http://h{n // 2}.test/": f"to {n // 2}"}
            )
            for n in range(first, first + 200)
        }

    path, dice, sizes = tmp_path / "p", Random(7), set()
    for turn in range(5):
        shelve(path, papers(turn * 200))
        kill_after(path, 0.25 * dice.random(), rebuild=turn == 3)
        with Portal.reading(path) as portal:
            index = PageIndex.open(index_directory(portal))
            sizes.add(index.page_count if index else 0)
        if turn % 2:
            assert renewed(path).pages == (turn + 1) * 200
            assert agrees(path)
            assert searched(path, f"word{turn * 200}").total == 1
    assert len(sizes) > 2  # it was killed at different points


def kill_after(path: Path, seconds: float, *, rebuild: bool) -> None:
    kind = "rebuild" if rebuild else "renew"
    indexer = subprocess.Popen(
        [sys.executable, "-c", INDEX, str(path), kind], stdout=subprocess.PIPE, text=True
    )
    with indexer:
        assert indexer.stdout is not None
        assert indexer.stdout.readline() == "ready\n"
        time.sleep(seconds)
        indexer.kill()
