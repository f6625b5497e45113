"""`lode sites`: what it shows, what it makes of choices, what it writes, and what it refuses."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.helpers import CliRun, said_one_sentence
from support.site_portals import (
    BARN,
    EAGLE,
    OWLS,
    SHOP,
    TAWNY,
    WAITING,
    MadePage,
    MadeSite,
    bird_sites,
    make_sites,
)

EVIL = "\x1b[31m\u202eevil owl <script>&"
HOSTILE = "hostile.test"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A portal with sites; to be copied."""
    page = MadePage(EVIL, "An owl that steers terminals.", 0.52, {f"http://{BARN}/": EVIL})
    hostile = {HOSTILE: MadeSite({"/": page}, 0.52)}
    return make_sites(tmp_path_factory.mktemp("sites") / "birds", {**bird_sites(), **hostile})


@pytest.fixture
def birds(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "birds"))


def read(lode: CliRun, *words: str) -> Any:
    run = lode("sites", "birds", *words, "--json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.usefixtures("birds")
def test_sites_are_listed_the_likeliest_relevant_first(lode: CliRun) -> None:
    run = lode("sites", "birds")
    assert run.returncode == 0, run.stderr
    lines = [line.split("  ") for line in run.stdout.splitlines()]
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert rows[0] == ["site", "relevant", "state", "yours", "pages", "linked by"]
    assert rows[1] == [OWLS, "sure (1.00)", "named", "named as like", "2", "0 of 0"]
    assert rows[2] == [BARN, "sure (0.97)", "examined", "-", "3", "2 of 3"]
    assert rows[3][:2] == [TAWNY, "likely (0.74)"]
    assert "9 sites: 4 relevant, 7 without a choice of yours; 1 more waiting." in run.stdout
    assert run.stdout.splitlines()[-2:] == [
        f"Next: lode sites birds {BARN}",
        "To crawl on: lode sites birds --crawl",
    ]


@pytest.mark.usefixtures("birds")
def test_filters_and_limits_choose_the_rows(lode: CliRun) -> None:
    for show, number in (("relevant", 4), ("others", 5), ("undecided", 7), ("waiting", 1)):
        listed = read(lode, "--show", show)
        assert (len(listed["sites"]), listed["counts"]["shown"]) == (number, number), show
    assert read(lode, "--show", "waiting")["sites"][0]["site"] == WAITING
    assert [site["site"] for site in read(lode, "--limit", "2")["sites"]] == [OWLS, BARN]
    assert (
        "7 more sites; a higher --limit shows them." in lode("sites", "birds", "--limit=2").stdout
    )


@pytest.mark.usefixtures("birds")
def test_one_site_is_shown_with_its_pages_and_those_around_it(lode: CliRun) -> None:
    run = lode("sites", "birds", f"http://{BARN}/food")
    assert run.returncode == 0, run.stderr
    for line in (
        f"{BARN}  Barn owls",
        "Relevant: sure (0.97). 3 pages, examined (decided).",
        "Leading to it: old-barn.test",
        "Best pages of 3:",
        f"  0.95  http://{BARN}/  Barn owls",
        "Linked by 3 sites, 2 relevant:",
        f"  {OWLS}  sure (1.00), by 2 pages, weight 0.90",
        "It links to 2 sites, 1 relevant:",
        f"  {TAWNY}  likely (0.74), by 1 page",
    ):
        assert line in run.stdout.splitlines(), run.stdout
    assert f"Next: lode sites birds --accept {BARN}, or --reject {BARN}" in run.stdout
    assert "\x1b" not in run.stdout + lode("sites", "birds", HOSTILE).stdout
    assert "\u202e" not in run.stdout


@pytest.mark.usefixtures("birds")
def test_the_terms_that_decided_are_told_once_there_is_a_model(lode: CliRun) -> None:
    assert read(lode, BARN)["terms"] == []
    run = lode("sites", "birds", "--accept", TAWNY)
    assert run.stdout.splitlines()[:2] == [
        "Learning from your choices ...",
        f"{TAWNY} accepted as relevant.",
    ]
    terms = {term["word"]: term["part"] for term in read(lode, BARN)["terms"]}
    assert terms["owl"] > 0
    assert "For it: owl" in lode("sites", "birds", BARN).stdout


@pytest.mark.usefixtures("birds")
def test_choices_are_told_and_taken_back(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(f"{EAGLE}\nnowhere.test\n")
    run = lode("sites", "birds", "--accept-from", "in.txt", "--reject", SHOP)
    assert f"{EAGLE} accepted as relevant." in run.stdout
    assert f"{SHOP} rejected." in run.stdout
    assert "in.txt, line 2: nowhere.test is not among the sites" in run.stderr
    assert read(lode, SHOP)["summary"]["choice"] == "reject"
    undone = read(lode, "--undo")["undone"]
    assert [choice["site"] for choice in undone] == [SHOP, EAGLE]
    run = lode("sites", "birds", "--undo")
    assert (run.returncode, said_one_sentence(run)) == (2, True)


@pytest.mark.usefixtures("birds")
def test_sites_are_written_by_the_suffix_of_the_file(lode: CliRun, tmp_path: Path) -> None:
    run = lode("sites", "birds", "--export", "sites.csv", "--show", "relevant")
    assert run.stdout == "Wrote 4 sites to sites.csv.\n"
    with (tmp_path / "sites.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["site"] for row in rows] == [OWLS, BARN, TAWNY, HOSTILE]
    assert (rows[1]["probability"], rows[1]["mirrors"]) == ("0.97", "old-barn.test")
    assert not set("\x1b\u202e") & set((tmp_path / "sites.csv").read_text())
    run = lode("sites", "birds", "--export", "sites.csv")
    assert (run.returncode, said_one_sentence(run)) == (2, True)
    assert lode("sites", "birds", "--export", "sites.csv", "--force").returncode == 0


@pytest.mark.usefixtures("birds")
def test_a_portal_can_be_made_of_what_another_one_has_written(lode: CliRun, tmp_path: Path) -> None:
    for name, option in (("sites.csv", "--csv"), ("sites.html", "--bookmarks")):
        assert lode("sites", "birds", "--export", name).returncode == 0
        target = f"new-{option[2:]}"
        server = ("--set", "network.connect=127.0.0.1:1", "--set", "crawler.contact=me@a.test")
        lode("sites", target, option, name, "--pages", "1", *server)
        examples = lode("topics", target, "--json").stdout
        assert (tmp_path / target / "lode.toml").is_file()
        assert "sites" in examples


@pytest.mark.usefixtures("birds")
def test_mistakes_are_told_in_one_sentence(lode: CliRun) -> None:
    for words, code in (
        (("birds", "nowhere.test"), 2),
        (("birds", "http://["), 2),
        (("birds", "--accurate", "--fast"), 2),
        (("birds", "--accept", EAGLE, "--pages", "5"), 2),
        (("birds", BARN, "--crawl"), 2),
        (("birds", BARN, "--undo"), 2),
        (("birds", "--export", "sites.txt"), 2),
        (("birds", "--site", "a b"), 2),
        (("birds", "--csv", "none.csv"), 3),
        (("nothing",), 2),
        (("nothing", "--unlike", "a.test"), 2),
        (("nothing", "--like", "ftp://a.test/"), 2),
    ):
        run = lode("sites", *words)
        assert (run.returncode, said_one_sentence(run)) == (code, True), (words, run.stderr)
    assert lode("sites", "birds", "--show", "some").returncode == 2


def test_a_portal_of_pages_has_no_sites(lode: CliRun) -> None:
    assert lode("new", "pages", "--topic", "owls", "--seed", "http://a.test/").returncode == 0
    for words in ((), ("--undo",), ("--export", "a.csv"), ("--like", "b.test")):
        run = lode("sites", "pages", *words)
        assert said_one_sentence(run)
        assert "is crawled by bingo, not for whole websites" in run.stderr


def test_what_counts_as_one_site_is_kept(lode: CliRun, birds: Path) -> None:
    run = lode("sites", "birds", "--site", f"{BARN},{TAWNY}", "--site", f"{SHOP}/~anna")
    assert run.returncode == 0
    assert f"{SHOP}/~anna/" in run.stdout
    assert f'[["{BARN}", "{TAWNY}"], ["{SHOP}/~anna"]]' in (birds / "lode.toml").read_text()


def test_other_commands_know_that_the_portal_is_one_of_websites(lode: CliRun, birds: Path) -> None:
    place = str(birds)
    assert "There is no model yet." in lode("status", place).stdout
    assert lode("sites", place, "--accept", EAGLE).returncode == 0  # and learns from it
    assert "Phase: trained; model 1" in lode("status", place).stdout
    for words in (("train", place), ("feedback", place)):
        run = lode(*words)
        assert run.returncode == 2
        assert said_one_sentence(run)
        assert "--accept SITE" in run.stderr
