"""Titles and texts that would harm whoever shows them: what search, cluster and export make of them."""

import json
from pathlib import Path

import pytest

from support.helpers import CliRun, sheet_rows
from support.search_portals import SamplePage, fill_portal

MEGABYTE = 2**20
EVIL = {
    "script": "Owl </title><script>alert(1)</script>",
    "escape": "Owl \x1b]0;owned\x07\x1b[2J\x1b[31m\x08\r",
    "c1": "Owl \x9b2J\x90\x85",
    "turned": "Owl \u202egnp.exe\u2066\u200f\u200e\u2069",
    "long": "Owl " + "x" * MEGABYTE,
}
STEERING = [
    *map(chr, (*range(9), *range(11, 32), *range(127, 160))),
    *"\u200e\u200f\u202a\u202e\u2066\u2069",
]


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    papers = {
        f"http://{name}.test/": SamplePage(
            title, f"Owls and their night, told by {name}: {title}", topic="birds"
        )
        for name, title in EVIL.items()
    }
    return fill_portal(tmp_path_factory.mktemp("hostile") / "p", papers)


def steering_in(text: str) -> list[str]:
    return [sign for sign in STEERING if sign in text]


@pytest.mark.parametrize(
    "command",
    [
        ("search", "p", "owl", "--why"),
        ("search", "p", "--like", "http://escape.test/"),
        ("cluster", "p", "--topic", "birds", "--k", "2", "--central", "9"),
    ],
)
def test_a_terminal_is_not_steered(lode: CliRun, portal: Path, command: tuple[str, ...]) -> None:
    run = lode(*(str(portal) if word == "p" else word for word in command))
    assert run.returncode == 0, run.stderr
    assert not steering_in(run.stdout + run.stderr)
    assert max(map(len, run.stdout.splitlines())) < 1_000
    assert "script.test" in run.stdout


@pytest.mark.parametrize(
    "command",
    [("search", "p", "owl", "--json"), ("cluster", "p", "--topic", "birds", "--k", "2", "--json")],
)
def test_json_is_ascii_and_says_what_was_there(
    lode: CliRun, portal: Path, command: tuple[str, ...]
) -> None:
    run = lode(*(str(portal) if word == "p" else word for word in command))
    assert run.returncode == 0, run.stderr
    assert run.stdout.isascii()
    assert not steering_in(run.stdout)
    json.loads(run.stdout)


def test_exports_are_whole_whatever_titles_hold(lode: CliRun, portal: Path) -> None:
    lines = lode("export", portal, "--format", "jsonl", "--output", "-", "--text")
    assert lines.returncode == 0, lines.stderr
    assert not steering_in(lines.stdout)
    told = [json.loads(line) for line in lines.stdout.splitlines()]
    assert len(told) == len(EVIL)
    assert {one["url"]: one["title"] for one in told}["http://turned.test/"] == EVIL["turned"]
    sheet = lode("export", portal, "--format", "csv", "--output", "-")
    assert sheet.returncode == 0, sheet.stderr
    assert not steering_in(sheet.stdout)
    assert len(sheet_rows(sheet.stdout)) == len(EVIL)
    marks = lode("export", portal, "--format", "bookmarks", "--output", "-")
    assert marks.returncode == 0, marks.stderr
    assert "<script" not in marks.stdout.lower()
    assert not steering_in(marks.stdout)
