"""`lode stats`: what a portal holds, in figures."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import fill

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.tables import TextTable
from motherlode.app.services.portals.statistics import Statistics, statistics_of
from motherlode.app.text import count

_KINDS_SHOWN = 10  # the most frequent
_NAME_COLUMNS = 10
_LINE_COLUMNS = 80
_NO_BREAK = "\N{NO-BREAK SPACE}"  # between words that stay on one line
_BARS = "▁▂▃▄▅▆▇█"


@click.command("stats")
@portal_argument
@set_option
@json_option
def command(directory: Path, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Show what the portal DIR holds: pages, bytes, types, languages, hosts, links, failures,
    harvest.

    It works while a crawl is running, too.
    """
    statistics = statistics_of(directory, overrides)
    if as_json:
        show_json(statistics)
    else:
        _show(statistics)


def _show(statistics: Statistics) -> None:
    click.echo(
        f"{harmless(statistics.title)}: {count(statistics.pages, 'page')}, "
        f"{statistics.size / 1e6:,.1f} MB\n"
    )
    rows: dict[str, str] = {
        "URLs": _kinds(statistics.states, sum(statistics.states.values())),
        "hosts": _kinds(statistics.hosts, sum(statistics.hosts.values())),
        "links": f"{statistics.links:,}",
        "redirects": f"{statistics.redirects:,}",
        "types": _kinds(statistics.types),
        "languages": _kinds(statistics.languages),
        "statuses": _kinds(statistics.statuses),
        "failures": _kinds(statistics.failures),
        "skipped": _kinds(statistics.skipped),
        "unreadable": _kinds(statistics.unreadable),
    }
    for name, text in rows.items():
        click.echo(_lines(name, text))
    rate = statistics.relevant / statistics.pages if statistics.pages else 0.0
    click.echo(f"{'harvest':<{_NAME_COLUMNS}} {rate:.2f}  {sparkline(statistics.harvest)}\n")
    table = TextTable("topic", "pages", "estimated precision")
    for topic in statistics.topics:
        estimate = None if topic.precision is None else topic.precision.text()
        table.add(harmless(topic.topic), topic.pages, estimate)
    table.show()


def _lines(name: str, text: str) -> str:
    """Return a name and its text, wrapped into as many lines as needed."""
    first_indent, indent = f"{name:<{_NAME_COLUMNS}} ", " " * (_NAME_COLUMNS + 1)
    lines = fill(
        text,
        _LINE_COLUMNS,
        initial_indent=first_indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace(_NO_BREAK, " ")


def _kinds(numbers: Mapping[str, int], total: int | None = None) -> str:
    """Return `12: 10 good, 2 bad`: the most frequent kinds, without those that do not occur."""
    frequencies = [(kind, number) for kind, number in numbers.items() if number]
    named = [
        f"{harmless(kind) or 'unknown'} {number:,}" for kind, number in frequencies[:_KINDS_SHOWN]
    ]
    shown = [text.replace(" ", _NO_BREAK) for text in named]
    more = sum(number for _, number in frequencies[_KINDS_SHOWN:])
    text = ", ".join([*shown, f"others {more:,}"] if more else shown) or "none"
    return text if total is None else f"{total:,}: {text}" if frequencies else "none"


def sparkline(rates: list[float]) -> str:
    """Return rates from 0 to 1 as bars of different heights."""
    return "".join(_BARS[min(len(_BARS) - 1, int(rate * len(_BARS)))] for rate in rates)
