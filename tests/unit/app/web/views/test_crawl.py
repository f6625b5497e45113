"""The crawl's pages and its API as a visitor meets them, over a portal that somebody has crawled."""

import asyncio
import threading
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from motherlode.app.jobs.progress import CrawlProgress, progress_at
from motherlode.app.jobs.queue import JobQueue
from motherlode.app.server import progress_cache
from motherlode.app.server.progress_cache import ProgressCache, progress_events
from motherlode.app.services.portals.creation import PortalContents, make_portal, parse_topics
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.portal import Portal, PortalLock
from motherlode.portal.directory import config_of
from motherlode.records import Host, HostState, RunEnd
from motherlode.store.tables import ledger
from support.app_server import send, visitor

CRAWL = "/portals/owls/crawl"
API = "/api/v1/portals/owls"


@pytest.fixture
def owls(tmp_path: Path) -> Path:
    """A portal that met three hosts."""
    path = tmp_path / "owls"
    make_portal(path, PortalContents(topics=parse_topics([("owls", ["http://good.test/"])])), {})
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        hosts = [
            Host("good.test", "good.test", pages=9, size=900),
            Host("slow.test", "slow.test", HostState.SLOW, "connect-timeout", failures=1),
            Host("<b>.test", "bad.test", HostState.BAD, "<script>too slow", failures=4),
        ]
        ledger.keep_hosts(session, hosts)
        run = ledger.start_run(session, "crawl", "bingo", 1_700_000_000.0)
        ledger.end_run(session, run.id, "page limit", 1_700_000_100.0)
    (path / "reports").mkdir(exist_ok=True)
    (path / "reports/harvest.csv").write_text(
        "time,pages,relevant,rate\n2023-11-14T22:13:30Z,50,20,0.4\n2023-11-14T22:13:40Z,100,60,0.6\n"
    )
    (path / "logs").mkdir(exist_ok=True)
    (path / "logs/crawl.log").write_text(
        "2023 200 12 http://good.test/<i>\n2023 404 - http://bad.test/\n"
    )
    return path


@pytest.fixture
def client(owls: Path) -> TestClient:
    return visitor(owls.parent)


def test_the_page_shows_the_crawl_without_a_script(client: TestClient) -> None:
    text = client.get(CRAWL).text
    assert "ended (page limit)" in text
    assert 'data-state="idle"' in text
    assert "<dd>0.60</dd>" in text
    assert "Refresh</a>" in text
    assert 'aria-current="page">Crawl</a>' in text


def test_a_crawl_in_a_terminal_can_be_seen_and_not_stopped(client: TestClient, owls: Path) -> None:
    with PortalLock(owls, "crawl"):
        text = client.get(CRAWL).text
        assert 'data-state="running"' in text
        assert "Ctrl-C stops it there" in text
        assert '<button type="submit">Pause' not in text
        assert client.post(f"{API}/crawl/stop").status_code == 409
        assert send(client, f"{CRAWL}/stop").headers["location"] == CRAWL
        assert send(client, f"{CRAWL}/start", pages="5").status_code == 409
        assert client.get(f"{API}/crawl").json()["writing"]["command"] == "crawl"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"pages": "0"}, "Pages: a number from 1"),
        ({"pages": "many"}, "Pages: a number from 1"),
        ({"learn_pages": "-1"}, "Learning pages: a number from 0"),
        ({"time": "soon"}, "is not a length of time"),
        ({"policy": "--help"}, "There is no policy"),
    ],
)
def test_a_form_with_a_mistake_is_shown_again(
    client: TestClient, fields: dict[str, str], says: str
) -> None:
    answer = send(client, f"{CRAWL}/start", **fields)
    assert answer.status_code == 400
    assert says in answer.text
    name, value = next(iter(fields.items()))
    assert name == "policy" or f'value="{value}"' in answer.text


def test_hosts_are_shown_by_state_and_forgiven(client: TestClient) -> None:
    text = client.get(f"{CRAWL}/hosts").text
    assert text.index("&lt;b&gt;.test") < text.index("slow.test") < text.index("good.test")
    assert "<script>too" not in text
    assert "slow.test" not in client.get(f"{CRAWL}/hosts?state=bad").text
    assert [host["name"] for host in client.get(f"{API}/hosts?state=slow").json()] == ["slow.test"]
    assert send(client, f"{CRAWL}/hosts/forgive", pattern="slow.test").status_code == 303
    assert client.get(f"{API}/hosts?state=slow").json() == []
    assert client.post(f"{API}/hosts/forgive", json={"pattern": "*"}).json() == {
        "forgiven": 1,
        "urls": 0,
    }
    assert client.get(f"{API}/hosts?state=bad").json() == []
    assert client.post(f"{API}/hosts/forgive", json={"pattern": "none"}).status_code == 400


def test_hosts_are_not_forgiven_while_somebody_writes(client: TestClient, owls: Path) -> None:
    with PortalLock(owls, "crawl"):
        assert client.post(f"{API}/hosts/forgive", json={"pattern": "*"}).status_code == 409


