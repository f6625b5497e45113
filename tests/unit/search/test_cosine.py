"""The cosine of pages with a query."""

import math

import numpy as np
import pytest

from motherlode.documents.text.terms import bag_of
from motherlode.learning.matrix import Floats, Terms
from motherlode.search.cosine import corpus_idf, cosines_with_query


def equal_idf(features: Terms) -> Floats:
    return np.ones(len(features))


def test_a_page_with_only_the_words_of_the_query_has_cosine_1() -> None:
    texts = {"same": "barn owls", "more": "barn owls hunting mice", "none": "motor cars"}
    bags = {name: bag_of(text, "en") for name, text in texts.items()}
    cosines = cosines_with_query("barn owls", bags, dict.fromkeys(bags, "en"), equal_idf)
    assert cosines["same"] == pytest.approx(1.0)
    assert cosines["more"] == pytest.approx(2 / math.sqrt(2 * 4))
    assert cosines["none"] == 0.0


def test_a_query_is_stemmed_in_the_language_of_each_page() -> None:
    bags = {"en": bag_of("owls", "en"), "de": bag_of("Eulen", "de")}
    languages = {"en": "en", "de": "de"}
    assert min(cosines_with_query("owl Eule", bags, languages, equal_idf).values()) > 0


def test_without_pages_there_are_no_cosines() -> None:
    assert cosines_with_query("owls", {}, {}, equal_idf) == {}


def test_a_word_on_every_page_has_a_lower_idf_than_a_word_on_one_page() -> None:
    batches = [[bag_of("owls wings", "en"), bag_of("owls", "en")], [bag_of("owls", "en")]]
    terms = {word: bag_of(word, "en").terms for word in ("owls", "wings", "mice")}
    features = np.unique(np.concatenate(list(terms.values())))
    idf_of_term = dict(zip(features.tolist(), corpus_idf(batches, features).tolist(), strict=True))
    idf = {word: idf_of_term[int(term)] for word, (term,) in terms.items()}
    assert idf["owls"] == pytest.approx(math.log(2))
    assert idf["wings"] == pytest.approx(math.log(4))
    assert idf["mice"] == idf["wings"]  # a word on no page counts as on one page
