"""How sure the topic of a page is: the same figures and words wherever a user sees them."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from starlette.testclient import TestClient

from motherlode.portal import Portal
from motherlode.records import PageId
from motherlode.store.schema import judgements
from motherlode.store.tables.judgements import judgements_of
from motherlode.training.certainty import certainty_text
from motherlode.training.training_document import page_at_url
from support.app_server import visitor
from support.helpers import run_lode
from support.training_webs import place

TOPIC = "animals/birds"
URL = place("owl", 2)
PROBABILITY = 0.7249  # of the page, between those of other pages
TEXT = "likely (0.72)"


@pytest.fixture(scope="module")
def folder(finished_birds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the portal `birds`, indexed; the probability of one page is set."""
    folder = tmp_path_factory.mktemp("certainty")
    shutil.copytree(finished_birds / "birds", folder / "birds")
    with Portal.writing(folder / "birds", "test") as portal, portal.batch() as session:
        row = judgements.c.page_id == _page(portal, URL)
        session.connection.execute(judgements.update().where(row).values(probability=PROBABILITY))
    output(folder, "index", "birds")
    return folder


def _page(portal: Portal, url: str) -> PageId:
    with portal.store.reading() as session:
        page = page_at_url(session, url)
    assert page is not None
    return page.id


@pytest.fixture(scope="module")
def sureness(folder: Path) -> dict[str, Any]:
    """The fields of JSON that say how sure the page's topic is."""
    with Portal.reading(folder / "birds") as portal, portal.store.reading() as session:
        page = _page(portal, URL)
        margin = judgements_of(session, [page])[page].confidence
    return {
        "margin": margin,
        "confidence": margin,
        "probability": PROBABILITY,
        "certainty": "likely",
    }


def output(folder: Path, *words: str) -> str:
    run = run_lode(folder, *words)
    assert run.returncode == 0, run.stderr
    return run.stdout


def record_of(records: list[dict[str, Any]], url: str = URL) -> dict[str, Any]:
    (record,) = [record for record in records if record["url"] == url]
    return record


def fields(record: dict[str, Any]) -> dict[str, Any]:
    names = ("margin", "confidence", "probability", "certainty")
    return {name: record[name] for name in names}


@pytest.fixture
def client(folder: Path, tmp_path: Path) -> TestClient:
    shutil.copytree(folder / "birds", tmp_path / "birds")
    return visitor(tmp_path)


# --- the command line ---


def test_a_search(folder: Path, sureness: dict[str, Any]) -> None:
    words = ("search", "birds", "owl", "--limit", "50")
    results = json.loads(output(folder, *words, "--json"))["results"]
    assert fields(record_of(results)) == sureness
    text = output(folder, *words)
    assert f"{TOPIC}, {TEXT}, en" in text
    margin = f"margin {sureness['margin']:+.3f}"
    assert margin not in text
    assert margin in output(folder, *words, "--why")


def test_an_explanation(folder: Path, sureness: dict[str, Any]) -> None:
    judged = json.loads(output(folder, "explain", "birds", URL, "--json"))["judgement"]
    assert fields(judged) == sureness
    margin = f"margin {sureness['margin']:+.3f}"
    assert f"{TOPIC}, {TEXT}; {margin}" in output(folder, "explain", "birds", URL)


def test_a_judgement_of_the_model(folder: Path) -> None:
    judged = json.loads(output(folder, "judge", "birds", URL, "--json"))
    text = certainty_text(judged["probability"])
    assert judged["certainty"] == text.split()[0]
    assert judged["margin"] == judged["confidence"] == judged["steps"][-1]["margins"][TOPIC]
    margin = f"margin {judged['margin']:+.3f}"
    assert f"{TOPIC}, {text}; {margin}, model " in output(folder, "judge", "birds", URL)


