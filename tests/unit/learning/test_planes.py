"""Planes between the topics below one parent: their features and their position."""

import numpy as np
import pytest

from motherlode.documents.text.terms import Bag
from motherlode.learning import planes
from motherlode.learning.options import SETTINGS, SettingName, TrainingSettings
from motherlode.learning.planes import PlaneGroup, fit_plane_groups
from motherlode.learning.scorer import BagBatch, Scorer

PAPER = SETTINGS[SettingName.BINGO_2003]
EMPTY = Bag(np.array([], np.uint32), np.array([], np.uint32))


def bag(*terms: int) -> Bag:
    return Bag(np.array(sorted(terms), np.uint32), np.ones(len(terms), np.uint32))


def random_bags(low: int, high: int, number: int, seed: int, length: int = 40) -> list[Bag]:
    """Return documents of terms from a range, with some terms that all documents use."""
    rng = np.random.default_rng(seed)
    return [
        bag(
            *rng.choice(np.arange(low, high), length, replace=False).tolist(),
            *(1_000_000 + rng.choice(100, 20, replace=False)).tolist(),
        )
        for _ in range(number)
    ]


def features(group: PlaneGroup) -> set[int]:
    return set(np.frombuffer(group.features, np.uint32).tolist())


def confidences(group: PlaneGroup, documents: list[Bag]) -> list[float]:
    batch = BagBatch.from_bags(documents)
    distances: list[float] = Scorer(group).distances(batch, np.arange(len(batch)))[:, 0].tolist()
    return distances


BIRDS, CARS = random_bags(100, 300, 8, 1), random_bags(300, 500, 8, 2)
OTHERS = random_bags(500, 900, 20, 3)


def test_siblings_share_the_union_of_their_features() -> None:
    (group,) = fit_plane_groups(1, {2: BIRDS, 3: CARS}, OTHERS, TrainingSettings(min_documents=1))
    assert [plane.topic for plane in group.planes] == [2, 3]
    assert features(group) == {int(term) for bag in (*BIRDS, *CARS, *OTHERS) for term in bag.terms}


def test_with_the_papers_setting_each_topic_has_its_own_features() -> None:
    birds, cars = fit_plane_groups(1, {2: BIRDS, 3: CARS}, OTHERS, PAPER)
    assert [plane.topic for plane in birds.planes] == [2]
    assert [plane.topic for plane in cars.planes] == [3]
    assert features(birds) == {int(term) for bag in BIRDS for term in bag.terms}
    assert not any(300 <= term < 500 for term in features(birds))
    assert birds.unseen_idf == 0.0


def test_a_term_of_one_document_is_no_feature_if_there_are_enough_others() -> None:
    own = [bag(*range(2, 602), 5_000 + n) for n in range(4)]
    others = [bag(*range(300, 1_000), 6_000 + n) for n in range(4)]
    (group,) = fit_plane_groups(1, {2: own}, others, TrainingSettings(min_documents=2))
    assert features(group) == set(range(2, 1_000))
    (with_rare,) = fit_plane_groups(1, {2: own}, others, TrainingSettings(min_documents=1))
    assert features(with_rare) - features(group) == {*range(5_000, 5_004), *range(6_000, 6_004)}


def test_all_terms_of_short_documents_are_features() -> None:
    settings = TrainingSettings(min_documents=2)
    (group,) = fit_plane_groups(1, {2: [bag(5), bag(6)]}, [bag(7), bag(8)], settings)
    assert features(group) == {5, 6, 7, 8}


def test_the_largest_weights_are_kept() -> None:
    (full,) = fit_plane_groups(1, {2: BIRDS}, OTHERS, TrainingSettings())
    (small,) = fit_plane_groups(1, {2: BIRDS}, OTHERS, TrainingSettings(max_weights=10))
    all_weights = np.abs(np.frombuffer(full.planes[0].weights, np.float32))
    weights = np.abs(np.frombuffer(small.planes[0].weights, np.float32))
    assert sorted(weights) == pytest.approx(sorted(all_weights)[-10:])
    indices = np.frombuffer(small.planes[0].feature_indices, np.uint32)
    assert (np.diff(indices.astype(int)) > 0).all()


def test_documents_without_terms_are_ignored() -> None:
    with_empty = list(
        fit_plane_groups(1, {2: [*BIRDS, EMPTY], 3: [EMPTY]}, [*OTHERS, EMPTY], TrainingSettings())
    )
    assert with_empty == list(fit_plane_groups(1, {2: BIRDS}, OTHERS, TrainingSettings()))


