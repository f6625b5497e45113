"""What the words of labels and names speak of."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.sources.wrappers import vocabulary_tables as tables
from motherlode.sources.wrappers.attributes import Attribute
from motherlode.sources.wrappers.vocabulary import Vocabulary, tokens

WORDS = Vocabulary()


def best(attributes: dict[Attribute, float]) -> str:
    return max(attributes, key=lambda key: attributes[key], default="")


@pytest.mark.parametrize(
    ("label", "attribute"),
    [
        ("Title", "title"),
        ("Journal title", "venue"),
        ("Year of publication", "year"),
        ("Publication year:", "year"),
        ("Search by title", "title"),
        ("Title, author or subject", "any"),
        ("Author (Last name, First name)", "author"),
        ("First name / Last name", "author"),
        ("Author's surname", "last-name"),
        ("From year", "year-from"),
        ("Published until", "year-to"),
        ("ISBN/ISSN", "identifier"),
        ("Verfasser*in", "author"),
        ("Mots-clés", "keywords"),
        ("Année de publication", "year"),
        ("Search this site ...", "any"),
        ("Month", ""),
        ("Departure date", ""),
        ("Place of publication", ""),
        ("", ""),
    ],
)
def test_labels(label: str, attribute: str) -> None:
    assert best(WORDS.of_label(label)) == attribute


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("q", "any"),
        ("s", "any"),
        ("bool_author", "author"),
        ("field-title", "title"),
        ("yr_from", "year-from"),
        ("as_yhi", "year-to"),
        ("data[Search][title]", "title"),
        ("ctl00$Main$txtKeyword", "keywords"),
        ("dateFromYear", "year-from"),
        ("dateFromMonth", ""),
        ("au", "author"),
        ("so_far", ""),
        ("x7", ""),
    ],
)
def test_names(name: str, attribute: str) -> None:
    assert best(WORDS.of_name(name)) == attribute


def test_abbreviations_are_not_read_in_labels() -> None:
    assert WORDS.of_label("so") == {}
    assert best(WORDS.of_name("so")) == "venue"


def test_without_the_web_table_only_own_names_count() -> None:
    plain = Vocabulary(web_words=False)
    assert best(plain.of_label("Author")) == "author"
    assert plain.of_label("Verfasser") == {}
    assert plain.of_name("q") == {}
    assert not plain.has_wordnet


@pytest.mark.parametrize("table", [tables.WEB_WORDS, tables.ABBREVIATIONS, tables.OWN_WORDS])
def test_no_word_stands_for_two_attributes(table: dict[str, str]) -> None:
    words = {name: {word.strip() for word in text.split(",")} for name, text in table.items()}
    shared = [(one, other, words[one] & words[other]) for one, other in combinations(words, 2)]
    assert [entry for entry in shared if entry[2]] == []


@pytest.mark.parametrize("table", [tables.WEB_WORDS, tables.ABBREVIATIONS, tables.OWN_WORDS])
def test_words_are_written_without_accents_and_in_lower_case(table: dict[str, str]) -> None:
    phrases = [phrase.strip() for text in table.values() for phrase in text.split(",")]
    assert [phrase for phrase in phrases if len(tokens(phrase)) != len(phrase.split())] == []
    assert [phrase for phrase in phrases if phrase != phrase.lower()] == []


@given(st.text(max_size=400))
def test_any_text_has_scores_up_to_one(text: str) -> None:
    for attributes in (WORDS.of_label(text), WORDS.of_name(text)):
        assert len(attributes) <= 1
        assert all(0 < score <= 1 for score in attributes.values())


def test_long_texts_are_bounded() -> None:
    assert len(tokens("word " * 100_000)) <= 60
    assert WORDS.of_label("(" * 100_000) == {}
