"""Fingerprints: few bits between texts that are nearly the same, many between others."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.analysis import enriched
from motherlode.documents.features.fingerprints import LEAST, NEAR, VOTERS, distance, fingerprint
from motherlode.documents.text.tokens import Numbers
from motherlode.records import Document


def text(length: int, seed: int) -> list[int]:
    """A made-up text: terms by Zipf's law, as numbers."""
    draw = np.random.default_rng(seed)
    numbers: list[int] = (draw.zipf(1.3, length).clip(max=20_000) * 2_654_435_761 % 2**32).tolist()
    return numbers


def of(terms: list[int]) -> int:
    found: Numbers = np.array(terms, np.uint32)
    return fingerprint(found)


@pytest.mark.parametrize("length", [500, 1000, 5000])
def test_texts_that_differ_in_a_word_are_near(length: int) -> None:
    draw = random.Random(1)
    far = []
    for seed in range(30):
        one = text(length, seed)
        place = draw.randrange(length)
        far.append(distance(of(one), of([*one[:place], 7, *one[place + 1 :]])))
    assert sum(bits <= NEAR for bits in far) >= 22
    assert max(far) <= 10


def test_different_texts_are_far_apart() -> None:
    prints = [of(text(500, seed)) for seed in range(60)]
    apart = [distance(one, other) for place, one in enumerate(prints) for other in prints[:place]]
    assert min(apart) > 3 * NEAR
    assert 28 < sum(apart) / len(apart) < 36


def test_a_text_within_another_frame_is_near_and_the_same_twice_is_the_same() -> None:
    one = text(2000, 1)
    assert distance(of(one), of([*one, *one])) <= 3
    assert of(one) == of(list(one))
    assert distance(of([1, 2, 3, *one, 4, 5]), of(one)) <= 5


def test_a_short_text_has_no_fingerprint_and_no_other_is_nought() -> None:
    assert of([]) == 0
    assert of(list(range(5, 5 + LEAST - 1))) == 0
    assert of(list(range(5, 5 + LEAST))) != 0
    assert of([7] * 1000) != 0


@given(st.lists(st.integers(2, 2**32 - 1), min_size=LEAST, max_size=800))
def test_any_fingerprint_has_64_bits(terms: list[int]) -> None:
    assert 0 < of(terms) < 2**64
    assert distance(of(terms), of(terms)) == 0


def plainly(terms: list[int]) -> int:
    """The same, run by run and bit by bit."""
    runs = set()
    for run in zip(terms, terms[1:], terms[2:], strict=False):
        mixed = 0
        for term in run:
            mixed = (mixed * 0x9E3779B97F4A7C15 + term) % 2**64
        mixed = (mixed ^ mixed >> 31) * 0xBF58476D1CE4E5B9 % 2**64
        runs.add(mixed ^ mixed >> 31)
    voters = sorted(runs)[:VOTERS]
    bits = (sum(voter >> bit & 1 for voter in voters) > len(voters) // 2 for bit in range(64))
    return sum(1 << bit for bit, decided in enumerate(bits) if decided) or 1


@given(st.lists(st.integers(0, 2**32 - 1), min_size=LEAST, max_size=50), st.integers(1, 100))
def test_a_fingerprint_is_what_a_plain_count_of_votes_finds(terms: list[int], times: int) -> None:
    assert of(terms * times) == plainly(terms * times)


@pytest.mark.parametrize("length", [LEAST, 512, 1026, 1027, 5000])
@pytest.mark.parametrize(
    "most", [30, 2**32 - 1]
)  # of few, most runs are repeated, and few are left to vote
def test_a_long_fingerprint_is_what_a_plain_count_of_votes_finds(length: int, most: int) -> None:
    terms = np.random.default_rng(length).integers(1, most, length).tolist()
    assert of(terms) == plainly(terms)


def test_only_the_main_text_counts() -> None:
    words = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(100))
    one = enriched(Document(text=f"Menu\n{words}", main=words))
    other = enriched(Document(title="T", text=f"{words}\nFooter and more", main=words))
    assert one.fingerprint == other.fingerprint != 0
