"""`lode mark`: what a person says of search results, for the topics to learn from (SPEC B21)."""

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from time import time
from typing import Any

import click

from motherlode.app.cli.common import (
    F,
    count,
    harmless,
    json_option,
    portal_argument,
    set_option,
    show_json,
)
from motherlode.app.cli.numbers import numbers_in
from motherlode.app.services.addresses import address_in
from motherlode.app.services.feedback import MAX_NOTE
from motherlode.app.services.marks import MarksDone, told_of
from motherlode.portal import Portal
from motherlode.records import UsageError, Word
from motherlode.search.last_search import load_last_search
from motherlode.store import Session
from motherlode.store import topics as topic_rows
from motherlode.store.marks import give_marks, take_back
from motherlode.topics import TopicTree, parse_path
from motherlode.training.mark_changes import ALL, Listed, Sayings, marks_from, marks_listed

_WAYS = ("good", "bad", "drop", "clear")
_TOLD = {Word.GOOD: "good for", Word.BAD: "bad for", Word.DROPPED: "dropped from", Word.NOTHING: "cleared of"}


def _pages(name: str, what: str) -> Callable[[F], F]:
    return click.option(f"--{name}", metavar="URL|N", multiple=True, help=f"{what} (repeatable).")


@click.command("mark")
@portal_argument
@_pages("good", "It shows what its topic is about: learn from it")
@_pages("bad", "It does not belong to its topic: learn from it as a counterexample")
@_pages("drop", "Learn from this training document no more")
@_pages("clear", "Take back what was said of it; all: of every page")
@click.option("--undo", is_flag=True, help="Take back what was said last.")
@click.option("--topic", metavar="TOPIC", help="The topic that is meant, if not the one that a page is on.")
@click.option("--note", metavar="TEXT", default="", help="Why, for yourself; kept with what was said.")
@set_option
@json_option
def command(
    directory: Path,
    topic: str | None,
    overrides: tuple[str, ...],
    *,
    undo: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Mark results of a search of DIR as good or bad for their topic; without options, show all marks.

    \b
    lode search DIR 'barn owls'
    lode mark DIR --good 1 --good 3 --bad 2,5-7
    lode mark DIR --bad https://news.example/ --topic birds/owls --note "a band"
    lode train DIR --preview
    lode train DIR

    N is the number of a result of the last search. Without --topic, the topic that a page is on is meant;
    --bad with --topic / says that it belongs to none. Nothing is judged anew before 'lode train', or a
    crawl, learns from it; --preview shows what that would move. A page that is bad for a topic, or was
    dropped from it, never becomes one of its archetypes.
    """
    edits = any(said[way] for way in _WAYS)
    if undo and edits:
        raise UsageError("--undo takes back what was said last and does nothing else.")
    if (topic is not None or said["note"]) and not edits:
        raise UsageError("--topic and --note go with --good, --bad, --drop or --clear; say which page.")
    if not edits and not undo:
        _list(directory, overrides, as_json=as_json)
        return
    with Portal.writing(directory, "lode mark", overrides) as portal, portal.store.writing() as session:
        if undo:
            done = MarksDone([], _undone(session, directory))
        else:
            tree = TopicTree(topic_rows.all_topics(session))
            marks = marks_from(session, tree, _sayings(portal, tree, topic, said), time())
            give_marks(session, marks)
            done = told_of(session, tree, marks)
    _tell(done, directory, as_json=as_json)


# --- what was said --------------------------------------------------------------------------------------


def _sayings(portal: Portal, tree: TopicTree, topic: str | None, said: dict[str, Any]) -> Sayings:
    meant = None if topic is None else tree.at(parse_path(topic)).id
    note = said["note"].encode(errors="replace").decode()[:MAX_NOTE]
    good, bad, drop, clear = (tuple(_urls(portal, said[way], way)) for way in _WAYS)
    return Sayings(good, bad, drop, clear, meant, note)


def _urls(portal: Portal, given: Iterable[str], way: str) -> Iterable[str]:
    for one in given:
        if way == "clear" and one == ALL:
            yield ALL
        elif one[:1].isdigit() and not set(one) - set("0123456789,- "):
            yield from _numbered(portal, one, f"--{way}")
        else:
            with portal.store.reading() as session:
                yield address_in(session, one, portal.config.urls).url


def _numbered(portal: Portal, text: str, option: str) -> Iterable[str]:
    numbers = numbers_in(text, option)
    last = load_last_search(portal)
    if last is None:
        raise UsageError(
            f"{option} {text[:60]}: nothing was searched here yet, so no result has a number; "
            f"'lode search {portal.path} QUERY' does so, or name a URL."
        )
    for number in numbers:
        if number not in last.results:
            shown = f"results {min(last.results)} to {max(last.results)}" if last.results else "no results"
            raise UsageError(f"{option} {number}: the last search showed {shown}.")
        yield last.results[number]


def _undone(session: Session, directory: Path) -> int:
    number = take_back(session)
    if not number:
        raise UsageError(f"Nothing was marked in {directory}, so there is nothing to take back.")
    return number


# --- what is shown --------------------------------------------------------------------------------------


def _tell(done: MarksDone, directory: Path, *, as_json: bool) -> None:
    if as_json:
        show_json(done)
        return
    if done.undone:
        click.echo(f"Took back {count(done.undone, 'mark')}.")
    for one in done.marked:
        click.echo(harmless(f"{_TOLD[Word[one.word.upper()]]} {one.topic}: {one.url}"))
    where = shlex.quote(str(directory))
    click.echo(f"Next: lode train {where} --preview, or lode train {where}")


def _list(directory: Path, overrides: tuple[str, ...], *, as_json: bool) -> None:
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        found = marks_listed(session, TopicTree(topic_rows.all_topics(session)))
    if as_json:
        show_json({"marks": found})
        return
    where = shlex.quote(str(directory))
    if not found:
        click.echo(f"Nothing is marked. Next: lode search {where} QUERY, then lode mark {where} --good 1")
        return
    for one in found:
        _show(one)
    waiting = sum(not one.learned for one in found)
    if waiting:
        click.echo(f"\n{count(waiting, 'mark')} not learned from yet. Next: lode train {where} --preview")


def _show(one: Listed) -> None:
    title = click.style(harmless(one.title[:100] or one.url), bold=True)
    note = f" ({harmless(one.note)})" if one.note else ""
    click.echo(f"{title}: {_TOLD[Word[one.word.upper()]]} {harmless(one.topic)}{note}")
    click.echo(f"  {harmless(one.url)}")
    sure = "" if one.confidence is None else f" ({one.confidence:+.3f})"
    click.echo(f"  now {f'on {harmless(one.now)}' if one.now else 'on no topic'}{sure}")
