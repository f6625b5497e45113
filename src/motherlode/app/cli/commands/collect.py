"""`lode collect`: collections for many subjects, built in one crawl (SPEC T1 to T8)."""

import shlex
from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, show_json
from motherlode.app.cli.interruption import exit_interrupted, on_interruption
from motherlode.app.cli.request_options import request_options
from motherlode.app.cli.tables import TextTable
from motherlode.app.requests.collect import CollectRequest
from motherlode.app.text import count
from motherlode.records import LodeError, RunEnd, UsageError

if TYPE_CHECKING:
    from motherlode.app.services.collect import CentroidView
    from motherlode.crawl.progress import Progress
    from motherlode.policies.tunnel.paths import PathReport


@click.command("collect")
@portal_argument
@request_options(CollectRequest)
@click.option(
    "--centroids", is_flag=True, help="Show what each centroid is made of; nothing is fetched."
)
@click.option(
    "--report", is_flag=True, help="Show how far nuggets are from one another; nothing is fetched."
)
@click.option(
    "--plot",
    "plot_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="With --report: plot its figures as .png or .svg.",
)
@json_option
def command(
    directory: Path,
    request: CollectRequest,
    *,
    centroids: bool,
    report: bool,
    plot_to: Path | None,
    as_json: bool,
) -> None:
    """Build a collection for each subject in one crawl; run it again to resume.

    The hits of a search source for a subject make its centroid. The crawl begins at the seeds,
    which need not be on any subject, and tunnels through pages off all subjects to reach the next
    one on a subject. 'lode collections DIR' shows the collections.

    \b
    lode collect maths --subjects subjects.txt --source wiki --seed https://example.org/
    lode collect maths --pages 5000
    lode collect maths --centroids
    lode collect maths --report --plot paths.png
    """
    if centroids and report:
        raise UsageError("Choose one of --centroids and --report.")
    if plot_to is not None and not report:
        raise UsageError("--plot is for --report.")
    if centroids:
        _show_centroids(directory, request, as_json=as_json)
    elif report:
        _show_report(directory, request, plot_to, as_json=as_json)
    else:
        _crawl(directory, request, as_json=as_json)


def _crawl(directory: Path, request: CollectRequest, *, as_json: bool) -> None:
    from motherlode.app.cli.commands.crawl import show_end  # noqa: PLC0415 - loaded only to run it
    from motherlode.app.cli.display import Display  # noqa: PLC0415
    from motherlode.app.services.collect import collect_directory  # noqa: PLC0415

    latest: deque[Progress] = deque(maxlen=1)
    show = partial(Display, quiet=as_json, on_update=latest.append)

    def say(sentence: str) -> None:
        click.echo(harmless(sentence), err=as_json)

    with on_interruption(lambda: _exit_interrupted(request, *latest)):
        progress, result = collect_directory(directory, request, show, say)
    if as_json:
        show_json(result)
    else:
        show_end(progress)
        if not result.problem and progress.end != RunEnd.INTERRUPTED:
            click.echo(f"Next: lode collections {shlex.quote(str(directory))}")
    if progress.end == RunEnd.INTERRUPTED:
        _exit_interrupted(request, progress)
    if result.problem:
        raise LodeError(result.problem)


def _exit_interrupted(request: CollectRequest, progress: "Progress | None" = None) -> NoReturn:
    if progress is None:
        exit_interrupted()
    exit_interrupted(request, request.remaining(progress.pages, progress.seconds))


def _show_centroids(directory: Path, request: CollectRequest, *, as_json: bool) -> None:
    from motherlode.app.services.collect import centroids_in  # noqa: PLC0415 - loaded only to run it

    views = centroids_in(directory, request.crawl_request().settings)
    if as_json:
        show_json(views)
        return
    if not views:
        click.echo("There is no subject; add some with --subjects FILE or --subject WORDS.")
    for view in views:
        _show_centroid(view)


def _show_centroid(view: "CentroidView") -> None:
    click.echo(click.style(harmless(view.subject), bold=True))
    if view.dropped:
        click.echo(f"  dropped: {view.dropped}")
    if view.terms:
        terms = ", ".join(f"{word} {weight:.2f}" for word, weight in view.terms.items())
        click.echo(f"  {harmless(terms)}")
    used = sum(not hit.problem for hit in view.hits)
    click.echo(f"  {count(used, 'hit')}:")
    for hit in view.hits:
        problem = f" ({hit.problem})" if hit.problem else ""
        click.echo(harmless(f"    {hit.url}  {hit.title[:60]}{problem}".rstrip()))


def _show_report(
    directory: Path, request: CollectRequest, plot_to: Path | None, *, as_json: bool
) -> None:
    from motherlode.app.services.path_report import path_report_in  # noqa: PLC0415 - loaded to run it

    report = path_report_in(directory, request.crawl_request().settings, plot_to)
    if as_json:
        show_json(report)
    else:
        _show_path_tables(report)
        if plot_to is not None:
            click.echo(f"\nThe figures are in {plot_to}.")


def _show_path_tables(report: "PathReport") -> None:
    """Print the paper's tables, each under a heading that says what it shows."""
    click.echo(
        f"{report.pages:,} pages, {report.nuggets:,} nuggets, mean correlation "
        f"{report.mean_correlation:.3f}."
    )
    click.echo(
        f"Paths: {report.completed:,} completed, {report.terminated:,} terminated by the cutoff, "
        f"{report.incomplete:,} incomplete."
    )
    if report.lengths:
        lengths = ", ".join(f"{length}: {number:,}" for length, number in report.lengths.items())
        click.echo(f"Completed paths by length: {lengths}.")
    _heading("Correlation by level (1 + the parent's distance; Table 2)")
    table = TextTable("level", "pages", "mean", "highest")
    for level in report.levels:
        table.add(level.level, level.pages, f"{level.mean:.3f}", f"{level.highest:.3f}")
    table.show(words=0)
    _heading("Correlation of all pages, and of the children of good parents (Table 3)")
    table = TextTable("up to", "pages", "share", "children", "share")
    for bracket in report.brackets:
        table.add(
            f"{bracket.bracket:.2f}",
            bracket.pages,
            f"{bracket.share:.1%}",
            bracket.children,
            f"{bracket.children_share:.1%}",
        )
    table.show(words=0)
    _heading("From a child of a nugget to the next nugget (Table 4)")
    table = TextTable("up to", "children", "reaching one", "mean length", "deviation")
    for length in report.next_nuggets:
        mean = None if length.mean is None else f"{length.mean:.2f}"
        deviation = None if length.deviation is None else f"{length.deviation:.2f}"
        table.add(f"{length.bracket:.2f}", length.pages, length.reaching, mean, deviation)
    table.show(words=0)
    _heading("Nuggets behind duds, by the grandparent's correlation (Figure 1)")
    table = TextTable("parent", "grandparent up to", "pages", "nuggets")
    for row in report.history:
        parent = "up to 0.25" if row.parent == "low" else "above 0.25"
        table.add(parent, f"{row.grandparent:.2f}", row.pages, f"{row.share:.1%}")
    table.show(words=1)
    _heading("Mean correlation by distance from the last nugget (Figure 2)")
    table = TextTable("distance", "pages", "mean")
    for distance in report.distances:
        table.add(distance.distance, distance.pages, f"{distance.mean:.3f}")
    table.show(words=0)


def _heading(text: str) -> None:
    click.echo(f"\n{click.style(text, bold=True)}")
