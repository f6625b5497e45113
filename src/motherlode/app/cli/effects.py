"""What another model changes, as a person sees it."""

import click

from motherlode.app.cli.common import count, harmless
from motherlode.app.cli.tables import Table
from motherlode.topics import OTHERS
from motherlode.training.review import Effect, Placed, Shift

_SHOWN = 5
_FLOWS = 10
_LONG = 60  # characters of a title


def show_effect(effect: Effect) -> None:
    """What is expected of each topic, then and now, and what moves."""
    table = Table("topic", "examples", "precision", "after", "recall", "after")
    for one in effect.topics:
        figures = (f"{value:.2f}" for value in (*one.precision, *one.recall))
        table.add(harmless(one.topic), one.examples, *figures)
    if effect.topics:
        table.show()
        click.echo()
    show_moves(effect, "would go")


def show_moves(effect: Effect, go: str) -> None:
    """Which pages go elsewhere; how many from where to where, and the surest of them."""
    click.echo(f"{effect.shifted:,} of {count(effect.judged, 'page')} {go} elsewhere.")
    if effect.flows:
        _show_flows(effect)
    _show_shifts("The surest that come to a topic", [one for one in effect.shifts if one.after != OTHERS])
    _show_shifts("The surest that leave theirs", [one for one in effect.shifts if one.after == OTHERS])
    if effect.order:
        _show_order(effect.order)


def _show_flows(effect: Effect) -> None:
    click.echo()
    table = Table("from", "to", "pages")
    for flow in effect.flows[:_FLOWS]:
        table.add(harmless(flow.before), harmless(flow.after), flow.pages)
    table.show(words=2)
    if len(effect.flows) > _FLOWS:
        click.echo(f"and {len(effect.flows) - _FLOWS:,} more ways")


def _show_shifts(heading: str, shifts: list[Shift]) -> None:
    if not shifts:
        return
    click.echo(f"\n{heading}:")
    for one in shifts[:_SHOWN]:
        was = "" if one.was is None else f"{one.was:+.3f}, now "
        click.echo(harmless(f"  {one.title[:_LONG] or one.url}  {one.before} -> {one.after}"))
        click.echo(harmless(f"    {one.url} ({was}{one.confidence:+.3f})"))


def _show_order(order: tuple[Placed, ...]) -> None:
    click.echo("\nThe best of the last search, by their places before and after:")
    table = Table("title", "topic", "before", "after")
    for one in order:
        table.add(harmless(one.title[:_LONG] or one.url), harmless(one.topic) or "-", one.before, one.after)
    table.show(words=2)
