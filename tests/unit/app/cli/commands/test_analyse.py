"""`lode analyse`, of files and against the sandbox."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.lab.serving.background import Running, sandbox
from support.document_files import zipped
from support.helpers import CliRun, said_one_sentence
from support.small_webs import Said, record_web

PAGE = """<!DOCTYPE html><html lang=en><title>Barn \x1b[31mowls\u202e</title>
<meta name=description content="All about them"><link rel=canonical href=/true>
<nav><a href=/menu>Menu</a></nav><h1>The barn owl\x9b2J</h1>
<p>The barn owl hunts at night\x1b]0;evil\x07 and finds its prey by hearing alone, even under deep snow. It
eats mice and voles, and <a href="/voles" title=t rel="Nofollow  UGC">the voles</a> know
it: an owl family catches thousands.</p>
<form action=/find><label>Find <input name=q></label></form>"""


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("analyse") / "web"
    pages: dict[str, Said] = {
        "http://a.test/": PAGE,
        "http://a.test/x": (200, {"Content-Type": "text/plain"}, b"plain words"),
    }
    record_web(folder, pages)
    with sandbox(folder) as running:
        yield running


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "owls.html").write_text(PAGE)
    return tmp_path / "owls.html"


def steering(text: str) -> list[str]:
    """The characters in a text that would steer a terminal."""
    return [c for c in text if c != "\n" and (not c.isprintable() or c in "\u202e\x1b\x9b\x07")]


def test_a_file_is_shown_with_all_that_is_read_out_of_it(lode: CliRun, page: Path) -> None:
    run = lode("analyse", page)
    assert run.returncode == 0, run.stderr
    for said in (
        "text/html",
        "language    en",
        "All about them",
        "/true",
        "headings",
        "characters",
        "terms",
    ):
        assert said in run.stdout
    for said in (
        "spaces",
        "fingerprint",
        "the voles",
        "form",
        "q (Find)",
        "(navigation",
        "rel=nofollow",
    ):
        assert said in run.stdout
    assert steering(run.stdout) == []


def test_json_says_all_of_it(lode: CliRun, page: Path) -> None:
    (told,) = json.loads(lode("analyse", page, "--json", "--url", "http://owls.test/dir/x").stdout)
    assert (told["url"], told["type"], told["language"]) == (
        "http://owls.test/dir/x",
        "text/html",
        "en",
    )
    assert (told["unreadable"], told["canonical"]) == (None, "http://owls.test/true")
    assert [link["url"] for link in told["links"]][:2] == [
        "http://owls.test/menu",
        "http://owls.test/voles",
    ]
    assert [link["rel"] for link in told["links"]][:2] == ["", "nofollow ugc"]
    assert told["forms"][0]["fields"][0]["label"] == "Find"
    assert told["terms"]["owl"] >= 2
    assert told["spaces"].keys() == {"terms", "pairs", "anchors", "neighbours", "urls"}
    assert len(told["fingerprint"]) == 16


def test_the_main_text_can_be_had_alone(lode: CliRun, page: Path) -> None:
    run = lode("analyse", page, "--text")
    assert "hunts at night" in run.stdout
    assert "fingerprint" not in run.stdout
    assert steering(run.stdout) == []


def test_an_address_is_fetched_and_read(lode: CliRun, box: Running) -> None:
    network = ("--set", f"network.connect={box.address}")
    run = lode("analyse", "http://a.test/", *network)
    assert run.returncode == 0, run.stderr
    assert "http://a.test/voles" in run.stdout
    assert steering(run.stdout) == []
    (told,) = json.loads(lode("analyse", "http://a.test/x", "--json", *network).stdout)
    assert (told["type"], told["title"]) == ("text/plain", "x")


@pytest.mark.parametrize(
    ("url", "code"),
    [("http://a.test/nowhere", 3), ("ftp://a.test/", 2), ("http://", 2), ("http://[::1", 2)],
)
def test_what_cannot_be_fetched_is_said_in_a_sentence(
    lode: CliRun, box: Running, url: str, code: int
) -> None:
    run = lode("analyse", url, "--set", f"network.connect={box.address}")
    assert (run.returncode, run.stdout) == (code, "")
    assert said_one_sentence(run)


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("x.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "nothing reads image/png"),
        ("x.pdf", b"%PDF-1.4 and no more", "PDF"),
        ("x.zip", b"PK\x03\x04" + bytes(50), "zip"),
        ("x", bytes(range(256)), "nothing reads application/octet-stream"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_reason_and_exit_code_1(
    lode: CliRun, tmp_path: Path, name: str, body: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(body)
    run = lode("analyse", name)
    assert run.returncode == 1
    assert "unreadable" in run.stdout
    assert reason in run.stdout


def test_the_type_may_be_told(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("# Head\n\n[a link](http://b.test/)")
    run = lode("analyse", "x", "--type", "text/markdown")
    assert "headings    Head" in run.stdout
    assert "http://b.test/" in run.stdout
    assert "text/plain" in lode("analyse", "x").stdout


def test_files_in_an_archive_follow_it(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "all.zip").write_bytes(zipped({"a.txt": "one", "b/ü.txt": "two"}))
    run = lode("analyse", "all.zip")
    assert run.stdout.count("fingerprint") == 3
    assert "all.zip#a.txt" in run.stdout


def test_what_is_missing_to_read_them_is_said_once(lode: CliRun, tmp_path: Path) -> None:
    script = b"%!PS-Adobe-3.0\n%%Title: (On rain)\nshowpage\n"
    (tmp_path / "all.zip").write_bytes(zipped({"a.ps": script, "b.ps": script}))
    run = lode("analyse", "all.zip", env={"PATH": str(tmp_path)})
    assert (run.returncode, run.stdout.count("needs Ghostscript")) == (0, 2)
    assert run.stdout.count("title       On rain") == 2
    assert run.stderr.count("apt install ghostscript") == len(run.stderr.splitlines()) == 1
    alone = lode("analyse", "all.zip", "--json", env={"PATH": str(tmp_path)})
    assert [one["unreadable"] for one in json.loads(alone.stdout)][1:] == ["needs Ghostscript"] * 2


@pytest.mark.parametrize("name", ["missing.html", ".", "", "x" * 300, "no\x1b[31m.html"])
def test_a_file_that_is_none_is_wrong_usage(lode: CliRun, name: str) -> None:
    run = lode("analyse", name)
    assert run.returncode == 2
    assert said_one_sentence(run)
    assert steering(run.stderr) == []


def test_an_address_for_a_file_must_be_one(lode: CliRun, page: Path) -> None:
    run = lode("analyse", page, "--url", "nowhere in particular")
    assert run.returncode == 2
    assert said_one_sentence(run)


def test_an_empty_file_is_a_document_of_nothing(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "empty.html").touch()
    run = lode("analyse", "empty.html")
    assert run.returncode == 0, run.stderr
    assert "0 characters" in run.stdout
    assert lode("analyse", os.devnull, "--text").stdout == "\n"


def test_a_file_without_an_end_and_a_huge_one_are_refused(lode: CliRun, tmp_path: Path) -> None:
    with (tmp_path / "huge.html").open("wb") as file:
        file.truncate(201 * 2**20)
    for name in ("huge.html", "/dev/zero"):
        run = lode("analyse", name)
        assert run.returncode == 3
        assert "larger than 200 MB" in run.stderr
        assert said_one_sentence(run)


def test_a_file_whose_name_is_no_text_is_read(lode: CliRun, tmp_path: Path) -> None:
    name = os.fsdecode(b"owls\xff\xfe.html")
    (tmp_path / name).write_text(PAGE)
    run = lode("analyse", name)
    assert run.returncode == 0, run.stderr
    assert "hunts at night" in run.stdout


def test_a_title_of_a_megabyte_is_cut(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("<title>" + "owl " * 250_000 + "</title><p>" + "x" * 1_000_000)
    run = lode("analyse", "x.html")
    assert run.returncode == 0, run.stderr
    assert len(run.stdout) < 5_000


def test_limits_of_the_portal_hold(lode: CliRun, tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("<p>" + "owls fly " * 2_000_000)
    run = lode("analyse", "x.html", "--set", "reading.memory=64")
    assert run.returncode == 1
    assert "unreadable" in run.stdout
