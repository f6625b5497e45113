"""Ask a user about pages, one key each; without a terminal, print the commands that answer."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import time

import click

from motherlode.app.cli.commands.index import progress
from motherlode.app.cli.common import harmless, show_json
from motherlode.app.cli.effects import show_effect
from motherlode.app.requests.training import TrainRequest
from motherlode.app.services.feedback.questions import (
    AskedPage,
    answer_question,
    questions_in,
    with_commands,
)
from motherlode.app.services.training import preview_training, train_directory
from motherlode.app.text import count
from motherlode.records.shell_words import shell_word

YES, NO, SKIP, QUIT = "y", "n", "s", "q"
_ENTER = ("\r", "\n")
_ENDS = ("\x03", "\x04", "\x1b", "")  # Ctrl-C and Ctrl-D in raw mode, Escape, end of input


def ask(
    directory: Path, number: int, topic: str | None, overrides: Sequence[str], *, as_json: bool
) -> None:
    """Ask about the pages that teach most, store the answers, and offer to train."""
    pages = questions_in(directory, number, topic, overrides)
    if as_json:
        show_json({"questions": [with_commands(directory, page) for page in pages]})
    elif not pages:
        click.echo("There is no page to ask about: all that were judged are answered.")
    elif not is_interactive():
        _print_questions(directory, pages)
    elif _ask_each(directory, pages):
        _offer_training(directory, overrides)


def is_interactive() -> bool:
    """Return whether a user can press keys."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _print_questions(directory: Path, pages: Sequence[AskedPage]) -> None:
    where = shell_word(str(directory))
    for number, page in enumerate(pages, start=1):
        _show(page, f"{number}. ")
        question = with_commands(directory, page)
        click.echo(harmless(f"   yes: {question.yes}"))
        click.echo(harmless(f"   no:  {question.no}") + "\n")
    click.echo(f"Then: lode train {where} --preview")


def _ask_each(directory: Path, pages: Sequence[AskedPage]) -> int:
    """Ask about each page, and return the number of answers; each is stored at once."""
    click.echo("y: yes, n: no, s or Enter: skip, q: quit\n")
    now, answers = time(), 0
    for number, page in enumerate(pages, start=1):
        _show(page, f"{number} of {len(pages)}: ")
        click.echo(harmless(f"   Is it about {page.topic}? "), nl=False)
        key = _pressed_key()
        click.echo({YES: "yes", NO: "no", SKIP: "skipped", QUIT: "quit"}[key] + "\n")
        if key == QUIT:
            break
        if key != SKIP:
            answer_question(directory, page, is_on_topic=key == YES, now=now)
            answers += 1
    where = shell_word(str(directory))
    undo = f"; 'lode mark {where} --undo' takes them back" if answers else ""
    click.echo(f"Stored {count(answers, 'answer')}{undo}.")
    return answers


def _pressed_key() -> str:
    while True:
        try:
            key = click.getchar().lower()
        except EOFError:
            return QUIT
        if key in _ENTER:
            return SKIP
        if key in _ENDS:
            return QUIT
        if key in (YES, NO, SKIP, QUIT):
            return key


def _show(page: AskedPage, heading: str) -> None:
    title = click.style(harmless(page.title or page.url), bold=True)
    click.echo(f"{heading}{title}")
    click.echo(harmless(f"   {page.url}"))
    if page.excerpt:
        click.echo(harmless(f"   {page.excerpt}"))
    click.echo(harmless(f"   Asked for {page.topic}, because {page.why}."))


def _offer_training(directory: Path, overrides: Sequence[str]) -> None:
    """Show what training with the answers changes, and train if the user wants that."""
    where = shell_word(str(directory))
    request = TrainRequest(offline=True, settings=tuple(overrides))
    click.echo("\nRetraining would change this; nothing of it is stored yet.\n")
    show_effect(preview_training(directory, request, progress("Judging")))
    click.echo("\nTrain now? y or n ", nl=False)
    if _pressed_key() != YES:
        click.echo(f"no\n\nNext: lode train {where}")
        return
    click.echo("yes\n")
    say = partial(click.echo, err=True)
    result = train_directory(directory, request, say, progress("Judging"))
    click.echo(
        f"Judged {count(result.judged, 'page')}, of which {result.effect.shifted:,} moved; "
        f"'lode train {where} --undo' takes it back."
    )
