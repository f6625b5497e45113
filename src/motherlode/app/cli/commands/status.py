"""`lode status`: what a portal is now, and what to do next."""

from datetime import datetime
from pathlib import Path
from time import time

import click

from motherlode.app.cli.common import (
    count,
    duration,
    harmless,
    json_option,
    portal_argument,
    set_option,
    show_json,
)
from motherlode.app.cli.tables import Table
from motherlode.app.services.status import NO_TOPIC, RunNow, Status, end_of, status_of
from motherlode.portal import Portal
from motherlode.portal.lock import holder_of


@click.command("status")
@portal_argument
@set_option
@json_option
def command(directory: Path, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Show what the portal DIR is now: its phase, its topics, what waits, its last runs, and what comes next.

    It can be asked while a crawl is running.
    """
    writing = holder_of(directory)
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        status = status_of(session, portal, writing)
    if as_json:
        show_json(status)
    else:
        _show(status)


def _show(status: Status) -> None:
    known = sum(one.topic != NO_TOPIC for one in status.topics)
    sizes = f"{count(known, 'topic')}, {count(status.examples, 'example')}, {count(status.pages, 'page')}"
    click.echo(f"{harmless(status.title)}: {sizes}, {status.size / 1e6:,.1f} MB")
    writing = status.writing
    if writing is not None:
        click.echo(f"'{harmless(writing.command)}' is writing it now (process {writing.pid}).")
    click.echo(_learned(status))
    hosts = ", ".join(f"{number:,} {state}" for state, number in status.hosts.items())
    click.echo(f"{count(status.waiting, 'URL')} waiting; hosts: {hosts}.\n")
    table = Table("topic", "pages", "waiting")
    for one in status.topics:
        table.add(harmless(one.topic), one.pages, one.waiting)
    table.show()
    if status.runs:
        click.echo("")
        _show_runs(status.runs, running=writing is not None)
    click.echo(f"\nNext: {status.next}")


def _learned(status: Status) -> str:
    if status.model is None or status.learned_at is None:
        return "Nothing is learned yet."
    sure = "" if status.precision is None else f", estimated precision {status.precision:.2f}"
    return f"Phase: {status.phase}; model {status.model}, {_ago(status.learned_at)}{sure}."


def _ago(moment: float) -> str:
    return f"{duration(time() - moment)} ago"


def _show_runs(runs: list[RunNow], *, running: bool) -> None:
    table = Table("run", "command", "policy", "began", "end", "pages", "took")
    for run in runs:
        under_way = running and run is runs[-1]
        end = end_of(run, running=under_way)
        until = run.ended_at or (time() if under_way else None)
        took = "-" if until is None else duration(until - run.started_at)
        began = datetime.fromtimestamp(run.started_at).astimezone().strftime("%Y-%m-%d %H:%M")
        table.add(str(run.id), harmless(run.command), run.policy, began, end, run.pages, took)
    table.show(words=5)
