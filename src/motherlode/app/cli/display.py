"""How a crawl is shown: live on a terminal, a line now and then elsewhere."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from time import time
from types import TracebackType
from typing import Self

import click
from msgspec.structs import replace
from rich.console import Console, Group
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from motherlode.app.cli.common import count, duration, harmless
from motherlode.crawl.progress import Idle, Limits, Progress
from motherlode.records import TopicId
from motherlode.topics import TopicTree, show_path

_FRAME = 0.2  # seconds between two frames on a terminal
# Seconds between two lines elsewhere: many at first, few in the log of a long night.
_LINES = ((60.0, 2.0), (600.0, 10.0), (float("inf"), 60.0))
_WORTH_SAYING = 2.0  # seconds for which nothing can be fetched
_BESIDES = 10  # lines of a frame that are no topics
_TELLING = 20  # pages, before which the pace says nothing of what comes
_ERRORS = 3  # kinds of errors that are named
UNLIMITED = 2**62  # pages: there is no such limit
REFRESHING = "refreshing"  # pages that are here already: nothing is looked for, and nothing learned


class Outlet(Console):
    """A console that does not end the process when nobody reads it any more."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Display:
    """Shows how far a crawl is. A context manager: when it ends the terminal is as it was."""

    def __init__(
        self,
        tree: TopicTree,
        limits: Limits,
        *,
        quiet: bool,
        aside: bool = False,
        console: Console | None = None,
    ) -> None:
        self._tree, self._limits, self._quiet = tree, limits, quiet
        self._console = console or Outlet(stderr=aside, highlight=False, soft_wrap=True)
        live = self._console.is_terminal and not self._console.is_dumb_terminal and not quiet
        self._live = Live(console=self._console, auto_refresh=False) if live else None
        self._next = 0.0 if live else _LINES[0][1]
        self._last: Progress | None = None
        self._advised: set[str] = set()
        self._line = ""  # that was said last
        self._idle = 0.0  # until when it is known that nothing can be fetched

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            with self._unheard():
                self._live.stop()

    def expect(self, pages: int) -> None:
        """So many are to come."""
        self._limits = replace(self._limits, pages=pages)

    def say(self, what: str) -> None:
        """A line that stays."""
        if not self._quiet:
            with self._unheard():
                self._console.print(Text(harmless(what)))

    @contextmanager
    def _unheard(self) -> Iterator[None]:
        """Who listened may have gone: `| head`, a pager, a terminal. The crawl goes on, and says no more."""
        try:
            yield
        except OSError:
            self._quiet = True
            with suppress(OSError, ValueError):  # what others have yet to say there goes nowhere, too
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._console.file.fileno())

    def update(self, progress: Progress) -> None:
        """This is how far it is; shown if it is time to, and at the end in any case."""
        self._advise(progress.advice)
        if self._quiet or (progress.seconds < self._next and not progress.end):
            return
        if self._live is not None:
            self._next = progress.seconds + _FRAME
            with self._unheard():
                shown = frame(progress, self._tree, self._limits, self._console.height)
                self._live.update(shown, refresh=True)
            return
        self._say_idle(progress)
        self._next = progress.seconds + next(gap for until, gap in _LINES if progress.seconds < until)
        text = line(progress, self._limits)
        if text != self._line:  # said once is enough
            self._line = text
            self.say(f"  {text}")

    def _advise(self, advice: Sequence[str]) -> None:
        """What to install is said once, even to those who want to hear nothing else."""
        for words in advice:
            if words not in self._advised:
                self._advised.add(words)
                if self._quiet:
                    with suppress(OSError):
                        click.echo(words, err=True)
                else:
                    self.say(words)

    def _say_idle(self, progress: Progress) -> None:
        idle = progress.idle
        if idle is not None and not progress.end and idle.until - max(time(), self._idle) > _WORTH_SAYING:
            self._idle = idle.until
            self.say(f"  {waits(idle, named_errors(progress))}")


def line(progress: Progress, limits: Limits) -> str:
    """How far a crawl is, in one line."""
    again = progress.phase == REFRESHING
    told = [
        f"{progress.phase}: " if progress.phase else "",
        f"{count(progress.pages, 'page')} from {count(progress.hosts, 'host')}, {pace(progress)}",
        "" if again else f", {progress.relevant:,} on a topic ({harvest_rate(progress):.2f})",
        f", {progress.under_way:,} under way" if progress.under_way and not progress.end else "",
        f", {progress.waiting:,} waiting, {progress.failed:,} failed",
        f", {count(progress.retrainings, 'retraining')}" if progress.phase and not again else "",
        f", precision {progress.precision:.2f}" if progress.precision is not None else "",
    ]
    left = time_left(progress, limits)
    return "".join(told) + (f", {duration(left)} left" if left is not None and not progress.end else "")


