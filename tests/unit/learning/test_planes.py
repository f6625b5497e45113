"""Planes between the topics below one parent: which features they have, and where they lie."""

import numpy as np
import pytest

from motherlode.documents.terms import Bag
from motherlode.learning import planes
from motherlode.learning.options import SETTINGS, SettingName, TrainingSettings
from motherlode.learning.planes import PlaneGroup, fit_plane_groups
from motherlode.learning.scorer import BagBatch, Scorer

PAPER = SETTINGS[SettingName.BINGO_2003]
EMPTY = Bag(np.array([], np.uint32), np.array([], np.uint32))


def bag(*terms: int) -> Bag:
    return Bag(np.array(sorted(terms), np.uint32), np.ones(len(terms), np.uint32))


def drawn(low: int, high: int, number: int, seed: int, length: int = 40) -> list[Bag]:
    """Documents of terms from a range, each with some of those that everybody uses."""
    dice = np.random.default_rng(seed)
    return [
        bag(
            *dice.choice(np.arange(low, high), length, replace=False).tolist(),
            *(1_000_000 + dice.choice(100, 20, replace=False)).tolist(),
        )
        for _ in range(number)
    ]


def features(group: PlaneGroup) -> set[int]:
    return set(np.frombuffer(group.features, np.uint32).tolist())


def confidences(group: PlaneGroup, documents: list[Bag]) -> list[float]:
    distances: list[float] = (
        Scorer(group).distances(BagBatch.from_bags(documents), np.arange(len(documents)))[:, 0].tolist()
    )
    return distances


BIRDS, CARS, REST = drawn(100, 300, 8, 1), drawn(300, 500, 8, 2), drawn(500, 900, 20, 3)


def test_siblings_share_the_features_that_tell_any_of_them() -> None:
    (group,) = fit_plane_groups(1, {2: BIRDS, 3: CARS}, REST, TrainingSettings(min_documents=1))
    assert [plane.topic for plane in group.planes] == [2, 3]
    assert features(group) == {int(term) for bag in (*BIRDS, *CARS, *REST) for term in bag.terms}


def test_as_the_paper_has_it_each_topic_has_features_of_its_own() -> None:
    birds, cars = fit_plane_groups(1, {2: BIRDS, 3: CARS}, REST, PAPER)
    assert ([plane.topic for plane in birds.planes], [plane.topic for plane in cars.planes]) == ([2], [3])
    assert features(birds) == {int(term) for bag in BIRDS for term in bag.terms}
    assert not any(300 <= term < 500 for term in features(birds))
    assert birds.unseen_idf == 0.0


def test_what_only_one_document_has_is_no_feature_where_enough_are_left() -> None:
    long = [bag(*range(2, 602), 5_000 + at) for at in range(4)]
    others = [bag(*range(300, 1_000), 6_000 + at) for at in range(4)]
    (group,) = fit_plane_groups(1, {2: long}, others, TrainingSettings(min_documents=2))
    assert features(group) == set(range(2, 1_000))
    (every,) = fit_plane_groups(1, {2: long}, others, TrainingSettings(min_documents=1))
    assert features(every) - features(group) == {5_000 + at for at in range(4)} | {
        6_000 + at for at in range(4)
    }


def test_of_short_documents_every_term_counts() -> None:
    (group,) = fit_plane_groups(1, {2: [bag(5), bag(6)]}, [bag(7), bag(8)], TrainingSettings(min_documents=2))
    assert features(group) == {5, 6, 7, 8}


def test_the_largest_weights_are_kept() -> None:
    (whole,) = fit_plane_groups(1, {2: BIRDS}, REST, TrainingSettings())
    (few,) = fit_plane_groups(1, {2: BIRDS}, REST, TrainingSettings(max_weights=10))
    every = np.abs(np.frombuffer(whole.planes[0].weights, np.float32))
    kept = np.abs(np.frombuffer(few.planes[0].weights, np.float32))
    assert sorted(kept) == pytest.approx(sorted(every)[-10:])
    places = np.frombuffer(few.planes[0].feature_indices, np.uint32)
    assert (np.diff(places.astype(int)) > 0).all()


def test_documents_without_terms_teach_nothing() -> None:
    with_empty = list(
        fit_plane_groups(1, {2: [*BIRDS, EMPTY], 3: [EMPTY]}, [*REST, EMPTY], TrainingSettings())
    )
    assert with_empty == list(fit_plane_groups(1, {2: BIRDS}, REST, TrainingSettings()))


