"""How a crawl is shown: live on a terminal, a line now and then elsewhere."""

import sys
from types import TracebackType
from typing import Self

import click

from motherlode.app.cli.common import count
from motherlode.engine import Limits, Progress
from motherlode.topics import TopicTree


class Display:
    """Progress: one line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self, tree: TopicTree, limits: Limits, *, quiet: bool) -> None:
        self._tree, self._limits, self._quiet = tree, limits, quiet
        self._live = sys.stdout.isatty()
        self._next = 0.0
        self._last = Progress()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._quiet and self._last.pages:
            click.echo(f"\r{_line(self._last)} " if self._live else _line(self._last))

    def say(self, what: str) -> None:
        if not self._quiet:
            click.echo(what)

    def update(self, progress: Progress) -> None:
        self._last = progress
        if progress.seconds >= self._next and not self._quiet:
            self._next = progress.seconds + (0.2 if self._live else 2.0)
            click.echo(f"\r{_line(progress)} " if self._live else _line(progress), nl=not self._live)


def _line(progress: Progress) -> str:
    rate = progress.pages / progress.seconds if progress.seconds else 0.0
    idle = f"; {progress.idle.why}" if progress.idle is not None else ""
    return (
        f"  {progress.phase}: {count(progress.pages, 'page')} ({progress.relevant:,} on a topic) from "
        f"{count(progress.hosts, 'host')}, {rate:,.0f} pages/s, {progress.waiting:,} waiting, "
        f"{count(progress.redirects, 'redirect')}, {progress.failed:,} failed, {progress.retrainings} lessons"
        f"{idle}"
    )
