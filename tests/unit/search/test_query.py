"""What people type, as trees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.search.query import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_WORDS,
    All,
    Any,
    Form,
    Node,
    Not,
    QueryError,
    Word,
    parse,
    wanted_words,
    words_in,
    written,
)

A, B, C = Word("a"), Word("b"), Word("c")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("a b c", All((A, B, C))),
        ("a AND b", All((A, B))),
        ("a OR b c", Any((A, All((B, C))))),
        ("(a OR b) c", All((Any((A, B)), C))),
        ("a -b", All((A, Not(B)))),
        ("a NOT (b c)", All((A, Not(All((B, C)))))),
        ("NOT NOT a", A),
        ("a or b", All((A, Word("or"), B))),
        ("well-known", Word("well-known")),
        ('"barn  owl"', Word("barn owl", Form.EXACT)),
        ('title:"barn owl"', Word("barn owl", Form.EXACT, "title")),
        ("Title:owl*", Word("owl", Form.PREFIX, "title")),
        ("owk~ owk~2", All((Word("owk", Form.FUZZY, "", 1), Word("owk", Form.FUZZY, "", 2)))),
        ("topic:science/physics", Word("science/physics", Form.VAGUE, "topic")),
        ("12:30", Word("12:30")),
        ("title:AND", Word("AND", Form.VAGUE, "title")),
        ('-"a b"', Not(Word("a b", Form.EXACT))),
    ],
)
def test_a_query_is_a_tree(text: str, tree: Node) -> None:
    assert parse(text) == tree


def test_any_word_will_do_on_demand_but_not_one_that_is_denied() -> None:
    assert parse("a b AND c", any_word=True) == Any((A, All((B, C))))
    assert parse("a b -c", any_word=True) == All((Any((A, B)), Not(C)))
    assert parse("a -c", any_word=True) == All((A, Not(C)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The query is empty"),
        ('owls "barn', "The quotation mark at character 6 is never closed"),
        ('owls ""', "nothing between the quotation marks at character 6"),
        ("a (b OR c", "The parenthesis at character 3 is never closed"),
        ("a b) c", "The parenthesis at character 4 was never opened"),
        ("()", "')' at character 2 has nothing before it"),
        ("a AND", "Nothing comes after 'AND' at character 3"),
        ("OR a", "'OR' at character 1 has nothing before it"),
        ("a OR AND b", "'AND' at character 6 has nothing before it"),
        ("a NOT", "Nothing comes after 'NOT' at character 3"),
        ("owl colour:red", "no field 'colour' (character 5)"),
        ("title:(a b)", "The field 'title' at character 1 wants a word"),
        ("a *", "The asterisk at character 3"),
        ("owl~3", "'owl~3' at character 1: a word may differ in 1 or 2 letters"),
        ("owl~99999999999999999999", "a word may differ in 1 or 2"),
        ("a" * (MAX_LENGTH + 1), "at most 4,000 characters"),
        ("a " * (MAX_WORDS + 1), "at most 200 words"),
        ("(" * (MAX_DEPTH + 2) + "a", "nest at most 40 deep (character 41)"),
    ],
)
def test_what_cannot_be_understood_says_where(text: str, said: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


def test_words_that_are_wanted_are_those_that_are_not_denied() -> None:
    tree = parse("a (b OR c) NOT (d OR e)")
    assert wanted_words(tree) == [A, B, C]
    assert words_in(tree) == [A, B, C, Word("d"), Word("e")]


letters = st.text("abcdefghé", min_size=1, max_size=5)
fields = st.sampled_from(["", "title", "text", "url"])
words = st.one_of(
    st.builds(Word, letters, st.sampled_from([Form.VAGUE, Form.PREFIX, Form.EXACT]), fields),
    st.builds(Word, letters, st.just(Form.FUZZY), fields, st.integers(1, 2)),
)


def _joined(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    denied = inner.filter(lambda node: not isinstance(node, Not)).map(Not)
    return st.one_of(several.map(All), several.map(Any), denied)


@given(st.recursive(words, _joined, max_leaves=12))
def test_a_tree_survives_being_written(tree: Node) -> None:
    assert parse(written(tree)) == tree


@given(st.one_of(st.text(max_size=60), st.text('ab "()-~*: ANDORNOTtitle', max_size=40)), st.booleans())
def test_whatever_is_typed_is_understood_or_refused(text: str, any_word: bool) -> None:  # noqa: FBT001
    try:
        tree = parse(text, any_word=any_word)
    except QueryError:
        return
    assert words_in(tree)
