"""How mixed clusters are: the entropy of their terms (BINGO!, section 3.6; SPEC B22).

BINGO! takes the number of clusters with the least entropy-based impurity, after Duda, Hart and Stork (Pattern
Classification, section 8.3.2): i = -sum p log2 p. Here p is the share of a cluster's documents that
have a term, so a cluster is pure in a term that all of its documents have, or none of them.

Taken as it stands that falls with every further cluster, down to one a document, as p is estimated from
ever fewer of them. So what it costs to estimate p is counted in: Krichevsky and Trofimov (IEEE Transactions
on Information Theory 27, 1981) tell which m of n documents have a term in
-log2 B(m + 1/2, n - m + 1/2) / B(1/2, 1/2) bits, which is n times the entropy and about half of log2 n.
Saying which cluster a document is in costs the entropy of the clusters' sizes. Many terms are nothing to the
clusters and are told more shortly for all documents together. Which way it is for a term nobody knows, so
both count one half: 1 - log2(2^-apart + 2^-together) bits. The sum has a minimum.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betaln

from motherlode.learning.matrix import Floats, Ints

_START = float(betaln(0.5, 0.5))


def impurity(counts: csr_array, clusters: Ints) -> float:
    """Bits for each document, of rows that are in clusters 0, 1, ...; how often a row has a feature is
    nothing to it."""
    documents = int(counts.shape[0])
    if not documents:
        return 0.0
    sizes = np.bincount(clusters)
    with_it = documents_with_term(counts, clusters, len(sizes))
    apart = _bits(with_it, sizes[:, None]).sum(axis=0)
    together = _bits(with_it.sum(axis=0), np.array(documents))
    bits = float((1.0 - np.logaddexp2(-apart, -together)).sum())
    shares = sizes[sizes > 0] / documents
    naming = -float((shares * np.log2(shares)).sum())
    return bits / documents + naming


def documents_with_term(counts: csr_array, clusters: Ints, number: int) -> Ints:
    """How many documents of each cluster have each feature."""
    rows = np.repeat(clusters, np.diff(counts.indptr))
    width = counts.shape[1]
    found: Ints = np.bincount(rows * width + counts.indices, minlength=number * width)
    return found.reshape(number, width)


def _bits(with_it: Ints, sizes: Ints) -> Floats:
    """What it takes to say which documents have a term, of how many have it among how many."""
    bits: Floats = (_START - betaln(with_it + 0.5, sizes - with_it + 0.5)) / np.log(2.0)
    return bits
