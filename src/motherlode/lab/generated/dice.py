"""Chance that repeats itself: the same names give the same throws, on every machine and Python."""

from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A stream of throws that is fixed by what it is for, such as `Dice(7, "title", host, page)`.

    Built on `Random.random()` alone, the one method whose sequence Python promises to keep.
    """

    __slots__ = ("share",)

    def __init__(self, *purpose: int | str) -> None:
        name = "\x1f".join(map(str, purpose)).encode()
        seed = int.from_bytes(blake2b(name, digest_size=8).digest())
        self.share = Random(seed).random  # noqa: S311 - nothing secret: it has to repeat itself

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit - 1`."""
        return int(self.share() * limit)

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self.share() * (high - low + 1))

    def pick(self, things: Sequence[T]) -> T:
        """One of the things."""
        return things[int(self.share() * len(things))]

    def chance(self, probability: float) -> bool:
        """Whether something of this probability happens."""
        return self.share() < probability

    def skewed(self, limit: int, power: float) -> int:
        """A whole number below `limit`, small ones more often: a power law for `power` above 1."""
        return int(limit * self.share() ** power)

    def long_tailed(self, least: int, most: int, exponent: float) -> int:
        """A count after Pareto: mostly near `least`, now and then up to `most`."""
        return min(most, int(least * (1.0 - self.share()) ** (-1.0 / exponent)))
