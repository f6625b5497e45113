"""What the index finds, against looking at every page."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motherlode.records import PageId
from motherlode.search.index import IndexedPage, PageIndex, open_writer
from motherlode.search.query import (
    AllOf,
    AnyOf,
    MatchMode,
    Not,
    QueryError,
    QueryNode,
    QueryWord,
    parse_query,
)
from motherlode.search.query_builder import Filters, LanguageGroup, QueryBuilder, is_alphabetic

VOCABULARY = ("owl", "owls", "barn", "night", "nights", "heron")
TONGUE = [LanguageGroup(("en",), {})]


def _text(number: int) -> list[str]:
    dice = Random(number)
    return [dice.choice(VOCABULARY) for _ in range(1 + number % 7)]


PAGES = {number: _text(number) for number in range(1, 61)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> PageIndex:
    place = tmp_path_factory.mktemp("index")
    with open_writer(place, create=True) as shelf:
        shelf.write([IndexedPage(PageId(n), n, 0, main=" ".join(text)) for n, text in PAGES.items()], [])
        shelf.commit()
    opened = PageIndex.open(place)
    assert opened is not None
    return opened


def _has(text: list[str], node: QueryNode) -> bool:
    match node:
        case QueryWord():
            return _has_word(text, node)
        case Not(part):
            return not _has(text, part)
        case AllOf(parts):
            return all(_has(text, part) for part in parts)
        case AnyOf(parts):
            return any(_has(text, part) for part in parts)


def _has_word(text: list[str], word: QueryWord) -> bool:
    if word.mode is MatchMode.PREFIX:
        return any(one.startswith(word.text) for one in text)
    sought = word.text.split()
    return any(text[at : at + len(sought)] == sought for at in range(len(text)))


phrases = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3).map(" ".join)
words = st.one_of(
    st.builds(QueryWord, phrases, st.just(MatchMode.EXACT), st.sampled_from(["", "text", "main"])),
    st.builds(QueryWord, st.sampled_from(["ow", "n", "night", "x"]), st.just(MatchMode.PREFIX)),
)


def _joined(inner: st.SearchStrategy[QueryNode]) -> st.SearchStrategy[QueryNode]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(several.map(AllOf), several.map(AnyOf), inner.map(Not))


@settings(max_examples=200, deadline=None)
@given(tree=st.recursive(words, _joined, max_leaves=8))
def test_what_is_found_is_what_looking_at_every_page_finds(index: PageIndex, tree: QueryNode) -> None:
    query = QueryBuilder(index.schema, str).build(tree, TONGUE, Filters())
    found = index.search(query, 100)
    assert set(found.pages.tolist()) == {number for number, text in PAGES.items() if _has(text, tree)}
    assert found.total == len(found.pages)


def _found(index: PageIndex, text: str) -> set[int]:
    query = QueryBuilder(index.schema, str).build(parse_query(text), TONGUE, Filters())
    return set(index.search(query, 100).pages.tolist())


def test_misspelled_words_are_found(index: PageIndex) -> None:
    assert _found(index, "heorn~") == _found(index, '"heron"') != set()
    assert _found(index, "hon~") == set()
    assert _found(index, "hern~1") == _found(index, "herronn~2") == _found(index, '"heron"')


def test_patterns_in_a_query_are_no_patterns(index: PageIndex) -> None:
    assert _found(index, "ow.*") == _found(index, "ow*") != set()
    for text in ("[a-z]*", "o|b*", "b.rn*", '"b.rn"', "b.rn"):
        assert _found(index, text) == set()
    with pytest.raises(QueryError, match="no letters or digits"):
        _found(index, ".*")


def test_only_words_of_letters_have_stems() -> None:
    assert is_alphabetic("owls")
    assert is_alphabetic("हिन्दी")
    assert not is_alphabetic("h2o")
    assert not is_alphabetic("state-of-the-art")
