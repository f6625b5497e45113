"""Documents as rows of a sparse matrix."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from motherlode.documents.features.meanings import Meanings, Vectors
from motherlode.documents.text.terms import Bag

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Terms = npt.NDArray[np.uint32]


def count_matrix(bags: Sequence[Bag], features: Terms) -> csr_array:
    """Return how often each document has each feature; `features` is ascending."""
    lengths = np.array([len(bag) for bag in bags], np.int64)
    terms = np.concatenate([bag.terms for bag in bags]) if bags else np.array([], np.uint32)
    counts = np.concatenate([bag.counts for bag in bags]) if bags else np.array([], np.uint32)
    rows = np.repeat(np.arange(len(bags), dtype=np.int32), lengths)
    columns = np.searchsorted(features, terms).astype(np.int32)
    columns[columns == len(features)] = 0
    is_feature = features[columns] == terms if len(features) else np.zeros(len(terms), bool)
    values = counts[is_feature].astype(np.float64)
    shape = (len(bags), len(features))
    return csr_array((values, (rows[is_feature], columns[is_feature])), shape=shape)


def unit_rows(counts: csr_array, idf: Floats, outside: Floats | None = None) -> csr_array:
    """Return rows of length one: log-damped frequencies times idf (SPEC B4).

    A row without features stays empty. `outside` is added to the square of each row's length, for
    the terms of the document that are no features.
    """
    rows = counts.copy()
    rows.data = (1.0 + np.log(rows.data)) * idf[rows.indices]
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    squares: Floats = np.bincount(row_of, rows.data**2, minlength=rows.shape[0]).astype(np.float64)
    if outside is not None:
        squares = squares + outside
    rows.data /= np.sqrt(squares)[row_of]
    return rows


def idf_weights(counts: csr_array) -> Floats:
    """Return log(1 + N / df) for each feature."""
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    idf: Floats = np.log1p(counts.shape[0] / np.maximum(documents, 1))
    return idf


def squares_outside(bags: Sequence[Bag], counts: csr_array) -> Floats:
    """Return the sum of (1 + log tf)^2 of each document over terms that are no features."""
    total = np.array([((1.0 + np.log(bag.counts)) ** 2).sum() for bag in bags])
    row_of = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    inside = np.bincount(row_of, (1.0 + np.log(counts.data)) ** 2, minlength=counts.shape[0])
    outside: Floats = np.maximum(total - inside, 0.0)
    return outside


def meaning_vectors(bags: Sequence[Bag], meanings: Meanings) -> Vectors:
    """Return the meaning of each document: a row of length one, or of zeros if it is unknown."""
    starts = np.zeros(len(bags) + 1, np.int64)
    np.cumsum([len(bag) for bag in bags], out=starts[1:])
    terms = np.concatenate([np.array([], np.uint32), *(bag.terms for bag in bags)])
    counts = np.concatenate([np.array([], np.uint32), *(bag.counts for bag in bags)])
    return meanings.vectors(starts, terms, counts)
