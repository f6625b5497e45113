"""Floors for the rankings of `lode search`. None is lowered silently: docs/search.md says what was tried."""

from pathlib import Path

import pytest

from motherlode.lab.experiments.searches import RankingQuality, SearchExperiment, measure
from motherlode.lexicon import NoWordNetError, common_vocabulary
from motherlode.search.ranking import DEFAULT_RANKING, SCORE_PARTS
from support.helpers import lacks

TOPICS = (
    "Design_and_Technology/Railway_transport",
    "Everyday_life/Food_and_agriculture",
    "Geography/Geology_and_geophysics",
    "History/Military_History_and_War",
    "Science/Biology/Birds",
    "Science/Biology/Mammals",
    "Science/Chemistry/Chemical_elements",
    "Science/Physics/Space_Astronomy",
)
FLOOR = (
    0.89  # nDCG of the first ten, the mean over kinds of queries and halves: measured, less 0.02
)


@pytest.fixture(scope="module")
def lines(recorded_webs: Path) -> dict[str, tuple[RankingQuality, RankingQuality]]:
    """Each ranking, on both halves of the topics."""
    try:
        common_vocabulary()
    except NoWordNetError as error:
        lacks(f"WordNet 3.0: {error}")
    plan = SearchExperiment(str(recorded_webs / "schools"), TOPICS, words=1, items=3, pages=900)
    found = measure(plan, (DEFAULT_RANKING,), choose=False, on_progress=lambda _done, _of: None)
    return {one.rank: (one, other) for one, other in zip(found.first, found.second, strict=True)}


def mean(lines: tuple[RankingQuality, RankingQuality]) -> float:
    return sum(line.mean.ndcg_10 for line in lines) / 2


def test_the_sum_of_the_default_beats_each_ranking_alone(
    lines: dict[str, tuple[RankingQuality, RankingQuality]],
) -> None:
    alone = {part: mean(lines[part]) for part in SCORE_PARTS}
    assert mean(lines[DEFAULT_RANKING]) > max(alone.values()), alone


def test_pages_are_found_as_well_as_they_were(
    lines: dict[str, tuple[RankingQuality, RankingQuality]],
) -> None:
    assert mean(lines[DEFAULT_RANKING]) >= FLOOR
