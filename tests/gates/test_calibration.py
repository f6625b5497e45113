"""Whether probabilities mean what they say: a ceiling that is never raised silently."""

from pathlib import Path

import pytest

from motherlode.lab.experiments.calibration import (
    CalibrationExperiment,
    calibration_result,
    run_calibration,
)
from motherlode.lab.loader import open_web

MIN_PAGES = 40  # of a topic
MAX_ERROR = 0.1  # the expected calibration error


@pytest.mark.parametrize(("web", "every"), [("schools", 8), ("rsites", 1)])
def test_probabilities_are_calibrated(recorded_webs: Path, web: str, every: int) -> None:
    """Narrow topics are better than they are said to be, broad ones worse; so here are all kinds."""
    directory = recorded_webs / web
    sizes = open_web(directory).labels().topics()
    topics = tuple(topic for topic in sorted(sizes) if sizes[topic] >= MIN_PAGES)[::every]
    experiment = CalibrationExperiment(str(directory), topics, examples=(5,), pages=400)
    *_, row = calibration_result(experiment, list(run_calibration(experiment, 1))).rows
    assert row.crawls == len(topics)
    assert row.error <= MAX_ERROR
    assert row.estimate_error is not None
    assert row.xi_alpha_error is not None
    assert row.estimate_error < row.xi_alpha_error
