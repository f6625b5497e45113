"""`lode sites`: what it shows, what it makes of choices, what it writes, and what it refuses."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from motherlode.lab.serving.background import sandbox
from support.helpers import CliRun, said_one_sentence
from support.site_crawls import NAMED, small_site_web
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
from support.small_webs import record_web

EVIL = "\x1b[31m\u202eevil owl <script>&"
HOSTILE = "hostile.test"
GONE, LIVE = "gone.test", NAMED[0]


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
        "Mirrors: old-barn.test",
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
def test_what_a_choice_changes_is_told_in_plain_words(lode: CliRun) -> None:
    run = lode("sites", "birds", "--accept", "old-barn.test", "--reject", TAWNY)
    assert f"{BARN} accepted as relevant (old-barn.test is a mirror of it)." in run.stdout
    assert "not any more" not in run.stdout
    assert f"{TAWNY} left undecided." in lode("sites", "birds", "--undecided", TAWNY).stdout
    run = lode("sites", "birds", "--undo")
    assert f"Undone: {TAWNY}, your earlier choice about it counts again." in run.stdout
    assert f"Undone: {TAWNY}, no longer rejected." in lode("sites", "birds", "--undo").stdout
    run = lode("sites", "birds", "--forget", OWLS)
    assert f"{OWLS} is no longer one of the sites that you named." in run.stdout
    assert "Nothing was learned from it: " in run.stdout


@pytest.mark.usefixtures("birds")
def test_a_named_site_that_could_not_be_read_is_told_with_its_reason(
    lode: CliRun, tmp_path: Path
) -> None:
    with sandbox(record_web(tmp_path / "web", small_site_web())) as running:
        server = ("--set", f"network.connect={running.address}")
        run = lode("sites", "new", "--like", GONE, "--pages", "5", *server)
        assert (run.returncode, run.stderr.count("\n")) == (3, 1)
        assert (
            f"lode: 1 named site could not be read: {GONE} (not there: status 404)." in run.stderr
        )
        assert f"'lode sites new --forget {GONE}'" in run.stderr
        assert f"--forget {GONE}" in lode("sites", "new").stderr
        run = lode("sites", "new", "--like", LIVE, "--pages", "500")
        assert run.returncode == 0, run.stderr
        assert f"1 named site could not be read: {GONE}" in run.stdout
        assert run.stdout.count("no site is left to examine.") == 1
        listed = lode("sites", "new").stdout
        assert f"--forget {GONE}" in listed
        assert f"--forget {GONE}" in lode("sites", "new", GONE).stdout
        assert lode("sites", "new", "--forget", GONE).returncode == 0
        assert GONE not in lode("sites", "new").stdout
        run = lode("sites", "few", "--like", LIVE, "--like", NAMED[1], "--sites", "1", *server)
        assert " found, and you wanted 1." in run.stdout, run.stdout


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
        lode("sites", target, option, name, "--pages", "1", "--time", "1s", *server)
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
        (("birds", "--pages", "5", "--show", "relevant"), 2),
        (("birds", "--undo", "--limit", "5"), 2),
        (("birds", BARN, "--show", "all"), 2),
        (("birds", "--export", "a.csv", "--limit", "5"), 2),
        (("birds", "--force"), 2),
        (("birds", "--topic", "owls"), 2),
        (("birds", "--workers", "2"), 2),
        (("birds", "--no-index"), 2),
        (("birds", "--policy", "websites-2004"), 2),
        (("birds", "--fast"), 2),
        (("birds", "--topic", "owls", "--crawl"), 2),
        (("birds", "--forget", BARN), 2),
        (("birds", "--accept", "mailto:a@b.test"), 2),
        (("nothing",), 2),
        (("nothing", "--unlike", "a.test"), 2),
        (("nothing", "--like", "ftp://a.test/"), 2),
    ):
        run = lode("sites", *words)
        assert (run.returncode, said_one_sentence(run)) == (code, True), (words, run.stderr)
    assert lode("sites", "birds", "--show", "some").returncode == 2


def test_a_portal_of_pages_has_no_sites(lode: CliRun, tmp_path: Path) -> None:
    assert lode("new", "pages", "--topic", "owls", "--seed", "http://a.test/").returncode == 0
    before = (tmp_path / "pages" / "lode.toml").read_text()
    for words in (
        (),
        ("--undo",),
        ("--export", "a.csv"),
        ("--like", "b.test"),
        ("--site", "a.test,b.test"),
        ("--site", "a.test,b.test", "--crawl"),
    ):
        run = lode("sites", "pages", *words)
        assert said_one_sentence(run)
        assert "is crawled by bingo, not for whole websites" in run.stderr
    assert (tmp_path / "pages" / "lode.toml").read_text() == before


def test_what_counts_as_one_site_is_kept(lode: CliRun, birds: Path) -> None:
    run = lode("sites", "birds", "--site", f"{BARN},{TAWNY}", "--site", f"{SHOP}/~anna")
    assert run.returncode == 0
    lines = run.stdout.splitlines()
    assert lines[1:3] == [
        f"{BARN}, {TAWNY}: these are one site now, called {BARN}.",
        f"{SHOP}/~anna is a site of its own now.",
    ]
    assert not any(line.startswith("site ") for line in lines)  # not the list
    told = read(lode, "--site", "no.test,a.test")["messages"]
    assert told[1].startswith("no.test is not known here yet")
    listed = lode("sites", "birds", "--site", f"{EAGLE}/a", "--show", "relevant").stdout
    assert f"{EAGLE}/a is a site of its own now." in listed
    assert f"\n{BARN} " in listed
    assert f'[["{BARN}", "{TAWNY}"], ["{SHOP}/~anna"]' in (birds / "lode.toml").read_text()


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
