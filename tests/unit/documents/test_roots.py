"""Words of one stem, and what they begin with."""

from itertools import product
from random import Random

import pytest

from motherlode.documents.roots import _SPELLINGS, heads, is_rooted
from motherlode.documents.terms import number_of, sharing, stem_of, stopwords

VOWELS = "aeiou"
LATIN = "bcdfghklmnprstvz"
LETTERS = {
    "ru": ("аеиоуыюяё", "бвгджзклмнпрстфхцчшщ"),
    "hy": ("աեէըիոօ", "բգդզթժլխծկհձղճմյնշչպջռսվտր"),
}
MORE = {"ca": "àéíïòúü", "da": "æøå", "de": "äöü", "es": "áéíóúü", "fr": "éèêëîïôûùàâ", "hu": "áéíóöőúüű"}
MORE |= {"it": "àèéìíòóùú", "lt": "ąęėįųū", "pt": "ãõáéíóúâêôà", "ro": "ăâî", "sv": "åäö"}


def made_up(language: str, count: int) -> list[str]:
    """Words of syllables, some with an ending that is a word of the language."""
    dice = Random(language)
    vowels, consonants = LETTERS.get(language, (VOWELS + MORE.get(language, ""), LATIN))
    endings = sorted(word for word in stopwords(language) if word.isalpha()) or [""]
    found = set()
    for _ in range(count):
        syllables = dice.choices(list(product(consonants, vowels)), k=dice.randint(1, 4))
        word = "".join(map("".join, syllables)) + dice.choice(("", dice.choice(consonants)))
        found.add(word + dice.choice(("", "", dice.choice(endings))))
    return sorted(found)


@pytest.mark.parametrize("language", sorted({*_SPELLINGS, "pl", ""}))
def test_words_of_one_stem_begin_alike(language: str) -> None:
    for word in made_up(language, 4_000):
        if stem_of(word, language):
            assert word.startswith(tuple(heads(word, language))), word


def test_other_spellings_are_tried() -> None:
    assert "häu" in heads("Haus", "de")
    assert number_of("Häuser", "de") == number_of("Haus", "de")
    assert heads("strasse", "pl") == ["strasse", "straße"]


@pytest.mark.parametrize(
    "word", ["Fuß", "Füße", "Maß", "aßen", "Spaß", "weiß", "größer", "Außenmaß", "Schlussmaß"]
)
@pytest.mark.parametrize("language", ["de", "en", "sv", ""])
def test_a_sharp_s_is_found_wherever_a_beginning_ends(word: str, language: str) -> None:
    assert word.lower().startswith(tuple(heads(word, language)))


def test_a_word_that_says_nothing_has_no_beginning() -> None:
    assert heads("the", "en") == heads("", "en") == heads("x", "en") == []


@pytest.mark.parametrize("language", ["ar", "id", "ga", "nl", "fi", "hi", "ta", "sr", "el", "tr"])
def test_where_stemmers_change_more_than_endings_nothing_is_promised(language: str) -> None:
    assert not is_rooted(language)


def test_words_that_share_a_stem_are_known() -> None:
    words = ["owl", "owls", "owlet", "owl2", "howl", "2owls", ""]
    assert sharing(number_of("owl"), words) == ["owl", "owls", "owl2"]
    assert sharing(number_of("owl"), [], "de") == []
