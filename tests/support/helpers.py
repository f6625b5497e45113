"""Small tools for tests."""

import csv
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn, Protocol

import pytest

from motherlode.records import Follow, QueueId
from motherlode.urls import address
from support.command_runner import forked

_PATIENCE = 150  # seconds for a run: less than a test has, more than any busy machine takes

# Settings with which a host that falls silent is waited for, however slow the machine is.
NO_TIMEOUTS = {"network.idle_timeout": 3600, "network.timeout": 3600, "network.min_rate": 0}


def lacks(what: str) -> NoReturn:
    """Skip a test for want of something of the system; in CI, where all of it is installed, fail."""
    if os.environ.get("LODE_TESTS_SKIP_NOTHING"):
        pytest.fail(f"lacks {what}")
    pytest.skip(f"lacks {what}")


class CliRun(Protocol):
    def __call__(
        self, *arguments: str | Path, **options: Any
    ) -> "subprocess.CompletedProcess[str]": ...


def run_lode(
    directory: Path, *arguments: str | Path, env: dict[str, str] | None = None, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """Run `lode` and return what it printed and its exit code.

    Options are those of `subprocess.run`; with them, or where the interpreter is told something, it is
    started from the beginning, otherwise forked.
    """
    words, chosen = list(map(str, arguments)), env or {}
    if not options and not any(name.startswith("PYTHON") for name in chosen):
        return forked().run(directory, words, {**os.environ, **chosen}, _PATIENCE)
    return started(directory, *words, env=chosen, **options)


def started(
    directory: Path, *arguments: str | Path, env: dict[str, str] | None = None, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """The same in a process from the beginning."""
    return subprocess.run(
        [sys.executable, "-m", "motherlode", *map(str, arguments)],
        cwd=directory,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
        **options,
    )


def follow(url: str, rank: float = 1.0, queue: int = 2, depth: int = 0) -> Follow:
    found = address(url)
    return Follow(found.url, found.key, QueueId(queue), rank, depth)


def said_one_sentence(run: "subprocess.CompletedProcess[str]") -> bool:
    """Whether an error was one line on stderr, without a traceback."""
    lines = run.stderr.strip().splitlines()
    return len(lines) == 1 and lines[0].startswith("lode: ") and "Traceback" not in run.stderr


def sheet_rows(sheet: str) -> list[dict[str, str]]:
    """The rows of a CSV file, however long their fields are; others who read CSV have the limit of before."""
    limit = csv.field_size_limit(2**24)
    try:
        return list(csv.DictReader(io.StringIO(sheet, newline="")))
    finally:
        csv.field_size_limit(limit)
