"""`lode judge`: the topic of a document, how sure it is, and the terms that decided it."""

from pathlib import Path

import click
from msgspec import structs

from motherlode.app.cli.commands.index import progress
from motherlode.app.cli.common import harmless, json_option, portal_argument, show_json
from motherlode.app.cli.effects import show_moves
from motherlode.app.cli.request_options import request_options
from motherlode.app.requests.training import JudgeRequest
from motherlode.app.services.judgement import JudgedDocument, judge_again, judge_source
from motherlode.app.services.portals.hints import train_command
from motherlode.app.text import count
from motherlode.documents.features.spaces import TERMS
from motherlode.learning.term_evidence import SEMANTIC, SITES
from motherlode.topics import OTHERS
from motherlode.training.certainty import margin_text, topic_text
from motherlode.training.judgement_reasons import TermContribution

MAX_TERMS_SHOWN = 8


@click.command("judge")
@portal_argument
@request_options(JudgeRequest)
@json_option
def command(directory: Path, request: JudgeRequest, *, as_json: bool) -> None:
    """Judge a page or a file: its topic in DIR, how sure that is, and the terms that decided.

    A page of the portal is judged as it is stored; any other page is fetched. Nothing is stored.

    With --again instead of a page, all pages of the portal are judged again, by the current model
    and their marks. Either all new judgements are stored, or none. To retrain the model first, use
    'lode train'.
    """
    if request.url is None:
        _judge_again(directory, request, as_json=as_json)
        return
    judged = judge_source(directory, request.url, request)
    if as_json:
        values = structs.asdict(judged)
        reasons = structs.asdict(values.pop("reasons"))
        show_json(values | reasons)
    else:
        _show(judged, directory)


def _judge_again(directory: Path, request: JudgeRequest, *, as_json: bool) -> None:
    result = judge_again(directory, request, progress("Judging"))
    if as_json:
        show_json(result)
        return
    if result.kept:
        click.echo(f"Judged {count(result.effect.judged, 'page')} by model {result.model}.")
    show_moves(result.effect, "went" if result.kept else "would go")


def _show(judged: JudgedDocument, directory: Path) -> None:
    reasons = judged.reasons
    click.echo(harmless(f"{judged.source}  {judged.title}".rstrip()))
    topic = "" if reasons.topic == OTHERS else reasons.topic
    stored = ", as stored" if judged.stored else ""
    facts = f"{margin_text(reasons.margin)}, model {judged.model}{stored}"
    shown = topic_text(topic, reasons.probability, OTHERS)
    click.echo(f"  topic       {harmless(shown)}; {facts}")
    if judged.marked:
        click.echo(f"  marked by a user: {harmless(', '.join(judged.marked))}; that counts")
    for step in reasons.steps:
        margins = ", ".join(
            f"{name} {value:+.3f}" for name, value in list(step.margins.items())[:MAX_TERMS_SHOWN]
        )
        level = f"below {step.parent}" if step.parent else "at the root"
        click.echo(harmless(f"  margins {level}: {margins}"))
    spelled = [term for term in reasons.terms if not term.word.startswith("#")]
    _show_terms(f"for {reasons.about}", [term for term in spelled if term.part > 0])
    _show_terms("against it", [term for term in spelled if term.part < 0])
    if judged.outdated:
        click.echo(
            "  Topics were removed or moved since the training; "
            f"'{train_command(directory)}' learns them again."
        )


def _show_terms(name: str, terms: list[TermContribution]) -> None:
    if terms:
        shown = ", ".join(f"{_label(term)} {term.part:+.3f}" for term in terms[:MAX_TERMS_SHOWN])
        click.echo(harmless(f"  {name}: {shown}"))


def _label(term: TermContribution) -> str:
    return term.word if term.space in (TERMS, SEMANTIC, SITES) else f"{term.word} ({term.space})"
