"""Levels learned from pages, as the paper does it and as `ordinal` does.

Both cluster the pages of each level and solve CB-OR. The paper compares terms alone, and chooses
eta and W on a validation split. `ordinal` also compares how near pages are to the examples
(`learning.ordinal.page_space`), and keeps eta and W.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from motherlode.documents.features.meanings import Meanings
from motherlode.documents.text.terms import Bag
from motherlode.learning.matrix import Floats, Ints
from motherlode.learning.ordinal.grid_search import OrdinalGridSearch, mean_level_error
from motherlode.learning.ordinal.layers import level_sizes, merged_levels
from motherlode.learning.ordinal.page_space import PageSpace, SpaceOptions, fit_page_space
from motherlode.learning.ordinal.regression import OrdinalRegression
from motherlode.policies.ordinal.model import OrdinalModel, PackedLevels, term_digest
from motherlode.policies.ordinal.options import OrdinalOptions
from motherlode.records import BadInputError

NEARNESS_WEIGHT = 1.0  # of the nearness among the features of `ordinal`
ETA, NORM = 0.5, 10.0  # of `ordinal`
MAX_CLUSTERS = 20  # of a level
NORMS = (1.0, 3.0, 10.0, 30.0)  # the paper's policy chooses one of these, and one of ETAS
ETAS = (0.1, 0.5, 0.9)
LEVEL_0_NEARNESS = 0.75  # from which a page counts as on the topic while levels are learned
LEAST_NEARNESS = 0.35  # or from less, if there is a gap
BORDER_STEP, BORDER_WIDTH = 0.05, 0.075  # of the search for a gap
MAX_LEVEL_0_SHARE = 0.4  # of the pages of a crawl
_MAX_STEPS = 50_000  # of the solver: a page of a crawl waits for none
_LEAST_UNIT = 1e-3
_TWO_LEVELS = 2


class LevelPages(Struct, frozen=True):
    """Pages to learn from. `examples` are those of the user, by topic; they are pages as well.

    `example_places` are the places of the examples among the pages.
    """

    examples: dict[int, list[Bag]]
    bags: list[Bag]
    example_places: dict[int, list[int]]


def fit_paper_levels(
    pages: LevelPages, layers: Sequence[int], options: OrdinalOptions
) -> OrdinalModel:
    """Learn levels from layers of pages, as published.

    Raises `BadInputError` if there are fewer than two levels.
    """
    sizes = level_sizes(np.array(layers, np.int64))
    merged = merged_levels(sizes, options.min_level_pages)
    if len(set(merged.values())) < _TWO_LEVELS:
        raise BadInputError(
            "There are no pages that link to the examples, so there are no levels to learn from. "
            "ordinal.edge_files in lode.toml names files of links, and ordinal.portals other "
            "portals; policy ordinal needs neither."
        )
    space = fit_page_space(pages.examples, pages.bags, (), SpaceOptions(options.features, 0.0))
    levels = np.array([merged[layer] for layer in layers], np.int64)
    search = OrdinalGridSearch(
        etas=ETAS, norms=NORMS, max_clusters=MAX_CLUSTERS, measure=mean_level_error
    ).fit(space.rows(pages.bags), levels)
    first = _first_layers(merged)
    names = tuple(first[place] for place in search.model_.levels_.tolist())
    return _model(pages, space, search.model_, (names, sizes), options)


def fit_our_levels(
    pages: LevelPages, space: PageSpace, layers: Ints, options: OrdinalOptions
) -> OrdinalModel:
    """Learn levels from the pages of a crawl; without any but examples, by nearness alone."""
    sizes = level_sizes(layers)
    merged = merged_levels(sizes, options.min_level_pages)
    levels = np.array([merged[layer] for layer in layers.tolist()], np.int64)
    if len(np.unique(levels)) < _TWO_LEVELS:
        return _model_by_nearness(pages, space, options)
    rows = space.rows(pages.bags, honest_nearness(pages, space))
    fitted = OrdinalRegression(
        eta=ETA, norm=NORM, max_clusters=MAX_CLUSTERS, max_steps=_MAX_STEPS
    ).fit(rows, levels)
    first = _first_layers(merged)
    names = tuple(first[place] for place in fitted.levels_.tolist())
    of_level_0 = fitted.decision(rows[np.flatnonzero(levels == 0)])
    unit = float(fitted.thresholds_[0] - np.median(of_level_0))
    return _model(pages, space, fitted, (names, sizes), options, max(unit, _LEAST_UNIT))


def our_space(
    pages: LevelPages,
    background: Sequence[Bag],
    meanings: Meanings | None,
    options: OrdinalOptions,
) -> PageSpace:
    """Return the space in which `ordinal` compares pages."""
    wanted = SpaceOptions(options.features, NEARNESS_WEIGHT)
    return fit_page_space(pages.examples, pages.bags, background, wanted, meanings)


def honest_nearness(pages: LevelPages, space: PageSpace) -> Floats:
    """Return the nearness of each page to its nearest topic, of examples to the others alone.

    The centroid has every example in it, so an example is nearer to it than a page as similar.
    """
    nearness: Floats = space.nearness(pages.bags).max(axis=1, initial=-np.inf)
    for place, value in _left_out(pages, space).items():
        nearness[place] = value
    return nearness


def _left_out(pages: LevelPages, space: PageSpace) -> dict[int, float]:
    """Return the nearness of each example to the other examples of its topic; 1 if it is alone."""
    values: dict[int, float] = {}
    for column, topic in enumerate(space.packed.subjects):
        bags, places = pages.examples[topic], pages.example_places[topic]
        for position, place in enumerate(places):
            others = {**pages.examples, topic: [*bags[:position], *bags[position + 1 :]]}
            if not others[topic]:
                values[place] = 1.0
                continue
            without = space.with_examples(others)
            values[place] = float(without.nearness([bags[position]])[0, column])
    return values


def goal_pages(pages: LevelPages, nearness: Floats) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return which pages are level 0: the examples, and the nearest that are near enough."""
    given = [place for places in pages.example_places.values() for place in places]
    is_goal = np.zeros(len(nearness), bool)
    is_goal[given] = True
    most = max(int(MAX_LEVEL_0_SHARE * len(nearness)) - len(given), 0)
    near = np.flatnonzero((nearness >= border_of_level_0(nearness)) & ~is_goal)
    is_goal[near[np.argsort(-nearness[near], kind="stable")[:most]]] = True
    return is_goal


