"""`lode feedback`: accept, reject, move or trim the archetypes of a crawl (SPEC B15)."""

from itertools import groupby
from pathlib import Path

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, show_json
from motherlode.app.cli.effects import show_effect
from motherlode.app.cli.questions import ask as ask_questions
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.feedback import FeedbackRequest
from motherlode.app.services.feedback.archetypes import (
    NOTHING,
    FeedbackResult,
    archetypes_in,
    check_trained,
    page_blocks,
    store_feedback,
    try_feedback,
)
from motherlode.app.services.feedback.questions import DEFAULT_QUESTIONS, MAX_QUESTIONS
from motherlode.app.services.portals.hints import (
    advice_to_fetch_in,
    advice_to_wait,
    can_be_written,
    crawl_command,
    train_command,
)
from motherlode.app.text import count
from motherlode.policies.bingo.archetype_list import (
    Archetype,
    Block,
)
from motherlode.records import UsageError
from motherlode.records.shell_words import shell_word
from motherlode.training.certainty import certainty_text


@click.command("feedback")
@portal_argument
@request_options(FeedbackRequest)
@click.option("--show", metavar="URL", help="Show the blocks of a page, with their numbers.")
@click.option(
    "--try", "trying", is_flag=True, help="Store nothing; retrain and show what would change."
)
@click.option(
    "--ask",
    type=click.IntRange(1, MAX_QUESTIONS),
    is_flag=False,
    flag_value=DEFAULT_QUESTIONS,
    metavar=f"[{DEFAULT_QUESTIONS}]",
    help="Ask about the pages whose answers teach most, one key each.",
)
@json_option
def command(
    directory: Path,
    request: FeedbackRequest,
    show: str | None,
    *,
    trying: bool,
    ask: int | None,
    as_json: bool,
) -> None:
    """Show the archetypes of DIR: pages that the crawl chose to learn from.

    \b
    lode feedback DIR --accept all --reject https://news.example/
    lode feedback DIR --move https://bats.example/ mammals/bats --note "no birds"
    lode feedback DIR --show https://owls.example/
    lode feedback DIR --trim https://owls.example/ --blocks 3-7,9
    lode feedback DIR --reject https://news.example/ --try
    lode feedback DIR --undo
    lode feedback DIR --ask

    'lode crawl DIR --feedback' stops between the learning and the harvesting phase, when feedback
    helps most. 'lode crawl DIR' then resumes with the archetypes that are left. Archetypes without
    feedback stay for now, and may be replaced by better pages. --undo takes back what one command
    gave, the latest ten one after the other; the next training then learns without it.

    --ask shows a few pages that the model is in doubt about, of all pages that were fetched. Your
    answers are marks as by 'lode mark', and you see what training with them changes. Without a
    terminal, it prints the commands that answer.
    """
    _check(request, show, trying=trying)
    if ask is not None:
        _check_alone(request, show, trying=trying)
        ask_questions(directory, ask, request.topic, request.settings, as_json=as_json)
    elif show is not None:
        _show_blocks(directory, show, request.settings, as_json=as_json)
    elif request.undo or (request.changes_anything and not trying):
        _show_result(store_feedback(directory, request), directory, as_json=as_json)
    elif request.changes_anything or trying:
        _show_result(try_feedback(directory, request), directory, as_json=as_json)
    else:
        _list(directory, request.topic, request.settings, as_json=as_json)


def _check(request: FeedbackRequest, show: str | None, *, trying: bool) -> None:
    if (request.trim is None) != (request.blocks is None):
        raise UsageError("--trim URL and --blocks 3-7,9 go together; --show URL shows the numbers.")
    if request.undo and (request.changes_anything or request.topic or show or trying):
        raise UsageError("--undo takes back the latest feedback and does nothing else.")
    if show is not None and (request.changes_anything or trying):
        raise UsageError("--show shows a page and does nothing else; leave the other options out.")
    if request.note and not request.changes_anything:
        raise UsageError(
            "--note says why something is accepted, rejected, moved or trimmed; say what."
        )


