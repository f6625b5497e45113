"""How telling terms are, by the portal's own documents."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.features.corpus import GROWTH, Corpus
from motherlode.documents.text.terms import Bag, bag_of


def bag(**counts: int) -> Bag:
    """Terms by the letters that stand for them."""
    found = sorted((ord(letter), times) for letter, times in counts.items())
    return Bag(
        np.array([term for term, _ in found], np.uint32), np.array([n for _, n in found], np.uint32)
    )


TABLE = [bag(a=1, b=2), bag(a=3), bag(a=1, c=1), bag(b=1)]


def corpus() -> Corpus:
    made = Corpus()
    made.add(TABLE)
    return made


def test_idf_is_as_worked_out_by_hand() -> None:
    made = corpus()
    assert made.documents == 4
    assert made.idf(ord("a")) == pytest.approx(log(1 + 4 / 3))
    assert made.idf(ord("b")) == pytest.approx(log(1 + 4 / 2))
    assert made.idf(ord("c")) == pytest.approx(log(1 + 4 / 1))
    assert made.idf(ord("z")) == pytest.approx(log(1 + 4))


def test_weights_are_as_worked_out_by_hand() -> None:
    found = corpus().weigh(bag(a=1, b=2, z=1))
    plain = [log(1 + 4 / 3), (1 + log(2)) * log(1 + 4 / 2), log(1 + 4)]
    length = sqrt(sum(weight**2 for weight in plain))
    assert found.weights.tolist() == pytest.approx([weight / length for weight in plain])
    assert found.terms.tolist() == [ord("a"), ord("b"), ord("z")]


def test_the_cosine_is_one_with_itself_and_nought_with_a_stranger() -> None:
    made = corpus()
    one, other = made.weigh(bag(a=1, b=2)), made.weigh(bag(a=1, c=1))
    assert one.dot(one) == pytest.approx(1)
    assert one.dot(made.weigh(bag(z=5))) == 0
    assert one.dot(other) == pytest.approx(other.dot(one))
    assert one.dot(other) == pytest.approx(float(one.weights[0] * other.weights[0]))
    assert made.weigh(bag()).dot(one) == 0


def test_an_empty_corpus_takes_all_terms_for_equals() -> None:
    made = Corpus()
    assert made.idf(1) == pytest.approx(log(2))
    assert made.weigh(bag(a=1, b=1)).weights.tolist() == pytest.approx([sqrt(0.5)] * 2)
    assert len(made.weigh(bag()).terms) == 0


def test_weights_are_worked_out_anew_only_when_enough_has_come() -> None:
    made = Corpus()
    made.add([bag(a=1)] * 100)
    assert made.idf(ord("a")) == pytest.approx(log(2))
    made.add([bag(b=1)] * int(100 * GROWTH))
    assert made.documents == 120
    assert made.idf(ord("a")) == pytest.approx(log(2))
    made.add([bag(b=1)])
    assert made.idf(ord("a")) == pytest.approx(log(1 + 121 / 100))
    assert made.idf(ord("b")) == pytest.approx(log(1 + 121 / 21))


@given(st.lists(st.text("abcdef ", max_size=30), max_size=20), st.integers(1, 5))
def test_counting_in_parts_is_counting_at_once(texts: list[str], parts: int) -> None:
    bags = [bag_of(" ".join(letter * 3 for letter in text), "xx") for text in texts]
    whole, pieces = Corpus(), Corpus()
    whole.add(bags)
    for start in range(0, len(bags), parts):
        pieces.add(bags[start : start + parts])
        pieces._count_if_grown()
    if pieces._fresh:
        pieces._counted = 0  # enough has come
    terms = {term for one in bags for term in one.terms.tolist()}
    for term in terms:
        occurring = sum(term in one.terms.tolist() for one in bags)
        assert whole.idf(term) == pieces.idf(term) == pytest.approx(log(1 + len(bags) / occurring))
