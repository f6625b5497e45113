"""One crawler on one topic, in a process of its own, within limits of pages, requests and time."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import NamedTuple

from bench.peers.assignments import Assignment
from bench.peers.counts import RequestLog, RunResult, found_at
from bench.peers.environment import PYTHON, ROOT, make_environment
from bench.peers.served_web import ServedWeb
from motherlode.lab.trials.trial import REQUESTS_PER_PAGE

REFERENCE = "bingo"
_LOOK_EVERY_S = 0.05
_GRACE_S = 5.0
_NO_MODULE = re.compile(r"(?:ModuleNotFound|Import)Error: (.*)")


class Crawler(NamedTuple):
    """How a crawler is started: by a module of this folder, here or in `.venv-peers`."""

    name: str
    module: str
    arguments: tuple[str, ...] = ()
    is_peer: bool = True


CRAWLERS = (
    Crawler(REFERENCE, "bench.peers.bingo_crawl", is_peer=False),
    Crawler("Crawl4AI best-first", "bench.peers.crawl4ai_crawl", ("best-first",)),
    Crawler("Crawl4AI adaptive", "bench.peers.crawl4ai_crawl", ("adaptive",)),
    Crawler("Crawl4AI adaptive, all hosts", "bench.peers.crawl4ai_crawl", ("adaptive-all-hosts",)),
    Crawler("Scrapy", "bench.peers.scrapy_spider"),
)


class RunLimits(NamedTuple):
    """What a crawl may use: pages, requests for each of them, and seconds."""

    pages: int
    seconds: float

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """A quarter, a half and all of the pages."""
        return (self.pages // 4, self.pages // 2, self.pages)

    @property
    def requests(self) -> int:
        """As many as a trial of the lab may make."""
        return self.pages * REQUESTS_PER_PAGE


class Task(NamedTuple):
    """What a crawler's process reads as JSON: `port` is the served web's, `folder` its own."""

    seeds: tuple[str, ...]
    keywords: dict[str, float]
    pages: int
    port: int
    folder: str


class Runs:
    """Runs crawlers against a served web, one after the other."""

    def __init__(self, server: ServedWeb, limits: RunLimits) -> None:
        self._server = server
        self._limits = limits

    def run(self, crawler: Crawler, assignment: Assignment) -> RunResult:
        """Return what a crawler fetched, counted by the server."""
        problem = make_environment() if crawler.is_peer else ""
        if problem:
            return RunResult(crawler.name, assignment.topic, problem=problem)
        began = monotonic()
        with TemporaryDirectory(prefix="bench-peers-") as folder:
            log, ending, output = self._crawl(crawler, assignment, Path(folder))
        result = RunResult(
            crawler=crawler.name,
            topic=assignment.topic,
            ending=ending,
            seconds=monotonic() - began,
        )
        if len(log.pages) <= len(assignment.seeds):
            return result._replace(problem=why_nothing(output))
        return result._replace(
            found=found_at(list(log.pages), assignment.relevant, self._limits.checkpoints),
            pages=min(len(log.pages), self._limits.pages),
            requests=min(log.requests_for(self._limits.pages), self._limits.requests),
        )

    def _crawl(
        self, crawler: Crawler, assignment: Assignment, folder: Path
    ) -> tuple[RequestLog, str, str]:
        """Return the requests, why the crawl ended early, and what it printed."""
        task = Task(
            seeds=assignment.seeds,
            keywords=assignment.keywords,
            pages=self._limits.pages,
            port=self._server.port,
            folder=str(folder),
        )
        file = folder / "task.json"
        file.write_text(json.dumps(task._asdict()), "utf-8")
        log = self._server.start_log()
        with (folder / "output").open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 - our own modules
                [
                    *(str(PYTHON) if crawler.is_peer else sys.executable, "-m"),
                    *(crawler.module, *crawler.arguments, str(file)),
                ],
                cwd=folder,
                env=_environment(crawler, folder),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            ending = self._wait(process, log)
        return log, ending, (folder / "output").read_text("utf-8", "replace")

    def _wait(self, process: "subprocess.Popen[bytes]", log: RequestLog) -> str:
        """Wait for a limit or the crawl's end, and end its processes; return why it ended early."""
        limits, end = self._limits, monotonic() + self._limits.seconds
        try:
            while len(log.pages) < limits.pages and log.requests < limits.requests:
                if process.poll() is not None:
                    return f"it ended with exit code {process.returncode}"
                if monotonic() > end:
                    return f"its {limits.seconds:.0f} s were over"
                sleep(_LOOK_EVERY_S)
        finally:
            _end_group(process)
        return ""


def _environment(crawler: Crawler, folder: Path) -> dict[str, str]:
    path = str(ROOT) if crawler.is_peer else f"{ROOT}{os.pathsep}{ROOT / 'src'}"
    return {
        **os.environ,
        "PYTHONPATH": path,
        "CRAWL4_AI_BASE_DIRECTORY": str(folder),
        "CRAWL4AI_NO_CLOUD_NOTICE": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it asks the Web for prices
    }


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """End a process and all that it has started."""
    for number, grace in ((signal.SIGTERM, _GRACE_S), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(grace)


def why_nothing(output: str) -> str:
    """Return in one sentence why a crawler fetched nothing but its seeds, by its output.

    >>> why_nothing("Traceback ...\\nModuleNotFoundError: No module named 'crawl4ai'\\n")
    "It is not installed: No module named 'crawl4ai'."
    """
    if missing := _NO_MODULE.search(output):
        return f"It is not installed: {missing[1]}."
    lines = output.strip().splitlines()
    return f"It fetched no page but the seeds; it said: {lines[-1] if lines else 'nothing'}"
