"""The vectors of words, and what documents mean by them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motherlode.documents.features import meanings
from motherlode.documents.features.meanings import Meanings, NoMeaningsError, Vectors, word_meanings
from motherlode.documents.text.terms import Bag, bag_of
from motherlode.lexicon import NoWordNetError
from motherlode.lexicon.compiler import Recipe, digest_of
from support.helpers import lacks
from support.word_vectors import tiny

TERMS = st.one_of(
    st.integers(1, 60), st.integers(1 << 16, (1 << 16) + 40), st.sampled_from([2**31, 2**32 - 1])
)
BAGS = st.dictionaries(TERMS, st.integers(1, 50), max_size=30)


def made(counts: dict[int, int]) -> Bag:
    terms = sorted(counts)
    return Bag(np.array(terms, np.uint32), np.array([counts[term] for term in terms], np.uint32))


def vectors(table: Meanings, *bags: Bag) -> Vectors:
    starts = np.cumsum([0, *map(len, bags)]).astype(np.int64)
    terms, counts = (
        np.concatenate(found)
        for found in zip(*((bag.terms, bag.counts) for bag in bags), strict=True)
    )
    return table.vectors(starts, terms, counts)


@given(
    st.lists(BAGS, min_size=1, max_size=5),
    st.sets(TERMS, min_size=1, max_size=40),
    st.integers(0, 99),
)
@settings(max_examples=100, deadline=None)
def test_vectors_are_those_of_plain_sums(
    documents: list[dict[int, int]], known: set[int], seed: int
) -> None:
    table = np.random.default_rng(seed).integers(-127, 128, (len(known), 8)).astype(np.int8)
    rows = dict(zip(sorted(known), table.astype(np.float64), strict=True))
    found = vectors(Meanings(np.array(sorted(known), np.uint32), table), *map(made, documents))
    for document, row in zip(documents, found, strict=True):
        total = sum(
            (often * rows[term] for term, often in document.items() if term in rows), np.zeros(8)
        )
        told = 2 * len(document.keys() & known) >= len(document) and np.linalg.norm(total) > 0
        expected = total / np.linalg.norm(total) if told else np.zeros(8)
        assert row == pytest.approx(expected, abs=1e-4)


def test_a_text_in_another_language_has_no_vector() -> None:
    one, other = vectors(
        tiny(), bag_of("the owl in its nest"), bag_of("die Eule und der Kauz im nest", "de")
    )
    assert float(np.linalg.norm(one)) == pytest.approx(1.0, abs=1e-6)
    assert not other.any()


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanings, "find_spec", lambda _name: None)
    assert not meanings.meanings_are_here()
    with pytest.raises(NoMeaningsError, match=r"motherlode\[semantic\]"):
        meanings._content("weights/any", "")


def test_other_vectors_than_ours_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanings, "_PACKAGE", "motherlode")
    with pytest.raises(NoMeaningsError, match="others than those"):
        meanings._content("__init__.py", "0")
    with pytest.raises(NoMeaningsError, match="can be read"):
        meanings._content("nothing.bin", "0")


@pytest.fixture(scope="module")
def table() -> Meanings:
    try:
        return word_meanings()
    except (NoMeaningsError, NoWordNetError) as error:
        lacks(f"word meanings: {error}")


def cosine(table: Meanings, one: str, other: str) -> float:
    first, second = vectors(table, bag_of(one), bag_of(other))
    return float(first @ second)


def test_words_that_mean_the_same_are_near_each_other(table: Meanings) -> None:
    assert cosine(table, "car", "automobile") > 0.5 > cosine(table, "car", "owl")
    assert cosine(table, "the physician treats a patient", "a doctor in the hospital") > 0.4
    assert cosine(table, "owls", "owl") == pytest.approx(1.0, abs=1e-5)  # one stem, one vector


def test_the_table_is_the_same_on_every_machine(table: Meanings) -> None:
    recipe: Recipe = meanings.RECIPE
    assert digest_of(recipe.packed()) == recipe.digest == table.digest
    assert (len(table), table.width) == (65_593, 256)
