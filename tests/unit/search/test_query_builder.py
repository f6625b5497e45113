"""Queries on the index, compared with a check of every page."""

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
ENGLISH = [LanguageGroup(("en",), {})]


def _text(number: int) -> list[str]:
    random = Random(number)
    return [random.choice(VOCABULARY) for _ in range(1 + number % 7)]


PAGES = {number: _text(number) for number in range(1, 61)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> PageIndex:
    directory = tmp_path_factory.mktemp("index")
    pages = [IndexedPage(PageId(n), n, 0, main=" ".join(text)) for n, text in PAGES.items()]
    with open_writer(directory, create=True) as writer:
        writer.write(pages, [])
        writer.commit()
    index = PageIndex.open(directory)
    assert index is not None
    return index


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
        return any(token.startswith(word.text) for token in text)
    phrase = word.text.split()
    return any(text[at : at + len(phrase)] == phrase for at in range(len(text)))


phrases = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3).map(" ".join)
words = st.one_of(
    st.builds(QueryWord, phrases, st.just(MatchMode.EXACT), st.sampled_from(["", "text", "main"])),
    st.builds(QueryWord, st.sampled_from(["ow", "n", "night", "x"]), st.just(MatchMode.PREFIX)),
)


def _combine(inner: st.SearchStrategy[QueryNode]) -> st.SearchStrategy[QueryNode]:
    parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(parts.map(AllOf), parts.map(AnyOf), inner.map(Not))


@settings(max_examples=200, deadline=None)
@given(tree=st.recursive(words, _combine, max_leaves=8))
def test_a_query_finds_the_same_as_a_check_of_every_page(index: PageIndex, tree: QueryNode) -> None:
    query = QueryBuilder(index.schema, str).build(tree, ENGLISH, Filters())
    hits = index.search(query, 100)
    assert set(hits.pages.tolist()) == {n for n, text in PAGES.items() if _has(text, tree)}
    assert hits.total == len(hits.pages)


def _matching_pages(index: PageIndex, text: str) -> set[int]:
    query = QueryBuilder(index.schema, str).build(parse_query(text), ENGLISH, Filters())
    return set(index.search(query, 100).pages.tolist())


def test_misspelled_words_are_found(index: PageIndex) -> None:
    assert _matching_pages(index, "heorn~") == _matching_pages(index, '"heron"') != set()
    assert _matching_pages(index, "hon~") == set()
    assert (
        _matching_pages(index, "hern~1")
        == _matching_pages(index, "herronn~2")
        == _matching_pages(index, '"heron"')
    )


def test_patterns_in_a_query_are_plain_text(index: PageIndex) -> None:
    assert _matching_pages(index, "ow.*") == _matching_pages(index, "ow*") != set()
    for text in ("[a-z]*", "o|b*", "b.rn*", '"b.rn"', "b.rn"):
        assert _matching_pages(index, text) == set()
    with pytest.raises(QueryError, match="no letters or digits"):
        _matching_pages(index, ".*")


def test_only_words_of_letters_have_stems() -> None:
    assert is_alphabetic("owls")
    assert is_alphabetic("हिन्दी")
    assert not is_alphabetic("h2o")
    assert not is_alphabetic("state-of-the-art")
