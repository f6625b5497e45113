"""Rows of links: a hundred a page, so they go to the database in a form of their own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

LinkRow = tuple[int, int, int, str, int]
COLUMNS = ("page_id", "position", "url_id", "anchor", "flags")

# The three numbers of a link as one.
FLAG_BITS = 15
TARGET_BITS = 33
_POSITION_BITS = 63 - TARGET_BITS - FLAG_BITS


@dataclass(frozen=True, slots=True)
class LinkRows:
    """The links of some pages, column by column: each page with the number of its links, and of all
    of them, page by page, where they lead, what they say, and their flags.
    """

    pages: Sequence[tuple[int, int]]
    targets: NDArray[np.int64]
    anchors: Sequence[str]
    flags: NDArray[np.int64]

    def __iter__(self) -> Iterator[LinkRow]:
        rest = zip(self.targets.tolist(), self.anchors, self.flags.tolist(), strict=True)
        for page, count in self.pages:
            for position in range(count):
                yield page, position, *next(rest)

    def fit_together(self) -> bool:
        """Whether the numbers of each link can be one number."""
        return (
            max((count for _, count in self.pages), default=0) <= 1 << _POSITION_BITS
            and 0 <= self.targets.max(initial=0) < 1 << TARGET_BITS
            and 0 <= self.flags.max(initial=0) < 1 << FLAG_BITS
        )

    def as_json(self) -> str:
        """By page, what each link says by its numbers, where they `fit_together`."""
        counts = np.array([count for _, count in self.pages], np.int64)
        ends = counts.cumsum()
        positions = np.arange(len(self.anchors)) - (ends - counts).repeat(counts)
        packed = (
            positions << TARGET_BITS + FLAG_BITS | self.targets << FLAG_BITS | self.flags
        ).tolist()
        said = {
            page: dict(zip(packed[end - count : end], self.anchors[end - count : end], strict=True))
            for (page, count), end in zip(self.pages, ends.tolist(), strict=True)
        }
        return msgspec.json.encode(said).decode("utf-8")
