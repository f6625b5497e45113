"""`lode collections`: what it shows, and what it makes of choices."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from motherlode.portal import Portal
from support.collection_portals import (
    EMPTY,
    HERONS,
    OWLS,
    PAPER,
    MadePage,
    bird_pages,
    make_collections,
    reach_hit,
)
from support.helpers import CliRun, said_one_sentence

HOSTILE = "http://hostile.test/"
EVIL = "\x1b[31m\u202eevil owl <script>"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A portal with collections; to be copied."""
    path = tmp_path_factory.mktemp("collections") / "birds"
    hostile = {HOSTILE: MadePage(EVIL, "An owl that steers terminals.", OWLS, 0.45)}
    return make_collections(path, {**bird_pages(), **hostile})


@pytest.fixture
def birds(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "birds"))


def read(lode: CliRun, *words: str) -> Any:
    run = lode("collections", "birds", *words, "--json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def members(lode: CliRun, subject: str) -> dict[str, Any]:
    return {member["url"]: member for member in read(lode, subject)["members"]}


@pytest.mark.usefixtures("birds")
def test_the_table_says_how_each_collection_is_and_what_to_do(lode: CliRun) -> None:
    run = lode("collections", "birds")
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0].split() == ["subject", "state", "members", "yours", "best", "median"]
    assert lines[1].split() == [OWLS, "thin", "10", "0", "0.900", "0.800"]
    assert lines[3].split() == [EMPTY, "dropped", "0", "0", "-", "-"]
    assert "3 subjects, 16 members." in lines
    assert f"'{OWLS}': 10 members, and there is room for 50; 'lode collect birds' crawls on" in (
        run.stdout
    )
    assert (
        f"'{EMPTY}' was dropped: 0 hits could be used, and a subject needs 4: it has no centroid; "
        f"'lode topics birds example {EMPTY} URL' gives it a page to go by" in run.stdout
    )
    assert lines[-1] == f"Next: lode collections birds {OWLS}"


@pytest.mark.usefixtures("birds")
def test_a_collection_of_some_size_is_good_and_one_without_pages_empty(lode: CliRun) -> None:
    states = {one["subject"]: one["state"] for one in read(lode, "--set", "tunnel.max_members=8")}
    assert states == {OWLS: "good", HERONS: "good", EMPTY: "dropped"}
    empty = read(lode, "--set", "tunnel.min_merit=1.0")
    assert [one["state"] for one in empty] == ["empty", "empty", "dropped"]
    assert empty[0]["problem"] == "no page has a merit of at least 1"


@pytest.mark.usefixtures("birds")
def test_members_are_shown_with_their_reasons_and_nothing_steers_the_terminal(
    lode: CliRun,
) -> None:
    run = lode("collections", "birds", OWLS)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"{OWLS}: 10 members.\n\n  1. 0.900  Barn owls\n")
    assert "     why: owl 0." in run.stdout
    path = "path: http://seed.test/ (0.00) > http://a.test/ (0.90) > http://b.test/ (0.60)"
    assert path in run.stdout
    assert "not read; linked from http://a.test/" in run.stdout
    assert "\x1b" not in run.stdout
    assert "\u202e" not in run.stdout
    short = lode("collections", "birds", OWLS, "--limit", "2").stdout
    assert "8 members more; a higher --limit shows them." in short


@pytest.mark.usefixtures("birds")
def test_a_subject_has_a_path_and_a_number(lode: CliRun) -> None:
    whole = read(lode, HERONS)
    assert read(lode, str(whole["summary"]["topic"])) == whole
    assert read(lode, f"/{HERONS.upper()}/") == whole
    first = whole["members"][0]
    assert set(first) == {
        "url",
        "title",
        "merit",
        "source",
        "choice",
        "found_on",
        "why",
        "path",
    }
    assert (first["merit"], first["source"], first["choice"]) == (0.75, "read", "")


