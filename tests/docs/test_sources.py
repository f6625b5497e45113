"""The part on search forms is run: every command on it, in its order, on the web that it makes."""

import re
import shlex
from pathlib import Path

from motherlode.lab.serving.background import sandbox
from support.helpers import run_lode

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "sources.md"
SERVED = "127.0.0.1:8765"


def section() -> str:
    text = PAGE.read_text("utf-8")
    return text[text.index("## Portals behind") : text.index("## A file of URLs")]


def commands() -> list[str]:
    """The commands of the section, with those over several lines in one."""
    return re.findall(r"^\$ (lode .*)$", section().replace("\\\n", " "), re.MULTILINE)


def test_every_command_of_the_section_works(tmp_path: Path) -> None:
    generate, serve, *rest = commands()
    assert run_lode(tmp_path, *shlex.split(generate)[1:]).returncode == 0
    assert SERVED.partition(":")[2] in serve
    with sandbox(tmp_path / "toy") as running:
        for command in rest:
            words = shlex.split(command.replace(SERVED, running.address))[1:]
            run = run_lode(tmp_path, *words)
            assert run.returncode == 0, f"{command}\n{run.stdout}\n{run.stderr}"
            if "add" in words:
                assert run.stdout in section()
            if "try" in words:
                assert run.stdout.startswith("Asked for ti=comparison")
