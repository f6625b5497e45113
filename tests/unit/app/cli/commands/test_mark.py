"""`lode mark`, and what `lode train`, `lode judge` and `lode search` make of marks."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from motherlode.app.cli.main import lode as group
from motherlode.portal import Portal
from motherlode.portal.lock import PortalLock
from motherlode.records import TOPIC_MODEL, LodeError, UsageError
from motherlode.store.tables import ledger
from motherlode.training import training_set as training
from support.helpers import CliRun, said_one_sentence
from support.search_portals import SamplePage, fill_portal
from support.training_webs import EACH, VOCABULARY, place, planted, text

EVIL = "http://evil.test/"
PAPERS = {
    **{
        place(kind, n): SamplePage(f"{kind.title()} {n}", text(kind, n))
        for kind in ("owl", "heron", "news")
        for n in range(EACH)
    },
    EVIL: SamplePage("\x1b[31m\u202eevil owl <script>", text("owl", 1)),
}


@pytest.fixture(autouse=True)
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A portal that takes herons for owls; to be copied."""
    path = tmp_path_factory.mktemp("mark") / "p"
    topics = {"owls": [place("owl", 0), place("heron", 0)], "OTHERS": [place("news", 0)]}
    planted(path, topics, learning__semantic="off")  # whether or not it can be had here
    fill_portal(path, PAPERS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "common_vocabulary", lambda: VOCABULARY)
        assert invoke("train", path, "--offline").exit_code == 0
        assert invoke("index", path).exit_code == 0
    return path


@pytest.fixture
def portal(trained: Path, tmp_path: Path) -> Path:
    shutil.copytree(trained, tmp_path / "p")
    return tmp_path / "p"


def invoke(name: str, portal: Path, *words: str) -> Result:
    return CliRunner().invoke(group, [name, str(portal), *words])


def said(name: str, portal: Path, *words: str) -> str:
    run = invoke(name, portal, *words)
    assert run.exit_code == 0, run.output
    return run.stdout


def told(name: str, portal: Path, *words: str) -> Any:
    return json.loads(said(name, portal, *words, "--json"))


def refused(name: str, portal: Path, *words: str) -> str:
    """The sentence that a wrong command ends with."""
    run = invoke(name, portal, *words)
    assert isinstance(run.exception, LodeError), run.output
    assert run.exception.exit_code == UsageError.exit_code
    return str(run.exception)


def herons(found: Any) -> list[int]:
    return [one["place"] for one in found["results"] if "heron" in one["url"]]


def test_results_are_marked_learned_from_and_move(portal: Path) -> None:
    found = told("search", portal, "heron OR owl", "--topic", "owls", "--limit", "20")
    numbers = {one["url"]: str(one["place"]) for one in found["results"]}
    bad = [numbers[place("heron", n)] for n in range(3)]
    good = [numbers[place("owl", n)] for n in (2, 3)]
    shown = said("mark", portal, "--bad", ",".join(bad), "--good", good[0], "--good", good[1])
    assert shown.count("bad for owls: http://heron") == 3
    assert shown.count("good for owls: http://") == 2
    assert f"lode train {portal} --preview" in shown
    preview = said("train", portal, "--preview", "--results")
    assert "nothing was stored" in preview
    assert "would go elsewhere" in preview
    assert "by their places before and after" in preview
    assert herons(told("search", portal, "heron OR owl", "--topic", "owls", "--limit", "20"))
    moved = told("train", portal, "--offline")["effect"]
    left = {
        one["url"] for one in moved["shifts"] if (one["before"], one["after"]) == ("owls", "OTHERS")
    }
    assert left >= {place("heron", n) for n in range(EACH)}
    assert not left & {place("owl", n) for n in range(EACH)}
    assert herons(told("search", portal, "heron OR owl", "--topic", "owls", "--limit", "20")) == []


