"""Shows a crawl: live on a terminal, by a line now and then elsewhere."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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

from motherlode.app.cli.common import harmless
from motherlode.app.services.refresh import REFRESHING
from motherlode.app.text import count, duration
from motherlode.crawl.progress import NO_NAME, UNLIMITED_PAGES, Idle, Limits, Progress
from motherlode.fetch.failures import FailureKind
from motherlode.records import RunEnd
from motherlode.topics import TopicTree, show_path

_FRAME_S = 0.2  # between two frames on a terminal
# Until a time of the crawl, the seconds between two lines: many at first, few in a long log.
_LINE_GAPS_S = ((60.0, 2.0), (600.0, 10.0), (float("inf"), 60.0))
MIN_IDLE_S = 2.0  # of idle time that is worth a message
_OTHER_LINES = 10  # of a frame that are no topics
MIN_PACE_PAGES = 20  # before which the pace predicts nothing
MAX_ERROR_KINDS = 3


class PipeSafeConsole(Console):
    """A console that raises an error when its pipe is closed, instead of ending the process."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Display:
    """Shows the progress of a crawl. A context manager that leaves the terminal as it was."""

    def __init__(
        self,
        tree: TopicTree,
        limits: Limits,
        *,
        quiet: bool,
        aside: bool = False,
        console: Console | None = None,
        on_update: Callable[[Progress], None] = lambda _progress: None,
    ) -> None:
        self._on_update = on_update
        self._tree, self._limits, self._quiet = tree, limits, quiet
        self._console = console or PipeSafeConsole(stderr=aside, highlight=False, soft_wrap=True)
        live = self._console.is_terminal and not self._console.is_dumb_terminal and not quiet
        self._live = Live(console=self._console, auto_refresh=False) if live else None
        self._next = 0.0 if live else _LINE_GAPS_S[0][1]
        self._last: Progress | None = None
        self._advised: set[str] = set()
        self._line = ""  # the last one
        self._idle_until = 0.0  # as the user was told

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None and self._live.is_started:
            with self._quiet_on_error():
                self._live.stop()

    def say(self, sentence: str) -> None:
        """Print a line that stays."""
        if not self._quiet:
            with self._quiet_on_error():
                self._console.print(Text(harmless(sentence)))

    @contextmanager
    def _quiet_on_error(self) -> Iterator[None]:
        """Print nothing more once the reader is gone (`| head`, a pager); the crawl goes on."""
        try:
            yield
        except OSError:
            self._quiet = True
            with suppress(OSError, ValueError):  # other output to it is dropped, too
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._console.file.fileno())

    def update(self, progress: Progress) -> None:
        """Show the progress if it is time to, and at the end in any case."""
        self._on_update(progress)
        if progress.phase == REFRESHING:  # the limit is the number of pages to refresh
            self._limits = replace(self._limits, pages=progress.pages + progress.waiting)
        self._advise(progress.advice)
        if self._quiet or (progress.seconds < self._next and not progress.end):
            return
        if self._live is not None:
            self._next = progress.seconds + _FRAME_S
            with self._quiet_on_error():
                self._live.start()
                shown = frame(progress, self._tree, self._limits, self._console.height)
                self._live.update(shown, refresh=True)
            return
        self._say_idle(progress)
        self._next = progress.seconds + next(
            gap for until, gap in _LINE_GAPS_S if progress.seconds < until
        )
        text = line(progress, self._limits)
        if text != self._line:  # no line twice
            self._line = text
            self.say(f"  {text}")

    def _advise(self, advice: Sequence[str]) -> None:
        """Print each advice once, such as what to install, even if the display is quiet."""
        for sentence in advice:
            if sentence not in self._advised:
                self._advised.add(sentence)
                if self._quiet:
                    with suppress(OSError):
                        click.echo(sentence, err=True)
                else:
                    self.say(sentence)

    def _say_idle(self, progress: Progress) -> None:
        idle = progress.idle
        if (
            idle is not None
            and not progress.end
            and idle.until - max(time(), self._idle_until) > MIN_IDLE_S
        ):
            self._idle_until = idle.until
            self.say(f"  {idle_sentence(idle, frequent_errors(progress))}")


