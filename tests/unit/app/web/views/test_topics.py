"""Topics and clusters as a visitor meets them: the tree, its edits, a topic's own page."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from motherlode.portal.lock import PortalLock
from support.app_server import send, visitor
from support.bird_portal import EVIL, crawled_birds

AT = "/portals/birds/topics"
API = f"/api/v1{AT}"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, finished_birds: Path) -> Iterator[Path]:
    with crawled_birds(tmp_path_factory.mktemp("topics"), finished_birds) as folder:
        yield folder / "birds"


@pytest.fixture
def client(crawled: Path, tmp_path: Path) -> TestClient:
    """A visitor of a portal with `animals/birds`, owls and herons, crawled and judged."""
    shutil.copytree(crawled, tmp_path / "birds")
    return visitor(tmp_path)


def rows(client: TestClient) -> dict[str, dict[str, Any]]:
    return {one["topic"]: one for one in client.get(API).json()["topics"]}


def number(client: TestClient, topic: str) -> int:
    return int(rows(client)[topic]["id"])


def told(answer: Any) -> str:
    """Where a form leads, once it was taken."""
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


# The tree


def test_the_tree_is_told_with_its_figures(client: TestClient) -> None:
    found = rows(client)
    assert list(found) == ["animals", "animals/birds", "OTHERS"]
    birds = found["animals/birds"]
    assert birds["pages"] == found["animals"]["below"] > 10
    assert (birds["examples"], found["OTHERS"]["examples"], birds["depth"]) == (13, 3, 2)
    assert (birds["precision"], birds["estimate"]) == (None, None)  # fewer than five other pages
    page = client.get(AT).text
    assert f'href="{AT}/{birds["id"]}">birds</a>' in page


def test_a_topic_is_added_renamed_and_moved(client: TestClient) -> None:
    birds = number(client, "animals/birds")
    to = told(send(client, f"{AT}/add", name="owls", parent=birds))
    assert "Added &#39;animals/birds/owls&#39;." in client.get(to).text
    owls = number(client, "animals/birds/owls")
    renamed = told(send(client, f"{AT}/{owls}/rename", name="Käuze"))
    assert renamed.startswith(f"{AT}/{owls}?note=")
    assert "Renamed &#39;animals/birds/owls&#39;" in client.get(renamed).text
    told(send(client, f"{AT}/move", topic=owls, parent=1))
    assert "Käuze" in rows(client)
    told(send(client, f"{AT}/move", topic=owls, parent=number(client, "animals")))
    assert "animals/Käuze" in rows(client)


def test_what_was_done_is_said_once_and_no_link_can_have_it_said(client: TestClient) -> None:
    to = told(send(client, f"{AT}/add", name="owls", parent=1))
    assert 'role="status"' in client.get(to).text
    for address in (
        to,
        f"{AT}?note=made-up",
        f"{AT}?done=You+have+won&undo=x",
        "/portals/birds/feedback?done=x",
    ):
        assert 'role="status"' not in client.get(address).text, address


@pytest.mark.parametrize(
    ("form", "fields", "status", "says"),
    [
        (
            "add",
            {"name": "birds", "parent": "{animals}"},
            400,
            "There is a topic 'animals/birds' already.",
        ),
        ("add", {"name": " ", "parent": 1}, 400, "Name: this is missing."),
        ("add", {"name": "x", "parent": 999}, 404, "There is no such topic"),
        ("move", {"topic": "{animals}", "parent": "{birds}"}, 400, "cannot be moved below itself"),
        ("restore", {"id": "nothing"}, 400, "There is nothing of that name to restore."),
        ("{birds}/rename", {"name": "a/b"}, 400, "A name has no '/'"),
        ("{birds}/example", {"urls": "nonsense"}, 400, "cannot be crawled"),
        ("{birds}/example/remove", {"urls": "http://x.test/"}, 400, "is not an example of"),
        ("{birds}/subtopic", {"job": "x", "place": 0, "name": "x"}, 404, "There is no such job."),
    ],
)
def test_what_cannot_be_done_is_said_on_the_page(
    client: TestClient, form: str, fields: dict[str, Any], status: int, says: str
) -> None:
    numbers = {name.rpartition("/")[2]: str(row["id"]) for name, row in rows(client).items()}
    filled = {name: str(value).format(**numbers) for name, value in fields.items()}
    answer = send(client, f"{AT}/{form.format(**numbers)}", **filled)
    assert answer.status_code == status
    text = answer.text.replace("&#39;", "'")
    assert says in text
    assert 'role="alert"' in text
    assert list(rows(client)) == ["animals", "animals/birds", "OTHERS"]


def test_what_was_removed_comes_back_as_it_was(client: TestClient) -> None:
    client.post(f"{API}/add", json={"topic": "animals/birds/owls", "seeds": ["http://owl0.test/"]})
    before = client.get(API).json()["topics"]
    pages = client.get(f"{API}/page?topic=animals/birds").json()["best"]
    to = told(send(client, f"{AT}/{number(client, 'animals')}/remove"))
    assert list(rows(client)) == ["OTHERS"]
    notice = client.get(to).text
    assert "Removed &#39;animals&#39; with 2 topics below it." in notice
    undo = client.get(API).json()["removed"][0]
    assert (undo["path"], undo["topics"], undo["examples"]) == ("animals", 3, 14)
    assert f'name="id" value="{undo["id"]}"' in notice
    told(send(client, f"{AT}/restore", id=undo["id"]))
    after = client.get(API).json()
    assert (sorted(after["topics"], key=lambda one: one["id"]), after["removed"]) == (
        sorted(before, key=lambda one: one["id"]),
        [],
    )
    assert client.get(f"{API}/page?topic=animals/birds").json()["best"] == pages


def test_what_was_removed_does_not_come_back_into_a_place_that_is_taken_or_gone(
    client: TestClient,
) -> None:
    removed = client.post(f"{API}/remove", json={"topic": "animals/birds"}).json()["undo"]
    client.post(f"{API}/add", json={"topic": "animals/Birds"})
    taken = client.post(f"{API}/restore", json={"id": removed})
    assert (taken.status_code, taken.json()["error"]) == (
        400,
        "There is a topic 'animals/Birds' already.",
    )
    client.post(f"{API}/remove", json={"topic": "animals"})
    gone = client.post(f"{API}/restore", json={"id": removed})
    assert gone.json()["error"] == "The topic above 'animals/birds' is gone; restore that first."
    assert (
        client.post(f"{API}/restore", json={}).json()["done"]
        == "Restored 'animals' with 0 examples."
    )


def test_only_the_last_removals_are_kept(client: TestClient) -> None:
    for turn in range(12):
        client.post(f"{API}/add", json={"topic": f"t{turn}"})
        client.post(f"{API}/remove", json={"topic": f"t{turn}"})
    kept = [one["path"] for one in client.get(API).json()["removed"]]
    assert kept == [f"t{turn}" for turn in range(11, 1, -1)]


def test_a_portal_that_is_being_written_says_so(client: TestClient, tmp_path: Path) -> None:
    birds = number(client, "animals/birds")
    with PortalLock(tmp_path / "birds", "lode crawl"):
        page = client.get(AT)
        assert "is writing this portal now" in page.text
        assert "Add a topic" not in page.text
        refused = send(client, f"{AT}/add", name="x")
        assert refused.status_code == 409
        assert "birds is being written by &#39;lode crawl&#39;" in refused.text
        assert str(tmp_path) not in refused.text
        answer = client.post(f"{API}/rename", json={"topic": "animals", "name": "x"})
        assert (answer.status_code, list(answer.json())) == (409, ["error"])
        assert "Remove" not in client.get(f"{AT}/{birds}").text
    assert list(rows(client)) == ["animals", "animals/birds", "OTHERS"]


# A topic's own page


def test_a_topics_page_shows_what_is_known_of_it(client: TestClient) -> None:
    birds = number(client, "animals/birds")
    page = client.get(f"{AT}/{birds}").text
    for heading in ("Best pages", "Newest pages", "Examples and archetypes", "Clusters"):
        assert f">{heading}</h2>" in page
    assert "http://owl1.test/" in page
    assert "chosen by hand" in page
    said = client.get(f"{API}/page?topic=animals/birds").json()
    confidences = [one["confidence"] for one in said["best"]]
    assert confidences == sorted(confidences, reverse=True)
    assert EVIL not in page
    assert "<script>alert" not in page


def test_hubs_authorities_and_sites_are_asked_for_afterwards(client: TestClient) -> None:
    birds = number(client, "animals/birds")
    assert f'data-later="{AT}/{birds}/links" data-part="#links"' in client.get(f"{AT}/{birds}").text
    page = client.get(f"{AT}/{birds}/links").text
    found = client.get("/api/v1/portals/birds/links?topic=animals/birds").json()
    assert found["hubs"][0]["url"] == "http://hub.test/"
    assert {"host": "owl0.test", "pages": 1} in found["sites"]
    assert 'id="links"' in page
    assert {"heron", "owl"} & set(found["terms"])
    assert all(f">{term}</span>" in page for term in found["terms"])
    assert "http://hub.test/" in page
    assert client.get(f"{AT}/999/links").status_code == 404
    assert client.get(f"{AT}/x").status_code == 422


def test_examples_are_added_and_taken_out(client: TestClient) -> None:
    birds = number(client, "animals/birds")
    told(send(client, f"{AT}/{birds}/example", urls="http://b.test/\r\nhttp://c.test/"))
    assert "http://c.test/" in client.get(f"{AT}/{birds}").text
    told(send(client, f"{AT}/{birds}/example/remove", urls="http://c.test/"))
    assert "http://c.test/" not in client.get(f"{AT}/{birds}").text
    body = {"topic": "animals/birds", "urls": ["http://b.test/"], "remove": True}
    assert (
        client.post(f"{API}/example", json=body).json()["done"]
        == "Took 1 example out of 'animals/birds'."
    )


# Clusters


def waited(client: TestClient, job: str) -> dict[str, Any]:
    with client.stream("GET", f"/api/v1/portals/birds/jobs/{job}/events") as stream:
        list(stream.iter_lines())
    found: dict[str, Any] = client.get(f"/api/v1/portals/birds/jobs/{job}").json()
    return found


def test_a_cluster_becomes_a_sub_topic(client: TestClient) -> None:
    birds = number(client, "animals/birds")
    assert told(send(client, f"{AT}/{birds}/cluster", k="2")) == f"{AT}/{birds}#clusters"
    job = client.get("/api/v1/portals/birds/jobs").json()[0]
    assert waited(client, job["id"])["state"] == "done"
    page = client.get(f"{AT}/{birds}/clusters").text
    assert page.count("Make this a sub-topic") == 2
    assert "data-busy" not in page
    first = waited(client, job["id"])["result"]["clustering"]["clusters"][0]
    told(send(client, f"{AT}/{birds}/subtopic", job=job["id"], place=0, name="made"))
    made = rows(client)["animals/birds/made"]
    assert made["examples"] == len(first["pages"])
    shown = client.get(f"{AT}/{made['id']}").text
    assert first["pages"][0]["url"] in shown
    assert "that a person accepted" in shown
    assert not made["trained"]
    again = send(client, f"{AT}/{birds}/subtopic", job=job["id"], place=9, name="x")
    assert (again.status_code, "There is no such cluster" in again.text) == (400, True)


def test_a_sub_topic_of_a_cluster_shows_its_examples_and_can_be_learned_at_once(
    client: TestClient,
) -> None:
    birds = number(client, "animals/birds")
    job = client.post(
        "/api/v1/portals/birds/cluster", json={"topic": "animals/birds", "k": 2}
    ).json()
    cluster = waited(client, job["id"])["result"]["clustering"]["clusters"][0]
    fields = {"job": job["id"], "place": 0, "name": "made"}
    there = client.get(told(send(client, f"{AT}/{birds}/subtopic", **fields))).text
    examples = len(cluster["pages"])
    assert f"with {examples} examples, of {cluster['size']} pages in the cluster." in there
    made = rows(client)["animals/birds/made"]["id"]
    pages = ("", "/topics", f"/topics/{birds}", f"/topics/{made}", "/crawl")
    for page in (client.get(f"/portals/birds{at}").text for at in pages[:-1]):
        assert (
            f"{examples} examples; not trained yet: pages are judged at the next training." in page
        )
        assert page.count(">Learn now</button>") == 1
        assert '<input type="hidden" name="keep" value="true">' in page
    assert all("not trained yet" in client.get(f"/portals/birds{at}").text for at in pages)
    assert client.get("/api/v1/portals/birds/status").json()["step"] == "train"
    answer = send(client, "/portals/birds/train", keep="true")
    assert waited(client, answer.headers["location"].rpartition("/")[2])["state"] == "done"
    assert rows(client)["animals/birds/made"]["pages"] >= examples // 2
    assert all("not trained yet" not in client.get(f"/portals/birds{at}").text for at in pages)


def test_clusters_of_a_topic_without_pages_are_none(client: TestClient) -> None:
    client.post(f"{API}/add", json={"topic": "empty"})
    asked = client.post("/api/v1/portals/birds/cluster", json={"topic": "empty\0/"})
    assert asked.status_code == 202
    assert waited(client, asked.json()["id"])["state"] == "failed"
    page = client.get(f"{AT}/{number(client, 'empty')}").text
    assert "There is no page yet on &#39;empty&#39; to make clusters of" in page


def test_only_what_was_fetched_can_be_trimmed(client: TestClient) -> None:
    birds = number(client, "animals/birds")
    before = client.get(f"{AT}/{birds}").text
    assert "not fetched yet" not in before
    told(send(client, f"{AT}/{birds}/example", urls="http://never.test/"))
    after = client.get(f"{AT}/{birds}").text
    assert "not fetched yet" in after
    assert "url=http%3A%2F%2Fnever.test%2F" not in after
    assert after.count(">Trim</a>") == before.count(">Trim</a>") > 0
