"""A small portal of birds, crawled from the sandbox and trained: for what is done with a finished crawl."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from motherlode.lab.serving.background import sandbox
from motherlode.portal.directory import CONFIG
from support.helpers import run_lode
from support.small_webs import record_web
from support.training_webs import EACH, pages, paper, place, text

HOSTILE = "http://hostile.test/"
EVIL = "=Owl \u202e</script><script>alert(1)</script> &amp; ]]> \x1b[31m"


@contextmanager
def crawled_birds(folder: Path, finished: Path) -> Iterator[Path]:
    """A copy of what was finished, in this folder; its web is there meanwhile, at an address of its own."""
    shutil.copytree(finished, folder, dirs_exist_ok=True)
    with sandbox(folder / "web") as running:
        settings = folder / "birds" / CONFIG
        there = (folder / "address").read_text()
        settings.write_text(settings.read_text().replace(there, running.address))
        yield folder


def finish_birds(folder: Path) -> None:
    """Make and crawl a portal called `birds` with owls and herons in one topic."""
    evil = EVIL.replace("<", "&lt;")
    said = {**pages(), HOSTILE: paper(evil, text("owl", 3), [place("owl", 0)])}
    record_web(folder / "web", said)
    with sandbox(folder / "web") as running:
        (folder / "address").write_text(running.address)
        seeds = [place(kind, n) for kind in ("owl", "heron") for n in range(EACH)]
        words = ["--topic", "animals/birds", *_seeds([*seeds, HOSTILE])]
        words += ["--topic", "OTHERS", *_seeds([place("news", n) for n in range(3)])]
        run = run_lode(
            folder, "new", "birds", *words, "--set", f"network.connect={running.address}"
        )
        assert run.returncode == 0, run.stderr
        for command in (("train",), ("crawl", "--policy", "breadth-first"), ("train",)):
            run = run_lode(folder, command[0], "birds", *command[1:])
            assert run.returncode == 0, run.stderr


def _seeds(urls: list[str]) -> list[str]:
    return [word for url in urls for word in ("--seed", url)]
