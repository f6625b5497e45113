"""PageRank (Brin and Page, WWW 1998), to compare hubs and authorities with."""

from typing import Self

import numpy as np
from scipy.sparse import csr_array

from motherlode.learning.matrix import Floats, Ints

DAMPING = 0.85
TOLERANCE = 1e-10
MAX_ROUNDS = 500


class PageRank:
    """The share of time that a random surfer spends at each node; together they make 1."""

    def __init__(
        self, damping: float = DAMPING, tolerance: float = TOLERANCE, max_rounds: int = MAX_ROUNDS
    ) -> None:
        self.damping = damping
        self.tolerance = tolerance
        self.max_rounds = max_rounds

    def fit(self, sources: Ints, targets: Ints, count: int) -> Self:
        """Links from sources to targets among so many nodes, each link once."""
        links = csr_array((np.ones(len(sources)), (targets, sources)), shape=(count, count))
        links.data[:] = 1.0  # links that were named twice were added up
        leaving = np.bincount(links.indices, minlength=count).astype(float)
        stuck = leaving == 0
        shares = np.divide(1.0, leaving, out=np.zeros(count), where=~stuck)
        ranks = np.full(count, 1.0 / count) if count else np.zeros(0)
        self.rounds_ = 0
        for _ in range(self.max_rounds if count else 0):
            self.rounds_ += 1
            lost = float(ranks[stuck].sum())  # from pages without links the surfer goes anywhere
            fresh = self.damping * (links @ (ranks * shares) + lost / count) + (1.0 - self.damping) / count
            change = float(np.abs(fresh - ranks).sum())
            ranks = fresh
            if change <= self.tolerance:
                break
        self.ranks_: Floats = ranks
        return self
