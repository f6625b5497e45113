"""The collections of a served portal by the API."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from motherlode.portal.lock import PortalLock
from support.app_server import OWLS as OWLS_PORTAL
from support.app_server import visitor
from support.collection_portals import HERONS, OWLS, PAPER, make_collections

PLACE = "/api/v1/portals/birds/collections"


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    make_collections(tmp_path / "birds")
    return visitor(tmp_path)


def test_collections_are_listed_and_shown(client: TestClient) -> None:
    summaries = client.get(PLACE).json()
    assert [(one["subject"], one["members"]) for one in summaries][:2] == [(OWLS, 9), (HERONS, 6)]
    view = client.get(f"{PLACE}/{OWLS}", params={"limit": 3}).json()
    assert view["summary"] == summaries[0]
    assert [member["url"] for member in view["members"]][::2] == ["http://a.test/", PAPER]
    assert view["members"][0]["why"][0]["word"] == "owl"
    number = summaries[0]["topic"]
    assert client.get(f"{PLACE}/{number}", params={"limit": 3}).json() == view


def test_choices_are_made_and_taken_back(client: TestClient) -> None:
    body = {
        "reject": [PAPER],
        "move": [{"url": "http://b.test/", "topic": HERONS}],
        "subject": OWLS,
        "pin": ["http://e.test/"],
    }
    made = client.post(PLACE, json=body).json()["made"]
    assert [(one["url"], one["choice"], one["subject"]) for one in made] == [
        ("http://e.test/", "pin", OWLS),
        (PAPER, "reject", ""),
        ("http://b.test/", "move", HERONS),
    ]
    assert client.get(f"{PLACE}/{OWLS}").json()["members"][0]["url"] == "http://e.test/"
    undone = client.post(PLACE, json={"undo": True}).json()
    assert undone == {"made": [], "undone": made}
    assert client.get(f"{PLACE}/{OWLS}").json()["members"][0]["url"] == "http://a.test/"


def test_mistakes_have_a_fitting_status_and_a_sentence(client: TestClient, tmp_path: Path) -> None:
    assert client.get(f"{PLACE}/birds/emus").status_code == 404
    assert client.get("/api/v1/portals/nothing/collections").status_code == 404
    for body in ({}, {"pin": ["http://no.test/"]}, {"undo": True, "pin": [PAPER]}):
        answer = client.post(PLACE, json=body)
        assert (answer.status_code, list(answer.json())) == (400, ["error"])
    assert client.post(PLACE, json={"limit": 3}).status_code == 422
    with PortalLock(tmp_path / "birds", "lode crawl"):
        assert client.post(PLACE, json={"pin": [PAPER]}).status_code == 409
        assert client.get(PLACE).status_code == 200
    assert client.post("/api/v1/portals", json=OWLS_PORTAL).status_code == 201
    answer = client.get("/api/v1/portals/owls/collections")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("owls has no collections yet; 'lode collect owls")
