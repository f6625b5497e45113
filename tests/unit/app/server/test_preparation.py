"""What is worked out before anybody asks."""

import shutil
import threading
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from motherlode.app.application import make_app
from motherlode.app.server.context import make_context
from motherlode.app.server.preparation import Preparer, analyse_topics, needs_analysis
from motherlode.app.server.settings import ServerSettings, with_token
from motherlode.app.server.warmup import VIEWS, WarmupClient
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.topics import views as topics
from motherlode.app.services.topics.views import surroundings_at
from motherlode.portal import Portal, PortalLock
from motherlode.search.indexer import update_index
from support.app_server import send, visitor

BIRDS = "animals/birds"


@pytest.fixture
def birds(tmp_path: Path, finished_birds: Path) -> Path:
    return shutil.copytree(finished_birds / "birds", tmp_path / "portals" / "birds")


def refuse(*_words: object, **_options: object) -> None:
    raise AssertionError("it is worked out again")


def test_what_was_prepared_is_not_worked_out_again(
    birds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = PortalRegistry(birds.parent)
    fresh = surroundings_at(shelf, "birds", BIRDS)
    for file in (birds / "index").glob("surroundings-*"):
        file.unlink()
    assert needs_analysis(birds)
    assert analyse_topics(birds) == 2
    assert not needs_analysis(birds)
    assert len(list((birds / "index").glob("authority-*"))) == 2
    monkeypatch.setattr(topics, "surroundings_of", refuse)
    assert surroundings_at(shelf, "birds", BIRDS) == fresh
    assert fresh.authorities


def test_a_topic_that_was_edited_is_lacking(birds: Path) -> None:
    analyse_topics(birds)
    client = visitor(birds.parent)
    number = next(
        one["id"]
        for one in client.get("/api/v1/portals/birds/topics").json()["topics"]
        if one["topic"] == BIRDS
    )
    assert send(client, f"/portals/birds/topics/{number}/rename", name="fowl").status_code == 303
    assert needs_analysis(birds)
    assert (
        surroundings_at(PortalRegistry(birds.parent), "birds", "animals/fowl").topic
        == "animals/fowl"
    )


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
def test_a_portal_may_grow_by_a_tenth(
    kept: tuple[int, ...], now: tuple[int, ...], *, good: bool
) -> None:
    assert topics._is_valid(kept, now) is good


def test_a_file_that_cannot_be_read_is_made_anew(birds: Path) -> None:
    analyse_topics(birds)
    for file in (birds / "index").glob("surroundings-*"):
        file.write_bytes(b"\xc1 nothing of ours")
    assert needs_analysis(birds)
    assert surroundings_at(PortalRegistry(birds.parent), "birds", BIRDS).terms


def test_whoever_is_alone_or_in_the_way_stops(birds: Path) -> None:
    analyse_topics(birds, lambda: True)
    with PortalLock(birds, "crawl"):
        analyse_topics(birds)
    assert needs_analysis(birds)


def test_a_server_prepares_by_itself(birds: Path) -> None:
    shelf, stopping = PortalRegistry(birds.parent), threading.Event()
    asked: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        asked.append(scope["path"])

    Preparer(shelf, WarmupClient(app, ""), stopping).start()
    while needs_analysis(birds):
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
    services = make_context(with_token(ServerSettings(birds.parent, token=token)))
    said: list[int] = []
    app = make_app(services)

    async def heard(scope: Scope, receive: Receive, send: Send) -> None:
        async def hear(message: Message) -> None:
            said.extend([message["status"]] if message["type"] == "http.response.start" else [])
            await send(message)

        await app(scope, receive, hear)

    with caplog.at_level("INFO"):
        visitor = WarmupClient(heard, token)
        visitor.visit_home()
        visitor.visit_portal("birds")
    assert said == [200] * (1 + len(VIEWS))
    assert not [record for record in caplog.records if record.name == "motherlode.access"]
    monkeypatch.setattr("motherlode.app.services.search.pool._open", refuse)
    with services.search_pool.open("birds") as (_, searcher):
        assert searcher is not None


def test_a_page_that_breaks_does_not_stop_the_visit() -> None:
    asked: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        asked.append(scope["path"])
        raise RuntimeError(scope["path"])

    WarmupClient(app, "").visit_portal("old owls")
    assert len(asked) == len(VIEWS)
    assert asked[0] == "/portals/old%20owls"
