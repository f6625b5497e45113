"""Combining several scores into one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.records import UsageError
from motherlode.search.ranking import (
    combine_scores,
    fold_duplicates,
    parse_weights,
    rank_order,
    scale_scores,
    topic_scores,
)


def test_weights_are_scaled_to_sum_1() -> None:
    assert parse_weights("cosine") == {"cosine": 1.0}
    assert parse_weights("cosine=1, confidence=0.5,authority=0.5") == {
        "cosine": 0.5,
        "confidence": 0.25,
        "authority": 0.25,
    }
    assert parse_weights("bm25=0,cosine=3") == {"cosine": 1.0}
    assert parse_weights("margin") == parse_weights("confidence")  # the older name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("beauty", "no ranking 'beauty'; there are bm25, cosine, topic, margin, authority"),
        ("", "no ranking ''"),
        ("cosine=1,cosine=2", "given twice"),
        ("margin=1,confidence=2", "given twice"),
        ("cosine=-1", "number from 0 to 1,000,000, not '-1'"),
        ("cosine=nan", "not 'nan'"),
        ("cosine=inf", "not 'inf'"),
        ("cosine=1e300", "not '1e300'"),
        ("cosine=", "not ''"),
        ("cosine=0", "must be above 0"),
    ],
)
def test_wrong_weights_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        parse_weights(text)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=20))
def test_scores_are_scaled_to_0_to_1_with_the_best_at_1(values: list[float]) -> None:
    scaled = scale_scores(np.array(values, np.float64))
    assert len(scaled) == len(values)
    assert all(0 <= score <= 1 for score in scaled)
    if any(0 < value < float("inf") for value in values):
        assert scaled.max() == 1.0


def test_the_score_is_the_weighted_mean_of_the_scaled_parts() -> None:
    values = {"bm25": np.array([10.0, 5.0, 0.0]), "confidence": np.array([-0.3, 0.1, 0.2])}
    scores, parts = combine_scores(values, parse_weights("bm25=3,confidence=1"))
    assert parts["confidence"].tolist() == [0.0, 0.5, 1.0]
    assert scores.tolist() == pytest.approx([0.75, 0.5, 0.25])
    assert rank_order(scores, np.array([7, 8, 9])).tolist() == [0, 1, 2]
    assert rank_order(np.array([0.5, 0.5, 0.9]), np.array([9, 3, 5])).tolist() == [2, 1, 0]


def test_the_best_matches_vote_for_their_topics() -> None:
    confidences = np.array([0.5, 0.5, 0.5, 0.5, -0.1])
    topics = np.array([3, 4, 3, 0, 0])
    scores = np.array([2.0, 1.0, 2.0, 9.0, 0.0])
    assert topic_scores(confidences, topics, scores).tolist() == [0.5, 0.125, 0.5, 0.0, 0.0]
    assert topic_scores(np.zeros(0), np.zeros(0, np.int64), np.zeros(0)).tolist() == []


def test_authority_is_scaled_by_its_square_root() -> None:
    total, parts = combine_scores({"authority": np.array([0.04, 0.01, 0.0])}, {"authority": 1.0})
    assert total.tolist() == parts["authority"].tolist() == pytest.approx([1.0, 0.5, 0.0])


def test_near_duplicates_are_folded_into_the_best_of_them() -> None:
    prints = np.array([0b1111, 0, 0b1110, 0xFFFF_FFFF, 0, 0b1000], np.uint64)
    ranked = np.array([3, 2, 1, 0, 4, 5])
    folded = [(3, ()), (2, (0, 5)), (1, ()), (4, ())]
    assert fold_duplicates(ranked, prints, 3, 10) == (folded, False)
    assert fold_duplicates(ranked, prints, 3, 2) == (folded[:2], True)
    assert fold_duplicates(ranked, prints, 3, 4)[1] is False
    assert fold_duplicates(ranked[:0], prints, 3, 4) == ([], False)
