"""Hubs and authorities (Kleinberg, JACM 1999), as improved by Bharat and Henzinger (SIGIR 1998;
SPEC B10).

Of k links from one host to one page, each counts 1/k for the page's authority. Of k links from one
page to one host, each counts 1/k for the page's hub score. So no host has more than one vote. Links
within a host do not count. The score that a page passes on is weighted by its relevance to the
topic.
"""

from typing import Self

import numpy as np
from scipy.sparse import csr_array

from motherlode.learning.matrix import Floats, Ints

TOLERANCE = 1e-8  # the largest change of a hub score in the last round
MAX_ROUNDS = 500
_MIN_SCORE = 1e-100  # denormal numbers make arithmetic slow


class HubsAndAuthorities:
    """Score vectors of length one for the nodes 0, 1, ... of a graph; all 0 without links."""

    def __init__(self, tolerance: float = TOLERANCE, max_rounds: int = MAX_ROUNDS) -> None:
        self.tolerance = tolerance
        self.max_rounds = max_rounds

    def fit(
        self,
        sources: Ints,
        targets: Ints,
        hosts: Ints,
        relevance: Floats | None = None,
    ) -> Self:
        """Fit the scores. `hosts` and `relevance` (0 to 1) have an entry for each node."""
        count = len(hosts)
        weights = np.ones(count) if relevance is None else np.asarray(relevance, float)
        hosts = np.asarray(hosts, np.int64)
        sources, targets = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
        sources, targets = _between_hosts(sources, targets, hosts)
        to_authorities = _vote_matrix(sources, targets, hosts)
        to_hubs = _vote_matrix(targets, sources, hosts)
        hubs = np.ones(count)
        authorities = np.zeros(count)
        self.rounds_ = 0
        for _ in range(self.max_rounds if len(sources) else 0):
            self.rounds_ += 1
            authorities = _unit(to_authorities @ (hubs * weights))
            new_hubs = _unit(to_hubs @ (authorities * weights))
            change = float(np.abs(new_hubs - hubs).max())
            hubs = new_hubs
            if change <= self.tolerance:
                break
        self.hubs_: Floats = hubs if len(sources) else np.zeros(count)
        self.authorities_: Floats = authorities
        return self


def _between_hosts(sources: Ints, targets: Ints, hosts: Ints) -> tuple[Ints, Ints]:
    """Return the links between different hosts, each once."""
    if not len(sources):
        return sources, targets
    is_external = hosts[sources] != hosts[targets]
    count = len(hosts)
    # One number for each pair: it sorts ten times faster than pairs.
    ordered = np.sort(sources[is_external] * count + targets[is_external])
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    pairs = ordered[is_first]
    return pairs // count, pairs % count


def _vote_shares(hosts: Ints, pages: Ints, count: int) -> Floats:
    """Return 1/k for each link, if k links join its host and its page."""
    _, group, size = np.unique(hosts * count + pages, return_inverse=True, return_counts=True)
    shares: Floats = 1.0 / size[group]
    return shares


def _vote_matrix(voters: Ints, receivers: Ints, hosts: Ints) -> csr_array:
    count = len(hosts)
    shares = _vote_shares(hosts[voters], receivers, count)
    return csr_array((shares, (receivers, voters)), shape=(count, count))


def _unit(scores: Floats) -> Floats:
    length = float(np.linalg.norm(scores))
    scaled = scores / length if length else scores
    scaled[scaled < _MIN_SCORE] = 0.0
    return scaled