def test_hubs_and_authorities(folder: Path, sureness: dict[str, Any]) -> None:
    words = ("links", "birds", "--topic", TOPIC, "--most", "50")
    links = json.loads(output(folder, *words, "--json"))
    assert fields(record_of(links["authorities"])) == sureness
    rows = [line for line in output(folder, *words).splitlines() if line.startswith(f"{URL} ")]
    assert rows
    assert all(row.endswith(f"  {TEXT}") for row in rows)


def test_clusters(folder: Path, sureness: dict[str, Any]) -> None:
    words = ("cluster", "birds", "--topic", TOPIC, "--central", "50", "--json")
    clusters = json.loads(output(folder, *words))["clustering"]["clusters"]
    assert (
        fields(record_of([page for cluster in clusters for page in cluster["pages"]])) == sureness
    )


def test_marks(client: TestClient, tmp_path: Path, sureness: dict[str, Any]) -> None:
    output(tmp_path, "mark", "birds", "--good", URL)
    marks = json.loads(output(tmp_path, "mark", "birds", "--json"))["marks"]
    assert fields(record_of(marks)) == sureness
    assert f"  now on {TOPIC}, {TEXT}\n" in output(tmp_path, "mark", "birds")
    assert f">{TOPIC}, {TEXT}</td>" in client.get("/portals/birds/marks").text


def test_moves(folder: Path, tmp_path: Path, sureness: dict[str, Any]) -> None:
    shutil.copytree(folder / "birds", tmp_path / "birds")
    output(tmp_path, "mark", "birds", "--bad", URL, "--topic", "animals")
    words = ("train", "birds", "--offline", "--preview")
    effect = json.loads(output(tmp_path, *words, "--json"))
    moved = record_of(effect["shifts"])
    assert (moved["was"], moved["was_probability"]) == (sureness["margin"], PROBABILITY)
    assert (moved["after"], moved["probability"]) == ("OTHERS", None)
    assert f"    {TEXT} before\n" in output(tmp_path, *words)


def test_statistics(folder: Path) -> None:
    (topic,) = [
        topic
        for topic in json.loads(output(folder, "stats", "birds", "--json"))["topics"]
        if topic["topic"] == TOPIC
    ]
    with Portal.reading(folder / "birds") as portal, portal.store.reading() as session:
        rows = session.connection.execute(judgements.select()).all()
    on_topic = [row for row in rows if row.confidence > 0]
    assert topic["pages"] == len(on_topic)
    (line,) = [
        line for line in output(folder, "stats", "birds").splitlines() if line.startswith(TOPIC)
    ]
    assert line.split()[1] == str(len(on_topic))


def test_a_portal_judged_without_probabilities_says_how_to_get_them(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "birds", tmp_path / "birds")
    with Portal.writing(tmp_path / "birds", "test") as portal, portal.batch() as session:
        session.connection.execute(judgements.update().values(probability=None))
    results = json.loads(output(tmp_path, "search", "birds", "owl", "--json"))["results"]
    assert {(result["probability"], result["certainty"]) for result in results} == {(None, None)}
    assert "None" not in output(tmp_path, "search", "birds", "owl")
    page = visitor(tmp_path).get("/portals/birds/page", params={"url": URL})
    assert page.status_code == 200
    assert "None" not in page.text


# --- the API and the web application ---


def test_the_api(client: TestClient, sureness: dict[str, Any]) -> None:
    api = "/api/v1/portals/birds"
    found = client.get(f"{api}/search", params={"q": "owl", "limit": 50}).json()
    assert fields(record_of(found["results"])) == sureness
    explained = client.get(f"{api}/explain", params={"url": URL}).json()
    assert fields(explained["judgement"]) == sureness
    topic = client.get(f"{api}/topics/page", params={"topic": TOPIC}).json()
    assert fields(record_of(topic["best"])) == sureness
    links = client.get(f"{api}/links", params={"topic": TOPIC}).json()
    assert fields(record_of(links["authorities"])) == sureness
    latest = client.get(f"{api}/judgements", params={"limit": 50}).json()
    assert fields(record_of(latest)) == sureness


