"""Floors for crawls from good pages alone, never lowered silently (docs/quality.md)."""

from pathlib import Path

import pytest

from motherlode.lab.description import WebPlan, write_plan
from motherlode.lab.experiments.figures import TAKEN
from motherlode.lab.experiments.portals import PortalBench, PortalExperiment
from motherlode.lab.trials.comparison import Comparison, Task, compare
from support.generated_webs import made

TOPICS = ("Geography/Geography_of_Asia", "People/Writers_and_critics", "Science/Biology")
LEAST_LEAD = 1.3  # over best-first after 400 pages; measured, less a tenth
GENERATED = ("Animals/Birds", "Food")


def test_it_finds_more_than_best_first_on_real_pages(recorded_webs: Path) -> None:
    comparison = Comparison(str(recorded_webs / "schools"), TOPICS, ("best-first", "ordinal"), 400)
    found = dict.fromkeys(comparison.policies, 0)
    for crawl in compare(comparison, 1):
        found[crawl.task.policy] += int(crawl.measures.relevant)
    assert found["ordinal"] >= LEAST_LEAD * found["best-first"]


@pytest.mark.parametrize("examples", [2, 5])
def test_level_0_means_something_from_few_examples(tmp_path: Path, examples: int) -> None:
    """From two examples it once took in nearly all pages."""
    made(WebPlan(seed=11))  # says what is lacking, if WordNet is
    write_plan(tmp_path / "web", WebPlan(seed=11))
    experiment = PortalExperiment(
        str(tmp_path / "web"), GENERATED, ("ordinal",), (300,), (100,), seeds=examples
    )
    bench = PortalBench(experiment)
    for topic in GENERATED:
        (stage,) = bench.run(Task(topic, "ordinal", 0)).stages
        accepted = next(top for top in stage.tops if top.best == TAKEN)
        assert accepted.precision is not None
        assert accepted.precision >= 0.9
        assert accepted.pages >= 30
