"""Hubs and authorities (Kleinberg, JACM 1999), as Bharat and Henzinger mended them (SIGIR 1998; SPEC B10).

Of k links from one host to one page each counts 1/k for its authority, of k links from one page to one host
each counts 1/k for its hub, so that no host speaks with more than one voice; links within a host do not
count. What a page passes on is weighed by its relevance to the topic.
"""

from typing import Self

import numpy as np
from scipy.sparse import csr_array

from motherlode.learning.matrix import Floats, Ints

TOLERANCE = 1e-8
MAX_ROUNDS = 500
_NOTHING = 1e-100


class HubsAndAuthorities:
    """Scores of length one for the nodes of a graph, numbered from 0; all 0 where there are no links."""

    def __init__(self, tolerance: float = TOLERANCE, max_rounds: int = MAX_ROUNDS) -> None:
        self.tolerance = tolerance
        self.max_rounds = max_rounds

    def fit(self, sources: Ints, targets: Ints, hosts: Ints, relevance: Floats | None = None) -> Self:
        """Links from sources to targets; each node's host and, if known, its relevance (0 to 1)."""
        count = len(hosts)
        weights = np.ones(count) if relevance is None else np.asarray(relevance, float)
        hosts = np.asarray(hosts, np.int64)
        sources, targets = _between_hosts(np.asarray(sources, np.int64), np.asarray(targets, np.int64), hosts)
        to_authorities = _shared(sources, targets, _voices(hosts[sources], targets, count), count)
        to_hubs = _shared(targets, sources, _voices(hosts[targets], sources, count), count)
        hubs = np.ones(count)
        authorities = np.zeros(count)
        self.rounds_ = 0
        for _ in range(self.max_rounds if len(sources) else 0):
            self.rounds_ += 1
            authorities = _scaled(to_authorities @ (hubs * weights))
            fresh = _scaled(to_hubs @ (authorities * weights))
            change = float(np.abs(fresh - hubs).max())
            hubs = fresh
            if change <= self.tolerance:
                break
        self.hubs_: Floats = hubs if len(sources) else np.zeros(count)
        self.authorities_: Floats = authorities
        return self


def _between_hosts(sources: Ints, targets: Ints, hosts: Ints) -> tuple[Ints, Ints]:
    """The links between different hosts, each once."""
    if not len(sources):
        return sources, targets
    away = hosts[sources] != hosts[targets]
    count = len(hosts)
    ordered = np.sort(sources[away] * count + targets[away])  # one number a pair sorts ten times faster
    fresh = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    pairs = ordered[fresh]
    return pairs // count, pairs % count


def _voices(hosts: Ints, pages: Ints, count: int) -> Floats:
    """For each link, 1/k: k links join its host and its page."""
    _, group, size = np.unique(hosts * count + pages, return_inverse=True, return_counts=True)
    shares: Floats = 1.0 / size[group]
    return shares


def _shared(givers: Ints, takers: Ints, shares: Floats, count: int) -> csr_array:
    return csr_array((shares, (takers, givers)), shape=(count, count))


def _scaled(scores: Floats) -> Floats:
    length = float(np.linalg.norm(scores))
    scaled = scores / length if length else scores
    scaled[scaled < _NOTHING] = 0.0  # what vanishes would soon be too small for fast arithmetic
    return scaled
