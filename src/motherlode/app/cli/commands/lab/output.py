"""Tables, plots and files of the lab commands."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click

from motherlode.app.cli.common import json_text
from motherlode.records import BadInputError, UsageError

T = TypeVar("T")


def check_targets(
    json_to: str | None, plot_to: Path | None = None, logs: Path | None = None
) -> None:
    """Raise `BadInputError` if a file cannot be written, before a run of many minutes."""
    for target in (Path(json_to) if json_to and json_to != "-" else None, plot_to):
        if target is None:
            continue
        if not target.parent.is_dir():
            raise BadInputError(f"There is no folder {target.parent} to write {target.name} into.")
        if not target.name or target.is_dir():
            raise BadInputError(f"'{target}' is a directory; name a file to write.")
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            raise BadInputError(f"{target} cannot be written.")
    if plot_to is not None and plot_to.suffix.lower() not in ("", ".png", ".svg"):
        raise UsageError(f"--plot {plot_to}: a plot is .png or .svg; without an ending it is both.")
    if logs is not None:
        try:
            logs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInputError(f"{logs} cannot be made: {error.strerror or error}.") from error


def write_json(result: object, target: str | None) -> None:
    if target is None:
        return
    if target == "-":
        click.echo(json_text(result))
        return
    try:
        Path(target).write_text(json_text(result) + "\n", "utf-8")
    except OSError as error:
        raise BadInputError(f"{target} cannot be written: {error.strerror or error}.") from error


def draw(
    curves: Mapping[str, Sequence[tuple[float, float]]], target: Path, title: str, web: str
) -> None:
    from motherlode.lab.trials.plots import plot  # noqa: PLC0415 - loaded only to plot

    for file in plot(curves, target, title=title, subtitle=f"on the web '{web}'"):
        click.echo(f"Plotted {file}.", err=True)


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar, and yield the function that updates it."""
    with click.progressbar(
        length=1, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as shown:

        def update(done: int, total: int) -> None:
            shown.length = total
            shown.update(done - shown.pos)

        yield update


def with_bar(trials: Iterable[T], number: int) -> list[T]:
    """Return all trials, with a progress bar while they run."""
    finished = []
    with bar("Trials") as update:
        update(0, number)
        for trial in trials:
            finished.append(trial)
            update(len(finished), number)
    return finished


def share(figure: float | None) -> str | None:
    return None if figure is None else f"{figure:.3f}"
