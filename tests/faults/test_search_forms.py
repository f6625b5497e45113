"""A collection whose hits come from a search form is killed: what was answered is not asked again."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, Process
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qs

from motherlode.lab.web import Answer, SandboxRequest
from motherlode.sources.wrappers.form_source import ABSENT_WORD
from support.interactive_webs import HandledWeb, serving_web

FORM = "<title>Library</title><form action=/find>Title <input name=q><button>Search</button></form>"
SUBJECTS = ("barn owls", "grey herons", "tree frogs", "garden snails")
HITS = 5


class Library:
    """A library with a search form; it kills a process when it is asked for a certain subject."""

    def __init__(self, fatal: str) -> None:
        self.fatal = fatal
        self.process: Process | None = None
        self.asked: Counter[str] = Counter()

    def reply(self, request: SandboxRequest) -> Answer | None:
        if request.path == "/find":
            return self._results(parse_qs(request.query)["q"][0])
        if request.path == "/robots.txt":
            return None
        return page(
            FORM if request.path == "/" else f"<title>{request.path}</title>words of a page"
        )

    def _results(self, query: str) -> Answer:
        self.asked[query] += 1
        if query == self.fatal and self.process is not None:
            self.process.kill()
            self.process = None
        if query == ABSENT_WORD:
            return page("<p>No results found.")
        items = "".join(
            f"<li><h3><a href=/{query.replace(' ', '-')}/{n}>All about {query}, part {n}</a></h3>"
            f"<p>A text about {query}."
            for n in range(HITS)
        )
        return page(f"<h1>Results</h1><ol>{items}</ol>")


def page(body: str) -> Answer:
    return Answer(200, (("Content-Type", "text/html; charset=utf-8"),), body.encode())


async def collect(folder: Path, address: str) -> Process:
    subjects = [word for subject in SUBJECTS for word in ("--subject", subject)]
    words = ["collect", "p", *subjects, "--source", "form:http://lib.test/", "--pages", "4"]
    command = [sys.executable, "-m", "motherlode", *words, "--set", f"network.connect={address}"]
    return await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
    )


def test_what_a_form_has_answered_is_not_asked_again_after_a_kill(tmp_path: Path) -> None:
    library = Library(fatal=SUBJECTS[2])

    async def kill_and_resume() -> tuple[int, int]:
        async with serving_web(HandledWeb({"lib.test": library})) as address:
            library.process = first = await collect(tmp_path, address)
            killed = await first.wait()
            return killed, await (await collect(tmp_path, address)).wait()

    killed, resumed = asyncio.run(kill_and_resume())
    assert killed < 0, "it was killed while it asked"
    assert resumed == 0
    assert {query: library.asked[query] for query in SUBJECTS} == {
        SUBJECTS[0]: 1,
        SUBJECTS[1]: 1,
        SUBJECTS[2]: 2,  # its answer never came
        SUBJECTS[3]: 1,
    }
