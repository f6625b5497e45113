"""Kinds of stored models: found by their paths, also in other packages, and explained alike."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import Struct

from motherlode.app.requests.training import JudgeRequest
from motherlode.app.services.judgement import judge_source
from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.explain.explainer import explain
from motherlode.learning.links.model import LinkModel
from motherlode.portal import Portal
from motherlode.records import (
    LINK_MODEL,
    TOPIC_MODEL,
    Document,
    Judgement,
    Model,
    ModelId,
    PageId,
    TopicId,
)
from motherlode.store.tables import ledger
from motherlode.store.tables.judgements import keep_judgements
from motherlode.topics import TopicTree
from motherlode.training import models
from motherlode.training.judgement_reasons import JudgementReasons
from motherlode.training.models import BUILT_IN, load_model, loader_of
from motherlode.training.training_document import page_at_url
from motherlode.urls import address
from support.training_webs import BIRDS, fetch, number_of, pages, place, planted

KIND = "shortness"
TREE = TopicTree([])


class Shortness(Struct, frozen=True):
    """A model of another package: short titles are about the only topic that it knows."""

    topic: TopicId
    spaces: tuple[str, ...] = (TERMS,)
    is_outdated: bool = False

    @property
    def topics(self) -> frozenset[TopicId]:
        return frozenset({self.topic})

    def judge(self, samples: Sequence[Sample]) -> list[Judgement]:
        return [Judgement(self.topic, 1.0) for _ in samples]

    def explain(self, _sample: Sample, document: Document) -> JudgementReasons:
        return JudgementReasons(
            topic="owls",
            margin=1.0 / len(document.title),
            probability=None,
            others=False,
            steps=(),
            about="owls",
            terms=(),
        )

    def pack(self) -> bytes:
        return str(self.topic).encode()


def load_shortness(model: Model, _tree: TopicTree, *, complete: bool) -> Shortness:  # noqa: ARG001
    if not model.packed.isdigit():
        raise ValueError("it names no topic")
    return Shortness(TopicId(int(model.packed)))


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another package registers its kind of model by a line of its metadata."""
    points = [SimpleNamespace(name=KIND, value=f"{__name__}:load_shortness")]
    monkeypatch.setattr(
        models, "entry_points", lambda group: points if group == "motherlode.models" else []
    )
    models.other_packages.cache_clear()
    yield
    models.other_packages.cache_clear()


def stored(kind: str, packed: bytes) -> Model:
    return Model(ModelId(1), kind, 1, 0.0, packed)


@pytest.mark.parametrize("kind", [TOPIC_MODEL, LINK_MODEL])
def test_the_loader_of_each_built_in_kind_is_there(kind: str) -> None:
    assert kind in BUILT_IN
    assert callable(loader_of(kind))
    assert load_model(stored(kind, b"no model"), TREE) is None


def test_a_link_model_is_loaded_by_the_package_that_ranks_by_it() -> None:
    assert load_model(stored(LINK_MODEL, LinkModel().pack()), TREE) == LinkModel()


def test_a_model_whose_package_is_gone_cannot_be_used() -> None:
    assert load_model(stored(KIND, b"2"), TREE) is None


@pytest.mark.usefixtures("_installed")
def test_a_model_of_another_package_is_loaded_by_its_own_loader() -> None:
    assert load_model(stored(KIND, b"2"), TREE) == Shortness(TopicId(2))
    assert load_model(stored(KIND, b"x"), TREE) is None


@pytest.mark.usefixtures("_installed")
def test_a_judgement_is_explained_by_its_own_kind_of_model(tmp_path: Path) -> None:
    portal, url = planted(tmp_path / "p", BIRDS), place("owl", 0)
    fetch(portal, pages(), tmp_path / "web")
    owls = number_of(portal, "owls")
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        page = page_at_url(session, url)
        assert page is not None
        model = ledger.keep_model(session, stored(KIND, Shortness(owls).pack()))
        judgement = Judgement(owls, 1.0, model.id)
        keep_judgements(session, [(PageId(page.id), judgement)])
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        explanation = explain(session, opened.config, address(url))
    assert explanation is not None
    assert explanation.judgement is not None
    reasons = explanation.judgement.opinion
    assert reasons is not None
    assert (reasons.topic, reasons.margin) == ("owls", 1.0 / len(page.title))


@pytest.mark.usefixtures("_installed")
def test_a_document_is_judged_by_the_kind_of_model_of_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    portal = planted(tmp_path / "p", BIRDS)
    owls = number_of(portal, "owls")
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        ledger.keep_model(session, stored(KIND, Shortness(owls).pack()))
    page = tmp_path / "page.html"
    page.write_text("<title>Owl</title><p>An owl")
    monkeypatch.setattr(
        "motherlode.app.services.judgement.load_policy",
        lambda _name: SimpleNamespace(judging_model=KIND),
    )
    judged = judge_source(portal, str(page), JudgeRequest(url=str(page)))
    assert judged.reasons.margin == pytest.approx(1 / 3)
