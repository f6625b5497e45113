"""Relevance marks: pages that a user calls good or bad for a topic (SPEC B21).

Marks are stored at once; learning from them is a job.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import time

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.feedback import MAX_NOTE_CHARS, MarkRequest
from motherlode.app.services.addresses import address_in
from motherlode.app.services.portals.hints import advice_to_fetch, advice_to_wait, can_be_written
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.text import parse_numbers
from motherlode.portal import Portal
from motherlode.records import TOPIC_MODEL, Mark, TopicId, UsageError
from motherlode.records.shell_words import shell_word
from motherlode.search.last_search import load_last_search
from motherlode.store import Session
from motherlode.store.queries.overview import latest_model_note
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.former_judgements import has_former_judgements
from motherlode.store.tables.marks import give_marks, standing_marks, take_back
from motherlode.store.tables.pages import count_pages, urls_of_pages
from motherlode.topics import TopicTree, parse_path, show_path
from motherlode.training.feedback.mark_changes import (
    ALL,
    ListedMark,
    RequestedMarks,
    list_marks,
    new_marks,
)

_MARK_FIELDS = ("good", "bad", "drop", "clear")


class GivenMark(Struct, frozen=True):
    """A mark that was given now."""

    url: str
    word: str
    topic: str


class MarksResult(Struct, frozen=True):
    """The marks that were given, or the number of marks that were taken back."""

    marked: list[GivenMark]
    undone: int = 0


def mark_pages(path: Path, request: MarkRequest, now: float | None = None) -> MarksResult:
    """Store marks, or take back the latest: all of the same time, which is `now` by default.

    Raises `UsageError` for a request that says nothing or too much, and `LockedError` while
    another process writes the portal.
    """
    if request.undo == request.marks_pages:
        raise UsageError(
            "Name pages that are good, bad, to be dropped or cleared; or use undo alone."
        )
    with (
        Portal.writing(path, "lode mark", request.settings) as portal,
        portal.store.writing() as session,
    ):
        if request.undo:
            return MarksResult([], _take_back(session))
        tree = TopicTree(topic_rows.all_topics(session))
        marks = new_marks(
            session, tree, _requested_marks(portal, tree, request), time() if now is None else now
        )
        give_marks(session, marks)
        return _result(session, tree, marks)


def with_result_urls(path: Path, request: MarkRequest) -> MarkRequest:
    """Return the request with URLs in place of the numbers of the last search's results.

    Raises `UsageError` for a number that the last search did not show.
    """
    urls = {
        name: tuple(_result_urls(path, getattr(request, name), f"--{name}"))
        for name in _MARK_FIELDS
    }
    return replace(request, **urls)


def marks_in(path: Path, overrides: Sequence[str] = ()) -> list[ListedMark]:
    """Return all marks of a portal, the latest first."""
    with Portal.reading(path, overrides) as portal, portal.store.reading() as session:
        if not standing_marks(session):  # most portals have none, and listing takes longer
            return []
        return list_marks(session, TopicTree(topic_rows.all_topics(session)))


def marks_at(registry: PortalRegistry, name: str) -> list[ListedMark]:
    """Return all marks of a served portal, the latest first."""
    return marks_in(registry.path(name))


def training_is_undoable_at(registry: PortalRegistry, name: str) -> bool:
    """Return whether the model of a served portal was made by a training that can be taken back.

    Pages that were fetched since may still prevent it.
    """
    with registry.reading(name) as portal, portal.store.reading() as session:
        model = latest_model_note(session, TOPIC_MODEL)
        return model is not None and has_former_judgements(session, model.id)


def _take_back(session: Session) -> int:
    undone = take_back(session)
    if not undone:
        raise UsageError("Nothing was marked, so there is nothing to take back.")
    return undone


def _result_urls(path: Path, texts: Iterable[str], option: str) -> Iterator[str]:
    for text in texts:
        if text[:1].isdigit() and not set(text) - set("0123456789,- "):
            yield from _urls_of_results(path, text, option)
        else:
            yield text


def _advice_to_search(portal: Portal) -> str:
    if not _page_count(portal):
        return f"and it has no pages to search yet: {advice_to_fetch(portal)}"
    if not can_be_written(portal.path):
        return f"and nothing can be marked now: {advice_to_wait(portal.path)}"
    return f"run 'lode search {shell_word(str(portal.path))} QUERY' first, or name a URL"


def has_pages(directory: Path) -> bool:
    """Return whether the portal in a directory holds any page."""
    with Portal.reading(directory) as portal:
        return _page_count(portal) > 0


def _page_count(portal: Portal) -> int:
    with portal.store.reading() as session:
        return count_pages(session)


def _urls_of_results(path: Path, text: str, option: str) -> Iterator[str]:
    numbers = parse_numbers(text, option)
    with Portal.reading(path) as portal:
        last = load_last_search(portal)
        if last is None:
            raise UsageError(
                f"{option} {text[:60]}: nothing was searched in this portal yet, so results have "
                f"no numbers; {_advice_to_search(portal)}."
            )
    for number in numbers:
        if number not in last.results:
            shown = (
                f"results {min(last.results)} to {max(last.results)}"
                if last.results
                else "no results"
            )
            raise UsageError(f"{option} {number}: the last search showed {shown}.")
        yield last.results[number]


def _requested_marks(portal: Portal, tree: TopicTree, request: MarkRequest) -> RequestedMarks:
    topic: TopicId | None = None
    if request.topic is not None:
        topic = tree.at(parse_path(request.topic)).id
    note = request.note.encode(errors="replace").decode()[:MAX_NOTE_CHARS]
    good, bad, drop, clear = (
        tuple(_address(portal, url, may_be_all=name == "clear") for url in getattr(request, name))
        for name in _MARK_FIELDS
    )
    return RequestedMarks(good, bad, drop, clear, topic, note)


def _address(portal: Portal, url: str, *, may_be_all: bool) -> str:
    if may_be_all and url == ALL:
        return ALL
    with portal.store.reading() as session:
        return address_in(session, url, portal.config.urls).url


def _result(session: Session, tree: TopicTree, marks: Sequence[Mark]) -> MarksResult:
    urls = urls_of_pages(session, list({mark.page for mark in marks}))
    paths = {mark.topic: show_path(tree.path(mark.topic)) for mark in marks}
    return MarksResult(
        [GivenMark(urls[mark.page], mark.word.name.lower(), paths[mark.topic]) for mark in marks]
    )
