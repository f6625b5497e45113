"""`lode topics`: the tree as it is shown and edited."""

import json
import os
from pathlib import Path

import pytest

from motherlode.app.cli.common import harmless
from motherlode.portal import PortalLock
from support.bookmark_files import topics
from support.helpers import CliRun, said_one_sentence


def test_the_tree_is_shown_with_its_examples(lode: CliRun, portal: Path) -> None:
    assert lode("topics", portal.name).stdout == (
        "p: 2 topics, 3 examples\n"
        "├─ Science (1 example)\n"
        "│  ├─ http://s.example/  S\n"
        "│  └─ Physics (1 example)\n"
        "│     └─ http://p.example/  P\n"
        "└─ OTHERS (1 counterexample)\n"
        "   └─ http://o.example/  O\n"
    )


def test_only_some_examples_are_shown_unless_all_are_wanted(lode: CliRun) -> None:
    seeds = [word for n in range(8) for word in ("--seed", f"http://h/{n}")]
    lode("new", "p", "--topic", "t", *seeds)
    assert "and 3 more" in lode("topics", "p").stdout
    assert "http://h/7" in lode("topics", "p", "--all").stdout


@pytest.mark.usefixtures("portal")
def test_edits(lode: CliRun) -> None:
    for arguments, said in (
        (("add", "Arts/Music"), "Added 'Arts/Music'."),
        (
            ("example", "arts/music", "http://m.example/", "http://n.example/"),
            "Added 2 examples to 'arts/music'.",
        ),
        (("example", "Arts/Music", "http://m.example/"), "Added 0 examples to 'Arts/Music'."),
        (
            ("example", "Arts/Music", "http://m.example/", "--remove"),
            "Took 1 example out of 'Arts/Music'.",
        ),
        (("rename", "Arts/Music", "Jazz"), "Renamed 'Arts/Music' to 'Jazz'."),
        (("move", "Arts/Jazz", "/"), "Moved 'Arts/Jazz' to 'Jazz'."),
        (("remove", "Science"), "Removed 'Science' with 1 topic below it."),
        (("restore",), "Restored 'Science' with 2 examples."),
        (("remove", "Science"), "Removed 'Science' with 1 topic below it."),
    ):
        run = lode("topics", "p", *arguments)
        assert (run.returncode, run.stdout.strip()) == (0, said), run.stderr
    assert topics(lode) == ["OTHERS", "Arts", "Jazz"]
    removed = json.loads(lode("topics", "p", "remove", "Jazz", "--json").stdout)
    assert removed["done"] == "Removed 'Jazz'."
    assert (
        lode("topics", "p", "restore", removed["undo"]).stdout
        == "Restored 'Jazz' with 1 example.\n"
    )
    assert topics(lode) == ["OTHERS", "Arts", "Jazz"]


@pytest.mark.usefixtures("portal")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("add", "science"), "There is a topic 'science' already."),
        (("add", "OTHERS/x"), "can have no topics below it"),
        (("add", "a//b"), "is not a topic path"),
        (("rename", "Sciense", "x"), "did you mean 'Science'?"),
        (("rename", "Science", "a/b"), "A name has no '/'"),
        (("rename", "Science", "others"), "OTHERS keeps its name"),
        (("move", "Science", "Science/Physics"), "below itself"),
        (("remove", "/"), "The root of the topic tree cannot be removed."),
        (("example", "Science", "nonsense"), "cannot be crawled"),
        (("example", "Science", "http://z/", "--remove"), "is not an example"),
        (("explode",), "No such command"),
    ],
)
def test_wrong_edits_change_nothing(lode: CliRun, arguments: tuple[str, ...], says: str) -> None:
    before = lode("topics", "p", "--json").stdout
    run = lode("topics", "p", *arguments)
    assert run.returncode == 2
    assert said_one_sentence(run)
    assert says in run.stderr
    assert lode("topics", "p", "--json").stdout == before


def test_a_portal_that_is_being_written(lode: CliRun, portal: Path) -> None:
    with PortalLock(portal, "lode crawl"):
        assert lode("topics", "p").returncode == 0
        run = lode("topics", "p", "add", "x")
    assert run.returncode == 4
    assert said_one_sentence(run)
    assert f"is being written by 'lode crawl' (process {os.getpid()})" in run.stderr


def test_titles_cannot_steer_the_terminal(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text(
        "<DL><H3>A</H3><DL><A HREF=http://a/>\x1b[31mred\u202e\x07</A></DL></DL>"
    )
    lode("new", "p", "--bookmarks", "b.html")
    shown = lode("topics", "p").stdout
    assert "red" in shown
    assert not any(mark in shown for mark in "\x1b\u202e\x07")
    assert harmless("a\nb") == "a\N{REPLACEMENT CHARACTER}b"
