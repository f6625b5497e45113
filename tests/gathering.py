"""A small portal of birds, crawled from the sandbox and trained: for what is done with a finished crawl."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helpers import run_lode
from motherlode.lab.serving.background import sandbox
from teaching import EACH, pages, paper, place, text
from webs import record_web

HOSTILE = "http://hostile.test/"
EVIL = "=Owl \u202e</script><script>alert(1)</script> &amp; ]]> \x1b[31m"


@contextmanager
def crawled_birds(folder: Path) -> Iterator[Path]:
    """The folder of a portal called `birds` with owls and herons in one topic; the web is there meanwhile."""
    evil = EVIL.replace("<", "&lt;")
    said = {**pages(), HOSTILE: paper(evil, text("owl", 3), [place("owl", 0)])}
    record_web(folder / "web", said)
    with sandbox(folder / "web") as running:
        seeds = [place(kind, n) for kind in ("owl", "heron") for n in range(EACH)]
        words = ["--topic", "animals/birds", *_seeds([*seeds, HOSTILE])]
        words += ["--topic", "OTHERS", *_seeds([place("news", n) for n in range(3)])]
        run = run_lode(folder, "new", "birds", *words, "--set", f"network.connect={running.address}")
        assert run.returncode == 0, run.stderr
        for command in (("train",), ("crawl", "--policy", "breadth-first"), ("train",)):
            run = run_lode(folder, command[0], "birds", *command[1:])
            assert run.returncode == 0, run.stderr
        yield folder


def _seeds(urls: list[str]) -> list[str]:
    return [word for url in urls for word in ("--seed", url)]
