"""Whether probabilities mean what they say: a ceiling that is never raised silently."""

from pathlib import Path

import pytest

from motherlode.lab.description import WebPlan, write_plan
from motherlode.lab.experiments.calibration import (
    CalibrationExperiment,
    calibration_result,
    run_calibration,
)
from motherlode.lab.loader import open_web
from support.generated_webs import made

MIN_PAGES = 40  # of a topic
MAX_ERROR = 0.1  # the expected calibration error
MAX_EXAMPLES = 50


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


@pytest.mark.parametrize(("web", "examples", "every"), [("rsites", 50, 2), ("generated", 5, 3)])
def test_probabilities_are_high_where_nearly_all_is_right(
    recorded_webs: Path, tmp_path: Path, web: str, examples: int, every: int
) -> None:
    """They were too low: the error was 0.144 on rsites and 0.200 on the generated web."""
    directory = recorded_webs / web
    if web == "generated":
        made(WebPlan(seed=7))  # says what is lacking, if WordNet is
        directory = tmp_path / "web"
        write_plan(directory, WebPlan(seed=7))
    sizes = open_web(directory).labels().topics()
    topics = tuple(topic for topic in sorted(sizes) if sizes[topic] >= 2 * MAX_EXAMPLES)[::every]
    experiment = CalibrationExperiment(str(directory), topics, examples=(examples,), pages=300)
    *_, row = calibration_result(experiment, list(run_calibration(experiment, 1))).rows
    assert row.crawls == len(topics)
    assert row.precision is not None
    assert row.precision >= 0.9
    assert row.error <= MAX_ERROR
