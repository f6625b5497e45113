"""Concepts of WordNet, and how similar they are."""

from pathlib import Path

import msgspec
import pytest

from motherlode.lexicon import NoWordNetError, wordnet
from motherlode.lexicon.concepts import (
    RECIPE,
    ConceptGraph,
    Concepts,
    compile_concepts,
    concepts_are_here,
    noun_concepts,
    singulars,
)
from motherlode.lexicon.similarity import information_content, noun_similarity, similarity

# thing > (work > (book, paper)), (person > (writer > novelist)); book has two words, and an instance.
SMALL = """\
  1 This line is the licence's.
00000001 03 n 01 thing 0 002 ~ 00000002 n 0000 ~ 00000005 n 0000 | all there is
00000002 04 n 01 work 0 003 @ 00000001 n 0000 ~ 00000003 n 0000 ~ 00000004 n 0000 | a product
00000003 04 n 02 book 0 Big_Book 0 002 @ 00000002 n 0000 ~i 00000008 n 0000 | a bound work
00000004 04 n 01 paper 0 001 @ 00000002 n 0000 | a short work
00000005 18 n 01 person 0 002 @ 00000001 n 0000 ~ 00000006 n 0000 | a being
00000006 18 n 01 writer 0 002 @ 00000005 n 0000 ~ 00000007 n 0000 | who writes
00000007 18 n 02 novelist 0 paper 1 002 @ 00000006 n 0000 @ 00000002 n 0000 | who writes novels
00000008 10 n 01 Domesday_Book 0 001 @i 00000003 n 0000 | a survey of 1086
"""


@pytest.fixture
def small() -> Concepts:
    return Concepts(compile_concepts(SMALL))


def test_concepts_know_what_is_broader_and_how_much_is_narrower(small: Concepts) -> None:
    thing, work, book = (small.place_of(offset) for offset in (1, 2, 3))
    novelist = small.place_of(7)
    assert len(small) == 7, "a thing with a name of its own is no concept"
    assert small.ancestors(book) == {thing, work, book}
    assert small.narrower_count(thing) == 6
    assert small.narrower_count(work) == 2, (
        "book and paper: the pointer down to novelist is missing"
    )
    assert small.ancestors(novelist) == {thing, small.place_of(5), small.place_of(6), novelist}


def test_nouns_are_found_in_any_case_and_number(small: Concepts) -> None:
    assert small.meanings("Books") == (small.place_of(3),)
    assert small.meanings("big book") == (small.place_of(3),)
    assert small.meanings("paper") == (small.place_of(4), small.place_of(7))
    assert small.meanings("domesday book") == ()
    assert small.meanings("b" * 10_000) == ()


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("titles", "title"),
        ("libraries", "library"),
        ("boxes", "box"),
        ("branches", "branch"),
        ("men", "men"),
        ("women", "woman"),
    ],
)
def test_regular_plurals_are_detached(plural: str, singular: str) -> None:
    assert singular in [plural, *singulars(plural)]


def test_information_grows_from_the_broadest_concept_to_the_narrowest(small: Concepts) -> None:
    thing, work, book = (information_content(small, small.place_of(one)) for one in (1, 2, 3))
    assert thing == pytest.approx(0.0)
    assert book == 1.0
    assert thing < work < book


def test_similarity_is_that_of_lin(small: Concepts) -> None:
    thing, work, book, paper, writer = (small.place_of(one) for one in (1, 2, 3, 4, 6))
    assert similarity(small, book, book) == 1.0
    assert similarity(small, thing, book) == pytest.approx(0.0)
    content = information_content(small, work)
    assert similarity(small, book, paper) == pytest.approx(2 * content / 2)
    assert similarity(small, book, paper) == similarity(small, paper, book)
    assert similarity(small, book, writer) == pytest.approx(0.0)


def test_the_nearest_meaning_of_a_noun_counts(small: Concepts) -> None:
    writer = small.place_of(6)
    assert noun_similarity(small, [writer], "paper") == similarity(small, writer, small.place_of(7))
    assert noun_similarity(small, [writer], "no such noun") == 0.0
    assert noun_similarity(small, [], "paper") == 0.0


def test_what_is_compiled_is_the_graph_that_is_pinned(nouns: bytes) -> None:
    packed = RECIPE.made_of(nouns)
    assert packed is not None, "DIGEST in concepts.py is out of date"
    concepts = Concepts(msgspec.msgpack.decode(packed, type=ConceptGraph))
    author, title, year = (concepts.place_of(one) for one in (10794014, 6343520, 15203791))
    assert noun_similarity(concepts, [author], "novelists") > 0.7
    assert noun_similarity(concepts, [author], "month") < 0.3
    assert noun_similarity(concepts, [title], "author") < 0.3
    assert noun_similarity(concepts, [year], "decade") > 0.5


def test_without_wordnet_one_error_is_raised(cache: Path) -> None:
    noun_concepts.cache_clear()
    assert not concepts_are_here()
    with pytest.raises(NoWordNetError):
        noun_concepts()
    assert not list(cache.glob("*.msgpack"))


def test_it_is_read_out_of_the_cache(
    nouns: bytes, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noun_concepts.cache_clear()
    monkeypatch.setattr(wordnet, "download", lambda: nouns)
    first = noun_concepts()
    noun_concepts.cache_clear()
    monkeypatch.setattr(wordnet, "download", lambda: pytest.fail("it was fetched again"))
    assert noun_concepts().meanings("title") == first.meanings("title")
    noun_concepts.cache_clear()
    assert (cache / f"concepts-{RECIPE.digest}.msgpack").is_file()
