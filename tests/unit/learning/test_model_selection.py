"""The number of features with the least error that xi-alpha estimates."""

import numpy as np
import pytest

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.documents.text.terms import Bag
from motherlode.learning import model_selection
from motherlode.learning.model_selection import FEATURE_COUNTS, choose_settings, expected_error
from motherlode.learning.options import TrainingSettings

PARENTS = {2: 1, 3: 1}


def documents(low: int, number: int, seed: int) -> list[Sample]:
    rng = np.random.default_rng(seed)
    drawn = [np.sort(rng.choice(400, 60, replace=False) + low) for _ in range(number)]
    counts = np.ones(60, np.uint32)
    return [{TERMS: Bag(terms.astype(np.uint32), counts)} for terms in drawn]


DOCUMENTS = {2: documents(1_000, 20, 1), 3: documents(1_300, 20, 2)}


def test_the_number_with_the_least_expected_error_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    errors = {500: 0.3, 1_000: 0.1, 2_000: 0.2, 5_000: 0.4}
    monkeypatch.setattr(
        model_selection, "expected_error", lambda settings, *_: errors[settings.selected_terms]
    )
    chosen = choose_settings(PARENTS, DOCUMENTS, settings=TrainingSettings(cost=2.0))
    assert (chosen.selected_terms, chosen.cost) == (1_000, 2.0)


def test_of_equally_good_numbers_the_settings_own_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model_selection, "expected_error", lambda *_: 0.5)
    assert choose_settings(PARENTS, DOCUMENTS).selected_terms == TrainingSettings().selected_terms
    settings = TrainingSettings(selected_terms=77)
    assert choose_settings(PARENTS, DOCUMENTS, settings=settings).selected_terms == 77


def test_at_least_as_many_features_are_preselected_as_selected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        model_selection,
        "expected_error",
        lambda settings, *_: -settings.selected_terms,
    )
    chosen = choose_settings(PARENTS, DOCUMENTS, settings=TrainingSettings(preselected_terms=1_000))
    assert chosen.selected_terms == chosen.preselected_terms == max(FEATURE_COUNTS)


def test_more_features_reduce_the_expected_error() -> None:
    few = expected_error(TrainingSettings(selected_terms=5), PARENTS, DOCUMENTS)
    many = expected_error(TrainingSettings(selected_terms=2_000), PARENTS, DOCUMENTS)
    assert 0.0 <= many < few <= 1.0
    settings = TrainingSettings(selected_terms=5)
    assert choose_settings(PARENTS, DOCUMENTS, settings=settings).selected_terms > 5


def test_without_planes_the_expected_error_is_1() -> None:
    assert expected_error(TrainingSettings(), {2: 1}, {2: DOCUMENTS[2]}) == 1.0
    assert choose_settings({2: 1}, {2: DOCUMENTS[2]}) == TrainingSettings()
