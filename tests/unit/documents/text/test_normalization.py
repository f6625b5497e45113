"""Text in the form of the index."""

import sys
from unicodedata import combining, is_normalized

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.text.normalization import _dashed, lettered, spelled

QUOTED = "\u201cquoted\u201d \u2013 na\u00efve"
SNIPPETS = (
    *("", "plain words", QUOTED, "cafe\u0301", "e\u0301 \u0301", "東京 in", "Å \u212b"),
    *("soft\u00adhyphen", "\u0627\u0653", "don\u2019t"),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cafe\u0301", "café"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\u212b", "\u00c5"),
        ("\u0627\u0653", "\u0622"),
        ("naïve €", "naïve €"),
    ],
)
def test_a_letter_is_spelled_in_one_way(text: str, expected: str) -> None:
    assert lettered(text) == expected
    assert spelled(text.encode()).decode() == expected
    assert spelled(f"a\n{text}\nb".encode()).decode() == f"a\n{expected}\nb"


def test_signs_that_are_words_are_parted() -> None:
    assert lettered("in 東京").split() == ["in", "東", "京"]
    assert spelled("in 東京".encode()).decode() == "in 東京"


def test_words_with_dashes_and_quotation_marks_come_apart() -> None:
    assert spelled(QUOTED.encode()).decode().split() == ["quoted", "naïve"]


@given(st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=8), max_size=8).map("\n".join))
def test_lines_have_the_words_that_they_have_one_by_one(text: str) -> None:
    clean = text.encode("utf-8", "replace").decode()
    lines = spelled(clean.encode()).decode().split("\n")
    assert [words(lettered(line)) for line in lines] == [
        words(lettered(line)) for line in clean.split("\n")
    ]


def words(text: str) -> list[str]:
    return "".join(
        letter if letter.isalnum() or combining(letter) else " " for letter in text
    ).split()


def test_what_is_not_looked_at_needs_no_change() -> None:
    """Every character that is passed over is spelled in its one way and joins none before it; what becomes a
    blank is no letter."""
    letters = [
        chr(number) for number in range(0x80, sys.maxunicode + 1) if not 0xD800 <= number <= 0xDFFF
    ]
    starts = np.cumsum([0, *(len(letter.encode()) for letter in letters)])[:-1].tolist()
    signs = np.frombuffer(bytearray("".join(letters).encode()), np.uint8)
    doubtful = set(_dashed(signs))
    passed = [
        (letter, start)
        for letter, start in zip(letters, starts, strict=True)
        if start not in doubtful
    ]
    assert len(passed) > 500
    for letter, start in passed:
        is_blank = signs[start] == ord(" ")
        assert not letter.isalnum() if is_blank else is_normalized("NFC", letter)
        assert not combining(letter)
