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
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import parse_path
from motherlode.training.certainty import certainty_text
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
            topic_rows.add_examples(
                session, [Example(topic, url, origin=Origin.ARCHETYPE) for url in CHOSEN]
            )
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
    assert f'data-later="{AT}/terms" data-part="#archetypes"' in at_once
    assert " · authority " not in at_once
    told = client.get(f"{AT}/terms").text
    assert "data-later" not in told
    found = archetypes(client)
    assert set(found) == set(CHOSEN)
    assert certainty_text(found[OWL]["probability"]) in told
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
    assert "Stored: 1 accepted, 1 rejected, 1 moved." in client.get(to).text
    left = archetypes(client)
    assert {url: (one["topic"], one["accepted"]) for url, one in left.items()} == {
        OWL: ("animals/birds", True),
        HOSTILE: ("OTHERS", True),
    }


def test_all_others_are_accepted_besides_what_is_rejected(client: TestClient) -> None:
    done(send(client, AT, **{"url-0": HERON, "say-0": "reject", "others": "accept"}))
    assert {url: one["accepted"] for url, one in archetypes(client).items()} == {
        OWL: True,
        HOSTILE: True,
    }


def test_the_effect_is_shown_before_anything_is_kept(client: TestClient) -> None:
    to = done(send(client, AT, act="try", **{"url-0": HERON, "say-0": "reject"}))
    job = to.rpartition("/")[2]
    assert waited(client, job)["state"] == "done"
    page = client.get(to).text
    assert f'Reject <span dir="auto">{HERON}</span>' in page
    assert "Nothing is stored yet." in page
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
    assert (
        "1 trimmed" in client.get(done(send(client, at, url=OWL, block=[first], act="keep"))).text
    )
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


def test_a_portal_that_is_being_written_can_be_looked_at(
    client: TestClient, tmp_path: Path
) -> None:
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
    assert (sorted(kept.json()["accepted"]), kept.json()["rejected"]) == (
        sorted([OWL, HOSTILE]),
        [HERON],
    )
    assert client.post(API, json={}).json() == {
        "error": "Say what to accept, reject, move or trim."
    }
    assert client.post(API, json={"trim": OWL}).status_code == 400
    assert client.post(f"{API}/try", json={"accept": ["all"], "note": "\0"}).status_code == 400
    tried = client.post(f"{API}/try", json={"trim": OWL, "blocks": "1"})
    assert tried.status_code == 202
    assert waited(client, tried.json()["id"])["result"]["trimmed"] == [OWL]
    trained = client.post("/api/v1/portals/birds/train", json={"offline": True})
    assert waited(client, trained.json()["id"])["state"] == "done"


def test_feedback_is_taken_back(client: TestClient) -> None:
    before = archetypes(client)
    assert "Take back the latest feedback" not in client.get(AT).text
    done(send(client, AT, **{"url-0": HERON, "say-0": "reject", "others": "accept"}))
    assert "Take back the latest feedback" in client.get(AT).text
    to = done(send(client, f"{AT}/undo"))
    assert "Took back the feedback on 3 pages." in client.get(to).text
    assert archetypes(client) == before
    refused = send(client, f"{AT}/undo")
    assert (refused.status_code, "nothing to take back" in refused.text) == (400, True)
    client.post(API, json={"reject": [HERON]})
    assert client.post(API, json={"undo": True}).json()["undone"] == 1
    assert client.post(API, json={"undo": True, "reject": [HERON]}).status_code == 400
    assert client.post(f"{API}/try", json={"undo": True}).status_code == 400
    assert archetypes(client) == before


def test_a_training_is_shown_first_and_can_be_taken_back(client: TestClient) -> None:
    marks, train = "/portals/birds/marks", "/portals/birds/train"
    send(client, marks, word="bad", url=HERON, topic="animals/birds", back="marks")
    shown = done(send(client, train))
    assert waited(client, shown.rpartition("/")[2])["state"] == "done"
    preview = client.get(shown).text
    assert "Nothing of this is stored yet." in preview
    assert "you marked it bad for animals/birds" in preview
    trained = done(send(client, train, keep="true"))
    assert waited(client, trained.rpartition("/")[2])["state"] == "done"
    assert "Take back this training" in client.get(trained).text
    assert "Take back the latest training" in client.get(marks).text
    undone = done(send(client, train, undo="true"))
    assert waited(client, undone.rpartition("/")[2])["state"] == "done"
    page = client.get(undone).text
    assert "What went back" in page
    assert "The training was taken back" in page
    again = client.post("/api/v1/portals/birds/train", json={"preview": True, "offline": True})
    effect = waited(client, again.json()["id"])["result"]
    assert HERON in {shift["url"] for shift in effect["shifts"]}


def test_questions_are_answered_and_training_is_shown(client: TestClient) -> None:
    asked = client.get(f"{API}/questions", params={"count": 3}).json()
    assert 1 <= len(asked) <= 3
    page = client.get(f"{AT}/ask").text
    assert f'name="url-0" value="{asked[0]["url"]}"' in page
    assert f"Is it about {asked[0]['topic']}?" in page
    assert "Asked because it lies just" in page
    assert "<script>alert" not in page
    refused = send(client, f"{AT}/ask", **{"url-0": asked[0]["url"], "say-0": ""})
    assert (refused.status_code, "Answer at least one question" in refused.text) == (400, True)
    fields = {"url-0": asked[0]["url"], "topic-0": asked[0]["topic"], "say-0": "bad"}
    to = done(send(client, f"{AT}/ask", **fields))
    assert waited(client, to.rpartition("/")[2])["state"] == "done"
    assert "Nothing of this is stored yet." in client.get(to).text
    (mark,) = client.get("/api/v1/portals/birds/marks").json()
    assert (mark["url"], mark["word"]) == (asked[0]["url"], "bad")
    left = client.get(f"{API}/questions", params={"count": 50}).json()
    assert asked[0]["url"] not in {question["url"] for question in left}
    assert client.get(f"{API}/questions", params={"count": 0}).status_code == 422
