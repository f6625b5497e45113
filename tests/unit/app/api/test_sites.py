"""The websites of a served portal by the API."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from motherlode.portal.lock import PortalLock
from support.app_server import OWLS as OWLS_PORTAL
from support.app_server import visitor
from support.helpers import run_lode
from support.site_portals import BARN, EAGLE, OWLS, SHOP, TAWNY, make_sites

PLACE = "/api/v1/portals/birds/sites"


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    make_sites(tmp_path / "birds")
    return visitor(tmp_path)


def test_sites_are_listed_and_shown_as_on_the_command_line(
    client: TestClient, tmp_path: Path
) -> None:
    listed = client.get(PLACE).json()
    assert [site["site"] for site in listed["sites"]][:3] == [OWLS, BARN, TAWNY]
    assert listed["sites"][1]["certainty"] == "sure"
    assert json.loads(run_lode(tmp_path, "sites", "birds", "--json").stdout) == listed
    few = client.get(PLACE, params={"show": "relevant", "limit": 1}).json()
    assert (len(few["sites"]), few["counts"]["shown"]) == (1, 3)
    view = client.get(f"{PLACE}/{BARN}").json()
    assert view["summary"] == listed["sites"][1]
    assert [page["probability"] for page in view["best_pages"]] == [0.95, 0.8, 0.3]
    assert [link["site"] for link in view["linked_by"]] == [OWLS, "herons.test"]
    assert client.get(f"{PLACE}/http://{BARN}/food").json() == view


def test_choices_are_made_and_taken_back(client: TestClient) -> None:
    body = {"accept": [EAGLE], "reject": [SHOP, f"http://{TAWNY}/"]}
    answer = client.post(PLACE, json=body).json()
    assert answer["made"] == [
        {"site": EAGLE, "choice": "accept", "mirror": ""},
        {"site": SHOP, "choice": "reject", "mirror": ""},
        {"site": TAWNY, "choice": "reject", "mirror": ""},
    ]
    assert client.get(f"{PLACE}/{TAWNY}").json()["summary"]["choice"] == "reject"
    undone = client.post(PLACE, json={"undo": True}).json()
    assert undone["undone"] == answer["made"]
    assert client.get(f"{PLACE}/{TAWNY}").json()["summary"]["choice"] == ""


def test_files_are_sent(client: TestClient) -> None:
    answer = client.get(f"{PLACE}/export/svg", params={"show": "relevant"})
    assert answer.headers["content-disposition"] == 'attachment; filename="sites.svg"'
    assert answer.headers["content-type"] == "application/octet-stream"
    assert BARN in answer.text
    assert client.get(f"{PLACE}/export/txt").status_code == 400


def test_mistakes_have_a_fitting_status_and_a_sentence(client: TestClient, tmp_path: Path) -> None:
    assert client.get(f"{PLACE}/nowhere.test").status_code == 404
    assert client.get("/api/v1/portals/nothing/sites").status_code == 404
    for body in ({}, {"undo": True, "accept": [EAGLE]}, {"accept": ["http://["]}):
        answer = client.post(PLACE, json=body)
        assert (answer.status_code, list(answer.json())) == (400, ["error"])
    assert client.post(PLACE, json={"accept": ["nowhere.test"]}).status_code == 404
    for wrong in ({"accept_from": "/etc/passwd"}, {"accept": EAGLE}):
        assert client.post(PLACE, json=wrong).status_code == 422
    with PortalLock(tmp_path / "birds", "lode crawl"):
        assert client.post(PLACE, json={"accept": [EAGLE]}).status_code == 409
        assert client.get(PLACE).status_code == 200
    assert client.post("/api/v1/portals", json=OWLS_PORTAL).status_code == 201
    answer = client.get("/api/v1/portals/owls/sites")
    assert answer.status_code == 400
    assert "is crawled by bingo, not for whole websites" in answer.json()["error"]
