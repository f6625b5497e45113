"""`lode judge`: where would this document go, how sure is that, and why."""

from contextlib import AbstractContextManager
from pathlib import Path

import click
from msgspec import Struct, structs

from motherlode.app.cli.commands.index import progress
from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.effects import show_moves
from motherlode.app.services.addresses import address_in
from motherlode.app.services.documents import from_file, from_web, read_all
from motherlode.documents.spaces import TERMS, Surroundings
from motherlode.learning.tree import SEMANTIC, Sample, TreeClassifier
from motherlode.policies.bingo.relearning import keep_reviewed, review
from motherlode.portal import Portal
from motherlode.records import BadInputError, Document, Model, StoreError, UsageError
from motherlode.search.last_search import ResultSet
from motherlode.store import ledger
from motherlode.store.pages import text_of
from motherlode.topics import TopicTree
from motherlode.training.marks import Marks, said_on
from motherlode.training.opinion import Opinion, Telling, classifier_of, fits, fitted_to, opinion_on
from motherlode.training.samples import sample_of, stored_sample, surroundings_of
from motherlode.training.training_set import KIND, can_tell, page_behind
from motherlode.workers.fork_client import early_fork_server

_SHOWN = 8


class _Judged(Struct, frozen=True):
    """A document and what is thought of it."""

    source: str
    title: str
    stored: bool
    model: int
    outdated: bool  # topics were removed or moved since the training
    opinion: Opinion
    marked: tuple[str, ...] = ()  # what a person said of it; then that counts


@click.command("judge")
@portal_argument
@click.argument("source", metavar="URL|FILE", required=False)
@click.option("--again", is_flag=True, help="Judge pages of the portal anew, and show what moves.")
@click.option("--results", is_flag=True, help="With --again: only what the last search finds.")
@click.option("--preview", is_flag=True, help="With --again: keep nothing.")
@set_option
@json_option
def command(  # noqa: PLR0913 - one for each option
    directory: Path,
    source: str | None,
    overrides: tuple[str, ...],
    *,
    again: bool,
    results: bool,
    preview: bool,
    as_json: bool,
) -> None:
    """Say where a page or a file would go in the topics of DIR, how surely, and because of which terms.

    A page that the portal has is judged as it is there; any other is fetched. Nothing is kept.

    With --again, in the place of a page, all pages of the portal are judged anew by the model in use, and
    as they were marked; 'lode train' learns first. All of it is kept, or nothing.
    """
    if again == (source is not None):
        raise UsageError("Name a page or a file, or say --again to judge the pages of the portal.")
    if (results or preview) and not again:
        raise UsageError("--results and --preview go with --again.")
    if again:
        _again(directory, overrides, results=results, preview=preview, as_json=as_json)
    else:
        _one(directory, source or "", overrides, as_json=as_json)


def _again(
    directory: Path, overrides: tuple[str, ...], *, results: bool, preview: bool, as_json: bool
) -> None:
    opened = Portal.reading(directory, overrides) if preview else _writing(directory, overrides)
    with opened as portal:
        with portal.store.reading() as session:
            tree = portal.tree()
            found = ResultSet(portal, session, tree) if results else None
            only = found.pages if found else None
            reviewed = review(session, tree, only, progress("Judging"))
            effect = reviewed.effect
            if found is not None:
                effect = structs.replace(effect, order=found.order(dict(reviewed.thoughts)))
        if not preview:
            keep_reviewed(portal, reviewed)
    if as_json:
        show_json({"model": reviewed.model, "kept": not preview, "effect": effect})
        return
    if not preview:
        click.echo(f"Judged {count(effect.judged, 'page')} by model {reviewed.model}.")
    show_moves(effect, "would go" if preview else "went")


def _writing(directory: Path, overrides: tuple[str, ...]) -> AbstractContextManager[Portal]:
    return Portal.crawling(directory, "lode judge", overrides)


@early_fork_server()
def _one(directory: Path, source: str, overrides: tuple[str, ...], *, as_json: bool) -> None:
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
        marked = _marked(portal, tree, source) if stored else ()
    judged = _Judged(source, document.title, stored, model.id, not fits(trained, tree), opinion, marked)
    if as_json:
        told = structs.asdict(judged)
        show_json({**{name: told[name] for name in told if name != "opinion"}, **structs.asdict(opinion)})
    else:
        _show(judged)


def _marked(portal: Portal, tree: TopicTree, source: str) -> tuple[str, ...]:
    with portal.store.reading() as session:
        page = page_behind(session, address_in(session, source, portal.config.urls).url)
        return () if page is None else said_on(Marks.of(session), tree, page.id)


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
    with portal.store.reading() as session:
        asked = address_in(session, source, portal.config.urls)
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
    if judged.marked:
        click.echo(f"  marked by a person: {harmless(', '.join(judged.marked))}; that counts")
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
