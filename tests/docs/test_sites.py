"""The page on websites is run: every command on it, in its order, on the web that it makes."""

import re
import shlex
from pathlib import Path

import pytest

from motherlode.lab.serving.background import sandbox
from support.helpers import run_lode

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "sites.md"
SERVED = "127.0.0.1:8765"


def commands() -> list[str]:
    """The commands on the page, with those over several lines in one."""
    text = PAGE.read_text("utf-8").replace("\\\n", " ")
    return re.findall(r"^\$ (lode .*)$", text, re.MULTILINE)


def table() -> str:
    found = re.search(r"^\$ cat more.csv\n(.*?)^\$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.timeout(400)
def test_every_command_on_the_page_works(tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text(table(), "utf-8")
    generate, serve, *rest = commands()
    assert run_lode(tmp_path, *shlex.split(generate)[1:]).returncode == 0
    assert SERVED.partition(":")[2] in serve
    with sandbox(tmp_path / "toy") as running:
        for command in rest:
            words = shlex.split(command.replace(SERVED, running.address))[1:]
            run = run_lode(tmp_path, *words)
            assert run.returncode == 0, f"{command}\n{run.stdout}\n{run.stderr}"
            if words == ["sites", "health"]:
                lines = run.stdout.splitlines()
                assert lines[0].split() == ["site", "relevant", "state", "yours", "pages", *LINKED]
                assert any(line.startswith("horsyset54.test") for line in lines[:12]), run.stdout
            if words[-2:] == ["--show", "waiting"]:
                assert run.stdout.splitlines()[1].split()[1:3] == ["unknown", "waiting"]
    assert "range0.genotype.test" in (tmp_path / "health.html").read_text("utf-8")
    assert (tmp_path / "health-site" / "websites.svg").is_file()


LINKED = ["linked", "by"]  # the heading of the last column