def _check_alone(request: FeedbackRequest, show: str | None, *, trying: bool) -> None:
    if request.undo or request.changes_anything or show or trying:
        raise UsageError("--ask goes with --topic and --json only; leave the other options out.")


def _list(directory: Path, topic: str | None, overrides: tuple[str, ...], *, as_json: bool) -> None:
    candidates = archetypes_in(directory, topic, overrides)
    if as_json:
        show_json(candidates)
        return
    archetypes, waiting = candidates.archetypes, candidates.waits_for_feedback
    where = shell_word(str(directory))
    if not archetypes:
        check_trained(directory)
        advice = advice_to_fetch_in(directory, "finds some while it learns")
        click.echo(f"There are no archetypes yet; {advice}.")
        return
    for path, group in groupby(archetypes, key=lambda archetype: archetype.topic):
        of_topic = list(group)
        accepted = sum(archetype.accepted for archetype in of_topic)
        click.echo(f"{harmless(path)}: {count(len(of_topic), 'archetype')}, {accepted:,} accepted")
        for archetype in of_topic:
            _show_archetype(archetype)
        click.echo()
    if not can_be_written(directory):
        click.echo(f"Feedback cannot be given now; {advice_to_wait(directory)}.")
        return
    crawl = crawl_command(directory)
    if waiting:
        click.echo(
            f"The learning phase is over; '{crawl}' resumes with the archetypes that are left."
        )
    if waiting and all(archetype.accepted for archetype in archetypes):
        click.echo(f"Next: {crawl}")
    else:
        click.echo(f"Next: lode feedback {where} --accept all --reject URL")


def _show_archetype(archetype: Archetype) -> None:
    marks = ", ".join(["accepted"] * archetype.accepted + ["trimmed"] * archetype.trimmed)
    title = click.style(harmless(archetype.title or archetype.url), bold=True)
    click.echo(f"  {title}{f' ({marks})' if marks else ''}")
    click.echo(f"    {harmless(archetype.url)}")
    certainty = certainty_text(archetype.probability) or "probability unknown"
    click.echo(f"    {certainty}, authority {archetype.authority:.3f}")
    if archetype.terms:
        click.echo(f"    {harmless(', '.join(archetype.terms))}")


def _show_blocks(directory: Path, url: str, overrides: tuple[str, ...], *, as_json: bool) -> None:
    page = page_blocks(directory, url, overrides)
    if as_json:
        show_json(page)
        return
    blocks = page.blocks
    click.echo(harmless(f"{page.url}  {page.title}".rstrip()))
    click.echo(f"{count(len(blocks), 'block')}; * is of the main text, - was trimmed away.\n")
    width = len(f"{len(blocks):,}")
    for block in blocks:
        click.echo(f"{block.number:>{width},}{_mark(block)} {harmless(block.text)}")


def _mark(block: Block) -> str:
    return ("*" if block.main else " ") + (" " if block.kept else "-")


def _show_result(result: FeedbackResult, directory: Path, *, as_json: bool) -> None:
    if as_json:
        show_json(result)
        return
    summary, where = result.summary, shell_word(str(directory))
    if result.undone:
        click.echo(
            f"Took back the feedback on {count(result.undone, 'page')}. "
            f"Next: lode train {where} --preview, or {train_command(directory)}"
        )
        return
    if result.effect is None and summary == NOTHING:
        advice = advice_to_fetch_in(directory, "finds more archetypes")
        click.echo(f"There was nothing to change; {advice}.")
        return
    if result.effect is None:
        following = f"{crawl_command(directory)}, or {train_command(directory)}"
        click.echo(
            f"{summary[0].upper()}{summary[1:]}. Next: {following}\n"
            f"'lode train {where} --preview' shows first what moves; 'lode feedback {where} "
            "--undo' "
            "takes the feedback back."
        )
        return
    condition = f"With {summary}, retraining" if summary != NOTHING else "Retraining"
    click.echo(f"{condition} would change this; nothing was stored.\n")
    show_effect(result.effect)
