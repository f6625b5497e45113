"""Examples of the user are of level 0 and accepted, whatever a model has learned."""

import msgspec
import numpy as np
import pytest

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.documents.text.terms import Bag
from motherlode.policies.follows import QUEUE
from motherlode.policies.ordinal.level_trainer import LevelPages, fit_paper_levels
from motherlode.policies.ordinal.model import OrdinalModel, PackedLevels
from motherlode.policies.ordinal.options import OrdinalOptions
from motherlode.policies.ordinal.steering import accept_examples
from motherlode.policies.policy import Visit
from motherlode.records import ROOT, Document, Entry, Judgement, TopicId, UrlId
from motherlode.urls import address

OWLS, NEWS = range(100, 110), range(200, 210)
TOPIC = 7


def bag(words: range, seed: int) -> Bag:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, len(words)).astype(np.uint32)
    return Bag(np.array(words, np.uint32), counts)


def sample(of: Bag) -> Sample:
    return {TERMS: of}


ODD_EXAMPLE = bag(NEWS, 1_000)  # an example whose words are those of pages far from the topic


@pytest.fixture(scope="module")
def model() -> OrdinalModel:
    near, far = [bag(OWLS, n) for n in range(20)], [bag(NEWS, n) for n in range(100, 140)]
    bags = [*near, ODD_EXAMPLE, *far]
    pages = LevelPages({TOPIC: [near[0], near[1], ODD_EXAMPLE]}, bags, {TOPIC: [0, 1, 20]})
    options = OrdinalOptions(features=100, min_level_pages=5)
    return fit_paper_levels(pages, [0] * 21 + [4] * 40, options)


def test_an_example_that_its_model_places_far_away_is_accepted(model: OrdinalModel) -> None:
    odd, stranger = sample(ODD_EXAMPLE), sample(bag(NEWS, 2_000))
    assert model.values([odd])[0] > model.thresholds[0]  # by w.x alone it would be rejected
    of_example, of_stranger = model.judge([odd, stranger])
    assert of_example.is_accepted
    assert of_example.topic == TOPIC
    assert model.level_of(of_example.own_score) == 0
    assert not of_stranger.is_accepted
    assert model.level_of(of_stranger.own_score) > 0


def test_examples_are_known_after_a_model_was_stored(model: OrdinalModel) -> None:
    again = OrdinalModel(msgspec.msgpack.decode(model.pack(), type=PackedLevels))
    assert again.judge([sample(ODD_EXAMPLE)])[0].is_accepted


def test_the_explanation_says_that_it_is_an_example(model: OrdinalModel) -> None:
    reasons = model.explain(sample(ODD_EXAMPLE), Document(title="Odd", text="odd"))
    assert reasons.margin is not None
    assert reasons.margin > 0.0
    assert reasons.details[0].startswith("it is of level 0, because it is an example; its w.x is ")


@pytest.mark.parametrize("is_learned", [True, False])
def test_an_example_fetched_after_the_model_was_learned_is_accepted(
    model: OrdinalModel, *, is_learned: bool
) -> None:
    late, other = (address(url) for url in ("http://late.test/", "http://other.test/"))
    visits = [
        Visit(Entry(UrlId(n), at.url, at.key, QUEUE, 0.0), Document(title="", text=""))
        for n, at in enumerate((late, other))
    ]
    unknown = Judgement(ROOT, -0.4, score=float(model.thresholds[0]) + 0.4)
    accepted, rejected = accept_examples(
        visits, [unknown, unknown], {late.key: TopicId(TOPIC)}, model if is_learned else None
    )
    assert accepted.is_accepted
    assert accepted.topic == TOPIC
    assert rejected == unknown
    if is_learned:
        assert model.level_of(accepted.own_score) == 0