def test_the_description_of_the_api(client: TestClient) -> None:
    schemas = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
    described = [name for name, schema in schemas.items() if "confidence" in _keys(schema)]
    assert {"SearchResult", "ExplainedJudgement", "PageShown", "Archetype"} <= {*described}
    for name in described:
        assert {"margin", "probability", "certainty"} <= _keys(schemas[name]), name
    older = schemas["SearchResult"]["properties"]["confidence"]
    assert older["description"] == "The older name of `margin`."


def _keys(schema: dict[str, Any]) -> set[str]:
    return set(schema.get("properties", {}))


def test_the_pages_of_the_web_application(client: TestClient, sureness: dict[str, Any]) -> None:
    at = "/portals/birds"
    assert f"</a>, {TEXT} · en" in client.get(f"{at}/search", params={"q": "owl"}).text
    page = client.get(f"{at}/page", params={"url": URL}).text
    assert f"</a>, {TEXT} " in page
    assert f"margin {sureness['margin']:+.3f}" in page
    topics = client.get(f"/api/v1{at}/topics").json()["topics"]
    number = next(topic["id"] for topic in topics if topic["topic"] == TOPIC)
    for path in (f"{at}/topics/{number}", f"{at}/topics/{number}/links", f"{at}/crawl"):
        text = client.get(path).text
        assert TEXT in text, path
        assert "onfidence" not in text, path


# --- exports ---


def exported(folder: Path, to: Path, kind: str) -> Path:
    output(folder, "export", "birds", "--format", kind, "--output", str(to))
    return to


def test_json_lines(folder: Path, tmp_path: Path, sureness: dict[str, Any]) -> None:
    lines = exported(folder, tmp_path / "pages.jsonl", "jsonl").read_text().splitlines()
    assert fields(record_of([json.loads(line) for line in lines])) == sureness


def test_csv(folder: Path, tmp_path: Path, sureness: dict[str, Any]) -> None:
    with exported(folder, tmp_path / "pages.csv", "csv").open(newline="") as file:
        row = record_of(list(csv.DictReader(file)))
    assert fields(row) == {name: str(value) for name, value in sureness.items()}


def test_parquet(folder: Path, tmp_path: Path, sureness: dict[str, Any]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    to = exported(folder, tmp_path / "tables", "parquet")
    document = record_of(parquet.read_table(to / "documents.parquet").to_pylist())
    assert fields(document) == sureness
    judged = parquet.read_table(to / "judgements.parquet").to_pylist()
    (row,) = [row for row in judged if row["page"] == document["id"]]
    assert fields(row) == sureness


@pytest.mark.parametrize("kind", ["graphml", "gexf"])
def test_graphs(folder: Path, tmp_path: Path, kind: str, sureness: dict[str, Any]) -> None:
    graph = ET.parse(exported(folder, tmp_path / f"graph.{kind}", kind))  # noqa: S314 - our own file
    nodes = [node for node in graph.iter() if node.tag.endswith("}node")]
    values = [dict(map(_attribute, node.iter())) for node in nodes]
    assert fields(record_of(values)) == {name: str(value) for name, value in sureness.items()}


def _attribute(cell: ET.Element) -> tuple[str, str]:
    name = cell.get("key") or cell.get("for") or ""
    return name, cell.get("value") or cell.text or ""


def test_a_static_site(folder: Path, tmp_path: Path) -> None:
    site = exported(folder, tmp_path / "site", "site")
    pages = [path.read_text() for path in site.rglob("*.html")]
    assert (
        sum(f' · <span class="certainty">{TEXT}</span>' in page for page in pages) >= 2
    )  # of the topic and of the site
    assert not any("onfidence" in page for page in pages)
    (about,) = [page for page in pages if "<h1>About" in page]
    assert "sure from 0.85 on, likely from 0.50 on" in about
    (data,) = [path.read_text() for path in site.rglob("pages*.js")]
    _, _, arguments = data.partition('lode.part("pages",0,')
    rows = json.loads(arguments.rstrip().removesuffix(");"))
    (row,) = [row for row in rows if row[1] == URL]
    assert row[-2:] == [PROBABILITY, "likely"]
