"""Portals behind search forms, added, shown, tried, edited, checked and removed by `lode sources`."""

import json
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from motherlode.lab.description import PortalPlan, WebPlan, write_plan
from motherlode.lab.loader import open_web
from motherlode.lab.serving.background import Running, sandbox
from motherlode.portal.directory import config_of
from motherlode.portal.editor import keep_setting
from motherlode.records import LodeError
from support.app_server import visitor
from support.helpers import CliRun, lacks, said_one_sentence
from support.training_webs import planted

TABLE = "http://quarrycat.test/catalog/"
TOKEN = "http://lookup-archive.test/find/"
SCRIPTED = "http://instantfinder.test/"


def sentence_of(run: CompletedProcess[str], code: int) -> str:
    """Return the one sentence by which a command failed, with this exit code."""
    assert run.returncode == code, run.stderr
    assert said_one_sentence(run)
    return run.stderr


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("forms") / "web"
    write_plan(folder, WebPlan(pages=60, hosts=4), PortalPlan(number=11, records=150, seed=3))
    try:
        open_web(folder)
    except LodeError as error:
        lacks(f"WordNet 3.0: {error}")
    with sandbox(folder) as running:
        yield running


@pytest.fixture
def portal(tmp_path: Path, box: Running) -> Path:
    """A portal whose requests go to the sandbox."""
    path = planted(tmp_path / "p", {"owls": ["http://a.test/"]})
    keep_setting(path, "network.connect", box.address)
    return path


def test_a_form_is_added_shown_and_asked_by_attributes(lode: CliRun, portal: Path) -> None:
    added = lode("sources", "p", "add", TABLE)
    assert added.returncode == 0, added.stderr
    assert added.stdout.splitlines()[0] == f"quarrycat: form 2 of {TABLE}"
    assert (portal / "sources" / "quarrycat.toml").is_file()
    shown = json.loads(lode("sources", "p", "show", "quarrycat", "--json").stdout)
    assert {field["name"]: field["attribute"] for field in shown["fields"]} == {
        "ti": "title",
        "au": "author",
        "yr": "year",
        "type": "",
        "srt": "",
    }
    run = lode("sources", "p", "try", "quarrycat", "--title", "comparison", "--json")
    answer = json.loads(run.stdout)
    assert answer["values"] == {"ti": "comparison"}
    assert len(answer["records"]) == 10
    assert all("comparison" in record["title"] for record in answer["records"])
    narrowed = lode(
        *("sources", "p", "try", "quarrycat", "--title", "comparison", "--field", "srt=year"),
        "--json",
    )
    assert json.loads(narrowed.stdout)["values"] == {"ti": "comparison", "srt": "year"}


def test_a_form_is_a_source_for_plain_words(lode: CliRun, portal: Path) -> None:
    assert lode("sources", "p", "add", TOKEN, "--name", "archive").returncode == 0
    assert portal.is_dir()
    run = lode("sources", "p", "try", "archive", "comparison", "--json", "--hits", "3")
    hits = json.loads(run.stdout)["hits"]
    assert len(hits) == 3
    assert all("comparison" in hit["title"] for hit in hits)


def test_the_portals_that_fit_best_are_asked(lode: CliRun, portal: Path) -> None:
    for address in (TABLE, TOKEN, "http://openstacks.test/", "http://scholarsgate.test/advanced"):
        assert lode("sources", "p", "add", address).returncode == 0
    run = lode("sources", "p", "try", "--title", "comparison", "--author", "Ivan", "--json")
    asked = json.loads(run.stdout)
    assert [portal["name"] for portal in asked[:2]] == ["quarrycat", "scholarsgate"]
    assert len(asked) == 3
    assert asked[0]["similarity"] > asked[2]["similarity"]
    assert all(portal["answer"] is not None for portal in asked)
    assert portal.is_dir()
    nothing = lode("sources", "p", "try")
    assert "Name what to look for" in sentence_of(nothing, 2)


def test_an_opensearch_description_becomes_a_source_for_words(lode: CliRun, portal: Path) -> None:
    added = lode("sources", "p", "add", "http://search.test/opensearch.xml")
    assert added.returncode == 0, added.stderr
    assert portal.is_dir()
    shown = json.loads(lode("sources", "p", "show", "search", "--json").stdout)
    assert [field["attribute"] for field in shown["fields"]] == ["any"]
    assert lode("sources", "p", "check", "search").returncode == 0
    run = lode("sources", "p", "try", "search", "comparison", "--json", "--hits", "3")
    assert len(json.loads(run.stdout)["hits"]) == 3


