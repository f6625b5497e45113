"""Feedback as a visitor gives it: archetypes listed, accepted, rejected, trimmed; the effect shown first."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from motherlode.portal import Portal
from motherlode.portal.lock import PortalLock
from motherlode.records import Example, Origin
from motherlode.store import topics as topic_rows
from motherlode.topics import parse_path
from support.app_server import send, visitor
from support.bird_portal import EVIL, HOSTILE, crawled_birds
from support.training_webs import place

AT = "/portals/birds/feedback"
API = f"/api/v1{AT}"
OWL, HERON = place("owl", 0), place("heron", 0)
CHOSEN = [OWL, HERON, HOSTILE]  # by the crawl, as it were


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, finished_birds: Path) -> Iterator[Path]:
    with crawled_birds(tmp_path_factory.mktemp("feedback"), finished_birds) as folder:
        with Portal.writing(folder / "birds", "test") as portal, portal.store.writing() as session:
            topic = portal.tree().at(parse_path("animals/birds")).id
            for url in CHOSEN:
                topic_rows.remove_example(session, topic, url)
            topic_rows.add_examples(session, [Example(topic, url, origin=Origin.ARCHETYPE) for url in CHOSEN])
        yield folder / "birds"


@pytest.fixture
def client(crawled: Path, tmp_path: Path) -> TestClient:
    shutil.copytree(crawled, tmp_path / "birds")
    return visitor(tmp_path)


def archetypes(client: TestClient) -> dict[str, dict[str, Any]]:
    return {one["url"]: one for one in client.get(API).json()["archetypes"]}


def done(answer: Any) -> str:
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def waited(client: TestClient, job: str) -> dict[str, Any]:
    with client.stream("GET", f"/api/v1/portals/birds/jobs/{job}/events") as stream:
        list(stream.iter_lines())
    found: dict[str, Any] = client.get(f"/api/v1/portals/birds/jobs/{job}").json()
    return found


def test_archetypes_are_listed_at_once_and_told_in_full_afterwards(client: TestClient) -> None:
    at_once = client.get(AT).text
    assert f'data-later="{AT}/told" data-part="#archetypes"' in at_once
    assert "confidence +" not in at_once
    told = client.get(f"{AT}/told").text
    assert "data-later" not in told
    found = archetypes(client)
    assert set(found) == set(CHOSEN)
    assert f"confidence {found[OWL]['confidence']:+.2f}" in told
    assert found[OWL]["terms"]
    assert all(f">{term}</span>" in told for term in found[OWL]["terms"])
    for page in (at_once, told):
        assert "The barn owl hunts mice at night over the meadows." in page  # the preview
        assert page.count("Read it, and trim it") == 3
        assert EVIL not in page
        assert "<script>alert" not in page


def test_accepting_rejecting_and_moving(client: TestClient) -> None:
    listed = list(archetypes(client))
    says = {OWL: "accept", HERON: "reject", HOSTILE: "move"}
    fields = {f"url-{n}": url for n, url in enumerate(listed)}
    fields |= {f"say-{n}": says[url] for n, url in enumerate(listed)}
    fields |= {f"goal-{n}": "OTHERS" for n in range(len(listed))}
    to = done(send(client, AT, act="keep", note="why not", **fields))
    assert "Kept: 1 accepted, 1 rejected, 1 moved." in client.get(to).text
    left = archetypes(client)
    assert {url: (one["topic"], one["accepted"]) for url, one in left.items()} == {
        OWL: ("animals/birds", True),
        HOSTILE: ("OTHERS", True),
    }


def test_all_others_are_accepted_besides_what_is_rejected(client: TestClient) -> None:
    done(send(client, AT, **{"url-0": HERON, "say-0": "reject", "others": "accept"}))
    assert {url: one["accepted"] for url, one in archetypes(client).items()} == {OWL: True, HOSTILE: True}


def test_the_effect_is_shown_before_anything_is_kept(client: TestClient) -> None:
    to = done(send(client, AT, act="try", **{"url-0": HERON, "say-0": "reject"}))
    job = to.rpartition("/")[2]
    assert waited(client, job)["state"] == "done"
    page = client.get(to).text
    assert f'Reject <span dir="auto">{HERON}</span>' in page
    assert "Nothing is kept yet." in page
    assert ">animals/birds</td>" in page
    assert HERON in archetypes(client)
    assert "1 rejected" in client.get(done(send(client, to))).text
    assert HERON not in archetypes(client)
    other = client.post("/api/v1/portals/birds/index", json={}).json()["id"]
    assert client.get(f"{AT}/effect/{other}").status_code == 404


def test_a_page_is_trimmed_by_its_blocks(client: TestClient) -> None:
    at = f"{AT}/page"
    shown = client.get(API + "/page", params={"url": OWL}).json()
    assert [block["kept"] for block in shown["blocks"]] == [True] * len(shown["blocks"])
    page = client.get(at, params={"url": OWL}).text
    assert page.count('type="checkbox" name="block"') == len(shown["blocks"]) >= 2
    first = next(block["number"] for block in shown["blocks"] if "owl" in block["text"])
    assert "1 trimmed" in client.get(done(send(client, at, url=OWL, block=[first], act="keep"))).text
    trimmed = client.get(API + "/page", params={"url": OWL}).json()
    assert [block["number"] for block in trimmed["blocks"] if block["kept"]] == [first]
    assert trimmed["archetypes"][0]["trimmed"]
    assert "The whole page again" in client.get(at, params={"url": OWL}).text
    done(send(client, at, url=OWL, act="whole"))
    assert not archetypes(client)[OWL]["trimmed"]


@pytest.mark.parametrize(
    ("path", "fields", "says"),
    [
        (AT, {"act": "keep"}, "Say what to accept, reject or move first."),
        (AT, {"url-0": "http://x.test/", "say-0": "accept"}, "is no archetype"),
        (AT, {"url-0": OWL, "say-0": "move", "goal-0": "nowhere"}, "There is no topic 'nowhere'"),
        (f"{AT}/page", {"url": OWL, "act": "keep"}, "Choose at least one block"),
        (f"{AT}/page", {"url": OWL, "block": ["999"]}, "there is no block 999"),
        (f"{AT}/page", {"url": place("news", 5), "block": ["1"]}, "was never fetched"),
    ],
)
def test_what_cannot_be_done_is_said(
    client: TestClient, path: str, fields: dict[str, Any], says: str
) -> None:
    answer = send(client, path, **fields)
    assert answer.status_code in (400, 404)
    assert says in answer.text.replace("&#39;", "'")


def test_a_portal_that_is_being_written_can_be_looked_at(client: TestClient, tmp_path: Path) -> None:
    with PortalLock(tmp_path / "birds", "lode crawl"):
        page = client.get(AT).text
        assert "is writing this portal now" in page
        assert "Keep at once" not in page
        refused = send(client, AT, **{"url-0": OWL, "say-0": "accept"})
        assert (refused.status_code, "is being written by" in refused.text) == (409, True)
        assert client.post(API, json={"accept": [OWL]}).status_code == 409
        assert client.post("/api/v1/portals/birds/train", json={}).status_code == 409
    assert not archetypes(client)[OWL]["accepted"]


def test_the_api_says_the_same(client: TestClient) -> None:
    kept = client.post(API, json={"accept": ["all"], "reject": [HERON], "note": "so"})
    assert (kept.status_code, kept.json()["kept"]) == (200, True)
    assert (sorted(kept.json()["accepted"]), kept.json()["rejected"]) == (sorted([OWL, HOSTILE]), [HERON])
    assert client.post(API, json={}).json() == {"error": "Say what to accept, reject, move or trim."}
    assert client.post(API, json={"trim": OWL}).status_code == 400
    assert client.post(f"{API}/try", json={"accept": ["all"], "note": "\0"}).status_code == 400
    tried = client.post(f"{API}/try", json={"trim": OWL, "blocks": "1"})
    assert tried.status_code == 202
    assert waited(client, tried.json()["id"])["result"]["trimmed"] == [OWL]
    trained = client.post("/api/v1/portals/birds/train", json={"offline": True})
    assert waited(client, trained.json()["id"])["state"] == "done"