def test_the_log_is_filtered_and_is_text(client: TestClient) -> None:
    text = client.get(f"{CRAWL}/log").text
    assert "http://good.test/&lt;i&gt;" in text
    found = client.get(f"{CRAWL}/log?match=404").text
    assert "bad.test" in found
    assert "good.test" not in found
    assert "No line contains that." in client.get(f"{CRAWL}/log?match=%3Cb%3E").text
    assert client.get(f"{API}/log?match=404").json() == {"lines": ["2023 404 - http://bad.test/"]}
    assert client.get(f"{API}/log?limit=0").status_code == 422


def test_the_api_tells_how_far_it_is(client: TestClient) -> None:
    told = client.get(f"{API}/progress").json()
    assert [point["pages"] for point in told["harvest"]] == [50, 100]
    assert told["pace"] == 5.0
    assert told["rate"] == 0.6
    assert client.get(f"{API}/crawl").json()["run"]["end"] == "page limit"
    assert client.get(f"{API}/judgements").json() == []
    assert client.post(f"{API}/crawl/stop").status_code == 409
    assert client.post(f"{API}/crawl/resume").status_code == 409
    for path in ("crawl", "progress", "progress/events", "hosts", "log", "judgements"):
        assert client.get(f"/api/v1/portals/none/{path}").status_code == 404, path


def test_charts_and_bars_are_drawn_without_a_script(client: TestClient) -> None:
    text = client.get(f"{CRAWL}/now").text
    assert 'aria-label="Harvest rate: so far 0.6, lately 0.8"' in text
    assert 'aria-label="Pages a second: lately 5"' in text
    assert text.count("<polyline") == 3
    assert '<rect width="0.0"' in text
    assert "style=" not in text


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_one_look_serves_every_window(owls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, looks = Clock(), list[str]()

    def look(registry: PortalRegistry, board: JobQueue, name: str) -> CrawlProgress:
        looks.append(name)
        clock.now += 2.0
        return progress_at(registry, board, name)

    monkeypatch.setattr(progress_cache, "progress_at", look)
    registry = PortalRegistry(owls.parent)
    cache = ProgressCache(registry, JobQueue(registry, 1, 1), clock)
    first = cache.get("owls")
    assert cache.get("owls") is first
    clock.now += 19.0  # it took two seconds: for twenty it is not looked at again
    assert cache.get("owls") is first
    clock.now += 2.0
    assert cache.get("owls").number == first.number  # nothing has changed
    assert len(looks) == 2
    cache.invalidate("owls")
    (owls / "reports/harvest.csv").unlink()
    assert cache.get("owls").number == first.number + 1
    assert len(looks) == 3


def test_a_stream_says_what_is_new_until_the_server_ends(owls: Path) -> None:
    registry = PortalRegistry(owls.parent)
    cache = ProgressCache(registry, JobQueue(registry, 1, 1))
    stopping = threading.Event()

    async def listen() -> list[bytes]:
        told = []
        async for event in progress_events(cache, "owls", stopping):
            told.append(event)
            if len(told) == 1:
                (owls / "reports/harvest.csv").unlink()
            else:
                stopping.set()
        return told

    first, second = asyncio.run(listen())
    assert first.startswith(b"event: progress\nid: 1\ndata: {")
    assert second.startswith(b"event: progress\nid: 2\n")
    assert b'"harvest":[]' in second


@pytest.mark.parametrize("remember", [True, False])
def test_who_one_is_is_asked_once_and_kept_if_wanted(owls: Path, *, remember: bool) -> None:
    client = visitor(owls.parent, running_jobs=0)
    for page in (CRAWL, "/portals/owls"):
        assert 'name="contact"' in client.get(page).text
    fields = {"pages": "5", "contact": "me@owls.example"} | (
        {"remember": "true"} if remember else {}
    )
    assert send(client, f"{CRAWL}/start", **fields).headers["location"] == CRAWL
    assert config_of(owls).crawler.contact == ("me@owls.example" if remember else "")
    for page in (CRAWL, "/portals/owls"):
        assert ('name="contact"' in client.get(page).text) is not remember


def test_the_overview_leads_to_the_crawl_and_to_feedback(owls: Path) -> None:
    client = visitor(owls.parent)
    assert f'action="{CRAWL}/start"' in client.get("/portals/owls").text
    with PortalLock(owls, "crawl"):
        assert f'<a href="{CRAWL}">Watch it</a>' in client.get("/portals/owls").text
    with Portal.writing(owls, "test") as portal, portal.store.writing() as session:
        run = ledger.start_run(session, "crawl", "bingo", 1_700_000_200.0)
        ledger.end_run(session, run.id, RunEnd.FEEDBACK, 1_700_000_300.0)
    text = client.get("/portals/owls").text
    assert 'href="/portals/owls/feedback">Give feedback</a>' in text
    assert "<code>" not in text


def test_a_query_alone_is_nowhere_to_begin(tmp_path: Path) -> None:
    make_portal(tmp_path / "q", PortalContents(query="barn owls"), {})
    client = visitor(tmp_path)
    status = client.get("/api/v1/portals/q/status").json()
    assert (status["step"], status["next"]) == ("teach", "lode topics q example TOPIC URL")
    for page in ("/portals/q", "/portals/q/crawl"):
        text = client.get(page).text
        assert "No topic has an example page that can be fetched" in text
        assert 'href="/portals/q/topics">Choose a topic</a>' in text
