"""The number of features, chosen by what xi-alpha expects."""

import numpy as np
import pytest

from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import Bag
from motherlode.learning import choosing
from motherlode.learning.choosing import NUMBERS, choose_setting, expected_error
from motherlode.learning.options import Setting
from motherlode.learning.tree import Sample

PARENTS = {2: 1, 3: 1}


def documents(low: int, number: int, seed: int) -> list[Sample]:
    dice = np.random.default_rng(seed)
    drawn = [np.sort(dice.choice(400, 60, replace=False) + low).astype(np.uint32) for _ in range(number)]
    return [{TERMS: Bag(terms, np.ones(len(terms), np.uint32))} for terms in drawn]


LESSON = {2: documents(1_000, 20, 1), 3: documents(1_300, 20, 2)}


def test_the_number_that_is_expected_to_err_least_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = {500: 0.3, 1_000: 0.1, 2_000: 0.2, 5_000: 0.4}
    monkeypatch.setattr(choosing, "expected_error", lambda setting, *_: errors[setting.selected])
    chosen = choose_setting(PARENTS, LESSON, setting=Setting(cost=2.0))
    assert (chosen.selected, chosen.cost) == (1_000, 2.0)


def test_of_equals_it_is_the_settings_own_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "expected_error", lambda *_: 0.5)
    assert choose_setting(PARENTS, LESSON).selected == Setting().selected
    assert choose_setting(PARENTS, LESSON, setting=Setting(selected=77)).selected == 77


def test_more_features_than_are_looked_at_cannot_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "expected_error", lambda setting, *_: -setting.selected)
    chosen = choose_setting(PARENTS, LESSON, setting=Setting(preselected=1_000))
    assert (chosen.selected, chosen.preselected) == (max(NUMBERS), max(NUMBERS))


def test_errors_are_those_of_the_planes() -> None:
    few = expected_error(Setting(selected=5), PARENTS, LESSON)
    many = expected_error(Setting(selected=2_000), PARENTS, LESSON)
    assert 0.0 <= many < few <= 1.0
    assert choose_setting(PARENTS, LESSON, setting=Setting(selected=5)).selected > 5


def test_where_nothing_can_be_learned_everything_is_expected_to_go_wrong() -> None:
    assert expected_error(Setting(), {2: 1}, {2: LESSON[2]}) == 1.0
    assert choose_setting({2: 1}, {2: LESSON[2]}) == Setting()
