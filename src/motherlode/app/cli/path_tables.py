"""The path report of a tunnelling crawl as text tables."""

import click

from motherlode.app.cli.tables import TextTable
from motherlode.policies.tunnel.paths import PathReport


def show_path_report(report: PathReport) -> None:
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
