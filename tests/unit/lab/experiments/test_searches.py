"""Queries with known answers, and how good a list is."""

from pathlib import Path

import numpy as np
import pytest

from motherlode.lab.description import WebPlan, write_plan
from motherlode.lab.experiments.grades import NEAR, RIGHT, Quality, mean_quality, quality
from motherlode.lab.experiments.queries import Query, QueryKind, grades_of
from motherlode.lab.experiments.searches import (
    QueryHits,
    SearchExperiment,
    best_weights,
    large_topics,
    line,
    measure,
)
from motherlode.lab.labels import Labels
from motherlode.records import UsageError
from motherlode.search.ranking import SCORE_PARTS
from support.generated_webs import made

LABELS = Labels(
    {
        "owl": {"Science/Birds/Owls"},
        "heron": {"Science/Birds"},
        "mouse": {"Science/Mammals"},
        "both": {"Art", "Science/Birds"},
        "picture": {"Art"},
    }
)
WEB = WebPlan(seed=7, pages=240, hosts=12)


def test_figures_are_as_worked_out_by_hand() -> None:
    grades = {"a": RIGHT, "b": NEAR, "c": RIGHT}
    best = 3 + 3 / np.log2(3) + 1 / 2
    found = quality(["x", "a", "b"], grades)
    gained = 3 / np.log2(3) + 1 / 2
    assert found.ndcg_10 == found.ndcg_100 == pytest.approx(gained / best)
    assert found.map == pytest.approx((1 / 2) / 2)  # c was not found
    assert found.mrr == 1 / 2
    assert quality(["a", "c", "b"], grades) == Quality(1.0, 1.0, 1.0, 1.0)
    assert quality([], grades) == quality(["x"], {}) == Quality(0.0, 0.0, 0.0, 0.0)


def test_only_the_first_ten_count_for_the_first_ten() -> None:
    found = quality([*"abcdefghij", "right"], {"right": RIGHT})
    assert found.ndcg_10 == 0
    assert found.ndcg_100 > 0
    assert mean_quality([found, Quality(1.0, 1.0, 1.0, 1.0)]).ndcg_10 == 0.5


def test_a_page_beside_the_topic_is_nearly_right() -> None:
    pages = ["owl", "heron", "mouse", "both", "picture", "unlabelled"]
    assert grades_of(LABELS, "Science/Birds", pages) == {
        "owl": RIGHT,
        "heron": RIGHT,
        "both": RIGHT,
        "mouse": NEAR,
    }
    assert grades_of(LABELS, "Art", pages) == {
        "both": RIGHT,
        "picture": RIGHT,
    }  # nothing is above it
    assert large_topics(LABELS, 2) == ("Art", "Science/Birds")


def found(kind: QueryKind, **values: list[float]) -> QueryHits:
    """A query to which the first page is right; `left` is left out."""
    query = Query(kind, "Art", "words", {"right": RIGHT}, frozenset({"left"}))
    scores = {part: np.array(values.get(part, [0.0] * 3)) for part in SCORE_PARTS}
    return QueryHits(query, np.arange(3), ["right", "wrong", "left"], scores)


def test_kinds_of_queries_count_alike_and_what_is_left_out_is_in_no_list() -> None:
    good = found(QueryKind.NAME, bm25=[2.0, 1.0, 9.0])
    bad = found(QueryKind.ITEM, bm25=[1.0, 2.0, 9.0])
    told = line("bm25", [good, good, good, bad])
    assert told.kinds[QueryKind.NAME].mrr == 1
    assert told.kinds[QueryKind.ITEM].mrr == 0.5
    assert told.mean.mrr == 0.75


def test_weights_are_chosen_that_put_the_right_page_first() -> None:
    one = found(QueryKind.NAME, bm25=[1.0, 2.0, 0.0], topic=[2.0, 0.0, 0.0])
    chosen = best_weights([one])
    assert "topic=" in chosen
    assert line(chosen, [one]).mean.mrr == 1
    assert (
        best_weights([found(QueryKind.NAME, bm25=[2.0, 1.0, 0.0])]) == "bm25=1"
    )  # the fewest parts


@pytest.fixture
def web(tmp_path: Path) -> Path:
    made(WEB)  # says what is lacking, if WordNet is
    write_plan(tmp_path / "toy", WEB)
    return tmp_path / "toy"


def test_a_web_is_asked_by_every_kind_of_query(web: Path) -> None:
    topics = large_topics(made(WEB).labels(), 20)[:3]
    plan = SearchExperiment(str(web), topics, examples=3, words=1, items=2)
    result = measure(plan, ("bm25=1,topic=1",), choose=False, on_progress=lambda _done, _of: None)
    assert result.pages >= 240
    assert result.queries[QueryKind.NAME] == len(topics) >= 2
    assert result.queries[QueryKind.WORDS] == result.queries[QueryKind.WITHIN] > 0
    assert [one.rank for one in result.second] == [*SCORE_PARTS, "bm25=1,topic=1"]
    assert all(0 <= one.mean.ndcg_10 <= 1 for one in (*result.first, *result.second))
    assert max(one.mean.ndcg_10 for one in result.first) > 0.3


def test_half_of_one_topic_cannot_be_measured(web: Path) -> None:
    with pytest.raises(UsageError, match="two topics at least"):
        measure(
            SearchExperiment(str(web), ("Art",)),
            (),
            choose=False,
            on_progress=lambda _done, _of: None,
        )
