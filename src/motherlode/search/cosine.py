"""The cosine of pages with a query (BINGO!, 3.6)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from motherlode.documents.text.terms import Bag, bag_of
from motherlode.learning.matrix import Floats, Terms, count_matrix, unit_rows

Key = TypeVar("Key")


def cosines_with_query(
    query: str,
    bags: Mapping[Key, Bag],
    languages: Mapping[Key, str],
    idf_of: Callable[[Terms], Floats],
) -> dict[Key, float]:
    """Return the tf-idf cosine of each page with the query, stemmed in the page's language."""
    if not bags:
        return {}
    query_bags = {language: bag_of(query, language) for language in sorted(set(languages.values()))}
    all_bags = (*bags.values(), *query_bags.values())
    features = np.unique(np.concatenate([bag.terms for bag in all_bags]))
    idf = idf_of(features)
    cosines: dict[Key, float] = {}
    for language, query_bag in query_bags.items():
        pages = [page for page in bags if languages[page] == language]
        products = _products([bags[page] for page in pages], query_bag, features, idf)
        cosines |= zip(pages, products, strict=True)
    return cosines


def corpus_idf(batches: Iterable[Sequence[Bag]], features: Terms) -> Floats:
    """Return the idf of each term among these pages, log(1 + N / df)."""
    doc_freqs, page_count = np.zeros(len(features)), 0
    for batch in batches:
        counts = count_matrix(batch, features)
        doc_freqs += np.bincount(counts.indices, minlength=len(features))
        page_count += len(batch)
    idf: Floats = np.log1p(page_count / np.maximum(doc_freqs, 1))
    return idf


def _products(bags: Sequence[Bag], query_bag: Bag, features: Terms, idf: Floats) -> list[float]:
    rows = unit_rows(count_matrix(bags, features), idf)
    query_row = unit_rows(count_matrix([query_bag], features), idf)
    products: list[float] = (rows @ query_row.T).toarray()[:, 0].tolist()
    return products


def cosines_with_vectors(bags: Sequence[Bag], vectors: Sequence[Mapping[int, float]]) -> Floats:
    """Return the highest cosine of each bag with any of the vectors.

    No bag is empty, and the vectors have length one. Frequencies are damped, 1 + log tf; the idf is
    in the vectors alone (lnc.ltc in SMART's notation), so that the length of a page does not change
    when other pages are fetched.
    """
    terms = np.concatenate([bag.terms for bag in bags])
    damped = 1.0 + np.log(np.concatenate([bag.counts for bag in bags]))
    starts = np.cumsum([0, *(len(bag) for bag in bags[:-1])])
    lengths = np.sqrt(np.add.reduceat(damped**2, starts))
    highest = np.zeros(len(bags))
    for vector in vectors:
        products = np.zeros(len(bags))
        for term, weight in vector.items():
            positions = np.flatnonzero(terms == np.uint32(term))
            products[starts.searchsorted(positions, "right") - 1] += weight * damped[positions]
        highest = np.maximum(highest, products / lengths)
    return highest
