"""The library of a served portal by the API."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from motherlode.lab.serving.background import Running, sandbox
from motherlode.portal.editor import keep_setting
from motherlode.portal.lock import PortalLock
from support.app_server import OWLS, visitor
from support.small_webs import record_web

PLACE = "/api/v1/portals/owls/library"
BIBTEX = (
    "@article{a, title={How owls hear}, author={Strix, Anna}, year=2004}\n@book{b, title={Bats}}"
)
PAGE = "http://garden.test/"


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    client = visitor(tmp_path)
    assert client.post("/api/v1/portals", json=OWLS).status_code == 201
    return client


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    page = "<!DOCTYPE html><title>Owls of my garden</title><meta name=author content='Anna Strix'>"
    with sandbox(record_web(tmp_path_factory.mktemp("api") / "web", {PAGE: page})) as running:
        yield running


def test_a_file_is_imported_shown_exported_and_undone(client: TestClient) -> None:
    report = client.post(f"{PLACE}/import", json={"text": BIBTEX, "folder": "Birds/Owls"}).json()
    assert (report["format"], report["new"], report["merged"]) == ("bibtex", 2, [])
    assert client.get(PLACE).json() == {
        "folders": [
            {"path": "Birds", "depth": 0, "objects": 0},
            {"path": "Birds/Owls", "depth": 1, "objects": 2},
        ],
        "objects": 2,
    }
    views = client.get(f"{PLACE}/objects", params={"folder": "Birds/Owls"}).json()
    assert [(view["number"], view["object"]["title"]) for view in views] == [
        (1, "How owls hear"),
        (2, "Bats"),
    ]
    text = client.get(f"{PLACE}/export", params={"format": "ris"}).text
    assert text.count("TY  - ") == 2
    assert client.post(f"{PLACE}/undo").status_code == 200
    assert client.get(PLACE).json()["objects"] == 0
    assert client.post(f"{PLACE}/undo").status_code == 400


def test_objects_and_folders_are_edited(client: TestClient) -> None:
    client.post(f"{PLACE}/import", json={"text": BIBTEX, "folder": "Birds"})
    for path, body in (
        ("rename", {"folder": "Birds", "name": "Owls"}),
        ("import", {"text": BIBTEX, "folder": "Night"}),
        ("move", {"folder": "Night", "into": "Owls"}),
        ("remove", {"folder": "Owls", "objects": [2]}),
        ("remove", {"objects": [1]}),
    ):
        answer = client.post(f"{PLACE}/{path}", json=body)
        assert answer.status_code == 200, answer.text
    (view,) = client.get(f"{PLACE}/objects").json()
    assert (view["number"], view["folders"]) == (2, ["Owls/Night"])


def test_pages_are_added_and_one_that_fails_is_named(
    client: TestClient, tmp_path: Path, box: Running
) -> None:
    keep_setting(tmp_path / "owls", "network.connect", box.address)
    body = {"urls": [PAGE, "http://none.test/"], "folder": "Web"}
    report = client.post(f"{PLACE}/add", json=body).json()
    assert [(page["title"], page["kind"]) for page in report["added"]] == [
        ("Owls of my garden", "webpage")
    ]
    assert report["problems"][0].startswith("http://none.test/ was not added")


def test_mistakes_have_a_fitting_status_and_a_sentence(client: TestClient, tmp_path: Path) -> None:
    for path, body, status in (
        ("import", {"text": "no format at all"}, 400),
        ("import", {"text": BIBTEX, "format": "word"}, 400),
        ("import", {"text": BIBTEX, "folder": "/"}, 400),
        ("add", {"urls": []}, 422),
        ("add", {"urls": [PAGE] * 101}, 422),
        ("add", {"urls": [PAGE]}, 400),  # without a contact
        ("move", {"folder": "Bats", "into": "/"}, 400),
        ("rename", {"folder": "Bats"}, 422),
        ("remove", {}, 400),
        ("remove", {"objects": [1], "x": 1}, 422),
    ):
        answer = client.post(f"{PLACE}/{path}", json=body)
        assert (answer.status_code, list(answer.json())) == (status, ["error"]), (path, body)
    assert client.get(f"{PLACE}/objects", params={"folder": "Bats"}).status_code == 400
    assert client.get(f"{PLACE}/export", params={"format": "word"}).status_code in (400, 422)
    assert client.get("/api/v1/portals/nothing/library").status_code == 404
    with PortalLock(tmp_path / "owls", "lode crawl"):
        assert client.post(f"{PLACE}/import", json={"text": BIBTEX}).status_code == 409
        assert client.get(PLACE).status_code == 200


def test_every_route_is_described(client: TestClient) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    place = "/api/v1/portals/{portal}/library"
    ours = {path.removeprefix(place) for path in paths if path.startswith(place)}
    names = ("objects", "export", "import", "add", "move", "rename", "remove", "undo")
    assert ours == {"", *(f"/{name}" for name in names)}
    export = paths[f"{place}/export"]["get"]["responses"]["200"]["content"]
    assert set(export) == {"text/plain"}
    body = paths[f"{place}/add"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert "urls" in str(body) or "$ref" in body
