"""Voting rules on small tables, in which each column is a document."""

import numpy as np
import pytest

from motherlode.learning.meta import combined_confidence, decide
from motherlode.learning.options import VotingRule

VOTES = np.array([[1, 1, 1, -1, -1], [1, 1, -1, -1, -1], [1, -1, -1, 1, -1]])
UNKNOWN = float("nan")


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


def test_with_the_rule_best_only_the_best_classifier_decides() -> None:
    assert decide(VOTES, VotingRule.BEST, [0.1, 0.2, 0.3]).tolist() == VOTES[2].tolist()
    equal = decide(VOTES, VotingRule.BEST, [0.3, 0.3, 0.3])
    assert equal.tolist() == VOTES[0].tolist()  # of equally good classifiers, the first


def test_a_tie_abstains() -> None:
    assert decide(np.array([[1], [-1]]), VotingRule.MAJORITY).tolist() == [0]
    assert decide(np.array([[1], [-1]]), VotingRule.WEIGHTED, [0.5, 0.5]).tolist() == [0]


def test_a_classifier_that_knows_no_term_of_a_document_does_not_count() -> None:
    votes = np.array([[1, 1, 0, -1], [0, -1, 0, 0]])
    assert decide(votes, VotingRule.UNANIMOUS).tolist() == [1, 0, 0, -1]
    assert decide(votes, VotingRule.MAJORITY).tolist() == [1, 0, 0, -1]
    assert decide(votes, VotingRule.WEIGHTED, [0.2, 0.9]).tolist() == [1, -1, 0, -1]
    assert decide(votes, VotingRule.BEST, [0.2, 0.9]).tolist() == [0, -1, 0, 0]


def test_if_all_precisions_are_0_all_classifiers_count_alike() -> None:
    weighted = decide(VOTES, VotingRule.WEIGHTED, [0.0] * 3)
    assert weighted.tolist() == decide(VOTES, VotingRule.MAJORITY).tolist()


def test_confidences_are_averaged_by_precision() -> None:
    confidences = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert combined_confidence(confidences, [0.75, 0.25]).tolist() == [0.75, 0.25]
    assert combined_confidence(confidences, [0.0, 0.0]).tolist() == [0.5, 0.5]
    assert combined_confidence(confidences, [0.2, 0.9], VotingRule.BEST).tolist() == [0.0, 1.0]


def test_unknown_confidences_do_not_count() -> None:
    confidences = np.array([[1.0, UNKNOWN, UNKNOWN], [0.5, -0.5, UNKNOWN]])
    combined = combined_confidence(confidences, [0.5, 0.5])
    assert combined[:2].tolist() == [0.75, -0.5]
    assert np.isnan(combined[2])
    best = combined_confidence(confidences, [0.9, 0.5], VotingRule.BEST)
    assert np.isnan(best[1])  # the other classifier does not stand in for the best one
