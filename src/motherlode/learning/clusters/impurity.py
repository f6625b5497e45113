"""Impurity of clusters: the entropy of their terms (BINGO!, section 3.6; SPEC B22).

BINGO! takes the number of clusters with the least entropy-based impurity, after Duda, Hart and
Stork (Pattern Classification, section 8.3.2): i = -sum p log2 p. Here p is the share of a cluster's
documents that have a term. So a cluster is pure in a term that all of its documents have, or none.

That measure alone falls with every further cluster, down to one for each document, because p is
estimated from ever fewer documents. So the cost of estimating p is added. Krichevsky and Trofimov
(IEEE Transactions on Information Theory 27, 1981) encode which m of n documents have a term in
-log2 B(m + 1/2, n - m + 1/2) / B(1/2, 1/2) bits, which is n times the entropy plus about half of
log2 n. Encoding the cluster of a document costs the entropy of the cluster sizes. Many terms do not
depend on the clusters and are shorter to encode for all documents together. It is unknown which
case a term is, so both count one half: 1 - log2(2^-apart + 2^-together) bits. The sum has a
minimum.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betaln

from motherlode.learning.matrix import Floats, Ints

_LOG_BETA_PRIOR = float(betaln(0.5, 0.5))


def impurity(counts: csr_array, clusters: Ints) -> float:
    """Return the bits per document for rows in clusters 0, 1, ...

    Only whether a row has a feature counts, not how often.
    """
    documents = int(counts.shape[0])
    if not documents:
        return 0.0
    sizes = np.bincount(clusters)
    with_term = documents_with_term(counts, clusters, len(sizes))
    apart = _bits(with_term, sizes[:, None]).sum(axis=0)
    together = _bits(with_term.sum(axis=0), np.array(documents))
    bits = float((1.0 - np.logaddexp2(-apart, -together)).sum())
    shares = sizes[sizes > 0] / documents
    label_bits = -float((shares * np.log2(shares)).sum())
    return bits / documents + label_bits


def documents_with_term(counts: csr_array, clusters: Ints, cluster_count: int) -> Ints:
    """Return how many documents of each cluster have each feature."""
    rows = np.repeat(clusters, np.diff(counts.indptr))
    width = counts.shape[1]
    documents: Ints = np.bincount(rows * width + counts.indices, minlength=cluster_count * width)
    return documents.reshape(cluster_count, width)


def _bits(with_term: Ints, sizes: Ints) -> Floats:
    """Return the bits that encode which documents have a term, given how many do."""
    nats = _LOG_BETA_PRIOR - betaln(with_term + 0.5, sizes - with_term + 0.5)
    bits: Floats = nats / np.log(2.0)
    return bits
