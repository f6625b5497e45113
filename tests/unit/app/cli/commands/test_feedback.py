"""`lode feedback`, on a portal that a crawl of the sandbox left for it."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from motherlode.app.cli.commands.feedback import command
from motherlode.app.cli.display import Display
from motherlode.app.services.crawl import CrawlPlan, crawl_portal
from motherlode.crawl.progress import Limits
from motherlode.fetch.event_loop import run
from motherlode.lab.serving.background import Running, sandbox
from motherlode.portal import Portal
from motherlode.records import Example, LodeError, Origin, RunEnd
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from support.crawl_runs import SEEDS, examples_by, field, fields
from support.helpers import CliRun, run_lode, said_one_sentence
from support.small_webs import record_web
from support.training_webs import place

HOSTILE = "http://a.test/\x1b[31m"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("feedback") / "web"
    record_web(folder, fields())
    with sandbox(folder) as running:
        yield running


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory, box: Running) -> Path:
    """A portal whose crawl stopped for feedback; to be copied."""
    folder = tmp_path_factory.mktemp("paused")
    settings = (
        f"network.connect={box.address}",
        "bingo.learn_at_home=false",
        "bingo.learn_pages=10",
    )
    chosen = [word for setting in settings for word in ("--set", setting)]
    weak = [*SEEDS, place("news", 0)]  # so that pages of the crawl are better
    seeds = [word for url in weak for word in ("--seed", url)]
    made = run_lode(folder, "new", "p", "--topic", "owls", *seeds, "--topic", "bats", *chosen)
    assert made.returncode == 0, made.stderr
    with Portal.crawling(folder / "p", "test") as portal:
        limits = Limits(1000)
        with Display(portal.tree(), limits, quiet=True) as display:
            progress = run(crawl_portal(portal, CrawlPlan(limits, feedback=True), display))
    assert progress.end == RunEnd.FEEDBACK
    assert examples_by(folder / "p", Origin.ARCHETYPE)
    choose_more(folder / "p", [field(number) for number in range(5)])
    return folder / "p"


def choose_more(portal: Path, urls: Sequence[str]) -> None:
    """From three examples a crawl chooses few archetypes; the tests have something to say of several."""
    fresh = [url for url in urls if url not in chosen(portal)]
    owls = examples_by(portal, Origin.ARCHETYPE)[0].topic
    more = [Example(owls, url, origin=Origin.ARCHETYPE, added_at=1.0) for url in fresh]
    with Portal.crawling(portal, "test") as opened, opened.batch() as session:
        topic_rows.add_examples(session, more)


@pytest.fixture
def portal(paused: Path, tmp_path: Path) -> Path:
    shutil.copytree(paused, tmp_path / "p")
    return tmp_path / "p"


def chosen(portal: Path) -> list[str]:
    return [str(one.url) for one in examples_by(portal, Origin.ARCHETYPE)]


def told(lode: CliRun, *arguments: str) -> dict[str, Any]:
    done = lode("feedback", "p", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_archetypes_are_listed_by_topic(lode: CliRun, portal: Path) -> None:
    number = len(chosen(portal))
    said = lode("feedback", "p")
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith(f"owls: {number} archetypes, 0 accepted\n  Owls of field ")
    assert "\n    http://field" in said.stdout
    assert re.search(r"\n    (sure|likely|doubtful) \([01]\.\d\d\), authority", said.stdout)
    assert ", authority " in said.stdout
    assert (
        "The learning phase is over; 'lode crawl p' resumes with the archetypes that are left."
        in said.stdout
    )
    found = told(lode)
    assert found["waits_for_feedback"] is True
    assert {one["url"] for one in found["archetypes"]} == set(chosen(portal))
    assert {"topic", "title", "confidence", "authority", "terms"} <= set(found["archetypes"][0])
    assert told(lode, "--topic", "bats")["archetypes"] == []


def test_the_crawl_goes_on_with_what_was_said(lode: CliRun, portal: Path) -> None:
    good, bad, long, moved, *rest = chosen(portal)
    assert told(lode, "--accept", good, "--note", "fine")["accepted"] == [good]
    assert told(lode, "--reject", bad)["rejected"] == [bad]
    assert told(lode, "--trim", long, "--blocks", "1-2")["trimmed"] == [long]
    assert told(lode, "--move", moved, "bats")["moved"] == {moved: "bats"}
    said = lode("feedback", "p")
    assert f"owls: {len(rest) + 2} archetypes, 2 accepted\n" in said.stdout
    assert "(accepted, trimmed)" in said.stdout
    assert "bats: 1 archetype, 1 accepted\n" in said.stdout
    trained = lode("train", "p", "--json")  # in between, it may be trained
    assert trained.returncode == 0, trained.stderr
    crawled = lode("crawl", "p")
    assert crawled.returncode == 0, crawled.stderr
    assert "harvesting: " in crawled.stdout
    assert "learning: " not in crawled.stdout
    assert {good, long, moved} == {one.url for one in examples_by(portal, Origin.FEEDBACK)}
    assert bad not in chosen(portal)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        notes = [one.note for one in ledger.feedback_on(session, opened.tree().at(("owls",)).id)]
    assert "fine" in notes
    assert told(lode)["waits_for_feedback"] is False


@pytest.mark.usefixtures("portal")
def test_blocks_are_shown_by_their_numbers(lode: CliRun) -> None:
    said = lode("feedback", "p", "--show", field(0))
    assert said.returncode == 0, said.stderr
    first, second, _, *blocks = said.stdout.splitlines()
    assert first == f"{field(0)}  Owls of field 0"
    assert second == f"{len(blocks)} blocks; * is of the main text, - was trimmed away."
    assert blocks[0].startswith("1*  The barn owl hunts mice")
    lode("feedback", "p", "--trim", field(0), "--blocks", "2-3")
    blocks = lode("feedback", "p", "--show", field(0)).stdout.splitlines()[3:]
    assert [line[2] for line in blocks[:4]] == ["-", " ", " ", "-"]
    assert told(lode, "--show", field(0))["blocks"][1]["kept"] is True


def test_a_page_can_be_moved_to_others_though_there_is_none_yet(lode: CliRun, portal: Path) -> None:
    url = chosen(portal)[0]
    assert told(lode, "--move", url, "OTHERS", "--try")["moved"] == {url: "OTHERS"}
    assert "OTHERS" not in lode("topics", "p").stdout
    assert told(lode, "--move", url, "OTHERS")["moved"] == {url: "OTHERS"}
    assert "OTHERS (1 counterexample)" in lode("topics", "p").stdout


def test_trying_shows_the_effect_and_keeps_nothing(lode: CliRun, portal: Path) -> None:
    before = chosen(portal)
    moves = [word for url in before for word in ("--move", url, "bats")]
    said = lode("feedback", "p", *moves, "--try")
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith(f"With {len(before)} moved, retraining would change this; ")
    heads = ["topic", "examples", "from", "crawl", "pages", "after", "precision", "after"]
    assert any(line.split() == heads for line in said.stdout.splitlines())
    assert " would go elsewhere.\n\nfrom " in said.stdout
    assert "-> bats" in said.stdout
    assert chosen(portal) == before
    effect = told(lode, "--try")["effect"]
    assert effect["shifted"] == 0
    assert [one["topic"] for one in effect["topics"]] == ["owls"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--accept", "http://nowhere.test/"), "is no archetype"),
        (("--accept", "not a url"), "is not an address"),
        (("--reject", SEEDS[0]), "that you gave yourself"),
        (("--move", field(0), "cats"), "There is no topic 'cats'; did you mean 'bats'?"),
        (("--topic", "cats"), "There is no topic 'cats'"),
        (("--show", "http://nowhere.test/"), "never fetched"),
        (("--show", field(0), "--accept", "all"), "--show shows a page and does nothing else"),
        (("--trim", field(0)), "go together"),
        (("--blocks", "1"), "go together"),
        (("--trim", field(0), "--blocks", "7-3"), "--blocks '7-3'"),
        (("--trim", field(0), "--blocks", "99"), "there is no block 99"),
        (("--note", "why"), "say what"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_done(
    paused: Path, arguments: Sequence[str], sentence: str
) -> None:
    before = chosen(paused)
    done = CliRunner().invoke(command, [str(paused), *arguments])
    assert isinstance(done.exception, LodeError)
    assert done.exception.exit_code == 2
    assert sentence in str(done.exception)
    assert chosen(paused) == before
    assert examples_by(paused, Origin.FEEDBACK) == []


@pytest.mark.usefixtures("portal")
def test_one_sentence_is_all_that_is_said(lode: CliRun) -> None:
    done = lode("feedback", "p", "--accept", HOSTILE)
    assert done.returncode == 2
    assert said_one_sentence(done)
    assert "is no archetype" in done.stderr
    assert "\x1b" not in done.stderr


def test_where_there_is_nothing_to_say_anything_of(lode: CliRun) -> None:
    assert lode("new", "q", "--topic", "owls").returncode == 0
    assert lode("feedback", "q").stdout == (
        "There are no archetypes yet; "
        "'lode topics q example TOPIC URL' gives a topic a page to start from.\n"
    )
    assert json.loads(lode("feedback", "q", "--json").stdout) == {
        "waits_for_feedback": False,
        "archetypes": [],
    }
    nothing = lode("feedback", "q", "--accept", "all")
    assert nothing.returncode == 0
    assert nothing.stdout.startswith("There was nothing to change; ")
    trying = lode("feedback", "q", "--try")
    assert trying.returncode == 3
    assert said_one_sentence(trying)
    missing = lode("feedback", "r")
    assert missing.returncode == 4
    assert said_one_sentence(missing)


def test_feedback_is_undone_from_the_command_line(lode: CliRun, portal: Path) -> None:
    before = told(lode)["archetypes"]
    given = lode("feedback", "p", "--accept", "all", "--reject", chosen(portal)[0])
    assert "'lode feedback p --undo' takes the feedback back." in given.stdout
    assert "'lode train p --preview' shows first what moves" in given.stdout
    undone = lode("feedback", "p", "--undo")
    assert undone.stdout == (
        f"Took back the feedback on {len(before)} pages. "
        "Next: lode train p --preview, or lode train p\n"
    )
    assert told(lode)["archetypes"] == before
    assert "there is nothing to take back" in refused(lode("feedback", "p", "--undo"))
    assert "and does nothing else" in refused(lode("feedback", "p", "--undo", "--try"))
    assert "and does nothing else" in refused(lode("feedback", "p", "--undo", "--accept", "all"))


@pytest.mark.usefixtures("portal")
def test_a_training_is_undone_from_the_command_line(lode: CliRun) -> None:
    assert "There is no training to take back" in refused(lode("train", "p", "--undo"))
    assert "only --preview goes with it" in refused(lode("train", "p", "--undo", "--offline"))
    trained = lode("train", "p")
    assert "\n'lode train p --undo' takes this back.\n" in trained.stdout
    shown = lode("train", "p", "--undo", "--preview")
    assert shown.stdout.startswith("Taking back the training of ")
    assert shown.stdout.endswith("\nNext: lode train p --undo\n")
    undone = lode("train", "p", "--undo", "--json")
    assert undone.returncode == 0, undone.stderr
    result = json.loads(undone.stdout)
    assert (result["kept"], result["effect"]["judged"] > 0) == (True, True)
    assert "There is no training to take back" in refused(lode("train", "p", "--undo"))
    lode("train", "p")
    text = lode("train", "p", "--undo").stdout
    assert text.startswith("Took back the training of ")
    assert text.endswith("\nNext: lode train p --preview\n")


def refused(run: "subprocess.CompletedProcess[str]") -> str:
    assert said_one_sentence(run)
    return run.stderr
