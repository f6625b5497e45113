"""`lode judge`: where would this document go, how sure is that, and why."""

from pathlib import Path

import click
from msgspec import Struct, structs

from motherlode.app.cli.common import harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.documents import from_file, from_web, read_all, web_address
from motherlode.documents.spaces import TERMS, Surroundings
from motherlode.engine.judging import Opinion, Telling, classifier_of, fits, fitted_to, opinion_on
from motherlode.engine.samples import sample_of, stored_sample, surroundings_of
from motherlode.engine.training import KIND, can_tell, page_behind
from motherlode.learning.tree import SEMANTIC, Sample, TreeClassifier
from motherlode.portal import Portal
from motherlode.records import BadInputError, Document, Model, StoreError
from motherlode.store import ledger
from motherlode.store.pages import text_of

_SHOWN = 8


class _Judged(Struct, frozen=True):
    """A document and what is thought of it."""

    source: str
    title: str
    stored: bool
    model: int
    outdated: bool  # topics were removed or moved since the training
    opinion: Opinion


@click.command("judge")
@portal_argument
@click.argument("source", metavar="URL|FILE")
@set_option
@json_option
def command(directory: Path, source: str, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Say where a page or a file would go in the topics of DIR, how surely, and because of which terms.

    A page that the portal has is judged as it is there; any other is fetched. Nothing is kept.
    """
    with Portal.reading(directory, overrides) as portal:
        model, tree = _model(portal), portal.tree()
        trained = _classifier(model)
        classifier = fitted_to(trained, tree)
        if not can_tell(classifier):
            raise BadInputError(
                f"All topics that {directory} has learned are gone; 'lode train' learns the others."
            )
        document, sample, stored = _read(portal, source, tuple(classifier.groups_))
        opinion = opinion_on(classifier, tree, sample, document)
    judged = _Judged(source, document.title, stored, model.id, not fits(trained, tree), opinion)
    if as_json:
        told = structs.asdict(judged)
        show_json({**{name: told[name] for name in told if name != "opinion"}, **structs.asdict(opinion)})
    else:
        _show(judged)


def _model(portal: Portal) -> Model:
    with portal.store.reading() as session:
        model = ledger.latest_model(session, KIND)
    if model is None:
        raise BadInputError(f"{portal.path} has learned nothing yet; 'lode train {portal.path}' teaches it.")
    return model


def _classifier(model: Model) -> TreeClassifier:
    try:
        return classifier_of(model.packed)
    except ValueError as error:
        raise StoreError(
            f"The portal's model cannot be used ({error}); 'lode train' makes a new one."
        ) from error


def _read(portal: Portal, source: str, spaces: tuple[str, ...]) -> tuple[Document, Sample, bool]:
    """The document, in each space, and whether it was in the store."""
    if "://" not in source:
        document = _readable(read_all(from_file(Path(source)), portal.config)[0].document, source)
        return document, sample_of(document, spaces, Surroundings()), False
    asked = web_address(source, portal.config.urls)
    with portal.store.reading() as session:
        page = page_behind(session, asked.url)
        if page is not None:
            document = Document(title=page.title, language=page.language, text=text_of(session, page.id))
            return document, stored_sample(session, page, spaces), True
        surroundings = surroundings_of(session, asked.url, asked.key, spaces)
    document = _readable(read_all(from_web(source, portal.config), portal.config)[0].document, source)
    return document, sample_of(document, spaces, surroundings), False


def _readable(document: Document, source: str) -> Document:
    if document.unreadable:
        raise BadInputError(f"{source[:200]} cannot be read: {document.unreadable}.")
    return document


def _show(judged: _Judged) -> None:
    opinion = judged.opinion
    click.echo(harmless(f"{judged.source}  {judged.title}".rstrip()))
    sure = f"{opinion.confidence:+.3f}, model {judged.model}"
    click.echo(f"  topic       {harmless(opinion.topic)} ({sure}{', as stored' if judged.stored else ''})")
    for step in opinion.steps:
        told = ", ".join(f"{name} {value:+.3f}" for name, value in list(step.confidences.items())[:_SHOWN])
        click.echo(harmless(f"  {f'below {step.parent}' if step.parent else 'at the root'}: {told}"))
    spelled = [one for one in opinion.terms if not one.word.startswith("#")]
    _show_terms(f"for {opinion.about}", [one for one in spelled if one.part > 0])
    _show_terms("against it", [one for one in spelled if one.part < 0])
    if judged.outdated:
        click.echo("  Topics were removed or moved since the training; 'lode train' learns them anew.")


def _show_terms(name: str, terms: list[Telling]) -> None:
    if terms:
        told = ", ".join(f"{_labelled(one)} {one.part:+.3f}" for one in terms[:_SHOWN])
        click.echo(harmless(f"  {name}: {told}"))


def _labelled(one: Telling) -> str:
    return one.word if one.space in (TERMS, SEMANTIC) else f"{one.word} ({one.space})"