def test_what_was_marked_is_said_wherever_a_page_is_shown(portal: Path) -> None:
    said("search", portal, "heron")
    said("mark", portal, "--bad", "1", "--note", "no owl \x1b[0m")
    (one,) = told("mark", portal)["marks"]
    assert (one["word"], one["topic"], one["now"], one["learned"]) == ("bad", "owls", "owls", False)
    assert "marked by a user: bad for owls" in said("search", portal, "heron", "--limit", "1")
    assert "bad for owls, by a user" in said("explain", portal, one["url"])
    assert "marked by a user: bad for owls" in said("judge", portal, one["url"])
    listed = said("mark", portal)
    assert "1 mark not learned from yet" in listed
    assert "\x1b[0m" not in listed
    assert "1 mark besides; 'lode mark " in said("topics", portal)
    again = told("judge", portal, "--again", "--preview")
    assert (again["kept"], again["effect"]["shifted"]) == (False, 1)
    assert said("judge", portal, "--again").startswith(
        f"Judged {len(PAPERS)} pages by model 1.\n1 of "
    )
    assert "now on no topic" in said("mark", portal)
    said("mark", portal, "--undo")
    assert said("mark", portal).startswith("Nothing is marked.")


def test_only_the_results_are_judged_anew(portal: Path) -> None:
    found = told("search", portal, "heron", "--topic", "owls")
    said("mark", portal, "--bad", "1-3")
    moved = told("train", portal, "--offline", "--results")
    assert moved["judged"] == found["total"] < len(PAPERS)
    assert {one["before"] for one in moved["effect"]["order"]} == {
        one["place"] for one in found["results"]
    }
    assert "went elsewhere" in said("judge", portal, "--again", "--results")
    assert told("judge", portal, "--again")["effect"]["judged"] == len(PAPERS)


def test_a_title_cannot_steer_the_terminal(portal: Path) -> None:
    said("mark", portal, "--good", EVIL, "--topic", "owls")
    for output in (
        said("mark", portal),
        said("train", portal, "--preview"),
        said("mark", portal, "--clear", EVIL),
    ):
        assert "\x1b" not in output
        assert "\u202e" not in output


def test_what_cannot_be_understood_is_said(portal: Path) -> None:
    wrong = {
        "nothing was searched in this portal yet": ("mark", "--good", "1"),
        "write numbers from 1 on": ("mark", "--good", "0"),
        "is no page of the portal": ("mark", "--bad", "http://nowhere.test/"),
        "There is no topic 'owl'; did you mean 'owls'?": (
            "mark",
            "--good",
            place("owl", 0),
            "--topic",
            "owl",
        ),
        "say which page": ("mark", "--topic", "owls"),
        "does nothing else": ("mark", "--undo", "--good", "1"),
        "nothing to take back": ("mark", "--undo"),
        "is not marked": ("mark", "--clear", place("owl", 0)),
        "no training document": ("mark", "--drop", place("news", 4)),
        "There is no last search in this portal": ("train", "--preview", "--results"),
        "or say --again": ("judge",),
        "go with --again": ("judge", place("owl", 0), "--results"),
    }
    for sentence, (name, *words) in wrong.items():
        assert sentence in refused(name, portal, *words), sentence
    said("search", portal, "heron", "--limit", "2")
    assert "showed results 1 to 2" in refused("mark", portal, "--good", "1,3")
    said("search", portal, "zebra")
    assert "showed no results" in refused("mark", portal, "--good", "1")
    assert told("mark", portal) == {"marks": []}


def test_a_person_sees_one_sentence(lode: CliRun, portal: Path) -> None:
    run = lode("mark", "p", "--good", "http://[::1/", "--bad", "\udcff")
    assert run.returncode in (1, 2, 3)
    assert said_one_sentence(run)
    with PortalLock(portal, "lode crawl"):
        run = lode("mark", "p", "--good", place("owl", 0))
        assert (run.returncode, said_one_sentence(run)) == (4, True)
        assert lode("train", "p", "--preview", "--json").returncode == 0  # it only looks


def test_a_train_that_is_levelled_by_a_crawl_stays_so(portal: Path) -> None:
    """The note of the crawl is handed on, also where only results are judged."""
    with Portal.crawling(portal, "test") as opened, opened.batch() as session:
        model = ledger.latest_model(session, TOPIC_MODEL)
        assert model is not None
        crawl = {"phase": "harvesting", "learned": True, "pages": 5}
        ledger.keep_model(
            session,
            type(model)(model.id, model.kind, model.version, 2.0, model.packed, {"crawl": crawl}),
        )
    said("search", portal, "heron")
    said("train", portal, "--offline", "--results")
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        kept = ledger.latest_model(session, TOPIC_MODEL)
        assert kept is not None
        assert kept.report["crawl"] == crawl