def border_of_level_0(nearness: Floats) -> float:
    """Return the nearness from which pages count as on the topic: where the fewest pages are.

    Where a topic stands apart, that is a gap between its pages and the others. Where nearness
    falls off evenly, it is the upper end, LEVEL_0_NEARNESS.

    >>> border_of_level_0(np.array([0.0] * 50 + [0.1] * 20 + [0.55, 0.6, 0.7, 0.72]))
    0.45
    """
    borders = np.arange(LEVEL_0_NEARNESS, LEAST_NEARNESS - 1e-9, -BORDER_STEP)
    ordered = np.sort(nearness)
    around = np.searchsorted(ordered, borders + BORDER_WIDTH, "right")
    around -= np.searchsorted(ordered, borders - BORDER_WIDTH, "left")
    return round(float(borders[int(np.argmin(around))]), 9)


def _first_layers(merged: Mapping[int, int]) -> dict[int, int]:
    """Return the first of the layers that each level joins."""
    return {
        place: min(layer for layer in merged if merged[layer] == place) for place in merged.values()
    }


def _model_by_nearness(
    pages: LevelPages, space: PageSpace, options: OrdinalOptions
) -> OrdinalModel:
    """Return two levels without an ordinal regression: w.x is minus the nearness."""
    weights = np.zeros(len(space.columns) + 1)
    weights[-1] = -1.0 / max(space.packed.nearness, _LEAST_UNIT)
    return OrdinalModel(
        PackedLevels(
            space=space.packed,
            accepted=options.accepted,
            weights=weights.tobytes(),
            unit=1.0 - LEVEL_0_NEARNESS,
            thresholds=(-LEVEL_0_NEARNESS,),
            levels=(0, options.levels - 1),
            sizes={0: len(pages.bags)},
            clusters=b"",
            cluster_levels=(),
            cluster_sizes=(),
            examples=_digests(pages.examples),
        )
    )


def _model(
    pages: LevelPages,
    space: PageSpace,
    fitted: OrdinalRegression,
    levels: tuple[tuple[int, ...], dict[int, int]],
    options: OrdinalOptions,
    unit: float = 1.0,
) -> OrdinalModel:
    names, sizes = levels
    clusters = fitted.clusters_
    assert fitted.weights_ is not None  # noqa: S101 - the kernel is linear
    return OrdinalModel(
        PackedLevels(
            space=space.packed,
            accepted=options.accepted,
            weights=fitted.weights_.tobytes(),
            unit=unit,
            thresholds=tuple(fitted.thresholds_.tolist()),
            levels=names,
            sizes=sizes,
            clusters=clusters.centres.astype(np.float32).tobytes(),
            cluster_levels=tuple(clusters.levels.tolist()),
            cluster_sizes=tuple(clusters.sizes.tolist()),
            examples=_digests(pages.examples),
        )
    )


def _digests(examples: Mapping[int, Sequence[Bag]]) -> dict[bytes, int]:
    return {
        term_digest(bag): topic
        for topic, bags in sorted(examples.items(), reverse=True)
        for bag in bags
        if len(bag)
    }
