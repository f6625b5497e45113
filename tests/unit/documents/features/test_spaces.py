"""Feature spaces: from a document and its neighbours to sparse vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.features.spaces import (
    SPACES,
    TERMS,
    TOP_TERMS,
    WINDOW,
    Surroundings,
    anchors,
    combined,
    neighbours,
    pairs,
    terms,
    url_tokens,
)
from motherlode.documents.text.terms import Bag, bag_of, sequence_of
from motherlode.records import Document

ALONE = Surroundings()


def document(text: str, title: str = "", language: str = "en") -> Document:
    return Document(title=title, text=text, main=text, language=language)


def counts(bag: Bag) -> dict[int, int]:
    return dict(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True))


def rises(bag: Bag) -> bool:
    return bool((np.diff(bag.terms.astype(np.int64)) > 0).all())


def test_terms_are_those_of_title_and_text() -> None:
    assert counts(terms(document("owls hunt", "An owl"))) == counts(bag_of("owl owl hunt"))


# --- pairs ------------------------------------------------------------------------------------------------


def test_two_terms_pair_in_whichever_order() -> None:
    one, other = pairs(document("owl mouse")), pairs(document("mouse owl"))
    assert counts(one) == counts(other)
    assert one.counts.tolist() == [1]
    assert counts(pairs(document("owl owl"))) != counts(one)


def test_terms_pair_within_the_window_alone() -> None:
    words = "alpha beta gamma delta epsilon zeta".split()  # noqa: SIM905 - reads best as words
    assert WINDOW == 4
    found = counts(pairs(document(" ".join(words))))
    assert sum(found.values()) == 5 + 4 + 3 + 2
    (near,) = counts(pairs(document("alpha epsilon")))
    (far,) = counts(pairs(document("alpha zeta")))
    assert near in found
    assert far not in found


def test_stopwords_do_not_count_in_the_window() -> None:
    assert counts(pairs(document("owl of the a and mouse"))) == counts(pairs(document("owl mouse")))


@pytest.mark.parametrize("text", ["", "owl", "the of"])
def test_what_has_not_two_terms_has_no_pairs(text: str) -> None:
    assert len(pairs(document(text))) == 0


@given(st.lists(st.sampled_from(["owl", "mouse", "vole", "night", "barn"]), max_size=25))
def test_pairs_are_what_a_plain_count_finds(words: list[str]) -> None:
    sequence = sequence_of(" ".join(words)).tolist()
    plain: dict[frozenset[int], int] = {}
    for place, term in enumerate(sequence):
        for other in sequence[place + 1 : place + 1 + WINDOW]:
            plain[frozenset((term, other))] = plain.get(frozenset((term, other)), 0) + 1
    found = pairs(document(" ".join(words)))
    assert sorted(found.counts.tolist()) == sorted(plain.values())
    assert rises(found)


# --- anchors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "phrase",
    [
        "click here",
        "Read More",
        "HOME",
        "next page",
        "Weiterlesen",
        "mehr",
        "en savoir plus",
        "leer más",
        "leggi tutto",
        "saiba mais",
        "lees meer",
        "homepage",
        "website",
    ],
)
def test_phrases_that_say_nothing_are_left_out(phrase: str) -> None:
    told = Surroundings(anchors=(phrase, f"barn owls, {phrase}", f"{phrase}: owls"))
    assert counts(anchors(document(""), told)) == counts(bag_of("barn owls owls"))


def test_what_links_say_is_counted_over_all_of_them() -> None:
    told = Surroundings(anchors=("Barn owl", "barn owls", "", "moreover"))
    assert sorted(anchors(document("never looked at"), told).counts.tolist()) == [1, 2, 2]
    assert len(anchors(document("owls"), ALONE)) == 0


# --- neighbours -------------------------------------------------------------------------------------------


def test_neighbours_give_their_most_frequent_terms_each_once() -> None:
    frequent = bag_of(" ".join(f"word{chr(97 + n)} " * (20 - n) for n in range(20)), "xx")
    found = neighbours(document(""), Surroundings(neighbours=(frequent,)))
    best = sorted(counts(frequent), key=lambda term: -counts(frequent)[term])[:TOP_TERMS]
    assert counts(found) == dict.fromkeys(sorted(best), 1)
    twice = neighbours(document(""), Surroundings(neighbours=(frequent, frequent, bag_of(""))))
    assert counts(twice) == dict.fromkeys(sorted(best), 2)
    assert len(neighbours(document("owl"), ALONE)) == 0


# --- addresses --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://www.owls.com/barn-owls/index.html", "owls barn owls"),
        ("https://a.test/2024/01/Snowy_Owl.php?id=42&sort=name", "test snowy owl id sort name"),
        ("http://a.test/caf%C3%A9/%D1%81%D0%BE%D0%B2%D1%8B", "test café совы"),
        ("http://a.test/%FF%zz", "test zz"),
        ("http://a.test/x.zip#inside/owls.txt", "test zip inside owls txt"),
        ("", ""),
    ],
)
def test_an_address_is_taken_apart_into_words(url: str, words: str) -> None:
    assert counts(url_tokens(document(""), Surroundings(url=url))) == counts(bag_of(words))


# --- several ----------------------------------------------------------------------------------------------

TOLD = Surroundings("http://owls.test/mouse", ("barn owl",), (bag_of("night owl owl"),))


def test_every_space_has_a_name_and_gives_terms_in_rising_order() -> None:
    for space in SPACES.values():
        bag = space(document("owl mouse night barn owl", "Owls"), TOLD)
        assert len(bag) > 0
        assert rises(bag)
        assert {str(bag.terms.dtype), str(bag.counts.dtype)} == {"uint32"}


def test_combined_spaces_keep_their_terms_apart() -> None:
    said = document("owl mouse owl")
    both = combined(("terms", "anchors"))(said, TOLD)
    assert sorted(both.counts.tolist()) == [1, 1, 1, 2]
    assert rises(both)
    assert counts(terms(said)).items() <= counts(both).items()  # the first keeps its numbers
    twice = combined(("terms", "terms"))(said, TOLD)
    assert sorted(twice.counts.tolist()) == [1, 1, 2, 2]


def test_one_space_combined_is_itself_and_nothing_is_lost_in_all() -> None:
    said = document("owl mouse owl night", "Barn")
    assert counts(combined((TERMS,))(said, TOLD)) == counts(terms(said))
    whole = combined(tuple(SPACES))(said, TOLD)
    assert whole.counts.sum() == sum(space(said, TOLD).counts.sum() for space in SPACES.values())
    assert len(combined(("terms", "pairs"))(document(""), ALONE)) == 0
