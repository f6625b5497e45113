"""What is worked out before anybody asks."""

import shutil
import threading
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from motherlode.app.server.application import make_app
from motherlode.app.server.context import services_of
from motherlode.app.server.preparation import Preparer, lacks, prepare
from motherlode.app.server.settings import Settings, settled
from motherlode.app.server.warmup import VIEWS, Visitor
from motherlode.app.services import topic_views as topics
from motherlode.app.services.registry import Shelf
from motherlode.app.services.topic_views import surroundings_at
from motherlode.portal import Portal, PortalLock
from motherlode.search.indexer import update_index
from support.app_server import send, visitor

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
    shelf, stopping = Shelf(birds.parent), threading.Event()
    asked: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        asked.append(scope["path"])

    Preparer(shelf, Visitor(app, ""), stopping).start()
    while lacks(birds):
        stopping.wait(0.05)
    stopping.set()
    assert asked[:2] == ["/", "/portals/birds"]


@pytest.mark.parametrize("token", ["", "a long enough token"])
def test_a_server_visits_its_own_pages(
    birds: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    """It is let in, finds every page, opens the index, and leaves no trace in the log."""
    with Portal.reading(birds) as portal:
        update_index(portal)
    services = services_of(settled(Settings(birds.parent, token=token)))
    said: list[int] = []
    app = make_app(services)

    async def heard(scope: Scope, receive: Receive, send: Send) -> None:
        async def hear(message: Message) -> None:
            said.extend([message["status"]] if message["type"] == "http.response.start" else [])
            await send(message)

        await app(scope, receive, hear)

    with caplog.at_level("INFO"):
        visitor = Visitor(heard, token)
        visitor.at_the_door()
        visitor.at("birds")
    assert said == [200] * (1 + len(VIEWS))
    assert not [record for record in caplog.records if record.name == "motherlode.access"]
    monkeypatch.setattr("motherlode.app.server.search_pool._open", refuse)
    with services.desks.at("birds") as (_, desk):
        assert desk is not None


def test_a_page_that_breaks_does_not_stop_the_visit() -> None:
    asked: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        asked.append(scope["path"])
        raise RuntimeError(scope["path"])

    Visitor(app, "").at("old owls")
    assert len(asked) == len(VIEWS)
    assert asked[0] == "/portals/old%20owls"
