"""Probabilities, and what is estimated from them."""

import numpy as np
import pytest

from motherlode.learning.calibration import certainty, plane_offset, probabilities
from motherlode.learning.precision import (
    MIN_EXAMPLES,
    MIN_PAGES,
    PrecisionEstimate,
    estimate_precision,
)
from motherlode.records import MeanProbability


def test_a_probability_grows_with_the_distance_and_stays_within_0_and_1() -> None:
    values = probabilities(np.linspace(-5, 5, 101), plane_offset(0.1, 10))
    assert (np.diff(values) >= 0).all()
    assert values.min() > 0.0
    assert values.max() < 1.0


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ((0.0, 10), (0.1, 10)),  # documents that were held out lie farther inside
        ((0.1, 5), (0.1, 50)),  # more training documents
        ((-0.4, 10), (0.1, 10)),
    ],
)
def test_a_coherent_topic_with_many_examples_has_the_higher_probability(
    lower: tuple[float, int], higher: tuple[float, int]
) -> None:
    assert plane_offset(*lower) < plane_offset(*higher)


def test_held_out_documents_outside_say_nothing_more() -> None:
    assert plane_offset(-0.4, 10) == plane_offset(0.0, 10)


@pytest.mark.parametrize(
    ("probability", "word"),
    [
        (1.0, "sure"),
        (0.85, "sure"),
        (0.84, "likely"),
        (0.5, "likely"),
        (0.49, "doubtful"),
        (0.0, "doubtful"),
    ],
)
def test_the_words_of_probabilities(probability: float, word: str) -> None:
    assert certainty(probability) == word


@pytest.mark.parametrize(
    ("mean", "examples", "expected"),
    [
        (MeanProbability(0.8, MIN_PAGES), MIN_EXAMPLES, PrecisionEstimate(0.8, MIN_EXAMPLES)),
        (MeanProbability(0.8, MIN_PAGES), MIN_EXAMPLES - 1, None),
        (MeanProbability(0.8, MIN_PAGES - 1), MIN_EXAMPLES, None),
        (None, 50, None),
    ],
)
def test_too_few_examples_or_pages_give_no_estimate(
    mean: MeanProbability | None, examples: int, expected: PrecisionEstimate | None
) -> None:
    assert estimate_precision(mean, examples) == expected


def test_an_estimate_says_how_far_off_it_may_be() -> None:
    assert (PrecisionEstimate(0.9, 12).low, PrecisionEstimate(0.9, 12).high) == (0.65, 1.0)
    assert PrecisionEstimate(0.1, 12).low == 0.0
