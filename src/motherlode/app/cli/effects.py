"""Print what a new model changes."""

import click

from motherlode.app.cli.common import harmless
from motherlode.app.cli.tables import TextTable
from motherlode.app.text import count
from motherlode.topics import OTHERS
from motherlode.training.feedback.review import Effect, MovedResult, ReassignedPage

MAX_PAGES_SHOWN = 5
MAX_FLOWS_SHOWN = 10
MAX_REASONS_SHOWN = 5  # of flows, the largest
MAX_TITLE_CHARS = 60
EXAMPLES_OF_SUBTOPICS = "The examples of a topic are its own and those of its subtopics."


def show_effect(effect: Effect) -> None:
    """Print the pages and precision of each topic, before and after, and the pages that move."""
    table = TextTable("topic", "examples", "from crawl", "pages", "after", "precision", "after")
    for topic in effect.topics:
        figures = (*topic.pages, *map(precision_text, topic.precision))
        chosen = topic.examples_from
        table.add(harmless(topic.topic), chosen.user, chosen.crawl, *figures)
    if effect.topics:
        table.show()
        if any("/" in topic.topic for topic in effect.topics):
            click.echo(f"\n{EXAMPLES_OF_SUBTOPICS}")
        click.echo()
    show_moves(effect, "would go")


def precision_text(value: float | None) -> str | None:
    """Return an estimated precision as it is shown in tables."""
    return None if value is None else f"about {value:.1f}"


def show_moves(effect: Effect, go: str) -> None:
    """Print how many pages move between topics, and those with the highest margin."""
    click.echo(f"{effect.shifted:,} of {count(effect.judged, 'page')} {go} elsewhere.")
    if effect.flows:
        _show_flows(effect)
    _show_shifts(
        "Pages that come to a topic, the surest first",
        [page for page in effect.shifts if page.after != OTHERS],
    )
    _show_shifts(
        "Pages that leave their topic, the surest first",
        [page for page in effect.shifts if page.after == OTHERS],
    )
    if effect.order:
        _show_order(effect.order)


def _show_flows(effect: Effect) -> None:
    click.echo()
    table = TextTable("from", "to", "pages")
    for flow in effect.flows[:MAX_FLOWS_SHOWN]:
        table.add(harmless(flow.before), harmless(flow.after), flow.pages)
    table.show(words=2)
    if len(effect.flows) > MAX_FLOWS_SHOWN:
        click.echo(f"and {len(effect.flows) - MAX_FLOWS_SHOWN:,} more ways")
    reasons = [flow for flow in effect.flows[:MAX_REASONS_SHOWN] if flow.reason]
    if reasons:
        click.echo("\nWhy:")
    for flow in reasons:
        click.echo(harmless(f"  {flow.before} -> {flow.after}: {flow.reason}"))


def _show_shifts(heading: str, shifts: list[ReassignedPage]) -> None:
    if not shifts:
        return
    click.echo(f"\n{heading}:")
    for page in shifts[:MAX_PAGES_SHOWN]:
        click.echo(
            harmless(f"  {page.title[:MAX_TITLE_CHARS] or page.url}  {page.before} -> {page.after}")
        )
        click.echo(harmless(f"    {page.url}"))
        if certainty := page.certainty_change:
            click.echo(f"    {certainty}")
        if page.reason:
            click.echo(harmless(f"    because {page.reason}"))


def _show_order(order: tuple[MovedResult, ...]) -> None:
    click.echo("\nThe best of the last search, by their places before and after:")
    table = TextTable("title", "topic", "before", "after")
    for result in order:
        table.add(
            harmless(result.title[:MAX_TITLE_CHARS] or result.url),
            harmless(result.topic) or "-",
            result.before,
            result.after,
        )
    table.show(words=2)
