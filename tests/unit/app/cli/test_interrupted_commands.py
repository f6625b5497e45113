"""Long commands, interrupted at one event after the other: one sentence, exit code 11, nothing lost.

The moments are events of Python's audit hooks, such as imports, opened files and connections.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.portal.directory import CONFIG
from support.bird_portal import crawled_birds
from support.command_runner import INTERRUPT_AT
from support.helpers import run_lode
from support.training_webs import place

EVENTS = (1, 30, 120, 400, 1200)
COMMANDS = {
    "train": ("train", "birds"),
    "crawl": ("crawl", "birds", "--pages", "30"),
    "refresh": ("refresh", "birds", "--older-than", "0s"),
    "index": ("index", "birds", "--rebuild"),
    "search": ("search", "birds", "owl"),
    "judge all": ("judge", "birds", "--again"),
    "judge one": ("judge", "birds", place("owl", 0)),
    "cluster": ("cluster", "birds", "--topic", "animals/birds"),
    "links": ("links", "birds", "--topic", "/"),
    "feedback": ("feedback", "birds", "--try"),
    "jsonl": ("export", "birds", "--format", "jsonl", "--output", "out"),
    "site": ("export", "birds", "--format", "site", "--output", "out"),
    "ask": ("ask", "owls", "--seeds", place("owl", 0), "--portal", "q", "--pages", "9"),
    "compare": ("lab", "compare", "toy", "--topic", "Animals", "--pages", "9", "--jobs", "1"),
    "lab feedback": (
        "lab",
        "feedback",
        "toy",
        "--topic",
        "Animals",
        "--pages",
        "30",
        "--jobs",
        "1",
    ),
    "generate": ("sandbox", "generate", "new"),
    "demo": ("demo", "--pages", "20"),
}
HINT = re.compile(r"; '(lode .*)' (?:resumes|starts again)")


@pytest.fixture(scope="module")
def folder(finished_birds: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a crawled portal and a generated web; the portal's own web is served."""
    with crawled_birds(tmp_path_factory.mktemp("interrupted"), finished_birds) as folder:
        toy = ("sandbox", "generate", "toy", "--pages", "300", "--hosts", "12")
        assert run_lode(folder, *toy).returncode == 0
        yield folder


def settings(folder: Path, command: str) -> tuple[str, ...]:
    """Return what a new portal needs to find the served web."""
    if command != "ask":
        return ()
    config = (folder / "birds" / CONFIG).read_text()
    (line,) = re.findall(r"^connect = .*", config, re.MULTILINE)
    return ("--set", f"network.{line.replace(' ', '')}")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupted_command(folder: Path, tmp_path: Path, command: str) -> None:
    words = (*COMMANDS[command], *settings(folder, command))
    hints: list[tuple[Path, str]] = []
    for turn, event in enumerate(EVENTS):
        number = (signal.SIGINT, signal.SIGTERM)[turn % 2]
        copy = tmp_path / str(event)
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("web"))
        run = run_lode(copy, *words, env={INTERRUPT_AT: f"{event},{number.value}"})
        if run.returncode == 0:  # it has ended before
            break
        assert (run.returncode, run.stderr.strip().count("\n")) == (11, 0), (event, run.stderr)
        assert "Interrupted" in run.stderr
        hints += [(copy, hint) for hint in HINT.findall(run.stderr)]
        assert run_lode(copy, "status", "birds").returncode == 0
    assert turn > 0
    for copy, hint in hints[-1:]:
        again = run_lode(copy, *shlex.split(hint)[1:])
        assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("event", [1, 10])
def test_a_server_that_is_not_ready_yet(folder: Path, event: int, number: signal.Signals) -> None:
    words = ("serve", "birds", "--port", "0")
    run = run_lode(folder, *words, env={INTERRUPT_AT: f"{event},{number.value}"})
    assert (run.returncode, run.stdout, run.stderr.strip()) == (11, "", "lode: Interrupted.")


LOADING = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from support.command_runner import interrupt_by_environment
from motherlode.__main__ import start
interrupt_by_environment()
start()
"""


@pytest.mark.parametrize("event", [1, 40, 200, 600])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_interrupted_while_it_loads(
    tmp_path: Path, event: int, number: signal.Signals
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LOADING, str(Path(__file__).parents[3]), "train", "p"],
        cwd=tmp_path,
        env={**os.environ, INTERRUPT_AT: f"{event},{number.value}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr.strip().count("\n")) == (11, 0), run.stderr
    assert "Interrupted" in run.stderr