def waits(idle: Idle, errors: str = "") -> str:
    """That nothing can be fetched, until when, and why."""
    until = datetime.fromtimestamp(idle.until).astimezone().strftime("%H:%M:%S")
    why = f"{idle.why}; errors so far: {errors}" if errors else idle.why
    return f"Nothing can be fetched before {until} (in {duration(idle.until - time())}): {why}."


def named_errors(progress: Progress) -> str:
    """The most frequent kinds of errors, with how often each came."""
    worst = sorted(progress.errors.items(), key=lambda one: -one[1])[:_ERRORS]
    return ", ".join(f"{what} {number:,}" for what, number in worst)


def pace(progress: Progress) -> str:
    rate = progress.pages / progress.seconds if progress.seconds else 0.0
    return f"{rate:,.0f} pages/s" if rate >= 10 or not rate else f"{rate:.1f} pages/s"  # noqa: PLR2004


def harvest_rate(progress: Progress) -> float:
    return progress.relevant / progress.pages if progress.pages else 0.0


def time_left(progress: Progress, limits: Limits) -> float | None:
    """Seconds until a limit is reached, by the pace so far; None: nobody can tell."""
    left = []
    if limits.seconds is not None:
        left.append(limits.seconds - progress.seconds)
    if limits.pages < UNLIMITED and progress.pages >= _TELLING:
        left.append((limits.pages - progress.pages) * progress.seconds / progress.pages)
    return max(0.0, min(left)) if left else None


def frame(progress: Progress, tree: TopicTree, limits: Limits, height: int) -> Group:
    """Everything about a crawl at a glance, on so many lines at most."""
    heads = (Text(head, overflow="ellipsis", no_wrap=True) for head in _heads(progress, limits))
    parts: list[Text | Padding | Table] = [*heads]
    if (bar := _bar(progress, limits)) is not None:
        parts.insert(1, bar)
    if progress.idle is not None and progress.idle.until - time() > _WORTH_SAYING and not progress.end:
        parts.append(Text(waits(progress.idle), style="yellow", overflow="fold", no_wrap=False))
    rows = list(_topics(progress, tree))
    if rows:
        parts.append(_table(rows, max(1, height - _BESIDES)))
    return Group(*parts)


def _heads(progress: Progress, limits: Limits) -> Iterator[str]:
    left = time_left(progress, limits)
    phase = f"{progress.phase or 'crawling'}, {duration(progress.seconds)}"
    soon = f", about {duration(left)} left" if left is not None and not progress.end else ""
    yield f"{phase}: {count(progress.pages, 'page')}, {pace(progress)}{soon}"
    again = progress.phase == REFRESHING
    if not again:
        yield f"on a topic {progress.relevant:,} (harvest rate {harvest_rate(progress):.2f})"
    yield f"{count(progress.hosts, 'host')}, {progress.under_way:,} under way, {progress.waiting:,} waiting"
    if progress.phase and not again:
        sure = "" if progress.precision is None else f", estimated precision {progress.precision:.2f}"
        yield f"{count(progress.retrainings, 'retraining')}{sure}"
    named = named_errors(progress)
    yield f"errors {sum(progress.errors.values()):,}{f': {named}' if named else ''}"


def _bar(progress: Progress, limits: Limits) -> Padding | None:
    """How much of the limit is used up that will be reached first."""
    parts = [progress.pages / limits.pages] if limits.pages < UNLIMITED else []
    parts += [progress.seconds / limits.seconds] if limits.seconds else []
    if not parts:
        return None
    full = min(1.0, max(parts))
    bar = ProgressBar(total=1.0, completed=full, complete_style="cyan", finished_style="green")
    return Padding(bar, 0)  # on a line of its own


def _topics(progress: Progress, tree: TopicTree) -> Iterator[tuple[str, int, int]]:
    """Each topic with its pages and what waits for it, in the order of the tree; those that have any."""
    for topic in tree:
        pages, waiting = progress.topics.get(topic.id, 0), progress.queues.get(topic.id, 0)
        if pages or waiting:
            yield harmless(show_path(tree.path(topic.id))), pages, waiting
    known = {topic.id for topic in tree}
    besides = _sum(progress.topics, known), _sum(progress.queues, known)
    if any(besides):
        yield "on none", *besides


def _sum(numbers: dict[TopicId, int], without: set[TopicId]) -> int:
    return sum(number for topic, number in numbers.items() if topic not in without)


def _table(rows: list[tuple[str, int, int]], most: int) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("topic", overflow="ellipsis", no_wrap=True, ratio=None)
    for heading in ("pages", "waiting"):
        table.add_column(heading, justify="right", no_wrap=True, overflow="ellipsis")
    shown = rows if len(rows) <= most else sorted(rows, key=lambda row: -row[1])[: most - 1]
    for name, pages, waiting in shown:
        table.add_row(Text(name), f"{pages:,}", f"{waiting:,}")
    if len(shown) < len(rows):
        table.add_row(Text(f"and {count(len(rows) - len(shown), 'topic')} more", style="dim"), "", "")
    return table
