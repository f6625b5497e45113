"""Words to terms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents import terms as module
from motherlode.documents.terms import bag_of, unpack


def test_stopwords_numbers_and_single_letters_do_not_count() -> None:
    assert len(bag_of("the and of 1999 x 42nd").terms) == 1  # "nd" of "42nd"
    assert len(bag_of("").terms) == 0


def test_forms_of_a_word_are_one_term() -> None:
    assert bag_of("crawl crawls Crawling CRAWLED").counts.tolist() == [4]


def test_a_term_has_the_same_number_everywhere() -> None:
    assert bag_of("owls").terms.tolist() == [2561709901]


@given(st.text())
def test_any_text_has_terms_in_rising_order_that_survive_packing(text: str) -> None:
    bag = bag_of(text)
    assert (np.diff(bag.terms.astype(np.int64)) > 0).all()
    again = unpack(bag.pack())
    assert again.terms.tolist() == bag.terms.tolist()
    assert again.counts.tolist() == bag.counts.tolist()


def test_the_memory_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 10)
    known = module._Numbers("en")
    assert {known[f"word{letter}".encode()] for letter in map(chr, range(97, 123))} != {0}
    assert len(known) <= 11
