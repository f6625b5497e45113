"""Levels of the pages of a crawl: which are level 0, and what is learned of the others."""

import numpy as np
import pytest

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag
from motherlode.learning.ordinal.layers import levels_by_links
from motherlode.policies.ordinal.level_trainer import (
    LevelPages,
    border_of_level_0,
    fit_our_levels,
    goal_pages,
    honest_nearness,
    our_space,
)
from motherlode.policies.ordinal.options import OrdinalOptions

OWLS, BIRDS, CARS, COMMON = (range(k, k + 40) for k in (100, 200, 300, 0))
TOPIC = 7
OPTIONS = OrdinalOptions(features=200, min_level_pages=5)


def bag(seed: int, words: range) -> Bag:
    rng = np.random.default_rng(seed)
    terms = np.concatenate(
        [rng.choice(words, 15, replace=False), rng.choice(COMMON, 8, replace=False)]
    )
    return Bag(np.sort(terms).astype(np.uint32), np.ones(23, np.uint32))


def crawl(examples: int) -> LevelPages:
    """Owls, of which the first are examples; birds, and cars."""
    bags = [bag(seed, OWLS) for seed in range(20)]
    bags += [bag(seed, BIRDS) for seed in range(100, 130)]
    bags += [bag(seed, CARS) for seed in range(200, 230)]
    return LevelPages({TOPIC: bags[:examples]}, bags, {TOPIC: list(range(examples))})


@pytest.mark.parametrize("examples", [2, 5])
def test_levels_are_learned_from_good_pages_alone(examples: int) -> None:
    """Birds link to owls, cars to cars; no page is said to be bad."""
    pages = crawl(examples)
    space = our_space(pages, (), None, OPTIONS)
    goals = goal_pages(pages, honest_nearness(pages, space))
    assert goals[:20].sum() >= 15
    assert goals[20:].sum() <= 2
    starts = np.concatenate([np.zeros(20, np.int64), np.arange(61)])
    targets = np.array([n % 20 for n in range(30)] + [50 + n for n in range(30)])
    levels = levels_by_links(goals, starts, targets, OPTIONS.levels)
    model = fit_our_levels(pages, space, levels, OPTIONS)
    unseen = [bag(seed, words) for words in (OWLS, BIRDS, CARS) for seed in range(900, 910)]
    judgements = model.judge([{TERMS: each} for each in unseen])
    accepted = [judgement.is_accepted for judgement in judgements]
    assert sum(accepted[:10]) >= 9
    assert sum(accepted[10:]) <= 1
    values = np.array([judgement.own_score for judgement in judgements])
    assert values[10:20].mean() < values[20:].mean()  # birds are nearer to owls than cars are
    probabilities = model.probabilities(values)
    assert (probabilities > 0.5).tolist() == accepted


def test_examples_alone_make_two_levels_by_nearness() -> None:
    pages = crawl(5)
    alone = LevelPages(pages.examples, pages.bags[:5], pages.example_places)
    model = fit_our_levels(
        alone, our_space(alone, (), None, OPTIONS), np.zeros(5, np.int64), OPTIONS
    )
    assert model.packed.levels == (0, 4)
    near, far = model.judge([{TERMS: bag(900, OWLS)}, {TERMS: bag(900, CARS)}])
    assert near.own_score < far.own_score
    assert not far.is_accepted


def test_an_example_is_not_nearer_to_itself_than_others_are_to_it() -> None:
    pages = crawl(5)
    space = our_space(pages, (), None, OPTIONS)
    honest = honest_nearness(pages, space)
    plain = space.nearness(pages.bags)[:, 0]
    assert (honest[:5] < plain[:5]).all()
    assert honest[5:] == pytest.approx(plain[5:])


def test_level_0_is_never_most_of_a_crawl() -> None:
    pages = crawl(5)
    goals = goal_pages(pages, np.ones(len(pages.bags)))
    assert goals[:5].all()
    assert goals.sum() == int(0.4 * 80)


def test_without_a_gap_the_border_is_at_the_upper_end() -> None:
    falling = np.repeat(np.arange(0.0, 1.0, 0.02), np.arange(50, 0, -1))
    assert border_of_level_0(falling) == pytest.approx(0.75)
