"""Commands that messages suggest; each works in the state in which it is suggested."""

import socket
from pathlib import Path

from motherlode.app.services.crawl_problem import serving_advice
from motherlode.app.services.portals.status import NextStep, command_for, next_step
from motherlode.crawl.fetcher_setup import needs_contact
from motherlode.crawl.preparation import unfetched
from motherlode.documents.features.spaces import TERMS
from motherlode.fetch.wire.dialer import parse_place
from motherlode.portal import Portal
from motherlode.portal.directory import config_of
from motherlode.portal.lock import Holder, holder_of
from motherlode.records import Example
from motherlode.records.errors import WORK_ON_A_COPY
from motherlode.records.shell_words import shell_word
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.training.training_document import (
    NEVER_TRIED,
    training_document,
    unusable_example,
)

_CONNECT_S = 0.5  # for a server on this machine


def crawl_command(directory: Path) -> str:
    """Return the command that crawls a portal, with a contact if its settings have none."""
    return command_for(NextStep.CRAWL, directory, is_nameless=needs_contact(config_of(directory)))


def train_command(directory: Path) -> str:
    """Return the command that trains a portal's topics, with a contact if it has to fetch."""
    with Portal.reading(directory) as portal:
        is_nameless = needs_contact(portal.config) and bool(unfetched(portal))
    return command_for(NextStep.TRAIN, directory, is_nameless=is_nameless)


def advice_on_sandbox(directory: Path) -> str:
    """Return how to serve the sandbox of a portal, if nothing listens there; else an empty text."""
    server = config_of(directory).network.connect
    if not server:
        return ""
    try:
        socket.create_connection(parse_place(server, "network.connect"), _CONNECT_S).close()
    except OSError:
        return (
            f"Nothing listens at {server}, where network.connect leads. {serving_advice(server)}."
        )
    return ""


def suggest_writing(directory: Path, command: str) -> str:
    """Return a sentence that suggests a command, or says why it would be refused now."""
    if can_be_written(directory):
        return f"Next: {command}"
    return f"Nothing can be stored now; {advice_to_wait(directory)}."


def advice_to_fetch(portal: Portal, result: str = "fetches some") -> str:
    """Return what to do in a portal that lacks pages; `result` says what a crawl does about it."""
    with portal.store.reading() as session:
        step = next_step(session, portal, holder_of(portal.path))
    command = f"'{_command(step, portal.path)}'"
    match step:
        case NextStep.WATCH | NextStep.READ:
            return advice_to_wait(portal.path)
        case NextStep.TEACH:
            return f"{command} gives a topic a page to start from"
        case NextStep.FEEDBACK:
            return f"{command} shows the pages that a crawl learns from, for you to review"
        case NextStep.LOOK:
            teach = command_for(NextStep.TEACH, portal.path)
            return f"no URL waits any more, so give a topic more examples: '{teach}'"
        case _:
            return f"{command} {result}"


def advice_to_fetch_in(directory: Path, result: str = "fetches some") -> str:
    """Return what to do in the portal of a directory, if it lacks pages."""
    with Portal.reading(directory) as portal:
        return advice_to_fetch(portal, result)


def advice_to_train(portal: Portal, result: str = "trains one") -> str:
    """Return what to do in a portal that lacks a model; `result` says what training
    does about it.
    """
    if not can_be_written(portal.path):
        return advice_to_wait(portal.path)
    with portal.store.reading() as session:
        can_learn = any(
            _can_be_learned_from(session, one) for one in topic_rows.examples_of(session)
        )
    if not can_learn:
        return (
            f"'{command_for(NextStep.TEACH, portal.path)}' gives a topic an example to learn from"
        )
    return f"'{train_command(portal.path)}' {result}"


def _can_be_learned_from(session: Session, example: Example) -> bool:
    """Return whether an example has a page or words, or may still be fetched."""
    if training_document(session, example, (TERMS,)) is not None:
        return True
    unusable = unusable_example(session, example)
    return unusable.is_waiting or unusable.reason == NEVER_TRIED


def can_be_written(directory: Path) -> bool:
    """Return whether a command could write the portal now."""
    return holder_of(directory) is None and Portal.is_writable(directory)


def advice_to_wait(directory: Path) -> str:
    """Return what to do while a portal cannot be written: wait for its writer, or make a copy."""
    holder = holder_of(directory)
    return WORK_ON_A_COPY if holder is None else _writer(holder, directory)


def _writer(holder: Holder, directory: Path) -> str:
    status = f"lode status {shell_word(str(directory))}"
    writer = f"'{holder.command}' (process {holder.pid})"
    return f"{writer} is writing the portal now, and '{status}' says when it has ended"


def _command(step: NextStep, directory: Path) -> str:
    return crawl_command(directory) if step is NextStep.CRAWL else command_for(step, directory)
