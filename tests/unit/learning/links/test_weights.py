"""The weights of link evidence, fitted to made-up crawls."""

import numpy as np
import pytest

from motherlode.learning.links.weights import MIN_PAGES, LinkWeights, learn_link_weights
from motherlode.learning.matrix import Floats


def random_evidence(pages: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).normal(0.0, 1.0, (pages, 4))


def outcomes(evidence: Floats, *weights: float) -> Floats:
    """Return the probability of each page for given weights; the first weight is the intercept."""
    log_odds = weights[0] + evidence @ np.array(weights[1:])
    probabilities: Floats = 1.0 / (1.0 + np.exp(-log_odds))
    return probabilities


def test_with_few_pages_all_weights_are_1() -> None:
    evidence = random_evidence(MIN_PAGES - 1)
    assert learn_link_weights(evidence, np.ones(len(evidence))) == LinkWeights()


def test_calibrated_evidence_has_weight_1() -> None:
    evidence = random_evidence(2_000)
    learned = learn_link_weights(evidence, outcomes(evidence, 0.0, 1.0, 1.0, 1.0, 1.0))
    assert (learned.share, learned.near) == pytest.approx((1.0, 1.0), abs=1e-3)


def test_the_weights_behind_the_outcomes_are_found() -> None:
    evidence = random_evidence(10_000)
    learned = learn_link_weights(evidence, outcomes(evidence, -2.0, 1.5, 0.0, 2.0, 0.5))
    weights = (learned.share, learned.words, learned.mentions, learned.near)
    assert weights == pytest.approx((1.5, 0.0, 2.0, 0.5), abs=0.1)


def test_the_fewer_the_pages_the_nearer_the_weights_stay_to_1() -> None:
    words = []
    for pages in (MIN_PAGES, 5 * MIN_PAGES, 25 * MIN_PAGES):
        evidence = random_evidence(pages)
        words.append(
            learn_link_weights(evidence, outcomes(evidence, 0.0, 1.0, 0.0, 1.0, 1.0)).words,
        )
    assert 1.0 > words[0] > words[1] > words[2] > 0.0


def test_no_weight_is_negative_and_the_others_are_fitted_without_it() -> None:
    evidence = random_evidence(2_000)
    learned = learn_link_weights(evidence, outcomes(evidence, 0.0, 1.0, -2.0, 1.0, 1.0))
    assert learned.words == 0.0
    without = evidence.copy()
    without[:, 1] = 0.0
    refitted = learn_link_weights(without, outcomes(evidence, 0.0, 1.0, -2.0, 1.0, 1.0))
    assert (learned.share, learned.near) == pytest.approx((refitted.share, refitted.near), abs=1e-3)


@pytest.mark.parametrize("on_topic", [0.02, 0.1, 0.3, 0.9])
@pytest.mark.parametrize(
    ("off", "on", "lift"),
    [(-3.0, -0.5, -2.0), (-4.0, -1.0, 1.0), (-15.0, 2.0, -5.0)],
)
def test_exaggerated_evidence_gives_valid_weights(
    off: float, on: float, lift: float, on_topic: float
) -> None:
    """Newton's method without halved steps diverged here, to weights of a hundred thousand."""
    rng = np.random.default_rng(3)
    outcome = (rng.random(2_500) < on_topic).astype(np.float64)
    evidence = rng.normal(0.0, 0.5, (2_500, 4))
    evidence[:, 0] += np.where(outcome > 0, on, off)
    evidence[:, 2] += lift
    learned = learn_link_weights(evidence, outcome)
    assert learned.is_valid()
    assert learned.share > 0.5  # it decides the outcome
    worse = learn_link_weights(evidence, 1.0 - outcome)
    assert worse.share < learned.share


@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_equal_outcomes_give_valid_weights(outcome: float) -> None:
    assert learn_link_weights(random_evidence(100) * 1_000.0, np.full(100, outcome)).is_valid()
    assert learn_link_weights(np.zeros((100, 4)), np.full(100, outcome)) == LinkWeights()


def test_weights_out_of_range_are_invalid() -> None:
    assert LinkWeights().is_valid()
    for wrong in (float("nan"), float("inf"), -0.1, 1e308):
        assert not LinkWeights(share=wrong).is_valid()
