"""A portal as one looks at it to explain something."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from motherlode.learning.tree import TreeClassifier
from motherlode.portal.config import Config
from motherlode.records import Example, Model, Origin
from motherlode.store import ledger
from motherlode.store import topics as topic_rows
from motherlode.store.session import Session
from motherlode.topics import TopicTree, show_path
from motherlode.training.opinion import still_of_use
from motherlode.training.training_set import KIND, can_tell


@dataclass(frozen=True)
class View:
    """What is looked at, and with whose eyes."""

    session: Session
    config: Config
    tree: TopicTree

    @cached_property
    def examples(self) -> list[Example]:
        return topic_rows.examples_of(self.session)

    @cached_property
    def model(self) -> Model | None:
        return ledger.latest_model(self.session, KIND)

    @cached_property
    def classifier(self) -> TreeClassifier | None:
        return self.classifier_of(self.model)

    def classifier_of(self, model: Model | None) -> TreeClassifier | None:
        """What a model judges by; None: it cannot be asked any more."""
        found = None if model is None else still_of_use(model.packed, self.tree)
        return found if found is not None and can_tell(found) else None

    def topics_of(self, urls: set[str]) -> list[str]:
        """The topics that a page with these names is an example of, by somebody's will."""
        named = (one for one in self.examples if one.url in urls and not _is_found(one))
        return list(dict.fromkeys(map(self._path, named)))

    def archetype_of(self, urls: set[str]) -> list[str]:
        """The topics that a page with these names is an example of because a crawl found it."""
        return [self._path(one) for one in self.examples if one.url in urls and _is_found(one)]

    def _path(self, example: Example) -> str:
        return show_path(self.tree.path(example.topic))

    def is_against(self, url: str) -> bool:
        """Whether a page is a counterexample, and an example of no topic."""
        topics = [self.tree[one.topic] for one in self.examples if one.url == url.partition("#")[0]]
        return bool(topics) and all(topic.is_others for topic in topics)


def _is_found(example: Example) -> bool:
    return example.origin is Origin.ARCHETYPE


def listed(topics: Sequence[str]) -> str:
    return ", ".join(f"'{topic}'" for topic in topics)
