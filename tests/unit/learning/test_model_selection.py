"""The number of features, chosen by what xi-alpha expects."""

import numpy as np
import pytest

from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import Bag
from motherlode.learning import model_selection
from motherlode.learning.model_selection import FEATURE_COUNTS, choose_settings, expected_error
from motherlode.learning.options import TrainingSettings
from motherlode.learning.tree import Sample

PARENTS = {2: 1, 3: 1}


def documents(low: int, number: int, seed: int) -> list[Sample]:
    dice = np.random.default_rng(seed)
    drawn = [np.sort(dice.choice(400, 60, replace=False) + low).astype(np.uint32) for _ in range(number)]
    return [{TERMS: Bag(terms, np.ones(len(terms), np.uint32))} for terms in drawn]


LESSON = {2: documents(1_000, 20, 1), 3: documents(1_300, 20, 2)}


def test_the_number_that_is_expected_to_err_least_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = {500: 0.3, 1_000: 0.1, 2_000: 0.2, 5_000: 0.4}
    monkeypatch.setattr(
        model_selection, "expected_error", lambda settings, *_: errors[settings.selected_terms]
    )
    chosen = choose_settings(PARENTS, LESSON, settings=TrainingSettings(cost=2.0))
    assert (chosen.selected_terms, chosen.cost) == (1_000, 2.0)


def test_of_equals_it_is_the_settings_own_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_selection, "expected_error", lambda *_: 0.5)
    assert choose_settings(PARENTS, LESSON).selected_terms == TrainingSettings().selected_terms
    assert choose_settings(PARENTS, LESSON, settings=TrainingSettings(selected_terms=77)).selected_terms == 77


def test_more_features_than_are_looked_at_cannot_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_selection, "expected_error", lambda settings, *_: -settings.selected_terms)
    chosen = choose_settings(PARENTS, LESSON, settings=TrainingSettings(preselected_terms=1_000))
    assert (chosen.selected_terms, chosen.preselected_terms) == (max(FEATURE_COUNTS), max(FEATURE_COUNTS))


def test_errors_are_those_of_the_planes() -> None:
    few = expected_error(TrainingSettings(selected_terms=5), PARENTS, LESSON)
    many = expected_error(TrainingSettings(selected_terms=2_000), PARENTS, LESSON)
    assert 0.0 <= many < few <= 1.0
    assert choose_settings(PARENTS, LESSON, settings=TrainingSettings(selected_terms=5)).selected_terms > 5


def test_where_nothing_can_be_learned_everything_is_expected_to_go_wrong() -> None:
    assert expected_error(TrainingSettings(), {2: 1}, {2: LESSON[2]}) == 1.0
    assert choose_settings({2: 1}, {2: LESSON[2]}) == TrainingSettings()
