"""`lode new`: portals of bookmarks, seeds and queries, and what cannot become one."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.bookmark_files import BOOKMARKS, topics
from support.helpers import CliRun, said_one_sentence


def test_a_portal_from_bookmarks(lode: CliRun, portal: Path) -> None:
    assert portal.is_dir()
    assert topics(lode) == ["Science", "Science/Physics", "OTHERS"]


def test_what_was_skipped_is_told(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text(BOOKMARKS)
    run = lode("new", "p", "--bookmarks", "b.html")
    assert run.stdout.splitlines() == [
        "Made p: 2 topics, 3 examples (1 for scheme 'javascript' skipped).",
        "Next: lode topics p",
    ]


def test_seeds_belong_to_the_topic_before_them(lode: CliRun) -> None:
    lode(
        "new",
        "p",
        "--topic",
        "a",
        "--seed",
        "http://a/",
        "--seed=http://b/",
        "--topic=b/c",
        "--seed",
        "http://c/",
        "http://d/",
    )
    tree = json.loads(lode("topics", "p", "--json").stdout)
    a, b = tree["topics"]
    assert [example["url"] for example in a["examples"]] == ["http://a/", "http://b/"]
    assert [example["url"] for example in b["topics"][0]["examples"]] == ["http://c/", "http://d/"]


def test_the_directory_may_come_last(lode: CliRun) -> None:
    assert lode("new", "--topic", "a", "--seed", "http://a/", "p").returncode == 0
    assert topics(lode) == ["a"]


def test_a_query(lode: CliRun) -> None:
    assert lode("new", "p", "--query", "open source ARIES").returncode == 0
    tree = json.loads(lode("topics", "p", "--json").stdout)
    (example,) = tree["topics"][0]["examples"]
    assert (example["url"], example["text"], example["origin"]) == (
        None,
        "open source ARIES",
        "query",
    )


def test_an_argument_that_is_no_text(lode: CliRun) -> None:
    run = lode("new", "p", "--query", os.fsdecode(b"caf\xe9 owls"))
    assert run.returncode == 0, run.stderr
    (topic,) = json.loads(lode("topics", "p", "--json").stdout)["topics"]
    assert topic["examples"][0]["text"] == "caf\ufffd owls"


def test_settings_go_into_the_new_portal(lode: CliRun) -> None:
    lode(
        "new",
        "p",
        "--query",
        "a",
        "--set",
        "urls.max_url=345",
        "--set",
        "crawler.contact=me@example.org",
    )
    assert lode("config", "p", "urls.max_url").stdout == "345\n"
    assert lode("config", "p", "crawler.contact").stdout == '"me@example.org"\n'


def test_new_as_json(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text(BOOKMARKS)
    made = json.loads(lode("new", "p", "--bookmarks", "b.html", "--json").stdout)
    assert made["portal"] == "p"
    assert made["topics"][0] == {"path": "Science", "examples": 1}
    assert made["skipped"] == {"scheme 'javascript'": 1}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.html", b"", "is empty"),
        ("binary.html", b"\x00\x01" * 1000, "is a binary file"),
        ("deep.html", b"<DL>" + b"<H3>a</H3><DL>" * 100_000, "nests folders"),
        (
            "nothing.html",
            b"<DL><DT><A HREF='javascript:x'>x</A></DL>",
            "no bookmark that can be crawled (1 for",
        ),
        ("page.html", b"<html><p>No link at all", "no bookmark that can be crawled"),
    ],
)
def test_a_bad_bookmark_file(
    lode: CliRun, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    run = lode("new", "p", "--bookmarks", name)
    assert run.returncode == 3
    assert said_one_sentence(run)
    assert says in run.stderr
    assert not (tmp_path / "p").exists()


def test_a_bookmark_file_that_is_a_directory_or_huge(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(200 * 2**20)
    for name, says in (("folder", "is a directory"), ("huge", "has 200 MB")):
        run = lode("new", "p", "--bookmarks", name)
        assert run.returncode == 3
        assert said_one_sentence(run)
        assert says in run.stderr


def test_a_directory_that_is_not_empty(lode: CliRun, portal: Path) -> None:
    for name, says in (("p", "is a portal already"), (".", "is not empty")):
        run = lode("new", name, "--query", "x")
        assert run.returncode == 3
        assert said_one_sentence(run)
        assert says in run.stderr
    assert portal.is_dir()


@pytest.mark.parametrize(
    ("body", "title"),
    [
        (b"<meta charset=punycode><DL><A HREF='http://a/'>x</A>", "x"),
        (b"<meta charset=utf-7><DL><A HREF='http://a/'>t+2AA-</A>", "t+2AA-"),
        (b"<DL><A HREF='http://a/'>&#" + b"9" * 100_000 + b";</A>", "\ufffd"),
        (b"<DL><A HREF='http://a/'>a&#0;b&#xD800;</A>", "a\ufffdb\ufffd"),
    ],
)
def test_odd_bookmarks_are_kept(lode: CliRun, tmp_path: Path, body: bytes, title: str) -> None:
    (tmp_path / "b.html").write_bytes(body)
    made = lode("new", "p", "--bookmarks", "b.html")
    assert made.returncode == 0, made.stderr
    (topic,) = json.loads(lode("topics", "p", "--json").stdout)["topics"]
    assert topic["examples"][0]["title"] == title


def test_a_pattern_of_many_stars(lode: CliRun) -> None:
    pattern = 'urls.session_parameters=["*a*a*a*a*a*a*b"]'
    assert (
        lode(
            "new", "p", "--topic", "t", "--seed", "http://h/x;" + "a" * 300, "--set", pattern
        ).returncode
        == 0
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_portal_is_made_leaves_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    run = start_large(tmp_path)
    run.send_signal(number)
    _, said = run.communicate(timeout=100)
    assert said.strip() == "lode: Interrupted."
    assert run.returncode == 11
    assert [path.name for path in tmp_path.iterdir()] == ["urls.txt"]


def test_what_a_killed_new_left_is_swept_by_the_next(lode: CliRun, tmp_path: Path) -> None:
    run = start_large(tmp_path)
    run.kill()
    run.communicate()
    assert len(list(tmp_path.iterdir())) == 2
    assert lode("new", "p", "--topic", "a").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p", "urls.txt"]


def start_large(directory: Path) -> "subprocess.Popen[str]":
    """`lode new` in the middle of a large file."""
    (directory / "urls.txt").write_text("".join(f"http://h{n}.example/\n" for n in range(200_000)))
    command = [sys.executable, "-m", "motherlode", "new", "p", "--bookmarks", "urls.txt"]
    run = subprocess.Popen(
        command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 100
    while not list(directory.glob(".p.lode-new-*/lode.db")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return run
