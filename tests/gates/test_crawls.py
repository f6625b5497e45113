"""Floors for the crawl that learns, never lowered silently: docs/quality.md says what was tried."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import pytest

from motherlode.lab.description import WebPlan, write_plan
from motherlode.lab.loader import open_web
from motherlode.lab.trials.comparison import Comparison, Finished, compare
from support.generated_webs import made
from support.helpers import CliRun

# Relevant pages that bingo finds, and the share of those fetched that it puts on the topic: measured,
# less 5%. Generated webs: the mean of four, because one of them says little (docs/quality.md).
GENERATED_SEEDS = (11, 12, 13, 14)
GENERATED = {"Animals/Birds": (116, 0.65), "Food": (110, 0.60)}
SCHOOLS = {
    "Science/Biology/Birds": (105, 0.68),
    "Design_and_Technology/Railway_transport": (47, 0.62),
}


def check_floors(webs: Sequence[Path], floors: dict[str, tuple[int, float]], pages: int) -> None:
    crawls = {web: crawls_of(web, tuple(floors), pages) for web in webs}
    lead = 0
    for topic, (least_relevant, least_recall) in floors.items():
        learners = [crawls[web][topic, "bingo"] for web in webs]
        relevant = [crawl.measures.relevant for crawl in learners]
        lead += sum(relevant) - sum(
            crawls[web][topic, "best-first"].measures.relevant for web in webs
        )
        assert mean(relevant) >= least_relevant
        assert (
            mean(recall(crawl, web) for crawl, web in zip(learners, webs, strict=True))
            >= least_recall
        )
    assert lead > 0


def crawls_of(web: Path, topics: tuple[str, ...], pages: int) -> dict[tuple[str, str], Finished]:
    comparison = Comparison(str(web), topics, ("best-first", "bingo"), pages)
    return {(crawl.task.topic, crawl.task.policy): crawl for crawl in compare(comparison, 1)}


def recall(crawl: Finished, web: Path) -> float:
    """Share of the relevant pages that were fetched which was judged to be on the topic."""
    relevant = open_web(web).labels().relevant(crawl.task.topic)
    fetched = [page for page in crawl.log if page.url in relevant and not page.seed]
    return sum((page.score or 0.0) > 0 for page in fetched) / len(fetched)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    made(WebPlan(seed=GENERATED_SEEDS[0]))  # says what is lacking, if WordNet is
    webs = [tmp_path_factory.mktemp("webs") / f"generated-{seed}" for seed in GENERATED_SEEDS]
    for web, seed in zip(webs, GENERATED_SEEDS, strict=True):
        write_plan(web, WebPlan(seed=seed))
    return webs


def test_the_crawl_keeps_its_level_on_generated_webs(generated: list[Path]) -> None:
    check_floors(generated, GENERATED, 150)


def test_the_crawl_keeps_its_level_on_real_pages(recorded_webs: Path) -> None:
    check_floors([recorded_webs / "schools"], SCHOOLS, 400)


def test_a_topic_of_two_examples_does_not_teach_itself_another_one(recorded_webs: Path) -> None:
    """It did: of its ten surest pages none was on the topic, and it found 9 where it finds 69 now."""
    web, topic = recorded_webs / "schools", "Science/Biology/Health_and_medicine"
    (crawl,) = compare(Comparison(str(web), (topic,), ("bingo",), 300, seeds=2), 1)
    relevant = open_web(web).labels().relevant(topic)
    judged = [one for one in crawl.log if not one.seed and one.score is not None]
    surest = sorted(judged, key=lambda one: -(one.score or 0.0))[:10]
    assert crawl.measures.relevant >= 65
    assert sum(one.url in relevant for one in surest) >= 9


def test_topics_of_three_examples_take_most_of_what_is_theirs(lode: CliRun) -> None:
    """The demo: three topics, three examples each, often of one site. It found 32% once, and 48% to 54% now,
    98% of that rightly; it is another crawl each time, as pages come when they come."""
    made(WebPlan(seed=7))  # says what is lacking, if WordNet is
    told = json.loads(lode("demo", "--json").stdout)
    assert told["recall"] >= 0.4
    assert told["precision"] >= 0.9
