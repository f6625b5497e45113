"""Words to terms."""
# ruff: noqa: RUF001 - letters and marks of other scripts are meant

import re
from collections import Counter
from unicodedata import normalize
from zlib import crc32

import numpy as np
import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.text import terms as module
from motherlode.documents.text import tokens as pieces_module
from motherlode.documents.text.terms import (
    bag_of,
    count,
    places_of,
    sequence_of,
    sequences_of,
    spell,
    stopwords,
    unpack,
)


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


@given(st.lists(st.text("ab \u00e9\u2014\n", max_size=12), max_size=4))
def test_texts_that_are_read_together_are_kept_apart(texts: list[str]) -> None:
    together = [sequence.tolist() for sequence in sequences_of(texts, "de")]
    assert together == [sequence_of(text, "de").tolist() for text in texts]


@given(st.lists(st.integers(0, 5)))
def test_numbers_are_counted(numbers: list[int]) -> None:
    bag = count(np.array(numbers, np.uint32))
    assert dict(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True)) == Counter(numbers)
    assert bag.counts.dtype == np.uint32


# --- languages --------------------------------------------------------------------------------------------

FUNCTION_WORDS = {
    "en": "the and of with which because",
    "de": "der die und nicht aber über",
    "fr": "le les des dans avec être",
    "es": "el los de para también está",
    "it": "il della che perché sono gli",
    "pt": "os uma não também para são",
    "nl": "de het een niet van zijn",
    "ru": "и не что этот было когда",
}
FORMS = {
    "en": ("generation generations generated", "owl"),
    "de": ("häuser häusern Häuser", "wald"),
    "fr": ("continuer continuera continué", "hibou"),
    "es": ("torneado torneados torneada", "casa"),
    "it": ("pronunciare pronunciato pronunciata", "gufo"),
    "pt": ("quietos quieto quieta", "casa"),
    "nl": ("lichamelijk lichamelijke lichamelijkheden", "uil"),
    "ru": ("важная важные важный", "сова"),
}


@pytest.mark.parametrize("language", FUNCTION_WORDS)
def test_stopwords_are_those_of_the_language(language: str) -> None:
    words = FUNCTION_WORDS[language]
    assert len(stopwords(language)) > 100
    assert set(words.split()) - {"и"} <= stopwords(language)
    assert len(bag_of(words.upper(), language)) == 0
    other = "ru" if language != "ru" else "en"
    assert len(bag_of(words, other)) > 2


@pytest.mark.parametrize("language", FORMS)
def test_stems_are_those_of_the_language(language: str) -> None:
    forms, other = FORMS[language]
    assert bag_of(forms, language).counts.tolist() == [3]
    assert len(bag_of(f"{forms} {other}", language)) == 2
    assert len(bag_of(forms, "xx")) == len(set(forms.casefold().split()))


def test_english_is_stemmed_by_porter_himself() -> None:
    """Porter makes `gener` of all of these; his second algorithm, which Snowball calls English, does not."""
    assert len(bag_of("generic generous generate general", "en")) == 1


def test_stopwords_are_of_the_shape_that_words_are_found_in() -> None:
    for language in FUNCTION_WORDS:
        for word in stopwords(language):
            assert module._words(word) == [word] or len(word) == 1, (language, word)


@pytest.mark.parametrize("language", ["xx", "zz", "", "english", "\ud800", "e"])
def test_a_language_that_nobody_knows_has_terms_too(language: str) -> None:
    assert bag_of("Eulen EULEN eulen Käuze", language).counts.sum() == 4


def test_unknown_languages_share_one_memory() -> None:
    before = module._numbers_of.cache_info().currsize
    for number in range(500):
        bag_of("word", f"x{number}")
    assert module._numbers_of.cache_info().currsize <= before + 1


