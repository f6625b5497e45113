"""What an apprentice makes of evidence."""

import numpy as np
import pytest

from motherlode.learning.links.weights import MIN_PAGES, LinkWeights, learn_link_weights
from motherlode.learning.matrix import Floats


def crawled(pages: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).normal(0.0, 1.0, (pages, 4))


def outcomes(evidence: Floats, *weights: float) -> Floats:
    """Return the probability of each page for given weights; the first weight is the intercept."""
    sure: Floats = 1.0 / (1.0 + np.exp(-(weights[0] + evidence @ np.array(weights[1:]))))
    return sure


def test_a_few_pages_teach_nothing() -> None:
    evidence = crawled(MIN_PAGES - 1)
    assert learn_link_weights(evidence, np.ones(len(evidence))) == LinkWeights()


def test_evidence_that_holds_as_it_is_counts_as_it_is() -> None:
    evidence = crawled(2_000)
    learned = learn_link_weights(evidence, outcomes(evidence, 0.0, 1.0, 1.0, 1.0, 1.0))
    assert (learned.share, learned.near) == pytest.approx((1.0, 1.0), abs=1e-3)


def test_what_turns_out_to_say_more_or_nothing_counts_more_or_nothing() -> None:
    evidence = crawled(10_000)
    learned = learn_link_weights(evidence, outcomes(evidence, -2.0, 1.5, 0.0, 2.0, 0.5))
    weights = (learned.share, learned.words, learned.mentions, learned.near)
    assert weights == pytest.approx((1.5, 0.0, 2.0, 0.5), abs=0.1)


def test_the_fewer_the_pages_the_less_is_believed_of_them() -> None:
    words = []
    for pages in (MIN_PAGES, 5 * MIN_PAGES, 25 * MIN_PAGES):
        evidence = crawled(pages)
        words.append(learn_link_weights(evidence, outcomes(evidence, 0.0, 1.0, 0.0, 1.0, 1.0)).words)
    assert 1.0 > words[0] > words[1] > words[2] > 0.0


def test_no_evidence_is_ever_held_against_a_page_and_the_rest_makes_the_best_of_it() -> None:
    evidence = crawled(2_000)
    learned = learn_link_weights(evidence, outcomes(evidence, 0.0, 1.0, -2.0, 1.0, 1.0))
    assert learned.words == 0.0
    without = evidence.copy()
    without[:, 1] = 0.0
    alone = learn_link_weights(without, outcomes(evidence, 0.0, 1.0, -2.0, 1.0, 1.0))
    assert (learned.share, learned.near) == pytest.approx((alone.share, alone.near), abs=1e-3)


@pytest.mark.parametrize("on_topic", [0.02, 0.1, 0.3, 0.9])
@pytest.mark.parametrize(("off", "on", "lift"), [(-3.0, -0.5, -2.0), (-4.0, -1.0, 1.0), (-15.0, 2.0, -5.0)])
def test_evidence_that_says_far_too_much_leads_nowhere_else(
    off: float, on: float, lift: float, on_topic: float
) -> None:
    """Newton's method by itself went astray on such crawls, to weights of a hundred thousand."""
    chance = np.random.default_rng(3)
    became = (chance.random(2_500) < on_topic).astype(np.float64)
    evidence = chance.normal(0.0, 0.5, (2_500, 4))
    evidence[:, 0] += np.where(became > 0, on, off)
    evidence[:, 2] += lift
    learned = learn_link_weights(evidence, became)
    assert learned.is_valid()
    assert learned.share > 0.5  # it tells all there is to know
    worse = learn_link_weights(evidence, 1.0 - became)
    assert worse.share < learned.share


@pytest.mark.parametrize("became", [0.0, 1.0])
def test_where_all_pages_are_alike_nothing_goes_astray(became: float) -> None:
    assert learn_link_weights(crawled(100) * 1_000.0, np.full(100, became)).is_valid()
    assert learn_link_weights(np.zeros((100, 4)), np.full(100, became)) == LinkWeights()


def test_a_model_of_numbers_that_weigh_nothing_is_not_sound() -> None:
    assert LinkWeights().is_valid()
    for wrong in (float("nan"), float("inf"), -0.1, 1e308):
        assert not LinkWeights(share=wrong).is_valid()
