"""Text made tidy."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.text.whitespace import tidy_lines, tidy_parts

WHITE = "".join(chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace())
TEXTS = st.text(
    st.one_of(st.sampled_from("ab  \n" + WHITE), st.characters(exclude_characters="\0"))
)


def plainly(part: str) -> str:
    """The same, step by step."""
    return re.sub("  +", " ", tidy_lines(part))


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_parts_are_made_tidy_together_and_each_for_itself(parts: list[str]) -> None:
    whole, found = tidy_parts(*parts)
    assert found == [plainly(part) for part in parts]
    assert whole == "\n".join(filter(None, found))


@pytest.mark.parametrize("white", WHITE)
def test_all_white_space_is_stripped_and_none_within_a_line_but_blanks(white: str) -> None:
    assert tidy_parts(f"{white} a{white}b {white}\n{white}\nc{white}")[0] == plainly(
        f"a{white}b\nc"
    )


@pytest.mark.parametrize(
    "odd", ["\ud800", "\udc80\ud83d", "\x7f", "\x1b", "\u200b", "\u2001é", "\U0001f989"]
)
def test_odd_characters_stay(odd: str) -> None:
    assert tidy_parts(f"  {odd}  x\n{odd}")[0] == plainly(f"  {odd}  x\n{odd}")


def test_a_zero_character_ends_a_line_and_does_no_harm() -> None:
    assert tidy_parts("a\0b\0\0c")[0] == "a\nb\nc"
    assert tidy_parts("")[0] == ""
