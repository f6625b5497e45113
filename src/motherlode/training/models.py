"""Stored models: what a model that judges pages can do, and the registry of kinds of models.

A policy package adds a kind of model by one line here. Another package adds one by a line of its
own metadata, in the entry point group `motherlode.models`: `its-kind = its_module:its_loader`.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Protocol

from motherlode.documents.features.spaces import Sample
from motherlode.records import (
    CENTROID_MODEL,
    LINK_MODEL,
    ORDINAL_MODEL,
    SITE_CLASSES_MODEL,
    SITE_CONTRAST_MODEL,
    TOPIC_MODEL,
    Document,
    Judgement,
    Model,
    TopicId,
)
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.topics import TopicTree
from motherlode.training.judgement_reasons import JudgementReasons

ENTRY_POINTS = "motherlode.models"

# Where the loader of each kind of model is, as `module:attribute`; it is imported at first use.
BUILT_IN: Mapping[str, str] = {
    TOPIC_MODEL: "motherlode.training.topic_model:load_topic_model",
    LINK_MODEL: "motherlode.policies.bingo.kind:load_link_model",
    CENTROID_MODEL: "motherlode.policies.tunnel.model:load_centroid_model",
    ORDINAL_MODEL: "motherlode.policies.ordinal.model:load_ordinal_model",
    SITE_CLASSES_MODEL: "motherlode.policies.websites.model:load_site_classes",
    SITE_CONTRAST_MODEL: "motherlode.policies.websites.model:load_site_contrast",
}


class JudgingModel(Protocol):
    """A trained model that judges pages."""

    @property
    def spaces(self) -> Sequence[str]:
        """The feature spaces in which it wants to see pages."""
        ...

    @property
    def topics(self) -> Collection[TopicId]:
        """The topics that it knows, all of which exist."""
        ...

    @property
    def is_outdated(self) -> bool:
        """Whether it was trained for other topics than the portal has now."""
        ...

    def judge(self, samples: Sequence[Sample]) -> list[Judgement]:
        """Return a judgement for each page."""
        ...

    def explain(self, sample: Sample, document: Document) -> JudgementReasons:
        """Return the judgement of a page with its reasons, such as the terms for and against it."""
        ...

    def pack(self) -> bytes:
        """Return the model as bytes, for the store."""
        ...


class ModelLoader(Protocol):
    """Makes a stored model of one kind ready for use, for the present topics.

    It raises `ValueError` with the reason if the model cannot be used, such as one of another
    version. With `complete`, it raises an error instead of doing without something that the model
    was trained with and that is not available here.
    """

    def __call__(self, model: Model, tree: TopicTree, *, complete: bool) -> Any: ...


class NoTopicsLeftError(ValueError):
    """All topics that a model was trained for were removed."""


def open_model(model: Model, tree: TopicTree) -> Any:
    """Return a stored model, ready for use and with all that it was trained with.

    Raises `ValueError` if it cannot be used, and `LodeError` if something is not available.
    """
    return loader_of(model.kind)(model, tree, complete=True)


def load_model(model: Model, tree: TopicTree) -> Any:
    """Return a stored model, ready for use; None if it cannot be used any more."""
    try:
        return loader_of(model.kind)(model, tree, complete=False)
    except ValueError:
        return None


def loader_of(kind: str) -> ModelLoader:
    """Return the loader of a kind. Raises `ValueError` if no installed package has it."""
    path = BUILT_IN.get(kind) or other_packages().get(kind)
    if path is None:
        raise ValueError(f"a model of the kind {kind[:40]!r}, which no installed package has")
    module, _, attribute = path.partition(":")
    loader: ModelLoader = getattr(import_module(module), attribute)
    return loader


@cache
def other_packages() -> dict[str, str]:
    """Return where the loaders are that installed packages have registered, by kind."""
    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


def latest_model(session: Session, tree: TopicTree, kind: str) -> Any:
    """Return the latest stored model of a kind, ready for use; None if there is none."""
    stored = ledger.latest_model(session, kind)
    return None if stored is None else load_model(stored, tree)


def latest_judge(session: Session, tree: TopicTree) -> JudgingModel | None:
    """Return the latest model that judges pages by topics; None if there is none."""
    judge: JudgingModel | None = latest_model(session, tree, TOPIC_MODEL)
    return judge