@pytest.mark.parametrize(
    ("documents", "others"),
    [({}, []), ({2: []}, []), ({2: BIRDS}, []), ({}, REST), ({2: BIRDS, 3: [EMPTY]}, [EMPTY])],
)
def test_one_kind_of_document_cannot_be_told_from_another(
    documents: dict[int, list[Bag]], others: list[Bag]
) -> None:
    assert list(fit_plane_groups(1, documents, others, TrainingSettings())) == []


def test_a_topic_with_siblings_needs_no_others() -> None:
    (group,) = fit_plane_groups(1, {2: BIRDS, 3: CARS}, [], TrainingSettings())
    assert min(confidences(group, BIRDS)) > 0 > max(confidences(group, CARS))


def test_a_long_document_with_one_telling_word_is_not_taken_for_that_word() -> None:
    word, stranger = bag(*BIRDS[0].terms[:1].tolist()), range(20_000, 20_500)
    long = bag(*word.terms.tolist(), *stranger)
    (whole,) = fit_plane_groups(1, {2: BIRDS}, REST, TrainingSettings(min_documents=1))
    (paper,) = fit_plane_groups(1, {2: BIRDS}, REST, PAPER)
    assert confidences(paper, [long]) == pytest.approx(confidences(paper, [word]))
    assert confidences(whole, [long])[0] < confidences(whole, [word])[0]


# Where the plane lies


def bias(documents: dict[int, list[Bag]], others: list[Bag], doubt: float | None) -> float:
    (group,) = fit_plane_groups(1, documents, others, TrainingSettings(shift_prior=doubt))
    return group.planes[0].bias


def test_without_doubt_the_plane_stays_where_training_leaves_it() -> None:
    (group,) = fit_plane_groups(1, {2: BIRDS}, REST, TrainingSettings(shift_prior=None))
    assert group.planes[0].held_out == 0.0
    assert bias({2: BIRDS}, REST, None) == pytest.approx(bias({2: BIRDS}, REST, 1e12), abs=1e-6)


def test_it_comes_to_meet_unseen_documents_that_lie_outside() -> None:
    few = BIRDS[:2]  # they have little in common
    (group,) = fit_plane_groups(1, {2: few}, REST, TrainingSettings())
    assert group.planes[0].held_out < 0
    moved = bias({2: few}, REST, 3.0) - bias({2: few}, REST, None)
    assert moved == pytest.approx(-group.planes[0].held_out * 2 / 5)


def alike(number: int, seed: int) -> list[Bag]:
    """Documents that have nearly everything in common."""
    return drawn(100, 145, number, seed)


def test_it_moves_up_to_documents_inside_only_as_far_as_strangers_put_it_there() -> None:
    many = alike(8, 4)
    (group,) = fit_plane_groups(1, {2: many}, REST, TrainingSettings())
    held_out = group.planes[0].held_out
    assert held_out > 0
    assert bias({2: many}, REST, 3.0) - bias({2: many}, REST, None) == pytest.approx(-held_out * 8 / 11)
    siblings = {2: many, 3: CARS}
    (group_with_siblings,) = fit_plane_groups(1, siblings, REST, TrainingSettings())
    share = len(REST) / (len(REST) + len(CARS))
    moved = bias(siblings, REST, 3.0) - bias(siblings, REST, None)
    assert moved == pytest.approx(-group_with_siblings.planes[0].held_out * 8 / 11 * share)
    assert bias(siblings, [], 3.0) == pytest.approx(bias(siblings, [], None))


def test_many_documents_are_held_out_by_their_dual_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    held_out = []
    for few in (0, 100):
        monkeypatch.setattr(planes, "_MAX_CROSS_VALIDATED", few)
        held_out.append(
            next(fit_plane_groups(1, {2: alike(15, 5)}, REST, TrainingSettings())).planes[0].held_out
        )
    assert held_out[0] == pytest.approx(held_out[1], abs=0.05)
    assert held_out[0] != held_out[1]


def test_one_document_has_no_other_to_be_held_out_for() -> None:
    (group,) = fit_plane_groups(1, {2: BIRDS[:1]}, REST, TrainingSettings())
    assert group.planes[0].held_out == 0.0
