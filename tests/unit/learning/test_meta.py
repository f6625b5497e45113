"""Several classifiers, one decision: rules on small tables, each column a document."""

import numpy as np
import pytest

from motherlode.learning.meta import combined_confidence, decide
from motherlode.learning.options import VotingRule

VOTES = np.array([[1, 1, 1, -1, -1], [1, 1, -1, -1, -1], [1, -1, -1, 1, -1]])
NOTHING = float("nan")


@pytest.mark.parametrize(
    ("rule", "decisions"),
    [
        (VotingRule.UNANIMOUS, [1, 0, 0, 0, -1]),
        (VotingRule.MAJORITY, [1, 1, -1, -1, -1]),
        (VotingRule.WEIGHTED, [1, 1, 1, -1, -1]),
        (VotingRule.BEST, [1, 1, 1, -1, -1]),
    ],
)
def test_rules_combine_votes(rule: VotingRule, decisions: list[int]) -> None:
    assert decide(VOTES, rule, [0.9, 0.5, 0.3]).tolist() == decisions


def test_the_best_alone_decides_whatever_the_others_say() -> None:
    assert decide(VOTES, VotingRule.BEST, [0.1, 0.2, 0.3]).tolist() == VOTES[2].tolist()
    assert (
        decide(VOTES, VotingRule.BEST, [0.3, 0.3, 0.3]).tolist() == VOTES[0].tolist()
    )  # of equals, the first


def test_a_tie_abstains() -> None:
    assert decide(np.array([[1], [-1]]), VotingRule.MAJORITY).tolist() == [0]
    assert decide(np.array([[1], [-1]]), VotingRule.WEIGHTED, [0.5, 0.5]).tolist() == [0]


def test_who_knows_nothing_of_a_document_has_no_say() -> None:
    verdicts = np.array([[1, 1, 0, -1], [0, -1, 0, 0]])
    assert decide(verdicts, VotingRule.UNANIMOUS).tolist() == [1, 0, 0, -1]
    assert decide(verdicts, VotingRule.MAJORITY).tolist() == [1, 0, 0, -1]
    assert decide(verdicts, VotingRule.WEIGHTED, [0.2, 0.9]).tolist() == [1, -1, 0, -1]
    assert decide(verdicts, VotingRule.BEST, [0.2, 0.9]).tolist() == [0, -1, 0, 0]


def test_where_nothing_is_expected_of_any_they_count_the_same() -> None:
    assert (
        decide(VOTES, VotingRule.WEIGHTED, [0.0] * 3).tolist() == decide(VOTES, VotingRule.MAJORITY).tolist()
    )


def test_confidences_are_averaged_by_precision() -> None:
    confidences = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert combined_confidence(confidences, [0.75, 0.25]).tolist() == [0.75, 0.25]
    assert combined_confidence(confidences, [0.0, 0.0]).tolist() == [0.5, 0.5]
    assert combined_confidence(confidences, [0.2, 0.9], VotingRule.BEST).tolist() == [0.0, 1.0]


def test_confidence_is_that_of_those_who_know_the_document() -> None:
    confidences = np.array([[1.0, NOTHING, NOTHING], [0.5, -0.5, NOTHING]])
    combined = combined_confidence(confidences, [0.5, 0.5])
    assert combined[:2].tolist() == [0.75, -0.5]
    assert np.isnan(combined[2])
    best = combined_confidence(confidences, [0.9, 0.5], VotingRule.BEST)
    assert np.isnan(best[1])  # the other classifier does not stand in for the best one
