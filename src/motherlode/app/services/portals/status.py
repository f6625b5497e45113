"""The status of a portal, and the next step for its user."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from motherlode.app.services.crawl_problem import check_examples
from motherlode.crawl.fetcher_setup import EXAMPLE_CONTACT, needs_contact
from motherlode.crawl.progress import NO_NAME, sum_by_name
from motherlode.policies.kind import load_policy
from motherlode.portal import Portal
from motherlode.portal.lock import Holder, holder_of
from motherlode.records import (
    ROOT,
    Example,
    HostState,
    Lane,
    Origin,
    Run,
    RunEnd,
)
from motherlode.records.example_counts import ExampleCounts, count_by_topic, count_examples
from motherlode.records.shell_words import shell_word
from motherlode.store import Session
from motherlode.store.queries.overview import (
    ModelNote,
    hosts_by_state,
    latest_model_note,
    page_totals,
)
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import counts_by_topic
from motherlode.topics import TopicTree, show_path
from motherlode.training.portal_view import PortalView, untrained_topics

NO_TOPIC = "/"  # the row of URLs that wait for no topic
_OTHER_LANES = (Lane.HELD, Lane.PREPARATION, Lane.REFRESH)
MAX_RUNS_SHOWN = 5
UNTRAINED = "not trained yet"  # in the place of a number of pages


class NextStep(StrEnum):
    """The next step of a user with a portal."""

    TEACH = "teach"  # there is no example page yet, or all are gone
    CRAWL = "crawl"
    WATCH = "watch"  # a command is writing it
    FEEDBACK = "feedback"
    TRAIN = "train"  # there are topics that the latest model does not know
    LOOK = "look"  # no URL waits any more
    READ = "read"  # the portal cannot be written


FETCHING = (NextStep.CRAWL, NextStep.TRAIN)
_BEFORE_TRAINING = (NextStep.CRAWL, NextStep.LOOK)  # steps that training goes before
_COMMANDS = {
    NextStep.CRAWL: "crawl",
    NextStep.WATCH: "stats",
    NextStep.FEEDBACK: "feedback",
    NextStep.TRAIN: "train",
    NextStep.LOOK: "stats",
    NextStep.READ: "stats",
}


class TopicNow(Struct, frozen=True):
    """A topic, the number of its pages, and of the URLs that wait for it.

    `trained` is False while the latest model does not know the topic, which has no pages then.
    """

    topic: str
    pages: int
    waiting: int
    examples: int = 0
    trained: bool = True


class RunNow(Struct, frozen=True):
    """A run; without an `end` it is running, or was killed."""

    id: int
    command: str
    policy: str
    started_at: float
    ended_at: float | None
    pages: int
    end: str


class Status(Struct, frozen=True):
    """A portal in figures, its latest runs, and the next step.

    `examples` counts all; `examples_from` counts those of users and of the crawl.
    """

    portal: str
    title: str
    topics: list[TopicNow]
    examples: int
    examples_from: ExampleCounts
    pages: int
    size: int
    waiting: int
    phase: str
    model: int | None
    learned_at: float | None
    hosts: dict[str, int]
    runs: list[RunNow]
    writing: Holder | None
    step: NextStep
    next: str


def status_in(directory: Path, overrides: Sequence[str] = ()) -> Status:
    """Return the status of the portal in a directory."""
    writing = holder_of(directory)
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        return status_of(session, portal, writing)


def status_of(session: Session, portal: Portal, writing: Holder | None) -> Status:
    tree = TopicTree(topic_rows.all_topics(session))
    examples = _examples(session)
    pages, size = page_totals(session)
    runs = ledger.all_runs(session)
    model = latest_model_note(session, load_policy(portal.config.crawl.policy).judging_model)
    hosts = hosts_by_state(session)
    topics = _topics(PortalView(session, portal.config, tree))
    step = next_step(session, portal, writing)
    if step in _BEFORE_TRAINING and not all(topic.trained for topic in topics):
        step = NextStep.TRAIN
    return Status(
        portal=str(portal.path),
        title=portal.title,
        topics=topics,
        examples=len(examples),
        examples_from=count_examples(examples),
        pages=pages,
        size=size,
        waiting=frontier.size(session),
        phase=_phase(model),
        model=None if model is None else model.id,
        learned_at=None if model is None else model.created_at,
        hosts={state.name.lower(): hosts.get(state, 0) for state in HostState},
        runs=[run_now(run) for run in runs[-MAX_RUNS_SHOWN:]],
        writing=writing,
        step=step,
        next=command_for(step, portal.path, is_nameless=needs_contact(portal.config)),
    )


def _topics(view: PortalView) -> list[TopicNow]:
    """Return every topic with its pages and what waits for it; then other queues; last,
    all else.
    """
    session, tree = view.session, view.tree
    names = load_policy(view.config.crawl.policy).queue_names(tree)
    pages, waiting = counts_by_topic(session), sum_by_name(frontier.sizes(session), names)
    other_lanes = [frontier.sizes(session, lane) for lane in _OTHER_LANES]
    elsewhere = waiting.pop(NO_NAME, 0) + sum(sum(sizes.values()) for sizes in other_lanes)
    paths = {show_path(tree.path(topic.id)): topic.id for topic in tree if not topic.is_others}
    untrained, examples = untrained_topics(view, pages), count_by_topic(view.examples)
    topics = [
        TopicNow(
            topic=path,
            pages=pages.get(topic, 0),
            waiting=waiting.pop(path, 0),
            examples=examples.get(topic, ExampleCounts()).total,
            trained=topic not in untrained,
        )
        for path, topic in paths.items()
    ]
    topics += [TopicNow(name, 0, size) for name, size in waiting.items()]
    return [*topics, TopicNow(NO_TOPIC, 0, elsewhere)] if elsewhere else topics


def _phase(model: ModelNote | None) -> str:
    if model is None:
        return "new"
    crawl: dict[str, Any] = model.report.get("crawl", {}) if model.report else {}
    return str(crawl.get("phase", "trained"))


def run_now(run: Run) -> RunNow:
    return RunNow(run.id, run.command, run.policy, run.started_at, run.ended_at, run.pages, run.end)


def next_step(session: Session, portal: Portal, writing: Holder | None) -> NextStep:
    """Return the step that a user can take in the present state of a portal."""
    if writing is not None:
        return NextStep.WATCH
    if not Portal.is_writable(portal.path):
        return NextStep.READ
    pages, waiting = page_totals(session)[0], frontier.size(session)
    if not pages and not waiting and not _has_seed(session):
        return NextStep.TEACH
    runs = ledger.all_runs(session)
    if runs and runs[-1].end == RunEnd.FEEDBACK and not _is_reviewed(session):
        return NextStep.FEEDBACK
    return NextStep.CRAWL if waiting or not pages else NextStep.LOOK


def _has_seed(session: Session) -> bool:
    """Return whether an example can be fetched, so that a crawl can start; a query
    alone has none.
    """
    missing = check_examples(session).missing
    gone = {example.example.url for example in missing if not example.is_waiting}
    return any(
        example.url is not None and example.url not in gone for example in _examples(session)
    )


def _is_reviewed(session: Session) -> bool:
    """Return whether there is feedback on every archetype."""
    origins = {example.origin for example in _examples(session)}
    return Origin.FEEDBACK in origins and Origin.ARCHETYPE not in origins


def _examples(session: Session) -> list[Example]:
    """Return the examples of all topics; those of the root are of none."""
    return [example for example in topic_rows.examples_of(session) if example.topic != ROOT]


def command_for(step: NextStep, path: Path, *, is_nameless: bool = False) -> str:
    """Return the command line of a step.

    `is_nameless`: to fetch, a command needs a contact, which the portal's settings lack.
    """
    place = shell_word(str(path))
    if step is NextStep.TEACH:
        return f"lode topics {place} example TOPIC URL"
    contact = f" --set {EXAMPLE_CONTACT}" if is_nameless and step in FETCHING else ""
    return f"lode {_COMMANDS[step]} {place}{contact}"


def end_of(run: RunNow, *, running: bool) -> str:
    """Return how a run ended; `running`: it is the last one, and the portal is being written."""
    return run.end or ("under way" if running else "killed")
