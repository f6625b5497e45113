"""The archetypes of a portal as users review them: with scores and terms, or in blocks of text."""

from collections.abc import Iterable

from msgspec import Struct

from motherlode.learning.tree import TreeClassifier
from motherlode.policies.bingo.archetypes import (
    BASE_SET_PAGES,
)
from motherlode.records import (
    CHOSEN_ORIGINS,
    ROOT,
    Document,
    Example,
    Origin,
    TopicId,
    UsageError,
)
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import KeptPage, main_text_of, text_of
from motherlode.topics import TopicTree, show_path
from motherlode.training.certainty import Assessed
from motherlode.training.feedback.marks import PortalMarks
from motherlode.training.judgement_reasons import term_contributions
from motherlode.training.link_analysis import link_scores_of
from motherlode.training.samples import stored_sample
from motherlode.training.topic_model import latest_classifier
from motherlode.training.training_document import page_at_url

_MAX_TERMS = 8


class Archetype(Assessed, frozen=True):
    """A page that a topic is learned from; chosen by the crawl, unless a user accepted it.

    Without a model, `margin` and `probability` are None.
    """

    topic: str
    url: str
    title: str
    authority: float
    terms: tuple[str, ...]  # the strongest evidence for the topic
    accepted: bool
    trimmed: bool


class Block(Struct, frozen=True):
    """A block of a page's text. `kept`: it is part of the example."""

    number: int
    text: str
    main: bool
    kept: bool


def list_archetypes(
    session: Session,
    tree: TopicTree,
    topic: TopicId | None = None,
) -> list[Archetype]:
    """Return the archetypes of all topics, or below one, the most confident of each topic first."""
    examples = archetype_examples(topic_rows.examples_of(session), tree, topic)
    classifier = latest_classifier(session, tree)
    marks = PortalMarks.of(session)
    archetypes: list[Archetype] = []
    for node in tree:
        of_topic = [
            example
            for example in examples
            if example.topic == node.id and not _is_excluded(session, marks, example)
        ]
        if not of_topic:
            continue
        scores = link_scores_of(session, tree, node.id, base=BASE_SET_PAGES)
        authorities = {page.url: page.authority for page in scores}
        described = [
            _archetype(
                session,
                tree,
                example,
                classifier,
                authorities,
            )
            for example in of_topic
        ]
        archetypes += sorted(
            described,
            key=lambda archetype: (-(archetype.margin or 0.0), archetype.url),
        )
    return archetypes


def list_unscored_archetypes(
    session: Session, tree: TopicTree, topic: TopicId | None = None
) -> list[Archetype]:
    """Return archetypes in the order of topics, without margin, authority and terms."""
    examples = archetype_examples(topic_rows.examples_of(session), tree, topic)
    marks = PortalMarks.of(session)
    index_of = {node.id: index for index, node in enumerate(tree)}
    included = [example for example in examples if not _is_excluded(session, marks, example)]
    included.sort(key=lambda example: index_of[example.topic])
    return [_archetype(session, tree, example, None, {}) for example in included]


def archetypes_at(session: Session, tree: TopicTree, url: str) -> list[Archetype]:
    """Return the examples at a URL with their terms, but without authority."""
    examples = [example for example in topic_rows.examples_of(session) if example.url == url]
    classifier = latest_classifier(session, tree)
    return [_archetype(session, tree, example, classifier, {}) for example in examples]


def blocks_of(session: Session, url: str) -> tuple[KeptPage, list[Block]]:
    """Return a page and the blocks of its text. Raises `UsageError` if it was never fetched."""
    page = page_at_url(session, url)
    if page is None:
        raise UsageError(f"{url} was never fetched, so there is nothing to show of it.")
    lines = text_of(session, page.id).split("\n")
    main = set(main_text_of(session, page.id).split("\n"))
    trimmed = [
        example.text
        for example in topic_rows.examples_of(session)
        if example.url == url and example.text is not None
    ]
    kept = {line for text in trimmed for line in text.split("\n")} if trimmed else set(lines)
    return page, [
        Block(
            number,
            line,
            line in main,
            line in kept,
        )
        for number, line in enumerate(lines, start=1)
    ]


def _archetype(
    session: Session,
    tree: TopicTree,
    example: Example,
    classifier: TreeClassifier | None,
    authorities: dict[str, float],
) -> Archetype:
    url = example.url or ""
    page = page_at_url(session, url)
    margin: float | None = None
    probability: float | None = None
    terms: tuple[str, ...] = ()
    if page is not None and classifier is not None:
        sample = stored_sample(session, page, tuple(classifier.groups_))
        parent = tree[example.topic].parent or ROOT
        distances = classifier.distances([sample], parent)
        if example.topic in distances:
            margin = float(distances[example.topic][0])
            likelihoods = classifier.topic_probabilities([sample], parent)
            probability = float(likelihoods[example.topic][0])
        text = text_of(session, page.id)
        document = Document(title=page.title, language=page.language, text=text)
        evidence = term_contributions(classifier, sample, example.topic, document)
        words = [term.word for term in evidence if term.part > 0 and not term.word.startswith("#")]
        terms = tuple(words[:_MAX_TERMS])
    return Archetype(
        topic=show_path(tree.path(example.topic)),
        url=url,
        title=example.title if page is None else page.title,
        margin=margin,
        probability=probability,
        authority=authorities.get(url, 0.0),
        terms=terms,
        accepted=example.origin is Origin.FEEDBACK,
        trimmed=example.text is not None,
    )


def _is_excluded(session: Session, marks: PortalMarks, example: Example) -> bool:
    """Return whether a user has since marked the page so that nothing is learned from it."""
    page = page_at_url(session, example.url) if marks.marks and example.url else None
    return page is not None and marks.excludes(page.id, example.topic)


def archetype_examples(
    examples: Iterable[Example],
    tree: TopicTree,
    topic: TopicId | None,
) -> list[Example]:
    """Return the examples that are archetypes, or were until a user accepted them."""
    within = [example for example in examples if is_within(example, tree, topic)]
    return [example for example in within if example.origin in CHOSEN_ORIGINS]


def is_within(example: Example, tree: TopicTree, topic: TopicId | None) -> bool:
    """Return whether an example is a page of a topic or below it; None is every topic."""
    return example.url is not None and (topic is None or example.topic in tree.descendants(topic))
