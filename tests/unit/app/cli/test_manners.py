"""What every command does: colour, encodings, names, output that goes nowhere."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from support.helpers import CliRun


def coloured(directory: Path, **environment: str) -> bool:
    """Whether `lode topics p` uses colour when it writes to a terminal."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "motherlode", "topics", "p"]
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(
        command,
        cwd=directory,
        stdout=follower,
        env={**kept, "TERM": "xterm", **environment},
        check=True,
    )
    os.close(follower)
    shown = os.read(leader, 100_000)
    os.close(leader)
    return b"\x1b[" in shown


def test_colour_only_on_a_terminal_and_only_if_wanted(lode: CliRun, portal: Path) -> None:
    assert "\x1b[" not in lode("topics", "p").stdout
    assert coloured(portal.parent)
    assert not coloured(portal.parent, NO_COLOR="1")


@pytest.mark.usefixtures("portal")
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m motherlode config p | head -1; exit ${{PIPESTATUS[0]}}"
    run = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0
    assert run.stderr == ""


def test_debug_shows_the_traceback(lode: CliRun) -> None:
    assert "Traceback" in lode("--debug", "topics", "missing").stderr
    assert "Traceback" in lode("topics", "missing", "--debug").stderr


@pytest.mark.parametrize(
    "name", ["x#1", "what?", "p?mode=memory&x=", "a%20b", "50%", "x y", "ü", "-dash", "a'b"]
)
def test_a_portal_may_be_called_anything(lode: CliRun, tmp_path: Path, name: str) -> None:
    made = lode("new", "--topic", "a", "--seed", "http://a/", "--", name)
    assert made.returncode == 0, made.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name / "lode.db").is_file()
    assert "http://a/" in lode("topics", "--", name).stdout


def test_a_portal_may_be_called_what_is_no_text(lode: CliRun, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    assert lode("new", name, "--topic", "a").returncode == 0
    assert lode("topics", name).returncode == 0
    assert (tmp_path / name / "lode.db").is_file()


@pytest.mark.usefixtures("portal")
@pytest.mark.parametrize("closing", [">&-", "2>&-", ">/dev/full", "2>/dev/full", ">&- 2>&-"])
def test_output_that_goes_nowhere(tmp_path: Path, closing: str) -> None:
    for arguments in ("topics p", "--help", "topics missing"):
        command = f"{sys.executable} -m motherlode {arguments} {closing}"
        run = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in run.stderr
        assert "bug" not in run.stderr
        assert run.returncode == (
            4 if "missing" in arguments else 1 if closing == ">/dev/full" else 0
        )


@pytest.mark.usefixtures("portal")
def test_output_in_a_narrow_encoding(lode: CliRun) -> None:
    for encoding in ("ascii", "latin-1"):
        run = lode("topics", "p", env={"PYTHONIOENCODING": encoding})
        assert run.returncode == 0
        assert "Physics" in run.stdout