@pytest.mark.parametrize(
    ("documents", "others"),
    [({}, []), ({2: []}, []), ({2: BIRDS}, []), ({}, OTHERS), ({2: BIRDS, 3: [EMPTY]}, [EMPTY])],
)
def test_without_documents_to_compare_with_there_is_no_plane(
    documents: dict[int, list[Bag]], others: list[Bag]
) -> None:
    assert list(fit_plane_groups(1, documents, others, TrainingSettings())) == []


def test_a_topic_with_siblings_needs_no_others() -> None:
    (group,) = fit_plane_groups(1, {2: BIRDS, 3: CARS}, [], TrainingSettings())
    assert min(confidences(group, BIRDS)) > 0 > max(confidences(group, CARS))


def test_a_long_document_with_one_feature_has_a_lower_confidence_than_that_feature_alone() -> None:
    feature = bag(*BIRDS[0].terms[:1].tolist())
    long = bag(*feature.terms.tolist(), *range(20_000, 20_500))
    (full_length,) = fit_plane_groups(1, {2: BIRDS}, OTHERS, TrainingSettings(min_documents=1))
    (paper,) = fit_plane_groups(1, {2: BIRDS}, OTHERS, PAPER)
    assert confidences(paper, [long]) == pytest.approx(confidences(paper, [feature]))
    assert confidences(full_length, [long])[0] < confidences(full_length, [feature])[0]


# The position of the plane


def bias(documents: dict[int, list[Bag]], others: list[Bag], shift_prior: float | None) -> float:
    (group,) = fit_plane_groups(1, documents, others, TrainingSettings(shift_prior=shift_prior))
    return group.planes[0].bias


def test_without_shift_prior_the_plane_stays() -> None:
    (group,) = fit_plane_groups(1, {2: BIRDS}, OTHERS, TrainingSettings(shift_prior=None))
    assert group.planes[0].held_out == 0.0
    assert bias({2: BIRDS}, OTHERS, None) == pytest.approx(bias({2: BIRDS}, OTHERS, 1e12), abs=1e-6)


def test_the_plane_moves_out_to_unseen_documents() -> None:
    few = BIRDS[:2]  # they have little in common
    (group,) = fit_plane_groups(1, {2: few}, OTHERS, TrainingSettings())
    assert group.planes[0].held_out < 0
    moved = bias({2: few}, OTHERS, 3.0) - bias({2: few}, OTHERS, None)
    assert moved == pytest.approx(-group.planes[0].held_out * 2 / 5)


def similar_bags(number: int, seed: int) -> list[Bag]:
    """Return documents that have nearly all terms in common."""
    return random_bags(100, 145, number, seed)


def test_the_plane_moves_in_to_unseen_documents_in_proportion_to_the_share_of_others() -> None:
    many = similar_bags(8, 4)
    (group,) = fit_plane_groups(1, {2: many}, OTHERS, TrainingSettings())
    held_out = group.planes[0].held_out
    assert held_out > 0
    moved = bias({2: many}, OTHERS, 3.0) - bias({2: many}, OTHERS, None)
    assert moved == pytest.approx(-held_out * 8 / 11)
    siblings = {2: many, 3: CARS}
    (group_with_siblings,) = fit_plane_groups(1, siblings, OTHERS, TrainingSettings())
    share = len(OTHERS) / (len(OTHERS) + len(CARS))
    moved = bias(siblings, OTHERS, 3.0) - bias(siblings, OTHERS, None)
    assert moved == pytest.approx(-group_with_siblings.planes[0].held_out * 8 / 11 * share)
    assert bias(siblings, [], 3.0) == pytest.approx(bias(siblings, [], None))


def test_dual_variables_give_about_the_same_distance_as_cross_validation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held_out = []
    for max_cross_validated in (0, 100):
        monkeypatch.setattr(planes, "_MAX_CROSS_VALIDATED", max_cross_validated)
        (group,) = fit_plane_groups(1, {2: similar_bags(15, 5)}, OTHERS, TrainingSettings())
        held_out.append(group.planes[0].held_out)
    assert held_out[0] == pytest.approx(held_out[1], abs=0.05)
    assert held_out[0] != held_out[1]


def test_a_single_document_cannot_be_held_out() -> None:
    (group,) = fit_plane_groups(1, {2: BIRDS[:1]}, OTHERS, TrainingSettings())
    assert group.planes[0].held_out == 0.0
