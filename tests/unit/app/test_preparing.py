"""What is worked out before anybody asks."""

import shutil
import threading
from pathlib import Path

import pytest

from motherlode.app.serving import preparing, topics
from motherlode.app.serving.desks import Desks
from motherlode.app.serving.preparing import Preparer, lacks, prepare
from motherlode.app.serving.shelf import Shelf
from motherlode.app.serving.topics import surroundings_at
from motherlode.engine.indexing import renew
from motherlode.portal import Portal, PortalLock
from serving import send, visitor

BIRDS = "animals/birds"


@pytest.fixture
def birds(tmp_path: Path, finished_birds: Path) -> Path:
    return shutil.copytree(finished_birds / "birds", tmp_path / "portals" / "birds")


def refuse(*_words: object, **_options: object) -> None:
    raise AssertionError("it is worked out again")


def test_what_was_prepared_is_not_worked_out_again(birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf(birds.parent)
    fresh = surroundings_at(shelf, "birds", BIRDS)
    for file in (birds / "index").glob("surroundings-*"):
        file.unlink()
    assert lacks(birds)
    assert prepare(birds) == 2
    assert not lacks(birds)
    assert len(list((birds / "index").glob("authority-*"))) == 2
    monkeypatch.setattr(topics, "surroundings_of", refuse)
    assert surroundings_at(shelf, "birds", BIRDS) == fresh
    assert fresh.authorities


def test_a_topic_that_was_edited_is_lacking(birds: Path) -> None:
    prepare(birds)
    client = visitor(birds.parent)
    number = next(
        one["id"]
        for one in client.get("/api/v1/portals/birds/topics").json()["topics"]
        if one["topic"] == BIRDS
    )
    assert send(client, f"/portals/birds/topics/{number}/rename", name="fowl").status_code == 303
    assert lacks(birds)
    assert surroundings_at(Shelf(birds.parent), "birds", "animals/fowl").topic == "animals/fowl"


@pytest.mark.parametrize(
    ("kept", "now", "good"),
    [
        ((100, 3, 7), (100, 3, 7), True),
        ((100, 3, 7), (110, 3, 7), True),
        ((100, 3, 7), (111, 3, 7), False),
        ((100, 3, 7), (99, 3, 7), False),
        ((100, 3, 7), (100, 4, 7), False),
    ],
)
def test_a_portal_may_grow_by_a_tenth(kept: tuple[int, ...], now: tuple[int, ...], *, good: bool) -> None:
    assert topics._holds(kept, now) is good


def test_a_file_that_cannot_be_read_is_made_anew(birds: Path) -> None:
    prepare(birds)
    for file in (birds / "index").glob("surroundings-*"):
        file.write_bytes(b"\xc1 nothing of ours")
    assert lacks(birds)
    assert surroundings_at(Shelf(birds.parent), "birds", BIRDS).terms


def test_whoever_is_alone_or_in_the_way_stops(birds: Path) -> None:
    prepare(birds, lambda: True)
    with PortalLock(birds, "crawl"):
        prepare(birds)
    assert lacks(birds)


def test_a_server_prepares_by_itself(birds: Path) -> None:
    with Portal.reading(birds) as portal:
        renew(portal)
    shelf, stopping, began = Shelf(birds.parent), threading.Event(), threading.Event()
    desks = Desks(shelf)
    Preparer(shelf, desks, stopping).start(began.set)
    assert began.wait(30)
    while lacks(birds):
        stopping.wait(0.05)
    stopping.set()
    with desks.at("birds") as (portal, _):
        assert desks.standing(portal).behind == 0


def test_an_index_is_opened_with_a_search(birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Portal.reading(birds) as portal:
        renew(portal)
    desks = Desks(Shelf(birds.parent))
    preparing.open_up(desks, "birds")
    monkeypatch.setattr("motherlode.app.serving.desks._open", refuse)
    with desks.at("birds") as (_, desk):
        assert desk is not None