def test_what_a_field_asks_for_is_edited(lode: CliRun, portal: Path) -> None:
    lode("sources", "p", "add", TABLE)
    assert lode("sources", "p", "edit", "quarrycat", "au=", "ti=any").returncode == 0
    shown = json.loads(lode("sources", "p", "show", "quarrycat", "--json").stdout)
    attributes = {field["name"]: field["attribute"] for field in shown["fields"]}
    assert (attributes["au"], attributes["ti"]) == ("", "any")
    wrong = lode("sources", "p", "edit", "quarrycat", "ti=colour")
    assert "There is no attribute 'colour'" in sentence_of(wrong, 3)
    assert portal.is_dir()


def test_a_changed_form_is_noticed_and_not_asked(lode: CliRun, portal: Path) -> None:
    lode("sources", "p", "add", TOKEN, "--name", "archive")
    same = lode("sources", "p", "check", "archive")
    assert same.returncode == 0
    file = portal / "sources" / "archive.toml"
    file.write_text(file.read_text().replace("Search for", "Look for"))
    changed = lode("sources", "p", "check", "archive")
    assert changed.returncode == 1
    assert "has changed, so it is not asked any more" in changed.stdout
    asked = lode("sources", "p", "try", "archive", "owls")
    assert "has another form than when it was added" in sentence_of(asked, 1)


def test_a_removed_source_leaves_no_file(lode: CliRun, portal: Path) -> None:
    lode("sources", "p", "add", TABLE)
    assert lode("sources", "p", "remove", "quarrycat").stdout == "Removed quarrycat.\n"
    assert config_of(portal).sources == {}
    assert list((portal / "sources").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("add", SCRIPTED), 3, "it seems to work only with a script"),
        (("add", TABLE, "--form", "1"), 3, "No source is made of form 1"),
        (("add", TABLE, "--form", "9"), 3, "there is no form 9"),
        (("add", TABLE, "--name", "a b"), 2, "cannot be the name of a source"),
        (("add", "http://nowhere.test/"), 1, "has nothing at its address"),
        (("add", TABLE, "opensearch"), 2, "only --form and --name can be given"),
        (("show", "nothing"), 2, "is no source that was made of a form"),
        (("try", "nothing", "--title", "x"), 2, "There is no search source"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    lode: CliRun, portal: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    assert sentence in sentence_of(lode("sources", "p", *words), code)
    assert config_of(portal).sources == {}


def test_robots_txt_counts_for_forms(lode: CliRun, portal: Path, box: Running) -> None:
    closed = "http://closedgate.test/advanced"
    del box
    run = lode("sources", "p", "try", f"form:{closed}", "owls")
    assert "robots.txt" in sentence_of(run, 1)
    assert portal.is_dir()


def test_each_form_is_a_described_operation_of_the_api(lode: CliRun, portal: Path) -> None:
    lode("sources", "p", "add", TABLE)
    client = visitor(portal.parent)
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    operation = paths["/api/v1/sources/quarrycat"]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    assert schema["properties"]["title"] == {
        "type": "string",
        "maxLength": 1000,
        "description": "Title words",
    }
    assert "1990-1999" in schema["properties"]["year"]["description"]
    assert "srt=year" in schema["properties"]["field"]["items"]["anyOf"][0]["enum"]
    (service,) = client.get("/api/v1/sources").json()
    assert (service["name"], service["portal"], service["page"]) == ("quarrycat", "p", TABLE)
    asked = client.post("/api/v1/sources/quarrycat", json={"title": "comparison", "hits": 2})
    assert asked.status_code == 200, asked.text
    assert len(asked.json()["records"]) == 2
    assert client.post("/api/v1/sources/nothing", json={"title": "x"}).status_code == 400
    assert client.post("/api/v1/sources/quarrycat", json={"title": 7}).status_code == 422
    lode("sources", "p", "remove", "quarrycat")
    assert "/api/v1/sources/quarrycat" not in client.get("/api/v1/openapi.json").json()["paths"]