def _finds(progress: Progress) -> str:
    """Return what a crawl has found, in the words of its policy if it has any."""
    if progress.summary:
        return f", {progress.summary}"
    return f", {progress.relevant:,} on a topic ({harvest_rate(progress):.2f})"


def line(progress: Progress, limits: Limits) -> str:
    """Return the progress of a crawl in one line."""
    again = progress.phase == REFRESHING
    parts = [
        f"{progress.phase}: " if progress.phase else "",
        f"{count(progress.pages, 'page')} from {count(progress.hosts, 'host')}, {pace(progress)}",
        "" if again else _finds(progress),
        f", {progress.under_way:,} under way" if progress.under_way and not progress.end else "",
        f", {progress.waiting:,} waiting, {failures(progress)}",
        f", {count(progress.retrainings, 'retraining')}" if progress.phase and not again else "",
    ]
    seconds = time_left(progress, limits)
    left = f", {duration(seconds)} left" if seconds is not None and not progress.end else ""
    return "".join(parts) + left


def idle_sentence(idle: Idle, errors: str = "") -> str:
    """Return a sentence on how long nothing can be fetched, and why."""
    until = datetime.fromtimestamp(idle.until).astimezone().strftime("%H:%M:%S")
    why = f"{idle.why}; errors so far: {errors}" if errors else idle.why
    return f"Nothing can be fetched before {until} (in {duration(idle.until - time())}): {why}."


def frequent_errors(progress: Progress) -> str:
    """Return the most frequent kinds of errors with their counts."""
    worst = sorted(progress.errors.items(), key=lambda item: -item[1])[:MAX_ERROR_KINDS]
    return ", ".join(f"{kind} {number:,}" for kind, number in worst)


_END_REASONS: Mapping[str, str] = {
    RunEnd.PAGES: "the page limit is reached",
    RunEnd.TIME: "the time limit is reached",
    RunEnd.FEEDBACK: "learning is finished, and it waits for your feedback on the archetypes",
    RunEnd.INTERRUPTED: "interrupted",
    RunEnd.ENOUGH: "enough relevant sites are found, or they cost too many pages by now",
    RunEnd.NO_ANSWER: "no server answers",
}


def end_reason(progress: Progress) -> str:
    """Return why a crawl ended, for the end of a sentence."""
    if progress.end in _END_REASONS:
        return _END_REASONS[progress.end]
    if progress.idle is not None:
        reason = idle_sentence(progress.idle, frequent_errors(progress)).rstrip(".")
        return reason[:1].lower() + reason[1:]
    if progress.waiting:
        return "nothing more can be fetched now"
    if progress.summary:  # a crawl for sites, which leaves most pages of a site unread
        return "no site is left to examine"
    return "all URLs that were found are fetched"


def failures(progress: Progress) -> str:
    """Return how many URLs failed; those that lead to no page, which is ordinary, are
    told apart.
    """
    gone = min(progress.errors.get(FailureKind.CLIENT, 0), progress.failed)
    failed = f"{progress.failed - gone:,} failed"
    return f"{gone:,} not there (404), {failed}" if gone else failed


def pace(progress: Progress) -> str:
    rate = progress.pages / progress.seconds if progress.seconds else 0.0
    return f"{rate:,.0f} pages/s" if rate >= 10 or not rate else f"{rate:.1f} pages/s"  # noqa: PLR2004


def harvest_rate(progress: Progress) -> float:
    return progress.relevant / progress.pages if progress.pages else 0.0


