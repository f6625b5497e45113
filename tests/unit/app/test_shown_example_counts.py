"""Every place that counts examples names those of the user and those of the crawl apart."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient

from motherlode.portal import Portal
from motherlode.records import Origin
from motherlode.store.tables import topics as topic_rows
from support.app_server import send, visitor
from support.helpers import run_lode

TOPIC = "animals/birds"
OWN, LEARNED, OTHERS = 5, 8, 3  # examples of the topic, archetypes of it, counterexamples
COUNTS = {"user": OWN, "crawl": LEARNED, "accepted": 0}
ALL_COUNTS = {"user": OWN + OTHERS, "crawl": LEARNED, "accepted": 0}
IN_WORDS = f"{OWN} examples, {LEARNED} learned from the crawl"


@pytest.fixture(scope="module")
def folder(finished_birds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the portal `birds`, in which some examples are archetypes."""
    folder = tmp_path_factory.mktemp("counts")
    shutil.copytree(finished_birds / "birds", folder / "birds")
    with Portal.writing(folder / "birds", "test") as portal, portal.batch() as session:
        topic = portal.tree().at(tuple(TOPIC.split("/"))).id
        for example in topic_rows.examples_of(session, topic)[OWN:]:
            topic_rows.change_example(session, replace(example, origin=Origin.ARCHETYPE))
    return folder


def output(folder: Path, *words: str) -> str:
    run = run_lode(folder, *words)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture
def client(folder: Path, tmp_path: Path) -> TestClient:
    shutil.copytree(folder / "birds", tmp_path / "birds")
    return visitor(tmp_path)


def test_the_status(folder: Path) -> None:
    words = f"{OWN + OTHERS} examples, {LEARNED} learned from the crawl"
    assert f"2 topics, {words}, " in output(folder, "status", "birds")
    status = json.loads(output(folder, "status", "birds", "--json"))
    assert (status["examples"], status["examples_from"]) == (OWN + LEARNED + OTHERS, ALL_COUNTS)


def test_the_topic_tree(folder: Path) -> None:
    tree = output(folder, "topics", "birds")
    assert f"birds ({IN_WORDS})" in tree
    assert f"OTHERS ({OTHERS} counterexamples)" in tree
    (animals, _) = json.loads(output(folder, "topics", "birds", "--json"))["topics"]
    assert animals["examples_from"] == {"user": 0, "crawl": 0, "accepted": 0}
    assert animals["topics"][0]["examples_from"] == COUNTS


def test_a_training(folder: Path) -> None:
    report = json.loads(output(folder, "train", "birds", "--preview", "--json"))
    counts = {topic["topic"]: topic["examples_from"] for topic in report["topics"]}
    assert counts[TOPIC] == COUNTS
    table = output(folder, "train", "birds", "--preview").splitlines()
    (heading,) = [line.split() for line in table if line.startswith("topic ")]
    assert heading[1:4] == ["examples", "from", "crawl"]
    (row,) = [line.split() for line in table if line.startswith(TOPIC)]
    assert row[1:3] == [str(OWN), str(LEARNED)]


def test_the_report_of_a_training(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "birds", tmp_path / "birds")
    report = json.loads(output(tmp_path, "train", "birds", "--offline", "--json"))
    counts = {topic["path"]: topic["examples_from"] for topic in report["topics"]}
    assert counts == {"animals": COUNTS, TOPIC: COUNTS}


def test_the_api(client: TestClient) -> None:
    (card,) = client.get("/api/v1/portals").json()
    assert card["examples_from"] == ALL_COUNTS
    assert client.get("/api/v1/portals/birds/status").json()["examples_from"] == ALL_COUNTS
    topics = client.get("/api/v1/portals/birds/topics").json()["topics"]
    counts = {topic["topic"]: topic["examples_from"] for topic in topics}
    assert counts[TOPIC] == COUNTS


def test_the_pages_of_the_web_application(client: TestClient) -> None:
    number = topic_number(client)
    assert f"{OWN + OTHERS} examples, {LEARNED} learned from the crawl" in client.get("/").text
    for path, user in (("", OWN + OTHERS), (f"/topics/{number}", OWN)):
        page = client.get(f"/portals/birds{path}").text
        assert f"<dt>Examples</dt><dd>{user}</dd>" in page
        assert f"<dt>Learned from the crawl</dt><dd>{LEARNED}</dd>" in page
    cells = f'<td class="figure">{OWN}</td>\n<td class="figure">{LEARNED}</td>'
    assert cells in client.get("/portals/birds/topics").text


def test_topics_that_were_removed(client: TestClient) -> None:
    address = f"/portals/birds/topics/{topic_number(client)}"
    assert send(client, f"{address}/remove").status_code == 303
    cells = f'<td class="figure">{OWN}</td><td class="figure">{LEARNED}</td>'
    assert cells in client.get("/portals/birds/topics").text
    restored = client.post("/api/v1/portals/birds/topics/restore", json={}).json()
    assert restored["done"] == f"Restored '{TOPIC}' with {IN_WORDS}."


def test_a_static_site(folder: Path, tmp_path: Path) -> None:
    output(folder, "export", "birds", "--format", "site", "--output", str(tmp_path / "site"))
    pages = [path.read_text() for path in (tmp_path / "site").rglob("*.html")]
    assert any(f"What this topic was learned from: {IN_WORDS}." in page for page in pages)


def topic_number(client: TestClient) -> Any:
    topics = client.get("/api/v1/portals/birds/topics").json()["topics"]
    return next(topic["id"] for topic in topics if topic["topic"] == TOPIC)
