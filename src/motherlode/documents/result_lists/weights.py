"""Weights of the two linear models, learned from labelled pages by `python -m bench records`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

Weights = Mapping[str, float]


@cache
def weights_of(name: Literal["groups", "next_page"]) -> Weights:
    """Return the weights of a model by the names of its features."""
    table = files(__package__).joinpath("weights.toml").read_text("utf-8")
    weights: dict[str, float] = tomllib.loads(table)[name]
    return weights


def weighted_sum(features: Mapping[str, float], weights: Weights) -> float:
    """Return the score of features; those without a weight count for nothing."""
    return sum(weights.get(name, 0.0) * value for name, value in features.items())
