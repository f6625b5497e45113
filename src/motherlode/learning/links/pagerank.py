"""PageRank (Brin and Page, WWW 1998), for comparison with hubs and authorities."""

from typing import Self

import numpy as np
from scipy.sparse import csr_array

from motherlode.learning.matrix import Floats, Ints

DAMPING = 0.85
TOLERANCE = 1e-10
MAX_ROUNDS = 500


class PageRank:
    """The share of time that a random surfer spends at each node; the shares add up to 1."""

    def __init__(
        self, damping: float = DAMPING, tolerance: float = TOLERANCE, max_rounds: int = MAX_ROUNDS
    ) -> None:
        self.damping = damping
        self.tolerance = tolerance
        self.max_rounds = max_rounds

    def fit(self, sources: Ints, targets: Ints, count: int) -> Self:
        """Fit the ranks of `count` nodes. A link that is given twice counts once."""
        links = csr_array((np.ones(len(sources)), (targets, sources)), shape=(count, count))
        links.data[:] = 1.0  # duplicates were added up
        out_degrees = np.bincount(links.indices, minlength=count).astype(float)
        is_dangling = out_degrees == 0
        shares = np.divide(1.0, out_degrees, out=np.zeros(count), where=~is_dangling)
        ranks = np.full(count, 1.0 / count) if count else np.zeros(0)
        self.rounds_ = 0
        for _ in range(self.max_rounds if count else 0):
            self.rounds_ += 1
            # From a page without links, the surfer goes to any page.
            dangling = float(ranks[is_dangling].sum())
            followed = links @ (ranks * shares) + dangling / count
            new_ranks = self.damping * followed + (1.0 - self.damping) / count
            change = float(np.abs(new_ranks - ranks).sum())
            ranks = new_ranks
            if change <= self.tolerance:
                break
        self.ranks_: Floats = ranks
        return self
