"""How like a query pages are: the cosine of their terms with its words, tf times idf (BINGO!, 3.6)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from motherlode.documents.terms import Bag, bag_of
from motherlode.learning.matrix import Floats, Terms, count_matrix, unit_rows

Key = TypeVar("Key")


def cosines_with_query(
    query: str, bags: Mapping[Key, Bag], languages: Mapping[Key, str], idf_of: Callable[[Terms], Floats]
) -> dict[Key, float]:
    """The cosine of each page with the query, whose words are stemmed as those of the page are."""
    asked = {language: bag_of(query, language) for language in sorted(set(languages.values()))}
    if not bags:
        return {}
    features = np.unique(np.concatenate([bag.terms for bag in (*bags.values(), *asked.values())]))
    idf = idf_of(features)
    found: dict[Key, float] = {}
    for language, words in asked.items():
        pages = [page for page in bags if languages[page] == language]
        found |= zip(pages, _products([bags[page] for page in pages], words, features, idf), strict=True)
    return found


def corpus_idf(batches: Iterable[Sequence[Bag]], features: Terms) -> Floats:
    """How telling each term is among these pages: log(1 + N / df)."""
    occurring, number = np.zeros(len(features)), 0
    for batch in batches:
        counts = count_matrix(batch, features)
        occurring += np.bincount(counts.indices, minlength=len(features))
        number += len(batch)
    idf: Floats = np.log1p(number / np.maximum(occurring, 1))
    return idf


def _products(bags: Sequence[Bag], words: Bag, features: Terms, idf: Floats) -> list[float]:
    rows = unit_rows(count_matrix(bags, features), idf)
    line = unit_rows(count_matrix([words], features), idf)
    products: list[float] = (rows @ line.T).toarray()[:, 0].tolist()
    return products
