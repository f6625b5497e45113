"""What an apprentice makes of evidence."""

import numpy as np
import pytest

from motherlode.learning.apprentice import LEAST, Weights, learn_weights
from motherlode.learning.matrix import Floats


def crawled(pages: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).normal(0.0, 1.0, (pages, 4))


def outcomes(evidence: Floats, *weights: float) -> Floats:
    """How likely pages are on the topic, where evidence counts so much; the first one is for all of them."""
    sure: Floats = 1.0 / (1.0 + np.exp(-(weights[0] + evidence @ np.array(weights[1:]))))
    return sure


def test_a_few_pages_teach_nothing() -> None:
    evidence = crawled(LEAST - 1)
    assert learn_weights(evidence, np.ones(len(evidence))) == Weights()


def test_evidence_that_holds_as_it_is_counts_as_it_is() -> None:
    evidence = crawled(2_000)
    learned = learn_weights(evidence, outcomes(evidence, 0.0, 1.0, 1.0, 1.0, 1.0))
    assert (learned.base, learned.share, learned.near) == pytest.approx((0.0, 1.0, 1.0), abs=1e-3)


def test_what_turns_out_to_say_more_or_nothing_counts_more_or_nothing() -> None:
    evidence = crawled(2_000)
    learned = learn_weights(evidence, outcomes(evidence, -2.0, 1.5, 0.0, 2.0, 0.5))
    found = (learned.base, learned.share, learned.words, learned.mentions, learned.near)
    assert found == pytest.approx((-2.0, 1.5, 0.0, 2.0, 0.5), abs=0.1)


def test_the_fewer_the_pages_the_less_is_believed_of_them() -> None:
    words = []
    for pages in (LEAST, 200, 2_000):
        evidence = crawled(pages)
        words.append(learn_weights(evidence, outcomes(evidence, 0.0, 1.0, 0.0, 1.0, 1.0)).words)
    assert 1.0 > words[0] > words[1] > words[2] > 0.0


def test_no_evidence_is_ever_held_against_a_page() -> None:
    evidence = crawled(2_000)
    assert learn_weights(evidence, outcomes(evidence, 0.0, 1.0, -2.0, 1.0, 1.0)).words == 0.0


@pytest.mark.parametrize("became", [0.0, 1.0])
def test_where_all_pages_are_alike_nothing_goes_astray(became: float) -> None:
    evidence = crawled(100) * 1_000.0
    learned = learn_weights(evidence, np.full(100, became))
    assert learned.is_sound()
    assert learn_weights(np.zeros((100, 4)), np.full(100, became)).is_sound()


def test_a_model_of_numbers_that_are_none_is_not_sound() -> None:
    assert Weights().is_sound()
    assert not Weights(share=float("nan")).is_sound()
    assert not Weights(base=float("inf")).is_sound()
