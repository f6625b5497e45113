"""`lode mark`: relevance marks on search results, for the topics to learn from (SPEC B21)."""

from pathlib import Path

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, show_json
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.feedback import MarkRequest
from motherlode.app.services.feedback.marks import (
    MarksResult,
    has_pages,
    mark_pages,
    marks_in,
    with_result_urls,
)
from motherlode.app.services.portals.hints import (
    advice_to_fetch_in,
    advice_to_wait,
    can_be_written,
    train_command,
)
from motherlode.app.text import count
from motherlode.records import UsageError, Word
from motherlode.records.shell_words import shell_word
from motherlode.training.certainty import topic_text
from motherlode.training.feedback.mark_changes import ListedMark

_WORD_TEXTS = {
    Word.GOOD: "good for",
    Word.BAD: "bad for",
    Word.DROPPED: "dropped from",
    Word.NOTHING: "cleared of",
}


@click.command("mark")
@portal_argument
@request_options(MarkRequest)
@json_option
def command(directory: Path, request: MarkRequest, *, as_json: bool) -> None:
    """Mark search results of DIR as good or bad for their topic; without options, show all marks.

    \b
    lode search DIR 'barn owls'
    lode mark DIR --good 1 --good 3 --bad 2,5-7
    lode mark DIR --bad https://news.example/ --topic birds/owls --note "a band"
    lode train DIR --preview
    lode train DIR

    N is the number of a result of the last search. A mark is about the page's own topic, unless
    --topic is given; --bad with --topic / says that the page is on no topic. Judgements change when
    'lode train' or a crawl learns from the marks; 'lode train --preview' shows which pages would
    move. A page that is bad for a topic, or was dropped from it, never becomes its archetype.
    """
    if request.undo and request.marks_pages:
        raise UsageError("--undo takes back the latest marks and does nothing else.")
    if (request.topic is not None or request.note) and not request.marks_pages:
        raise UsageError(
            "--topic and --note go with --good, --bad, --drop or --clear; say which page."
        )
    if not request.marks_pages and not request.undo:
        _list(directory, request.settings, as_json=as_json)
        return
    result = mark_pages(directory, with_result_urls(directory, request))
    _show_result(result, directory, as_json=as_json)


def _show_result(result: MarksResult, directory: Path, *, as_json: bool) -> None:
    if as_json:
        show_json(result)
        return
    if result.undone:
        click.echo(f"Took back {count(result.undone, 'mark')}.")
    for mark in result.marked:
        click.echo(harmless(f"{_WORD_TEXTS[Word[mark.word.upper()]]} {mark.topic}: {mark.url}"))
    where = shell_word(str(directory))
    click.echo(f"Next: lode train {where} --preview, or {train_command(directory)}")


def _list(directory: Path, overrides: tuple[str, ...], *, as_json: bool) -> None:
    marks = marks_in(directory, overrides)
    if as_json:
        show_json({"marks": marks})
        return
    where = shell_word(str(directory))
    if not marks:
        click.echo(f"Nothing is marked. {_how_to_mark(directory, where)}")
        return
    for mark in marks:
        _show(mark)
    waiting = sum(not mark.learned for mark in marks)
    if waiting:
        click.echo(
            f"\n{count(waiting, 'mark')} not learned from yet. Next: lode train {where} --preview"
        )


def _how_to_mark(directory: Path, where: str) -> str:
    if not has_pages(directory):
        return f"There are no pages to mark yet; {advice_to_fetch_in(directory)}."
    if not can_be_written(directory):
        return f"Pages cannot be marked now; {advice_to_wait(directory)}."
    return f"Next: lode search {where} QUERY, then lode mark {where} --good 1"


def _show(mark: ListedMark) -> None:
    title = click.style(harmless(mark.title[:100] or mark.url), bold=True)
    note = f" ({harmless(mark.note)})" if mark.note else ""
    click.echo(f"{title}: {_WORD_TEXTS[Word[mark.word.upper()]]} {harmless(mark.topic)}{note}")
    click.echo(f"  {harmless(mark.url)}")
    click.echo(f"  now on {harmless(topic_text(mark.now, mark.probability))}")
