"""`lode status`: the state of a portal, and what to do next."""

from datetime import datetime
from pathlib import Path
from time import time

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.tables import TextTable
from motherlode.app.services.portals.hints import advice_on_sandbox
from motherlode.app.services.portals.status import (
    FETCHING,
    NO_TOPIC,
    UNTRAINED,
    RunNow,
    Status,
    TopicNow,
    end_of,
    status_in,
)
from motherlode.app.text import count, duration


@click.command("status")
@portal_argument
@set_option
@json_option
def command(directory: Path, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Show the state of the portal DIR: phase, topics, waiting URLs, latest runs, and what to do
    next.

    It works while a crawl is running, too.
    """
    status = status_in(directory, overrides)
    if as_json:
        show_json(status)
    else:
        _show(status)
        advice = advice_on_sandbox(directory) if status.step in FETCHING else ""
        if advice:
            click.echo(advice)


def _show(status: Status) -> None:
    topics = sum(topic.topic != NO_TOPIC for topic in status.topics)
    examples = status.examples_from.text()
    sizes = f"{count(topics, 'topic')}, {examples}, {count(status.pages, 'page')}"
    click.echo(f"{harmless(status.title)}: {sizes}, {status.size / 1e6:,.1f} MB")
    writing = status.writing
    if writing is not None:
        click.echo(f"'{harmless(writing.command)}' is writing it now (process {writing.pid}).")
    click.echo(_model_sentence(status))
    hosts = ", ".join(f"{number:,} {state}" for state, number in status.hosts.items())
    click.echo(f"{count(status.waiting, 'URL')} waiting; hosts: {hosts}.\n")
    table = TextTable("topic", "pages", "waiting")
    for topic in status.topics:
        pages = topic.pages if topic.trained else UNTRAINED
        table.add(harmless(topic.topic), pages, topic.waiting)
    table.show()
    _show_untrained([topic for topic in status.topics if not topic.trained])
    if status.runs:
        click.echo("")
        _show_runs(status.runs, running=writing is not None)
    click.echo(f"\nNext: {status.next}")


def _show_untrained(topics: list[TopicNow]) -> None:
    for topic in topics:
        click.echo(
            f"'{harmless(topic.topic)}' has {count(topic.examples, 'example')} and is not trained "
            "yet: "
            "its pages are judged at the next training."
        )


def _model_sentence(status: Status) -> str:
    if status.model is None or status.learned_at is None:
        return "There is no model yet."
    return f"Phase: {status.phase}; model {status.model}, {_ago(status.learned_at)}."


def _ago(moment: float) -> str:
    return f"{duration(time() - moment)} ago"


def _show_runs(runs: list[RunNow], *, running: bool) -> None:
    table = TextTable("run", "command", "policy", "began", "end", "pages", "took")
    for run in runs:
        under_way = running and run is runs[-1]
        end = end_of(run, running=under_way)
        until = run.ended_at or (time() if under_way else None)
        took = "-" if until is None else duration(until - run.started_at)
        began = datetime.fromtimestamp(run.started_at).astimezone().strftime("%Y-%m-%d %H:%M")
        table.add(str(run.id), harmless(run.command), run.policy, began, end, run.pages, took)
    table.show(words=5)
