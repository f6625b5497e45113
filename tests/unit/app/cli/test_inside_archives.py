"""Files inside archives are pages of their own, and are named by what stands behind the hash."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from motherlode.app.cli.main import lode as group
from motherlode.portal import Portal
from motherlode.records import Example, Origin
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import parse_path
from motherlode.training import training_set as training
from support.search_portals import SamplePage, fill_portal
from support.training_webs import EACH, VOCABULARY, place, planted, text

ZIP = "http://a.test/all.zip"
OWL = f"{ZIP}#in.zip#my%20owl.html"  # inside an archive inside the archive
NEWS = f"{ZIP}#news.html"
PAPERS = {
    **{
        place(kind, n): SamplePage(kind.title(), text(kind, n))
        for kind in ("owl", "news")
        for n in range(EACH)
    },
    ZIP: SamplePage("All", "index of files"),
    OWL: SamplePage("Owl inside", text("owl", 2)),
    NEWS: SamplePage("News inside", text("news", 2)),
}


@pytest.fixture(autouse=True)
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    path = tmp_path / "p"
    topics = {"owls": [place("owl", 0), place("owl", 1)], "OTHERS": [place("news", 0)]}
    planted(path, topics, learning__semantic="off")
    fill_portal(path, PAPERS)
    said("train", path, "--offline")
    said("index", path)
    return path


def said(name: str, portal: Path, *words: str) -> str:
    run = CliRunner().invoke(group, [name, str(portal), *words])
    assert run.exit_code == 0, run.output
    return run.stdout


def told(name: str, portal: Path, *words: str) -> Any:
    return json.loads(said(name, portal, *words, "--json"))


@pytest.mark.parametrize("written", [OWL, OWL.replace("%20", " "), OWL.removeprefix("http://")])
def test_it_is_explained(portal: Path, written: str) -> None:
    assert told("explain", portal, written)["url"] == OWL


def test_it_is_judged_by_what_it_says(portal: Path) -> None:
    assert told("judge", portal, OWL)["topic"] == "owls"
    assert told("judge", portal, NEWS)["topic"] == "OTHERS"


def test_it_is_marked(portal: Path) -> None:
    assert f"bad for owls: {NEWS}" in said("mark", portal, "--bad", NEWS, "--topic", "owls")


def test_pages_like_it_are_found(portal: Path) -> None:
    found = told("search", portal, "--like", OWL)
    assert found["results"]
    assert all("owl" in one["url"] for one in found["results"][:3])


def test_it_becomes_an_example_and_ceases_to_be_one(portal: Path) -> None:
    said("topics", portal, "example", "owls", OWL)
    assert OWL in said("topics", portal, "--all")
    said("topics", portal, "example", "owls", OWL, "--remove")
    assert OWL not in said("topics", portal, "--all")


def test_as_an_archetype_it_is_shown_and_rejected(portal: Path) -> None:
    with Portal.writing(portal, "test") as opened, opened.batch() as session:
        owls = opened.tree().at(parse_path("owls")).id
        topic_rows.add_examples(
            session, [Example(owls, NEWS, origin=Origin.ARCHETYPE, added_at=1.0)]
        )
    assert NEWS in said("feedback", portal)
    assert "News inside" in said("feedback", portal, "--show", NEWS)
    assert "1 rejected" in said("feedback", portal, "--reject", NEWS).lower()


def test_a_place_in_a_page_is_not_a_page(portal: Path) -> None:
    assert told("explain", portal, f"{place('owl', 0)}#history")["url"] == place("owl", 0)
