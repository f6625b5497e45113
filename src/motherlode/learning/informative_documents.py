"""Choose the documents whose labels teach a plane most: active learning.

Uncertainty sampling (Lewis and Gale, SIGIR 1994) asks for the documents nearest to the plane. Alone
it picks outliers and near copies. So the uncertainty is multiplied by

- the information density (Settles and Craven, EMNLP 2008): the mean cosine to all candidates, so
  that an answer says something about many of them;
- the distance from what is asked already (Brinker, ICML 2003): 1 - the highest cosine to it.

    score(x) = exp(-|margin(x)| / m) * density(x) * (1 - max cosine(x, chosen))

with m the median of |margin| over the candidates.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from motherlode.learning.matrix import Floats

SIMILAR_COSINE = 0.3  # from here on, documents resemble each other


class InformativeDocument(NamedTuple):
    """A row of the candidates, and how many other candidates resemble it."""

    row: int
    similar: int


def choose_informative(margins: Floats, rows: csr_array, count: int) -> list[InformativeDocument]:
    """Return up to `count` candidates, the most informative first.

    `margins` are distances from the plane, `rows` the documents as rows of length one.

    >>> rows = csr_array(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    >>> chosen = choose_informative(np.array([0.1, 0.2, -0.3, -0.9]), rows, 3)
    >>> [document.row for document in chosen]  # row 1 is a copy of row 0
    [0, 2]
    """
    if not len(margins):
        return []
    cosines: Floats = np.asarray((rows @ rows.T).todense(), np.float64)
    scale = float(np.median(np.abs(margins))) or 1.0
    scores = np.exp(-np.abs(margins) / scale) * cosines.mean(axis=1)
    similar = (cosines >= SIMILAR_COSINE).sum(axis=1)
    nearest = np.zeros(len(margins))  # the cosine to what is chosen
    chosen: list[InformativeDocument] = []
    for _ in range(count):
        now = scores * (1.0 - np.minimum(nearest, 1.0))
        best = int(now.argmax())
        if now[best] <= 0:
            break
        chosen.append(InformativeDocument(best, int(similar[best]) - 1))
        nearest = np.maximum(nearest, cosines[best])
        nearest[best] = 1.0
    return chosen
