"""Hints are commands that can be copied into a shell, whatever the portal is called."""

import re
import shlex
from pathlib import Path

import pytest

from motherlode.records.shell_words import shell_word
from support.helpers import CliRun

NAME = "my owl's nest"
COMMANDS = (
    ("status", NAME),
    ("search", NAME, "owls"),
    ("mark", NAME, "--good", "1"),
    ("mark", NAME),
    ("judge", NAME, "http://a.test/"),
    ("links", NAME, "--topic", "/"),
    ("config", NAME, "no.such.key"),
    ("feedback", NAME),
    ("feedback", NAME, "--ask"),
    ("mark", NAME, "--good", "http://a.test/", "--topic", "bats"),
    ("hosts", NAME, "--forgive", "a.test"),
    ("topics", NAME, "move", "bats", "owls"),
    ("status", f"{NAME} 2"),
)


@pytest.fixture
def portal(lode: CliRun) -> None:
    assert lode("new", NAME, "--query", "barn owls").returncode == 0


@pytest.mark.usefixtures("portal")
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments[::2]))
def test_a_hint_names_the_portal_as_a_shell_reads_it(
    lode: CliRun, arguments: tuple[str, ...]
) -> None:
    run = lode(*arguments)
    assert " DIR" not in run.stderr
    hints = re.findall(r"lode [a-z]+ [^\n]*nest[^\n]*", run.stdout + run.stderr)
    assert hints
    for hint in hints:
        assert any(quoted in hint for quoted in (shell_word(NAME), shell_word(f"{NAME} 2"))), hint


def test_a_new_portal_is_named_as_a_shell_reads_it(lode: CliRun, tmp_path: Path) -> None:
    run = lode("new", str(tmp_path / NAME), "--query", "barn owls")
    hint = run.stdout.splitlines()[-1].removeprefix("Next: ")
    assert shlex.split(hint)[2] == str(tmp_path / NAME)
