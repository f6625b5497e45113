"""`lode lab sites`, as a person runs it."""

import json
from pathlib import Path

import pytest

from support.helpers import CliRun, said_one_sentence
from support.site_crawls import labelled_site_web

OWLS = ("--subject", "Animals/Owls", "--repeat", "1", "--jobs", "1")


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return labelled_site_web(tmp_path / "sites")


@pytest.mark.usefixtures("web")
def test_both_parts_are_shown_stored_and_plotted(lode: CliRun, tmp_path: Path) -> None:
    limits = ("--named", "2", "--at", "10,30", "--contenders", "websites,oracle")
    files = ("--json", "sites.json", "--plot", "sites.svg")
    run = lode("lab", "sites", "sites", *OWLS, *limits, *files)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("Classification, by cross-validation over all labelled sites\n")
    lines = [line.split() for line in run.stdout.splitlines()]
    assert ["homepage", "Animals/Owls"] in [line[:2] for line in lines]
    assert [line[:3] for line in lines if line[1:3] in (["2", "10"], ["2", "30"])] == [
        [name, "2", pages] for name in ("websites", "oracle") for pages in ("10", "30")
    ]
    stored = json.loads((tmp_path / "sites.json").read_text())
    assert set(stored) == {"classification", "crawl", "hub"}
    assert {row["contender"] for row in stored["crawl"]} == {"websites", "oracle"}
    drawn = (tmp_path / "sites.svg").read_text()
    assert "2 sites named" in drawn
    assert "relevant sites found" in drawn


@pytest.mark.usefixtures("web")
def test_one_part_can_be_run_alone(lode: CliRun) -> None:
    part = ("--only", "classification", "--classifiers", "websites home page")
    run = lode("lab", "sites", "sites", *OWLS, *part, "--json", "-")
    assert run.returncode == 0, run.stderr
    (row,) = json.loads(run.stdout)["classification"]
    assert (row["classifier"], row["pages"]) == ("websites home page", 1.0)


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--contenders", "bingo"), "--contenders: 'bingo' is not known; there are websites-2004"),
        (("--named", "0"), "--named 0: give whole numbers"),
        (("--least", "50"), "No subject of sites has 50 sites; give a smaller --least"),
        (("--only", "classification", "--plot", "x.png"), "--plot shows crawls"),
        (("--subject", "Cars"), "No site of this web is on 'Cars'"),
        (("--subject", "News"), "'News' has 6 sites, too few to name 5 of them; name fewer"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    lode: CliRun, options: tuple[str, ...], message: str
) -> None:
    parts = () if "--only" in options else ("--only", "crawl")
    run = lode("lab", "sites", "sites", *parts, *options, "--jobs", "1")
    assert run.returncode == 2, run.stdout
    assert said_one_sentence(run)
    assert message in run.stderr
