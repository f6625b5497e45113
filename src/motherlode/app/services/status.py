"""What a portal is now, and what to do next: for every front door."""

import re
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from motherlode.portal import Portal
from motherlode.portal.lock import Holder
from motherlode.records import TOPIC_MODEL, HostState, Origin, Run, RunEnd, TopicId
from motherlode.store import Session, frontier, ledger
from motherlode.store import topics as topic_rows
from motherlode.store.judged import counts_by_topic
from motherlode.store.overview import ModelNote, hosts_by_state, latest_model_note, page_totals
from motherlode.topics import TopicTree, show_path

NO_TOPIC = "/"  # where what waits for no topic stands
_SEVERAL = 2
_RUNS = 5  # the last so many are shown


class Step(StrEnum):
    """What a person would do next with a portal."""

    TEACH = "teach"  # there is no example page yet
    CRAWL = "crawl"
    WATCH = "watch"  # somebody is writing it
    FEEDBACK = "feedback"
    LOOK = "look"  # nothing waits any more


_COMMANDS = {Step.CRAWL: "crawl", Step.WATCH: "stats", Step.FEEDBACK: "feedback", Step.LOOK: "stats"}


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
    step: Step
    next: str


def status_of(session: Session, portal: Portal, writing: Holder | None) -> Status:
    tree = TopicTree(topic_rows.all_topics(session))
    examples = [one for one in topic_rows.examples_of(session) if tree[one.topic].parent is not None]
    pages, size = page_totals(session)
    waiting = frontier.sizes(session)
    runs = ledger.all_runs(session)
    model = latest_model_note(session, TOPIC_MODEL)
    report = {} if model is None else model.report
    hosts = hosts_by_state(session)
    begins = any(one.url is not None for one in examples)
    in_all = _in_all(session, waiting)
    origins = {one.origin for one in examples}
    said = Origin.FEEDBACK in origins and Origin.ARCHETYPE not in origins
    step = _next(pages, in_all, runs, writing, begins=begins, said=said)
    return Status(
        portal=str(portal.path),
        title=portal.title,
        topics=_topics(tree, counts_by_topic(session), waiting),
        examples=len(examples),
        pages=pages,
        size=size,
        waiting=in_all,
        phase=_phase(model),
        model=None if model is None else model.id,
        learned_at=None if model is None else model.created_at,
        precision=report.get("precision"),
        hosts={state.name.lower(): hosts.get(state, 0) for state in HostState},
        runs=[run_now(run) for run in runs[-_RUNS:]],
        writing=writing,
        step=step,
        next=command_for(step, portal.path),
    )


def _in_all(session: Session, waiting: dict[TopicId, int]) -> int:
    """How many URLs wait; only where there are several queues may one wait in two of them."""
    sizes = [size for queue, size in waiting.items() if queue != frontier.AGAIN]
    return sum(sizes) if len(sizes) < _SEVERAL else frontier.size(session)


def _topics(tree: TopicTree, pages: dict[TopicId, int], waiting: dict[TopicId, int]) -> list[TopicNow]:
    found = [
        TopicNow(show_path(tree.path(topic.id)), pages.get(topic.id, 0), waiting.get(topic.id, 0))
        for topic in tree
        if not topic.is_others
    ]
    besides = sum(waiting.values()) - sum(one.waiting for one in found)
    return [*found, TopicNow(NO_TOPIC, 0, besides)] if besides else found


def _phase(model: ModelNote | None) -> str:
    if model is None:
        return "new"
    told: dict[str, Any] = model.report.get("crawl", {})
    return str(told.get("phase", "trained"))


def run_now(run: Run) -> RunNow:
    policy = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", run.policy.strip("_")).lower()  # BreadthFirst: breadth-first
    return RunNow(run.id, run.command, policy, run.started_at, run.ended_at, run.pages, run.end)


def _next(
    pages: int, waiting: int, runs: list[Run], writing: Holder | None, *, begins: bool, said: bool
) -> Step:
    """`begins`: an example has an address, so that a crawl has where to begin; a query alone has none.
    `said`: a person has said something of every archetype."""
    if not begins and not pages and not waiting and writing is None:
        return Step.TEACH
    if writing is not None:
        return Step.WATCH
    if runs and runs[-1].end == RunEnd.FEEDBACK and not said:
        return Step.FEEDBACK
    return Step.CRAWL if waiting or not pages else Step.LOOK


def command_for(step: Step, path: Path) -> str:
    """What to type to take a step."""
    place = shlex.quote(str(path))
    return (
        f"lode topics {place} example TOPIC URL" if step is Step.TEACH else f"lode {_COMMANDS[step]} {place}"
    )


def end_of(run: RunNow, *, running: bool) -> str:
    """How a run ended; `running`: it is the last one, and somebody is writing the portal."""
    return run.end or ("under way" if running else "killed")
