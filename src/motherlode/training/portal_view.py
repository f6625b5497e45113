"""A portal's examples and its model, read once for an explanation or a site."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from motherlode.learning.tree import TreeClassifier
from motherlode.portal.config import Config
from motherlode.records import TOPIC_MODEL, Example, Model, Origin, TopicId
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree, show_path
from motherlode.training.models import JudgingModel, load_model
from motherlode.training.topic_model import TopicModel
from motherlode.training.training_document import page_at_url


@dataclass(frozen=True)
class PortalView:
    """A portal in one transaction; what was read once is kept."""

    session: Session
    config: Config
    tree: TopicTree

    @cached_property
    def examples(self) -> list[Example]:
        return topic_rows.examples_of(self.session)

    @cached_property
    def model(self) -> Model | None:
        return ledger.latest_model(self.session, TOPIC_MODEL)

    @cached_property
    def judge(self) -> JudgingModel | None:
        """The latest model that judges pages by topics; None if there is none that can be used."""
        return None if self.model is None else self.judge_of(self.model)

    def judge_of(self, model: Model) -> JudgingModel | None:
        """Return a stored model that judges pages; None if it cannot be used any more."""
        judge: JudgingModel | None = load_model(model, self.tree)
        return judge

    @property
    def classifier(self) -> TreeClassifier | None:
        """The topic classifier of the latest model; None if it is a model of another kind."""
        return self.judge.classifier if isinstance(self.judge, TopicModel) else None

    def topics_of(self, urls: set[str]) -> list[str]:
        """Return the topics that have a page with one of these URLs as an example of a user."""
        given = (
            example
            for example in self.examples
            if example.url in urls and not _is_archetype(example)
        )
        return list(dict.fromkeys(map(self._path, given)))

    def archetype_of(self, urls: set[str]) -> list[str]:
        """Return the topics that have a page with one of these URLs as an archetype."""
        return [
            self._path(example)
            for example in self.examples
            if example.url in urls and _is_archetype(example)
        ]

    def _path(self, example: Example) -> str:
        return show_path(self.tree.path(example.topic))

    def is_counterexample(self, url: str) -> bool:
        """Return whether a page is a counterexample, and an example of no topic."""
        url = url.partition("#")[0]
        topics = [self.tree[example.topic] for example in self.examples if example.url == url]
        return bool(topics) and all(topic.is_others for topic in topics)


def untrained_topics(view: PortalView, pages: Mapping[TopicId, int]) -> set[TopicId]:
    """Return the topics that have fetched examples, but that no model knows yet.

    `pages` counts the pages on each topic. Without a model nothing was trained yet, so that no
    topic is behind the others.
    """
    if view.model is None:
        return set()
    empty = [example for example in view.examples if _is_on_empty_topic(view, example, pages)]
    if not empty:
        return set()  # as a rule, and then the classifier is not read
    known = frozenset() if view.judge is None else view.judge.topics
    untrained: set[TopicId] = set()
    for example in empty:
        is_new = example.topic not in known and example.topic not in untrained
        if is_new and _is_fetched(view.session, example):
            untrained.add(example.topic)
    return untrained


def _is_on_empty_topic(view: PortalView, example: Example, pages: Mapping[TopicId, int]) -> bool:
    topic = view.tree[example.topic]
    return topic.parent is not None and not topic.is_others and not pages.get(topic.id)


def _is_fetched(session: Session, example: Example) -> bool:
    return example.url is not None and page_at_url(session, example.url) is not None


def _is_archetype(example: Example) -> bool:
    return example.origin is Origin.ARCHETYPE


def quoted_topics(topics: Sequence[str]) -> str:
    return ", ".join(f"'{topic}'" for topic in topics)
