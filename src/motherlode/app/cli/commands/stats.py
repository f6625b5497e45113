"""`lode stats`: what a portal holds, in figures."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import fill

import click
from msgspec import Struct

from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.tables import Table
from motherlode.portal import Portal
from motherlode.records import HostState, TopicId, UrlState
from motherlode.store import Session, frontier, overview
from motherlode.store import topics as topic_rows
from motherlode.store.overview import TopicPages
from motherlode.topics import TopicTree, show_path

_PARTS = 40  # of the crawl at most, for the harvest rate over time
_PART = 20  # pages of each at least
_SHOWN = 10  # kinds of something, the most frequent
_NAME = 10  # columns of what something is called
_WIDTH = 80  # and of a line
_TOGETHER = "\N{NO-BREAK SPACE}"  # between words that stay on one line
_BARS = "▁▂▃▄▅▆▇█"


class TopicFigures(Struct, frozen=True):
    """A topic, its pages, and how sure that is on average."""

    topic: str
    pages: int
    confidence: float | None


class Stats(Struct, frozen=True):
    """What a portal holds, in figures; all but `harvest` are of now, that of the crawl from its beginning."""

    title: str
    pages: int
    size: int
    urls: int
    links: int
    redirects: int
    hosts: dict[str, int]
    types: dict[str, int]
    languages: dict[str, int]
    statuses: dict[str, int]
    states: dict[str, int]
    failures: dict[str, int]
    skipped: dict[str, int]
    unreadable: dict[str, int]
    relevant: int
    harvest: list[float]
    topics: list[TopicFigures]


@click.command("stats")
@portal_argument
@set_option
@json_option
def command(directory: Path, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Show what the portal DIR holds: pages, bytes, types, languages, hosts, links, failures, the harvest.

    It can be asked while a crawl is running.
    """
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        stats = stats_of(session, portal.title)
    if as_json:
        show_json(stats)
    else:
        _show(stats)


def stats_of(session: Session, title: str) -> Stats:
    totals = overview.totals(session)
    hosts = overview.hosts_by_state(session)
    sure = overview.confidences(session)
    return Stats(
        title=title,
        pages=totals.pages,
        size=totals.size,
        urls=totals.urls,
        links=totals.links,
        redirects=totals.redirects,
        hosts={state.name.lower(): hosts.get(state, 0) for state in HostState},
        types=overview.pages_by(session, "mime"),
        languages=overview.pages_by(session, "language"),
        statuses={str(status): number for status, number in overview.pages_by(session, "status").items()},
        states=_states(session),
        failures=overview.reasons(session, UrlState.FAILED),
        skipped=overview.reasons(session, UrlState.SKIPPED),
        unreadable=overview.unreadable(session),
        relevant=sum(one.pages for one in sure.values()),
        harvest=overview.harvest(session, max(1, min(_PARTS, totals.pages // _PART))),
        topics=_topics(TopicTree(topic_rows.all_topics(session)), sure),
    )


def _states(session: Session) -> dict[str, int]:
    """What became of the URLs: those that are open wait, redirect on the way to others, or were never offered
    (`linked`), as `lode explain` has it."""
    known = overview.urls_by_state(session)
    waiting, on_the_way = frontier.size(session), overview.redirected(session)
    states = {"waiting": waiting} | {
        state.name.lower(): known.get(state, 0) for state in UrlState if state is not UrlState.OPEN
    }
    states["moved"] += on_the_way
    return states | {"linked": known.get(UrlState.OPEN, 0) - waiting - on_the_way}


def _topics(tree: TopicTree, sure: Mapping[TopicId, TopicPages]) -> list[TopicFigures]:
    figures = []
    for topic in tree:
        found = sure.get(topic.id)
        if found is not None or not topic.is_others:
            pages, confidence = (0, None) if found is None else (found.pages, found.confidence)
            figures.append(TopicFigures(show_path(tree.path(topic.id)), pages, confidence))
    return figures


def _show(stats: Stats) -> None:
    click.echo(f"{harmless(stats.title)}: {count(stats.pages, 'page')}, {stats.size / 1e6:,.1f} MB\n")
    rows: dict[str, str] = {
        "URLs": _kinds(stats.states, sum(stats.states.values())),
        "hosts": _kinds(stats.hosts, sum(stats.hosts.values())),
        "links": f"{stats.links:,}",
        "redirects": f"{stats.redirects:,}",
        "types": _kinds(stats.types),
        "languages": _kinds(stats.languages),
        "statuses": _kinds(stats.statuses),
        "failures": _kinds(stats.failures),
        "skipped": _kinds(stats.skipped),
        "unreadable": _kinds(stats.unreadable),
    }
    for name, text in rows.items():
        click.echo(_lines(name, text))
    rate = stats.relevant / stats.pages if stats.pages else 0.0
    click.echo(f"{'harvest':<{_NAME}} {rate:.2f}  {sparkline(stats.harvest)}\n")
    table = Table("topic", "pages", "mean confidence")
    for one in stats.topics:
        table.add(harmless(one.topic), one.pages, None if one.confidence is None else f"{one.confidence:.3f}")
    table.show()


def _lines(name: str, text: str) -> str:
    """A name and what there is to say, in as many lines as that takes."""
    first, others = f"{name:<{_NAME}} ", " " * (_NAME + 1)
    told = fill(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return told.replace(_TOGETHER, " ")


def _kinds(numbers: Mapping[str, int], total: int | None = None) -> str:
    """`12: 10 good, 2 bad`: the most frequent first, without those that there are none of."""
    known = [(kind, number) for kind, number in numbers.items() if number]
    named = [f"{harmless(kind) or 'unknown'} {number:,}" for kind, number in known[:_SHOWN]]
    shown = [one.replace(" ", _TOGETHER) for one in named]
    more = sum(number for _, number in known[_SHOWN:])
    text = ", ".join([*shown, f"others {more:,}"] if more else shown) or "none"
    return text if total is None else f"{total:,}: {text}" if known else "none"


def sparkline(rates: list[float]) -> str:
    """Rates from 0 to 1 as bars of different heights."""
    return "".join(_BARS[min(len(_BARS) - 1, int(rate * len(_BARS)))] for rate in rates)
