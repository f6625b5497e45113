"""Words of one stem, and what they begin with."""

from random import Random
from string import ascii_lowercase

import pytest

from motherlode.documents.text.stem_prefixes import heads, is_rooted
from motherlode.documents.text.terms import number_of, sharing, stem_of

ENDINGS = (
    *(
        "s",
        "es",
        "ies",
        "ed",
        "eed",
        "ing",
        "ion",
        "ions",
        "ism",
        "ist",
        "y",
        "ly",
        "er",
        "est",
        "e",
        "ee",
        "ying",
    ),
    *(
        "ational",
        "tional",
        "ation",
        "ator",
        "izer",
        "ization",
        "ize",
        "ate",
        "ated",
        "ating",
        "iz",
        "bl",
        "at",
    ),
    *(
        "able",
        "ably",
        "ability",
        "ible",
        "ibly",
        "ibility",
        "ble",
        "bling",
        "bled",
        "icate",
        "icity",
        "ical",
    ),
    *(
        "al",
        "ally",
        "alism",
        "ality",
        "alize",
        "ive",
        "iveness",
        "ivity",
        "ative",
        "ful",
        "fulness",
        "ousness",
    ),
    *("ous", "ously", "ence", "ency", "ance", "ancy", "ent", "ently", "ment", "ness"),
)


def made_up(count: int) -> list[str]:
    """Letters by chance with endings that the stemmer knows, also several in a row."""
    dice = Random(5)
    letters = ascii_lowercase + 3 * "aeiouy"
    return [
        "".join(
            dice.choices(letters, k=dice.randint(1, 6))
            + dice.choices(ENDINGS, k=dice.randint(0, 3))
        )
        for _ in range(count)
    ]


def test_words_of_one_stem_begin_alike() -> None:
    for word in made_up(30_000):
        assert not stem_of(word) or word.startswith(tuple(heads(word))), word


def test_few_words_begin_like_a_stem() -> None:
    """Else looking them up would take long."""
    assert heads("sea") == ["sea"]
    assert heads("day") == ["dai", "day"]


def test_a_sharp_s_is_tried() -> None:
    assert heads("strasse") == ["strass", "straß"]


def test_a_word_that_says_nothing_has_no_beginning() -> None:
    assert heads("the") == heads("") == heads("x") == []


@pytest.mark.parametrize(
    ("language", "rooted"), [("en", True), ("", True), ("pl", True), ("de", False), ("nl", False)]
)
def test_where_stemmers_change_more_than_endings_nothing_is_promised(
    language: str, *, rooted: bool
) -> None:
    assert is_rooted(language) == rooted


def test_words_that_share_a_stem_are_known() -> None:
    words = ["owl", "owls", "owlet", "owl2", "howl", "2owls", ""]
    assert sharing(number_of("owl"), words) == ["owl", "owls", "owl2"]
    assert sharing(number_of("owl"), [], "de") == []
