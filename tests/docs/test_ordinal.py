"""The page on levels is run: every command on it, in its order, on the web that it makes."""

import re
import shlex
from pathlib import Path

import pytest

from motherlode.lab.serving.background import sandbox
from motherlode.portal import Portal
from motherlode.store.tables.pages import judgement_of
from motherlode.store.tables.topics import examples_of
from motherlode.training.training_document import page_at_url
from support.helpers import run_lode

DOCS = Path(__file__).resolve().parents[2] / "docs"
SERVED = "127.0.0.1:8765"


def commands(page: Path) -> list[str]:
    """The commands on a page, with those over several lines in one."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    return re.findall(r"^\$ (lode .*)$", text, re.MULTILINE)


def assert_examples_are_accepted(place: Path) -> None:
    with Portal.reading(place) as portal, portal.store.reading() as session:
        for example in examples_of(session):
            page = page_at_url(session, example.url or "")
            judgement = None if page is None else judgement_of(session, page.id)
            assert judgement is None or judgement.is_accepted, example.url


@pytest.mark.timeout(400)
def test_every_command_on_both_pages_works(tmp_path: Path) -> None:
    generate, serve, *rest = commands(DOCS / "how-to" / "ordinal.md")
    assert run_lode(tmp_path, *shlex.split(generate)[1:]).returncode == 0
    assert SERVED.partition(":")[2] in serve
    with sandbox(tmp_path / "toy") as running:
        for command in [*rest, *commands(DOCS / "ordinal.md")]:
            words = shlex.split(command.replace(SERVED, running.address))[1:]
            run = run_lode(tmp_path, *words)
            assert run.returncode == 0, f"{command}\n{run.stdout}\n{run.stderr}"
            if words[0] == "crawl":
                assert_examples_are_accepted(tmp_path / "health")
            if words[0] == "explain":
                assert "it is of level" in run.stdout, run.stdout
                assert "the thresholds between levels" in run.stdout, run.stdout
