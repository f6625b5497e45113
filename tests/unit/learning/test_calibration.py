"""Probabilities, and what is estimated from them."""

import numpy as np
import pytest

from motherlode.learning.calibration import (
    MIN_SURROUNDING_PAGES,
    PlaneSurroundings,
    certainty,
    plane_offset,
    probabilities,
    surroundings_of,
)
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


def test_where_rejected_pages_lie_far_away_accepted_ones_are_more_probable() -> None:
    near, far = PlaneSurroundings(remoteness=0.05), PlaneSurroundings(remoteness=0.2)
    assert plane_offset(0.1, 20, near) < plane_offset(0.1, 20) < plane_offset(0.1, 20, far)


def test_a_plane_in_a_crowd_accepts_wrong_pages_and_the_fewer_examples_the_less_that_says() -> None:
    crowded, alone = PlaneSurroundings(crowding=1.0), PlaneSurroundings(crowding=-1.0)
    lost, won = (
        plane_offset(0.1, count, alone) - plane_offset(0.1, count, crowded) for count in (2, 50)
    )
    assert 0 < lost < won / 2


def test_in_a_longer_crawl_the_same_page_is_less_probable_within_what_was_measured() -> None:
    """After 2,286 pages of schools, accepted pages were said to be far better than they were."""
    offsets = [
        plane_offset(0.1, 20, PlaneSurroundings(pages=pages))
        for pages in (50, 450, 600, 2_500, 10**6)
    ]
    assert offsets[0] == offsets[1] > offsets[2] > offsets[3] == offsets[4]


def test_the_surroundings_of_a_plane_are_those_of_the_rejected_pages() -> None:
    far, close = np.full(60, -0.4), np.full(60, -0.05)
    accepted, unknown = np.full(20, 0.2), np.full(500, -1.0)
    apart = surroundings_of(np.concatenate([far, accepted, unknown]))
    amid = surroundings_of(np.concatenate([close, accepted, unknown]))
    assert apart.remoteness == pytest.approx(0.4)
    assert amid.remoteness == pytest.approx(0.05)
    assert apart.crowding < 0 < amid.crowding


@pytest.mark.parametrize(
    "distances", [[-0.3] * (MIN_SURROUNDING_PAGES - 1), [0.2] * 200, [-1.0] * 200, []]
)
def test_few_pages_and_pages_that_are_all_accepted_say_nothing(distances: list[float]) -> None:
    assert surroundings_of(np.array(distances)) == PlaneSurroundings()


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