# --- words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("x 1 22 3a ab4cd _e_f_", ["ab", "cd"]),
        ("don't l'homme", ["don", "homme"]),
        ("caf\u00e9 cafe\u0301", ["caf\u00e9", "caf\u00e9"]),
        ("Donau\u00addampf\u00adschiff", ["donaudampfschiff"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("one—two “three” four…five", ["one", "two", "three", "four", "five"]),
        ("non\u00a0breaking thin\u2009space", ["non", "breaking", "thin", "space"]),
        ("日本語。天気", ["日本", "本語", "天気"]),
        ("東京タワーowl 猫", ["東京", "京タ", "タワ", "ワー", "owl"]),
        ("한국어를", ["한국", "국어", "어를"]),
        ("\u0301\u0301 \u0301a", []),
        ("\U0001f989 owl \U0001d400\U0001d401", ["owl", "\U0001d400\U0001d401"]),
    ],
)
def test_words_are_told_as_a_reader_would(text: str, words: list[str]) -> None:
    assert module._words(text) == words
    assert bag_of(text, "xx").counts.sum() == len(words)


def test_words_that_are_too_long_are_none() -> None:
    assert len(bag_of("x" * 41 + " " + "y" * 40)) == 1
    assert len(bag_of("z" * 1_000_000)) == 0


def test_a_text_without_any_blanks_has_terms() -> None:
    text = "，".join(["天気予報", "旅行案内"] * 200)
    assert bag_of(text, "zh").counts.tolist() == [200] * 6


def test_the_sequence_keeps_order_and_repetition() -> None:
    one, two = (sequence_of(word)[0] for word in ("owl", "mouse"))
    assert sequence_of("Owl—mouse, the owls; OWL").tolist() == [one, two, one, one]


def test_numbers_are_spelled_by_the_words_that_stand_for_them_most() -> None:
    text = "Owls owl owls, mice Mouse"
    known = spell(bag_of(text).terms.tolist(), text)
    assert sorted(known.values()) == ["mice", "mouse", "owls"]
    assert spell([], text) == {}
    assert spell([12345], text) == {}


def plain_count(text: str, language: str) -> dict[int, int]:
    """The same, word by word."""
    algorithm = module._STEMMERS.get(language)
    stem = Stemmer.Stemmer(algorithm).stemWord if algorithm else str
    words = (
        word for word in module._words(text) if len(word) <= 40 and word not in stopwords(language)
    )
    return dict(Counter(crc32(stem(word).encode()) for word in words))


WORDS = [
    "the",
    "owls",
    "Owl's",
    "owl—mouse",
    "don’t",
    "наша",
    "Совы",
    "сов",
    "e\u0301te",
    "日本，語",
    "straße",
]
PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "the",
                "owls",
                "Owl's",
                "owl—mouse",
                "don’t",
                "наша",
                "Совы",
                "сов",
                "ét́e",
                "日本，語",
                "STRASSE",
                "straße",
            ]
        ),
        st.text("abcABCéßİı -—'’1_\u00ad\u0301\n\u00a0\u200c\u2000\u203f", max_size=12),
    ),
    max_size=30,
)


@given(PIECES, st.sampled_from(["en", "de", "ru", "tr", "xx"]), st.booleans())
def test_terms_are_what_a_plain_counter_finds(
    pieces: list[str],
    language: str,
    forgetful: bool,  # noqa: FBT001 - a parameter
) -> None:
    text = " ".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        if forgetful:
            patch.setattr(module, "_REMEMBERED", 1)
            patch.setattr(pieces_module, "_BLOCK", 8)
            patch.setattr(module, "_numbers_of", module._Numbers)
        bag = bag_of(text, language)
    assert dict(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True)) == plain_count(
        text, language
    )


def test_what_parts_words_beyond_ascii_is_in_none_and_changes_none() -> None:
    marks = [chr(code) for code in range(0x300, 0x370)]
    for part in (chr(code) for code in (0xA0, *range(0x2000, 0x2040))):
        assert not re.match(r"\w", part)
        assert part.casefold() == part
        for mark in marks:
            alone = normalize("NFC", part) + normalize("NFC", mark)
            assert normalize("NFC", f"a{part}{mark}a") == f"a{alone}a"
        assert sequence_of(f"barn{part}owls").tolist() == sequence_of("barn owls").tolist()


@given(st.text("aAeEoOlwsSÄé1 .-\n鸟"))
def test_every_word_that_counts_is_found_in_its_place(text: str) -> None:
    wanted = bag_of(text, "de")
    places = list(places_of(set(wanted.terms.tolist()), text, "de"))
    found = Counter(number for _, _, number in places)
    assert found == Counter(dict(zip(wanted.terms.tolist(), wanted.counts.tolist(), strict=True)))
    for start, end, number in places:
        assert sequence_of(text[start:end], "de").tolist() == [number]
