"""`lode sources`, against the search engine of the sandbox."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.lab.serving.background import Running, sandbox
from motherlode.portal.directory import config_of
from motherlode.sources.search.registry import KINDS
from support.helpers import CliRun, said_one_sentence
from support.small_webs import record_web
from support.training_webs import pages, planted

DESCRIPTION = "http://search.test/opensearch.xml"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    web = record_web(tmp_path_factory.mktemp("sources") / "web", pages())
    with sandbox(web) as running:
        yield running


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    return planted(tmp_path / "p", {"owls": ["http://a.test/"]})


def test_a_source_is_added_tried_and_removed(lode: CliRun, box: Running, portal: Path) -> None:
    before = (portal / "lode.toml").read_text()
    (portal / "lode.toml").write_text(f"# my own words\n{before}")
    added = lode("sources", "p", "add", "box", "opensearch", "--url", DESCRIPTION)
    assert added.returncode == 0, added.stderr
    assert added.stdout.splitlines()[0] == f"Added box (opensearch): {DESCRIPTION}"
    assert "# my own words" in (portal / "lode.toml").read_text()
    connect = ("--set", f"network.connect={box.address}")
    tried = lode("sources", "p", "try", "box", "barn", "owls", "--hits", "2", *connect)
    assert tried.returncode == 0, tried.stderr
    assert tried.stdout.startswith("  1. Owl ")
    assert "  3. " not in tried.stdout
    found = json.loads(lode("sources", "p", "try", "box", "barn owls", "--json", *connect).stdout)
    assert found["problems"] == []
    assert {"url", "title", "snippet"} == found["hits"][0].keys()
    assert lode("sources", "p", "remove", "box").stdout == "Removed box.\n"
    assert config_of(portal).sources == {}


@pytest.mark.parametrize(
    "kind",
    [f"opensearch:{DESCRIPTION}", "opensearch:http://search.test/", "searxng:http://search.test"],
)
def test_the_sandbox_answers_in_every_form(
    lode: CliRun, box: Running, portal: Path, kind: str
) -> None:
    connect = ("--set", f"network.connect={box.address}")
    run = lode("sources", portal, "try", kind, "herons wading", "--json", *connect)
    assert run.returncode == 0, run.stderr
    assert "heron" in json.loads(run.stdout)["hits"][0]["url"]


def test_a_query_begins_from_the_hits_of_a_search_engine(lode: CliRun, box: Running) -> None:
    connect = ("--set", f"network.connect={box.address}")
    run = lode("ask", "barn owls", "--source", f"opensearch:{DESCRIPTION}", "--most", "3", *connect)
    assert run.returncode == 0, run.stderr
    assert "pages to start from.\n" in run.stdout.partition("\n")[0] + "\n"
    assert "  1. Owl " in run.stdout
    assert run.stderr == ""
    settings = ("--set", f"sources.box.url={DESCRIPTION}", "--source", "box", "--source", "brave")
    again = lode("ask", "barn owls", *settings, "--json", *connect, env={"BRAVE_API_KEY": ""})
    assert again.returncode == 0, again.stderr
    assert again.stderr.startswith("lode: The search source brave needs a key")


def test_the_list_says_kind_place_key_and_terms(lode: CliRun, portal: Path) -> None:
    assert "no search source" in lode("sources", portal).stdout
    lode("sources", portal, "add", "b", "brave", "--key-variable", "MY_KEY")
    lode("sources", portal, "add", "wiki", "mediawiki")
    shown = lode("sources", portal, env={"MY_KEY": "secret"}).stdout
    assert "b (brave, key in MY_KEY)" in shown
    assert "secret" not in shown
    assert "wiki (mediawiki, no key needed)" in shown
    listed = json.loads(lode("sources", portal, "--json").stdout)
    assert [(one["name"], one["state"]) for one in listed] == [
        ("b", "key missing"),
        ("wiki", "no key needed"),
    ]
    assert "secret" not in (portal / "lode.toml").read_text()


def test_all_kinds_are_shown_without_a_portal(lode: CliRun) -> None:
    shown = lode("sources", "--kinds").stdout
    assert all(f"{kind.name}: {kind.summary}" in shown for kind in KINDS)
    assert [one["name"] for one in json.loads(lode("sources", "--kinds", "--json").stdout)] == [
        kind.name for kind in KINDS
    ]


def test_a_file_is_stored_with_its_whole_path(lode: CliRun, portal: Path, tmp_path: Path) -> None:
    (tmp_path / "urls.csv").write_text("owls,http://a.test/owl\n")
    assert lode("sources", "p", "add", "mine", "file", "--file", "urls.csv").returncode == 0
    assert config_of(portal).sources["mine"].file == str(tmp_path / "urls.csv")
    assert "http://a.test/owl" in lode("sources", "p", "try", "mine", "owls").stdout
    assert "nothing for this query" in lode("sources", "p", "try", "mine", "storks").stdout
    assert "http://a.test/owl" in lode("sources", "p", "try", "owls").stdout  # of all sources


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((), 2, "Name a portal"),
        (("nowhere",), 4, "does not exist"),
        (("p", "add", "a.b", "arxiv"), 2, "cannot be the name of a source"),
        (("p", "add", "x", "arxv"), 2, "did you mean arxiv?"),
        (("p", "add", "x", "opensearch"), 2, "has no url"),
        (("p", "add", "x", "opensearch", "--url", "here"), 2, "cannot be url"),
        (("p", "add", "x", "file", "--file", "none.csv"), 3, "There is no file none.csv"),
        (("p", "add", "x", "portal", "--portal", "."), 3, "not a portal"),
        (("p", "remove", "x"), 2, "There is no search source 'x'"),
        (("p", "try", "x", "owls"), 2, "There is no search source 'x'"),
        (("p", "try", "http://a.test/", "owls"), 2, "opensearch:http://a.test/"),
        (("p", "try", "arxiv", " "), 2, "The query is empty"),
        (("p", "try", "arxiv", "owls"), 3, "no contact address"),
        (("p", "try", "file:none.csv", "owls"), 1, "cannot read its file none.csv"),
        (("p", "--json", "remove", "x"), 2, "--json before a subcommand"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    lode: CliRun, portal: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    before = (portal / "lode.toml").read_text()
    run = lode("sources", *words)
    assert run.returncode == code, run.stdout + run.stderr
    assert said_one_sentence(run)
    assert says in run.stderr
    assert (portal / "lode.toml").read_text() == before


def test_a_name_is_used_once(lode: CliRun, portal: Path) -> None:
    assert lode("sources", portal, "add", "x", "arxiv").returncode == 0
    run = lode("sources", portal, "add", "x", "brave")
    assert run.returncode == 2
    assert "remove it first" in run.stderr