def test_a_hit_shows_where_the_crawl_found_it(lode: CliRun, birds: Path) -> None:
    with Portal.crawling(birds, "test") as portal:
        reach_hit(portal, "http://owl0.test/", "http://b.test/")
    steps = members(lode, OWLS)["http://owl0.test/"]["path"]
    assert [step["url"] for step in steps][-2:] == ["http://b.test/", "http://owl0.test/"]


@pytest.mark.usefixtures("birds")
def test_choices_are_made_and_taken_back(lode: CliRun) -> None:
    before = members(lode, OWLS)
    run = lode(
        "collections",
        "birds",
        *("--accept", "d.test", "--reject", "http://c.test/", "--pin", "http://b.test/"),
        *("--move", PAPER, HERONS),
    )
    assert run.stdout.splitlines() == [
        f"http://d.test/: accepted for '{OWLS}'.",
        f"http://b.test/: pinned in '{OWLS}'.",
        "http://c.test/: rejected.",
        f"{PAPER}: moved to '{HERONS}'.",
    ]
    owls = members(lode, OWLS)
    assert next(iter(owls)) == "http://b.test/"
    assert (owls["http://d.test/"]["choice"], owls["http://d.test/"]["merit"]) == ("accept", 0.1)
    assert not {PAPER, "http://c.test/"} & set(owls)
    shown = lode("collections", "birds", HERONS).stdout
    assert "moved here by you; not read; linked from http://e.test/" in shown
    again = lode("collections", "birds", "--clear", PAPER)
    assert again.stdout == f"{PAPER}: cleared: it joins by its merit again.\n"
    assert PAPER in members(lode, OWLS)
    undone = [read(lode, "--undo")["undone"] for _ in range(2)]
    assert [len(choices) for choices in undone] == [1, 4]
    assert members(lode, OWLS) == before
    end = lode("collections", "birds", "--undo")
    assert end.returncode == 2
    assert "nothing to take back" in end.stderr


@pytest.mark.usefixtures("birds")
def test_a_page_is_pinned_in_a_subject_of_its_own(lode: CliRun) -> None:
    run = lode("collections", "birds", EMPTY, "--pin", "http://seed.test/")
    assert run.stdout == f"http://seed.test/: pinned in '{EMPTY}'.\n"
    pinned = members(lode, EMPTY)["http://seed.test/"]
    assert (pinned["choice"], pinned["merit"]) == ("pin", None)
    assert "  -    Seed" in lode("collections", "birds", EMPTY).stdout


@pytest.mark.usefixtures("birds")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("birds/owl",), "There is no topic 'birds/owl'; did you mean 'birds/owls'?"),
        (("/",), "'/' is no subject"),
        (("--pin", "http://no.test/"), "http://no.test/ is not in the portal"),
        (("--pin", "no address"), "is not an address on the Web"),
        (("--move", PAPER, "dodos"), "There is no topic 'dodos'"),
        (("--accept", "http://seed.test/"), "near no subject"),
        (("--undo", "--pin", PAPER), "or use undo alone"),
        (("--clear", PAPER), "no choice about"),
        (("--pin", PAPER, "--reject", PAPER), "named twice"),
    ],
)
def test_mistakes_are_one_sentence(lode: CliRun, words: tuple[str, ...], sentence: str) -> None:
    run = lode("collections", "birds", *words)
    assert run.returncode != 0
    assert said_one_sentence(run), run.stderr
    assert sentence in run.stderr


def test_a_portal_without_collections_says_what_to_run(lode: CliRun) -> None:
    assert lode("new", "plain", "--topic", "owls", "--seed", "http://a.test/").returncode == 0
    for words in ((), ("owls",), ("--undo",)):
        run = lode("collections", "plain", *words)
        assert run.returncode == 2
        assert said_one_sentence(run)
        assert "plain has no collections yet; 'lode collect plain" in run.stderr
