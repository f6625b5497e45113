"""Pages as points: their terms, and how near they are to the examples."""

import numpy as np
import pytest

from motherlode.documents.text.terms import Bag
from motherlode.learning.ordinal.page_space import (
    PageSpace,
    SpaceOptions,
    fit_page_space,
    reference_similarity,
)

OWLS, BIRDS, COMMON = range(100, 130), range(200, 230), range(40)
TOPIC = 7
OPTIONS = SpaceOptions(features=50, nearness=1.0)


def bag(seed: int, *words: range, of_each: int = 10) -> Bag:
    rng = np.random.default_rng(seed)
    terms = np.sort(np.concatenate([rng.choice(part, of_each, replace=False) for part in words]))
    return Bag(terms.astype(np.uint32), rng.integers(1, 5, len(terms)).astype(np.uint32))


def owls(first: int, number: int) -> list[Bag]:
    return [bag(seed, OWLS, COMMON) for seed in range(first, first + number)]


def others(first: int, number: int) -> list[Bag]:
    return [bag(seed, BIRDS, COMMON) for seed in range(first, first + number)]


@pytest.mark.parametrize("examples", [2, 5, 20])
def test_nearness_is_one_for_pages_like_the_examples_and_zero_for_most(examples: int) -> None:
    given = owls(0, examples)
    space = fit_page_space({TOPIC: given}, [*given, *others(1_000, 60)], (), OPTIONS)
    near = np.median(space.nearness(owls(500, 40)))
    far = np.median(space.nearness(others(2_000, 40)))
    assert near == pytest.approx(1.0, abs=0.35)
    assert far == pytest.approx(0.0, abs=0.15)


def test_a_single_example_has_a_nearness() -> None:
    given = owls(0, 1)
    space = fit_page_space({TOPIC: given}, given, (), OPTIONS)
    near, far = space.nearness([bag(600, OWLS, COMMON), bag(600, BIRDS, COMMON)])[:, 0]
    assert near > far


def test_the_last_feature_is_the_nearness_to_the_nearest_topic() -> None:
    examples = {1: owls(0, 4), 2: others(100, 4)}
    space = fit_page_space(examples, [*examples[1], *examples[2]], (), OPTIONS)
    pages = [*owls(500, 3), *others(600, 3)]
    nearness = space.nearness(pages)
    assert nearness.argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1]
    rows = space.rows(pages)
    assert rows.shape == (6, len(space.columns) + 1)
    assert rows[:, [-1]].toarray()[:, 0] == pytest.approx(nearness.max(axis=1))


def test_the_space_of_the_paper_has_rows_of_length_one_and_no_nearness() -> None:
    pages = [*owls(0, 5), *others(100, 20)]
    space = fit_page_space({TOPIC: pages[:5]}, pages, (), SpaceOptions(30, 0.0))
    rows = space.rows(pages)
    assert rows.shape == (25, 31)
    assert np.sqrt(rows.multiply(rows).sum(axis=1)) == pytest.approx(np.ones(25))


def test_a_space_survives_the_store_and_pages_without_known_words_are_points() -> None:
    given = owls(0, 3)
    space = fit_page_space({TOPIC: given}, [*given, *others(100, 20)], (), OPTIONS)
    again = PageSpace(space.packed, None)
    pages = [bag(9, range(900, 930)), Bag(np.array([], np.uint32), np.array([], np.uint32))]
    assert np.isfinite(space.rows(pages).data).all()
    assert (again.rows(pages) != space.rows(pages)).nnz == 0


def test_an_example_left_out_is_nearer_to_the_others_than_other_pages_are() -> None:
    given = owls(0, 5)
    space = fit_page_space({TOPIC: given}, [*given, *others(100, 40)], (), OPTIONS)
    without = space.with_examples({TOPIC: given[1:]})
    left_out, inside = without.nearness(given[:1])[0, 0], space.nearness(given[:1])[0, 0]
    assert left_out < inside
    assert left_out > space.nearness(others(300, 20)).max()


def test_the_reference_of_pairs_grows_with_the_examples() -> None:
    values = [reference_similarity(0.2, number) for number in (2, 5, 20)]
    assert values == sorted(values)
    assert values[-1] < np.sqrt(0.2)  # that of endless examples
