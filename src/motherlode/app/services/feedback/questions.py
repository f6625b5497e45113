"""Questions to a user: the pages whose answers would teach the topics most (SPEC B15, B21).

An answer is a relevance mark, so it is stored at once and can be taken back as a mark.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from motherlode.app.requests.feedback import MarkRequest
from motherlode.app.services.feedback.archetypes import topic_number
from motherlode.app.services.feedback.marks import MarksResult, mark_pages
from motherlode.app.services.feedback.views import PREVIEW_CHARS
from motherlode.app.services.portals.hints import advice_to_train
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.text import count
from motherlode.export.site.rows import brief
from motherlode.learning.tree import TreeClassifier
from motherlode.portal import Portal
from motherlode.records import ROOT, BadInputError
from motherlode.records.learning import is_accepted
from motherlode.records.shell_words import shell_word
from motherlode.store import Session
from motherlode.store.tables.pages import KeptPage, main_text_of, page_numbered, text_of
from motherlode.topics import TopicTree, show_path
from motherlode.training.certainty import Assessed, probability_text
from motherlode.training.feedback.questions import PageQuestion, choose_questions
from motherlode.training.samples import stored_sample
from motherlode.training.topic_model import latest_classifier

DEFAULT_QUESTIONS = 5
MAX_QUESTIONS = 50


class AskedPage(Assessed, frozen=True):
    """A page, the topic that it may belong to, and why its answer would teach much."""

    url: str
    title: str
    topic: str
    similar: int
    why: str
    excerpt: str


class PrintedQuestion(Struct, frozen=True):
    """A question with the commands that answer it."""

    page: AskedPage
    yes: str
    no: str


def questions_in(
    directory: Path, number: int, topic: str | None = None, overrides: Sequence[str] = ()
) -> list[AskedPage]:
    """Return the pages of a portal to ask about, the most informative first."""
    with Portal.reading(directory, overrides) as portal:
        with portal.store.reading() as session:
            tree = portal.tree()
            classifier = latest_classifier(session, tree)
            if classifier is not None:
                return _questions(session, tree, classifier, number, topic)
        advice = advice_to_train(portal, "learns")
        raise BadInputError(f"Nothing was learned yet, so no page is in doubt; {advice}.")


def questions_at(
    registry: PortalRegistry, name: str, number: int, topic: str | None = None
) -> list[AskedPage]:
    """Return the pages of a served portal to ask about."""
    return questions_in(registry.path(name), number, topic)


def answer_question(path: Path, page: AskedPage, *, is_on_topic: bool, now: float) -> MarksResult:
    """Store an answer as a mark; marks of the same time are taken back together."""
    urls = (page.url,)
    good, bad = (urls, ()) if is_on_topic else ((), urls)
    return mark_pages(path, MarkRequest(good=good, bad=bad, topic=page.topic), now)


def with_commands(directory: Path, page: AskedPage) -> PrintedQuestion:
    """Return a question with the commands that answer it."""
    words = [str(directory), page.url, page.topic]
    where, url, topic = map(shell_word, words)
    return PrintedQuestion(
        page,
        yes=f"lode mark {where} --good {url} --topic {topic}",
        no=f"lode mark {where} --bad {url} --topic {topic}",
    )


def _questions(
    session: Session,
    tree: TopicTree,
    classifier: TreeClassifier,
    number: int,
    topic: str | None,
) -> list[AskedPage]:
    questions = choose_questions(session, tree, classifier, number, topic_number(topic, tree))
    pages = [page_numbered(session, question.page) for question in questions]
    return [
        _asked_page(session, tree, classifier, question, page)
        for question, page in zip(questions, pages, strict=True)
        if page is not None
    ]


def _asked_page(
    session: Session,
    tree: TopicTree,
    classifier: TreeClassifier,
    question: PageQuestion,
    page: KeptPage,
) -> AskedPage:
    sample = stored_sample(session, page, tuple(classifier.groups_))
    parent = tree[question.topic].parent or ROOT
    probability = None
    # A page on no topic has no probability.
    if is_accepted(question.topic, question.margin):
        probability = float(classifier.topic_probabilities([sample], parent)[question.topic][0])
    text = main_text_of(session, page.id) or text_of(session, page.id)
    return AskedPage(
        url=page.page.url,
        title=page.title,
        topic=show_path(tree.path(question.topic)),
        margin=question.margin,
        probability=probability,
        similar=question.similar,
        why=why_asked(question, probability),
        excerpt=brief(text, PREVIEW_CHARS),
    )


def why_asked(question: PageQuestion, probability: float | None) -> str:
    """Return in words why a page is asked."""
    if probability is None:
        place = "it lies just outside the topic"
    else:
        place = f"it lies just inside the topic (probability {probability_text(probability)})"
    if not question.similar:
        return place
    pages = count(question.candidates, "page")
    return f"{place}, and {question.similar:,} of {pages} near the boundary resemble it"
