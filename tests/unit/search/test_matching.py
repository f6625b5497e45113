"""What the index finds, against looking at every page."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motherlode.records import PageId
from motherlode.search.index import Indexed, PageIndex, shelf_in
from motherlode.search.matching import Filters, Matcher, Tongue, is_plain
from motherlode.search.query import All, Any, Form, Node, Not, QueryError, Word, parse

VOCABULARY = ("owl", "owls", "barn", "night", "nights", "heron")
TONGUE = [Tongue(("en",), {})]


def _text(number: int) -> list[str]:
    dice = Random(number)
    return [dice.choice(VOCABULARY) for _ in range(1 + number % 7)]


PAGES = {number: _text(number) for number in range(1, 61)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> PageIndex:
    place = tmp_path_factory.mktemp("index")
    with shelf_in(place, anew=True) as shelf:
        shelf.put([Indexed(PageId(n), n, 0, main=" ".join(text)) for n, text in PAGES.items()], [])
        shelf.commit()
    opened = PageIndex.open(place)
    assert opened is not None
    return opened


def _has(text: list[str], node: Node) -> bool:
    match node:
        case Word():
            return _has_word(text, node)
        case Not(part):
            return not _has(text, part)
        case All(parts):
            return all(_has(text, part) for part in parts)
        case Any(parts):
            return any(_has(text, part) for part in parts)


def _has_word(text: list[str], word: Word) -> bool:
    if word.form is Form.PREFIX:
        return any(one.startswith(word.text) for one in text)
    sought = word.text.split()
    return any(text[at : at + len(sought)] == sought for at in range(len(text)))


phrases = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3).map(" ".join)
words = st.one_of(
    st.builds(Word, phrases, st.just(Form.EXACT), st.sampled_from(["", "text", "main"])),
    st.builds(Word, st.sampled_from(["ow", "n", "night", "x"]), st.just(Form.PREFIX)),
)


def _joined(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(several.map(All), several.map(Any), inner.map(Not))


@settings(max_examples=200, deadline=None)
@given(tree=st.recursive(words, _joined, max_leaves=8))
def test_what_is_found_is_what_looking_at_every_page_finds(index: PageIndex, tree: Node) -> None:
    query = Matcher(index.schema, str).query(tree, TONGUE, Filters())
    found = index.search(query, 100)
    assert set(found.pages.tolist()) == {number for number, text in PAGES.items() if _has(text, tree)}
    assert found.total == len(found.pages)


def _found(index: PageIndex, text: str) -> set[int]:
    query = Matcher(index.schema, str).query(parse(text), TONGUE, Filters())
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
    assert is_plain("owls")
    assert is_plain("हिन्दी")
    assert not is_plain("h2o")
    assert not is_plain("state-of-the-art")
