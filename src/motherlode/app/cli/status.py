"""`lode status`: what a portal is now, and what to do next."""

import shlex
from datetime import datetime
from pathlib import Path
from time import time
from typing import Any

import click
from msgspec import Struct

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
from motherlode.portal import Portal
from motherlode.portal.lock import Holder, holder_of
from motherlode.records import TOPIC_MODEL, HostState, Run, RunEnd, TopicId
from motherlode.store import Session, frontier, ledger
from motherlode.store import topics as topic_rows
from motherlode.store.judged import counts_by_topic
from motherlode.store.overview import ModelNote, hosts_by_state, latest_model_note, page_totals
from motherlode.topics import TopicTree, show_path

_NONE = "/"  # where what waits for no topic stands
_RUNS = 5  # the last so many are shown


class TopicNow(Struct, frozen=True):
    """A topic, its pages, and what waits for it."""

    topic: str
    pages: int
    waiting: int


class RunNow(Struct, frozen=True):
    """A run; without an end it is under way, or was killed."""

    id: int
    command: str
    policy: str
    started_at: float
    ended_at: float | None
    pages: int
    end: str


class Status(Struct, frozen=True):
    """What a portal is now."""

    portal: str
    title: str
    topics: list[TopicNow]
    examples: int
    pages: int
    size: int
    waiting: int
    phase: str
    model: int | None
    learned_at: float | None
    precision: float | None
    hosts: dict[str, int]
    runs: list[RunNow]
    writing: Holder | None
    next: str


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


def status_of(session: Session, portal: Portal, writing: Holder | None) -> Status:
    tree = TopicTree(topic_rows.all_topics(session))
    examples = sum(1 for one in topic_rows.examples_of(session) if tree[one.topic].parent is not None)
    pages, size = page_totals(session)
    waiting = frontier.sizes(session)
    runs = ledger.all_runs(session)
    model = latest_model_note(session, TOPIC_MODEL)
    report = {} if model is None else model.report
    hosts = hosts_by_state(session)
    return Status(
        portal=str(portal.path),
        title=portal.title,
        topics=_topics(tree, counts_by_topic(session), waiting),
        examples=examples,
        pages=pages,
        size=size,
        waiting=sum(waiting.values()),
        phase=_phase(model),
        model=None if model is None else model.id,
        learned_at=None if model is None else model.created_at,
        precision=report.get("precision"),
        hosts={state.name.lower(): hosts.get(state, 0) for state in HostState},
        runs=[_run(run) for run in runs[-_RUNS:]],
        writing=writing,
        next=_next(portal.path, examples, pages, sum(waiting.values()), runs, writing),
    )


def _topics(tree: TopicTree, pages: dict[TopicId, int], waiting: dict[TopicId, int]) -> list[TopicNow]:
    found = [
        TopicNow(show_path(tree.path(topic.id)), pages.get(topic.id, 0), waiting.get(topic.id, 0))
        for topic in tree
        if not topic.is_others
    ]
    besides = sum(waiting.values()) - sum(one.waiting for one in found)
    return [*found, TopicNow(_NONE, 0, besides)] if besides else found


def _phase(model: ModelNote | None) -> str:
    if model is None:
        return "new"
    told: dict[str, Any] = model.report.get("crawl", {})
    return str(told.get("phase", "trained"))


def _run(run: Run) -> RunNow:
    return RunNow(run.id, run.command, run.policy, run.started_at, run.ended_at, run.pages, run.end)


def _next(
    path: Path, examples: int, pages: int, waiting: int, runs: list[Run], writing: Holder | None
) -> str:
    place = shlex.quote(str(path))
    if not examples:
        return f"lode topics {place} example TOPIC URL"
    if writing is not None:
        return f"lode stats {place}"
    if runs and runs[-1].end == RunEnd.FEEDBACK:
        return f"lode feedback {place}"
    return f"lode crawl {place}" if waiting or not pages else f"lode stats {place}"


def _show(status: Status) -> None:
    known = sum(one.topic != _NONE for one in status.topics)
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
        end = run.end or ("under way" if under_way else "killed")
        until = run.ended_at or (time() if under_way else None)
        took = "-" if until is None else duration(until - run.started_at)
        began = datetime.fromtimestamp(run.started_at).astimezone().strftime("%Y-%m-%d %H:%M")
        table.add(str(run.id), harmless(run.command), run.policy.strip("_"), began, end, run.pages, took)
    table.show(words=5)
