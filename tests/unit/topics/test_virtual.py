"""Virtual documents: topics by words alone."""

import pytest

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import bag_of, unpack
from motherlode.records import Document, Example, Origin, TopicId
from motherlode.topics import plant_query
from motherlode.topics.virtual import document_of, virtual_document

OWLS = TopicId(2)


def terms(document: Document | None) -> dict[int, int]:
    assert document is not None
    bag = unpack(document.vectors[TERMS])
    return dict(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True))


def counted(text: str) -> dict[int, int]:
    bag = bag_of(text)
    return dict(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True))


def test_a_query_is_a_document_of_its_words() -> None:
    (planted,) = plant_query("open source  ARIES\nrecovery").topics
    document = document_of(planted.examples[0])
    assert terms(document) == counted(
        "open source ARIES recovery"
    )  # each once: title and text are one


def test_what_a_bookmark_says_of_a_page_stands_for_it() -> None:
    example = Example(
        OWLS, "http://gone.test/", "Barn owls", note="They hunt mice", tags=("night", "birds")
    )
    document = document_of(example)
    assert document is not None
    assert (document.title, document.text) == ("Barn owls", "They hunt mice\nnight birds")
    assert terms(document) == counted("Barn owls hunt mice night birds")


@pytest.mark.parametrize("blank", ["", " ", "\n\t "])
def test_an_example_that_says_nothing_of_itself_is_none(blank: str) -> None:
    example = Example(OWLS, "http://gone.test/", blank, note=blank, tags=(blank,), text=blank)
    assert document_of(example) is None
    assert document_of(Example(OWLS, "http://gone.test/")) is None


def test_a_title_besides_a_text_counts_too() -> None:
    example = Example(OWLS, None, "Owls", text="hunting mice", origin=Origin.QUERY)
    assert terms(document_of(example)) == counted("Owls hunting mice")


def test_words_of_nothing_but_function_words_are_a_document_without_terms() -> None:
    assert terms(document_of(Example(OWLS, None, "the of and"))) == {}


@pytest.mark.parametrize(
    "odd", ["owl\x00s", "\x1b[31mowls", "owls\u202e", "\ud800 owls", "owls " * 10_000]
)
def test_odd_characters_break_nothing(odd: str) -> None:
    assert terms(virtual_document(odd, [odd]))
    assert terms(virtual_document("", [odd, "", " "]))


def test_lines_are_put_straight() -> None:
    document = virtual_document(" Barn \n owls ", ["they  hunt\nmice", " ", "at night"])
    assert (document.title, document.text, document.main) == (
        "Barn owls",
        "they hunt mice\nat night",
        "they hunt mice\nat night",
    )


def test_a_longer_text_is_in_its_own_language() -> None:
    german = "Die Schleiereule jagt nachts über den Wiesen nach Mäusen, und ihr Gesicht gleicht einem Herzen."
    assert virtual_document("", [german]).language == "de"
    assert virtual_document("owls", []).language == "en"


def test_the_same_words_are_the_same_document() -> None:
    assert virtual_document("Owls", ["hunt mice"]) == virtual_document("Owls", ["hunt mice"])
