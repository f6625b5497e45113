"""The documentation does what it says: its console sessions are run, its reference is up to date."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from support.helpers import run_lode

ROOT = Path(__file__).resolve().parents[2]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL_SYNTAX = re.compile(r"[|<>&;*?$`~\\]")
# A session in the documentation may use this file without showing it.
BOOKMARKS = next(
    text
    for kind, text in BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text())
    if kind == "html"
)


class Step(NamedTuple):
    command: str
    output: str


def steps(path: Path) -> list[Step]:
    sessions = [text for kind, text in BLOCK.findall(path.read_text()) if kind == "console"]
    parts = [
        part for session in sessions for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    ]
    return [Step(*part.split("\n", 1)) for part in parts]


@pytest.mark.parametrize("path", [path for path in DOCS if steps(path)], ids=lambda path: path.name)
def test_console_sessions_print_what_they_show(path: Path, tmp_path: Path) -> None:
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    for kind, text in BLOCK.findall(path.read_text()):
        if kind == "bibtex":  # a page shows the file before its sessions use it
            (tmp_path / "owls.bib").write_text(text)
    for step in steps(path):
        run = run_command(tmp_path, step.command.replace("make demo", "lode demo"))
        assert run.stdout + run.stderr == step.output, step.command


def run_command(directory: Path, command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command as a shell does; one that is `lode` alone is forked, which starts faster."""
    if command.startswith("lode ") and not SHELL_SYNTAX.search(command):
        return run_lode(directory, *shlex.split(command)[1:], env={"COLUMNS": "100"})
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100"}
    return subprocess.run(
        ["bash", "-c", command],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_some_sessions_were_run() -> None:
    assert sum(len(steps(path)) for path in DOCS) >= 12


def test_the_reference_is_what_the_code_says() -> None:
    """In a process of its own: commands remember how they were called first."""
    told = "import json, reference; print(json.dumps(reference.pages()))"
    run = subprocess.run(
        [sys.executable, "-c", told], cwd=ROOT / "docs", capture_output=True, text=True, check=True
    )
    for name, text in json.loads(run.stdout).items():
        written = (ROOT / "docs" / "reference" / name).read_text()
        assert written == text, f"run 'make docs': {name} is out of date"


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text())
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_the_lock_files_name_no_index() -> None:
    for path in ROOT.glob("requirements*.lock"):
        assert "://" not in path.read_text()
        assert "--index" not in path.read_text()


def test_nothing_committed_names_a_path_of_this_machine() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    here = (f"{ROOT}/", f"{Path.home()}/")
    texts = {name: (ROOT / name).read_text(errors="replace") for name in listed.stdout.split()}
    assert [name for name, text in texts.items() if any(path in text for path in here)] == []
