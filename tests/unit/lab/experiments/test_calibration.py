"""Probabilities beside labels."""

import pytest

from motherlode.lab.experiments.calibration import (
    AcceptedPage,
    CalibrationExperiment,
    CalibrationTask,
    CalibrationTrial,
    calibration_result,
    calibration_tasks,
    expected_calibration_error,
)

EXPERIMENT = CalibrationExperiment("web", ("a", "b"), examples=(5, 20), repeat=2)


@pytest.mark.parametrize(
    ("probabilities", "outcomes", "error"),
    [
        ([], [], 0.0),
        ([0.0, 1.0], [False, True], 0.0),
        ([0.0, 1.0], [True, False], 1.0),
        ([0.5] * 4, [True, True, False, False], 0.0),
        ([0.8] * 4, [True, True, False, False], 0.3),
        ([0.05, 0.95], [False, True], 0.05),
    ],
)
def test_the_expected_calibration_error(
    probabilities: list[float], outcomes: list[bool], error: float
) -> None:
    assert expected_calibration_error(probabilities, outcomes) == pytest.approx(error)


def test_every_topic_is_crawled_from_each_number_of_examples_and_each_draw() -> None:
    assert len(set(calibration_tasks(EXPERIMENT))) == 8


def test_rows_compare_estimates_with_the_precision_of_each_crawl() -> None:
    half_right = (AcceptedPage(0.8, right=True), AcceptedPage(0.8, right=False))
    trials = [
        CalibrationTrial(CalibrationTask("a", 5, 0), half_right, estimate=0.8, xi_alpha=0.0),
        CalibrationTrial(CalibrationTask("b", 20, 0), (), estimate=None, xi_alpha=0.9),
    ]
    five, twenty, together = calibration_result(EXPERIMENT, trials).rows
    assert (five.examples, five.crawls, five.pages, five.precision) == (5, 1, 2, 0.5)
    assert five.error == pytest.approx(0.3)
    assert five.estimate_error == pytest.approx(0.3)
    assert five.xi_alpha_error == 0.5
    assert (twenty.precision, twenty.estimate_error, twenty.error) == (None, None, 0.0)
    assert (together.examples, together.crawls, together.pages) == (0, 2, 2)
