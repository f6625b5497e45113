"""How like a query pages are."""

import math

import numpy as np
import pytest

from motherlode.documents.terms import bag_of
from motherlode.search.cosine import corpus_idf, cosines_with_query


def test_a_page_of_the_query_alone_is_the_most_like_it() -> None:
    texts = {"same": "barn owls", "more": "barn owls hunting mice", "none": "motor cars"}
    bags = {name: bag_of(text, "en") for name, text in texts.items()}
    found = cosines_with_query(
        "barn owls", bags, dict.fromkeys(bags, "en"), lambda features: np.ones(len(features))
    )
    assert found["same"] == pytest.approx(1.0)
    assert found["more"] == pytest.approx(2 / math.sqrt(2 * 4))
    assert found["none"] == 0.0


def test_a_query_is_stemmed_as_each_page_is() -> None:
    bags = {"en": bag_of("owls", "en"), "de": bag_of("Eulen", "de")}
    languages = {"en": "en", "de": "de"}
    found = cosines_with_query("owl Eule", bags, languages, lambda features: np.ones(len(features)))
    assert min(found.values()) > 0


def test_no_pages_are_like_nothing() -> None:
    assert cosines_with_query("owls", {}, {}, lambda features: np.ones(len(features))) == {}


def test_a_word_on_every_page_tells_less_than_one_on_a_single_page() -> None:
    batches = [[bag_of("owls wings", "en"), bag_of("owls", "en")], [bag_of("owls", "en")]]
    features = np.unique(np.concatenate([bag_of(word, "en").terms for word in ("owls", "wings", "mice")]))
    idf = dict(zip(features.tolist(), corpus_idf(batches, features).tolist(), strict=True))
    of = {word: idf[bag_of(word, "en").terms.tolist()[0]] for word in ("owls", "wings", "mice")}
    assert of["owls"] == pytest.approx(math.log(2))
    assert of["wings"] == pytest.approx(math.log(4))
    assert of["mice"] == of["wings"]  # as if it were on one
