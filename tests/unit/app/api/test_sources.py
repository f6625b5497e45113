"""The search sources of a served portal."""

from pathlib import Path

from motherlode.app.services.sources import add_source
from support.app_server import OWLS, visitor

SOURCES = "/api/v1/portals/owls/sources"


def test_sources_are_listed_and_tried_without_paths_of_this_machine(tmp_path: Path) -> None:
    portals = tmp_path / "portals"
    portals.mkdir()
    client = visitor(portals)
    assert client.post("/api/v1/portals", json=OWLS).status_code == 201
    urls = tmp_path / "urls.txt"
    urls.write_text("barn owls\nhttp://a.test/owl Owl\n")
    add_source(portals / "owls", "mine", "file", {"file": str(urls)})
    add_source(portals / "owls", "wiki", "mediawiki", {})
    listed = client.get(SOURCES)
    assert str(tmp_path) not in listed.text
    assert [(one["name"], one["place"]) for one in listed.json()] == [
        ("mine", "urls.txt"),
        ("wiki", "https://en.wikipedia.org/w/api.php"),
    ]
    tried = client.post(f"{SOURCES}/try", json={"name": "mine", "query": "Barn owls"})
    assert tried.json() == {
        "hits": [{"url": "http://a.test/owl", "title": "Owl", "snippet": ""}],
        "problems": [],
    }
    urls.unlink()
    failed = client.post(f"{SOURCES}/try", json={"name": "mine", "query": "owls"})
    assert failed.status_code == 409
    assert "cannot read its file urls.txt" in failed.json()["error"]


def test_visitors_cannot_name_sources_of_their_own(tmp_path: Path) -> None:
    client = visitor(tmp_path)
    client.post("/api/v1/portals", json=OWLS)
    for name in ("arxiv", "file:/etc/hosts", "nothing"):
        answer = client.post(f"{SOURCES}/try", json={"name": name, "query": "owls"})
        assert answer.status_code == 400
        assert "has no search source" in answer.json()["error"]
    secret = {"name": "x", "query": "q", "set": ["sources.x.key_variable=HOME"]}
    answer = client.post("/api/v1/portals", json=secret)
    assert answer.status_code == 400
    assert "only be chosen on the command line" in answer.json()["error"]
