"""`lode train`: learn a portal's topics from their examples."""

from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NoReturn

import click

from motherlode.app.cli.commands.index import progress
from motherlode.app.cli.common import harmless, json_option, portal_argument, show_json
from motherlode.app.cli.effects import (
    EXAMPLES_OF_SUBTOPICS,
    precision_text,
    show_effect,
    show_moves,
)
from motherlode.app.cli.interruption import on_interruption, resuming_command
from motherlode.app.cli.request_options import request_options
from motherlode.app.cli.tables import TextTable
from motherlode.app.errors import INTERRUPTED
from motherlode.app.requests.training import TrainRequest
from motherlode.app.services.portals.hints import suggest_writing, train_command
from motherlode.app.services.training import (
    TrainResult,
    preview_training,
    train_directory,
    undo_training_in,
)
from motherlode.app.text import count
from motherlode.records.shell_words import shell_word
from motherlode.training.report import TopicReport

MAX_CONFUSIONS_SHOWN = 3
MAX_LOST_SHOWN = 3  # examples that nothing was learned from


@click.command("train")
@portal_argument
@request_options(TrainRequest)
@json_option
def command(directory: Path, request: TrainRequest, *, as_json: bool) -> None:
    """Learn the topics of DIR from their examples and marks, and judge all pages.

    Examples that were never fetched are fetched first. For each topic it shows the number of
    examples, features and pages, about how many pages are right, and the most characteristic terms.
    It also shows the topics that examples get when they are left out of the training, and the pages
    that move, with the reasons.

    \b
    lode train DIR --preview
    lode train DIR
    lode train DIR --undo

    --undo restores the former model and every former judgement. That is possible until the next
    crawl, for the latest three trainings. Marks and feedback have an --undo of their own.
    """
    if request.undo:
        _undo(directory, request, as_json=as_json)
        return
    if request.preview:
        _preview(directory, request, as_json=as_json)
        return
    with on_interruption(_exit_interrupted):
        result = train_directory(
            directory, request, partial(click.echo, err=True), progress("Judging")
        )
    if as_json:
        show_json(result)
    else:
        _show(result, directory)


def _exit_interrupted() -> NoReturn:
    context = click.get_current_context()
    with suppress(OSError):  # the terminal may be gone
        click.echo(
            f"\nInterrupted; '{resuming_command(context)}' starts again, "
            "with the pages fetched so far.",
            err=True,
        )
    context.exit(INTERRUPTED)


def _undo(directory: Path, request: TrainRequest, *, as_json: bool) -> None:
    result = undo_training_in(directory, request)
    if as_json:
        show_json(result)
        return
    trained = datetime.fromtimestamp(result.trained_at).astimezone().strftime("%Y-%m-%d %H:%M")
    where = shell_word(str(directory))
    if result.kept:
        click.echo(f"Took back the training of {trained}: the former model judges again.")
        show_moves(result.effect, "went")
        click.echo(f"\nNext: lode train {where} --preview")
    else:
        click.echo(
            f"Taking back the training of {trained} would change this; nothing was stored.\n"
        )
        show_moves(result.effect, "would go")
        click.echo(f"\n{suggest_writing(directory, f'lode train {where} --undo')}")


def _preview(directory: Path, request: TrainRequest, *, as_json: bool) -> None:
    effect = preview_training(directory, request, progress("Judging"))
    if as_json:
        show_json(effect)
        return
    click.echo("Retraining would change this; nothing was stored.\n")
    show_effect(effect)
    results = " --results" if request.results else ""
    click.echo(f"\n{suggest_writing(directory, f'{train_command(directory)}{results}')}")


def _show(trained: TrainResult, directory: Path) -> None:
    if trained.fetched:
        click.echo(f"Fetched {count(trained.fetched, 'example')}.")
    if trained.missing:
        shown = [f"  {lost.example}: {lost.why}" for lost in trained.missing[:MAX_LOST_SHOWN]]
        more = (
            [f"  and {len(trained.missing) - MAX_LOST_SHOWN:,} more"]
            if len(trained.missing) > MAX_LOST_SHOWN
            else []
        )
        click.echo(f"{count(len(trained.missing), 'example')} could not be used for training:")
        click.echo("\n".join(map(harmless, shown + more)))
    if trained.note:
        click.echo(f"There is no common vocabulary to tell topics from: {harmless(trained.note)}")
    counterexamples = f"{count(trained.others.get('/', 0), 'counterexample')} at the root"
    meanings = " Word meanings are used, too." if trained.semantic else ""
    click.echo(
        f"Model {trained.model}, in the space of {', '.join(trained.spaces)}; "
        f"{counterexamples}.{meanings}\n"
    )
    table = TextTable(
        "topic", "examples", "from crawl", "features", "pages", "precision", "found again"
    )
    estimates = {estimate.topic: estimate for estimate in trained.effect.topics}
    for topic in trained.topics:
        estimate = estimates.get(topic.path)
        table.add(
            topic.path,
            topic.examples_from.user,
            topic.examples_from.crawl,
            sum(topic.features.values()),
            None if estimate is None else estimate.pages[1],
            None if estimate is None else precision_text(estimate.precision[1]),
            _found_again_text(topic),
        )
    table.show()
    click.echo(
        f"\n{EXAMPLES_OF_SUBTOPICS}\nThe precision, the share of a topic's pages that are right, "
        "is estimated and may be off by a\nquarter. It is shown from five examples on that you "
        "gave, and "
        'five other pages. "Found again"\ncounts examples that get their topic when the training '
        "leaves them out. Others go to:\n"
    )
    for topic in trained.topics:
        click.echo(f"{harmless(topic.path)}: {harmless(', '.join(topic.terms)) or 'no terms'}")
        if topic.confusions:
            went = sorted(topic.confusions.items(), key=lambda pair: (-pair[1], pair[0]))[
                :MAX_CONFUSIONS_SHOWN
            ]
            click.echo("  " + ", ".join(f"{number:,} to {harmless(name)}" for name, number in went))
    where = shell_word(str(directory))
    if not trained.effect.is_first:
        click.echo()
        show_moves(trained.effect, "went")
        click.echo(f"\n'lode train {where} --undo' takes this back.")
    source = "URL" if trained.judged else "FILE"  # without pages, a URL would have to be fetched
    click.echo(f"\nJudged {count(trained.judged, 'page')}. Next: lode judge {where} {source}")


def _found_again_text(topic: TopicReport) -> str:
    """Return how many examples get their own topic back if the training leaves them out."""
    back = sum(
        number
        for name, number in topic.confusions.items()
        if f"{name}/".startswith(f"{topic.path}/")
    )
    total = sum(topic.confusions.values())
    return f"{back:,} of {total:,}" if total else "-"
