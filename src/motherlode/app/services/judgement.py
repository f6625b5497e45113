"""Judge one document by a portal's model, or all pages of the portal again."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.training import JudgeRequest
from motherlode.app.services.addresses import address_in
from motherlode.app.services.documents import from_file, from_web, read_all
from motherlode.app.services.portals.hints import advice_to_train
from motherlode.documents.features.spaces import Sample, Surroundings
from motherlode.policies.kind import load_policy, training_of
from motherlode.portal import Portal
from motherlode.records import BadInputError, Document, Model, StoreError
from motherlode.search.indexer import ProgressCallback
from motherlode.search.last_search import ResultSet
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import text_of
from motherlode.topics import TopicTree
from motherlode.training.feedback.marks import PortalMarks, mark_labels
from motherlode.training.feedback.review import Effect
from motherlode.training.judgement_reasons import JudgementReasons
from motherlode.training.models import JudgingModel, NoTopicsLeftError, open_model
from motherlode.training.samples import sample_of, stored_sample, surroundings_of
from motherlode.training.training_document import page_at_url
from motherlode.workers.fork_client import early_fork_server


class JudgedDocument(Struct, frozen=True):
    """A document and its judgement.

    `outdated`: topics were removed or moved after the training. `marked`: the marks of users on
    the page, which count more than the model.
    """

    source: str
    title: str
    stored: bool
    model: int
    outdated: bool
    reasons: JudgementReasons
    marked: tuple[str, ...] = ()


class JudgedAgain(Struct, frozen=True):
    """The pages that move when all are judged again, and whether that is stored."""

    model: int
    kept: bool
    effect: Effect


def judge_again(
    directory: Path, request: JudgeRequest, on_progress: ProgressCallback
) -> JudgedAgain:
    """Judge the pages of a portal by its model and their marks; store all judgements, or none."""
    with Portal.reading(directory, request.settings) as portal:
        steps = training_of(portal.config.crawl.policy)
        latest_model_of(portal)  # before the lock: it may suggest a command
    with _open_portal(directory, request) as portal:
        with portal.store.reading() as session:
            tree = portal.tree()
            results = ResultSet(portal, session, tree) if request.results else None
            pages = results.pages if results else None
            reviewed = steps.rejudge(session, tree, pages, on_progress)
            effect = reviewed.effect
            if results is not None:
                effect = replace(effect, order=results.order(dict(reviewed.judgements)))
        if not request.preview:
            steps.save_rejudged(portal, reviewed)
    return JudgedAgain(reviewed.model, not request.preview, effect)


@early_fork_server()
def judge_source(directory: Path, source: str, request: JudgeRequest) -> JudgedDocument:
    """Judge a page or a file. A page of the portal is read from the store, any other is fetched."""
    with Portal.reading(directory, request.settings) as portal:
        model, tree = latest_model_of(portal), portal.tree()
        judge = _open_judge(portal, model, tree)
        document, sample, stored = _read_source(portal, source, judge.spaces)
        return JudgedDocument(
            source=source,
            title=document.title,
            stored=stored,
            model=model.id,
            outdated=judge.is_outdated,
            reasons=judge.explain(sample, document),
            marked=_marks_on(portal, tree, source) if stored else (),
        )


def _open_portal(directory: Path, request: JudgeRequest) -> AbstractContextManager[Portal]:
    if request.preview:
        return Portal.reading(directory, request.settings)
    return Portal.crawling(directory, "lode judge", request.settings)


def _marks_on(portal: Portal, tree: TopicTree, source: str) -> tuple[str, ...]:
    with portal.store.reading() as session:
        page = page_at_url(session, address_in(session, source, portal.config.urls).url)
        return () if page is None else mark_labels(PortalMarks.of(session), tree, page.id)


def latest_model_of(portal: Portal) -> Model:
    """Return the model in use. Raises `BadInputError` if nothing was learned yet."""
    with portal.store.reading() as session:
        kind = load_policy(portal.config.crawl.policy)
        model = ledger.latest_model(session, kind.judging_model)
    if model is None:
        raise BadInputError(f"{portal.path} has no model yet; {advice_to_train(portal)}.")
    return model


def _open_judge(portal: Portal, model: Model, tree: TopicTree) -> JudgingModel:
    try:
        judge: JudgingModel = open_model(model, tree)
    except NoTopicsLeftError as error:
        advice = advice_to_train(portal, "learns the others")
        raise BadInputError(
            f"All topics that {portal.path} has learned are gone; {advice}."
        ) from error
    except ValueError as error:
        advice = advice_to_train(portal, "makes a new one")
        raise StoreError(f"The portal's model cannot be used ({error}); {advice}.") from error
    return judge


def _read_source(
    portal: Portal, source: str, spaces: Sequence[str]
) -> tuple[Document, Sample, bool]:
    """Return the document, its features in each space, and whether it was in the store."""
    if "://" not in source:
        document = _readable(read_all(from_file(Path(source)), portal.config)[0].document, source)
        return document, sample_of(document, spaces, Surroundings()), False
    with portal.store.reading() as session:
        address = address_in(session, source, portal.config.urls)
        page = page_at_url(session, address.url)
        if page is not None:
            text = text_of(session, page.id)
            document = Document(title=page.title, language=page.language, text=text)
            return document, stored_sample(session, page, spaces), True
        surroundings = surroundings_of(session, address.url, address.key, spaces)
    document = _readable(
        read_all(from_web(source, portal.config), portal.config)[0].document, source
    )
    return document, sample_of(document, spaces, surroundings), False


def _readable(document: Document, source: str) -> Document:
    if document.unreadable:
        raise BadInputError(f"{source[:200]} cannot be read: {document.unreadable}.")
    return document