def time_left(progress: Progress, limits: Limits) -> float | None:
    """Return the seconds until a limit is reached, by the pace so far; None if unknown."""
    estimates = []
    if limits.seconds is not None:
        estimates.append(limits.seconds - progress.seconds)
    if limits.pages < UNLIMITED_PAGES and progress.pages >= MIN_PACE_PAGES:
        estimates.append((limits.pages - progress.pages) * progress.seconds / progress.pages)
    return max(0.0, min(estimates)) if estimates else None


def frame(progress: Progress, tree: TopicTree, limits: Limits, height: int) -> Group:
    """Return all about a crawl at a glance, in at most `height` lines."""
    heads = (Text(head, overflow="ellipsis", no_wrap=True) for head in _heads(progress, limits))
    parts: list[Text | Padding | Table] = [*heads]
    if (bar := _bar(progress, limits)) is not None:
        parts.insert(1, bar)
    if progress.idle is not None and progress.idle.until - time() > MIN_IDLE_S and not progress.end:
        parts.append(
            Text(idle_sentence(progress.idle), style="yellow", overflow="fold", no_wrap=False)
        )
    rows = list(_topics(progress, tree))
    if rows:
        parts.append(_table(rows, max(1, height - _OTHER_LINES)))
    return Group(*parts)


def _heads(progress: Progress, limits: Limits) -> Iterator[str]:
    seconds = time_left(progress, limits)
    phase = f"{progress.phase or 'crawling'}, {duration(progress.seconds)}"
    soon = f", about {duration(seconds)} left" if seconds is not None and not progress.end else ""
    yield f"{phase}: {count(progress.pages, 'page')}, {pace(progress)}{soon}"
    again = progress.phase == REFRESHING
    if not again:
        yield (
            progress.summary
            or f"on a topic {progress.relevant:,} (harvest rate {harvest_rate(progress):.2f})"
        )
    yield (
        f"{count(progress.hosts, 'host')}, {progress.under_way:,} under way, {progress.waiting:,} "
        "waiting"
    )
    if progress.phase and not again:
        yield count(progress.retrainings, "retraining")
    errors = frequent_errors(progress)
    yield f"errors {sum(progress.errors.values()):,}{f': {errors}' if errors else ''}"


def _bar(progress: Progress, limits: Limits) -> Padding | None:
    """Return a bar for the limit that will be reached first."""
    parts = [progress.pages / limits.pages] if limits.pages < UNLIMITED_PAGES else []
    parts += [progress.seconds / limits.seconds] if limits.seconds else []
    if not parts:
        return None
    full = min(1.0, max(parts))
    bar = ProgressBar(total=1.0, completed=full, complete_style="cyan", finished_style="green")
    return Padding(bar, 0)  # on a line of its own


def _topics(progress: Progress, tree: TopicTree) -> Iterator[tuple[str, int, int]]:
    """Return the rows of the table: topics with their pages and what waits, then other queues."""
    pages, waiting = Counter(progress.topics), progress.waiting_by_queue()
    for topic in tree:
        path = show_path(tree.path(topic.id))
        row = (harmless(path), pages.pop(topic.id, 0), waiting.pop(path, 0))
        if any(row[1:]):
            yield row
    unnamed = waiting.pop(NO_NAME, 0)
    for name, size in waiting.items():
        yield harmless(name), 0, size
    if pages.total() or unnamed:
        yield "on none", pages.total(), unnamed


def _table(rows: list[tuple[str, int, int]], most: int) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("topic", overflow="ellipsis", no_wrap=True, ratio=None)
    for heading in ("pages", "waiting"):
        table.add_column(heading, justify="right", no_wrap=True, overflow="ellipsis")
    shown = rows if len(rows) <= most else sorted(rows, key=lambda row: -row[1])[: most - 1]
    for name, pages, waiting in shown:
        table.add_row(Text(name), f"{pages:,}", f"{waiting:,}")
    if len(shown) < len(rows):
        table.add_row(
            Text(f"and {count(len(rows) - len(shown), 'topic')} more", style="dim"), "", ""
        )
    return table
