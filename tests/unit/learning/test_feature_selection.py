"""Mutual information, on a table computed by hand."""

from math import log

import numpy as np
import pytest

from motherlode.learning.feature_selection import mutual_information, select_terms

# Ten documents, four of them on the topic.
WITH_TERM = np.array([4, 5, 10, 2, 0])  # documents with each term
IN_TOPIC_WITH_TERM = np.array([4, 1, 4, 0, 0])  # documents on the topic with each term


def test_mutual_information_is_as_computed_by_hand() -> None:
    information = mutual_information(WITH_TERM, IN_TOPIC_WITH_TERM, documents=10, in_topic=4)
    by_hand = [
        0.4 * log(0.4 / (0.4 * 0.4)),
        0.1 * log(0.1 / (0.5 * 0.4)),
        0.4 * log(0.4 / (1.0 * 0.4)),
        0.0,
        0.0,
    ]
    assert information.tolist() == pytest.approx(by_hand)


def test_a_term_of_the_topic_alone_has_most_information_and_a_term_of_all_none() -> None:
    information = mutual_information(WITH_TERM, IN_TOPIC_WITH_TERM, documents=10, in_topic=4)
    assert int(information.argmax()) == 0
    assert information[2] == pytest.approx(0.0)
    assert information[1] < 0


def test_the_best_of_the_most_frequent_terms_are_selected_in_ascending_order() -> None:
    frequencies = np.array([1.0, 9.0, 5.0, 7.0, 0.0])
    information = np.array([9.0, 1.0, 3.0, 2.0, 8.0])
    assert select_terms(frequencies, information, preselected=3, selected=2).tolist() == [2, 3]


def test_of_equally_good_terms_the_first_are_selected() -> None:
    equal = np.ones(10)
    assert select_terms(equal, equal, preselected=6, selected=3).tolist() == [0, 1, 2]


def test_a_term_that_does_not_occur_in_the_topic_is_never_selected() -> None:
    assert select_terms(np.array([0.0, 2.0]), np.array([5.0, 1.0])).tolist() == [1]
    assert select_terms(np.array([]), np.array([])).tolist() == []
