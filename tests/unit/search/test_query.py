"""Parsing queries, and writing them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.search.query import (
    MAX_QUERY_CHARS,
    MAX_QUERY_DEPTH,
    MAX_QUERY_WORDS,
    AllOf,
    AnyOf,
    MatchMode,
    Not,
    QueryError,
    QueryNode,
    QueryWord,
    all_words,
    format_query,
    parse_query,
    positive_words,
)

A, B, C = QueryWord("a"), QueryWord("b"), QueryWord("c")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("a b c", AllOf((A, B, C))),
        ("a AND b", AllOf((A, B))),
        ("a OR b c", AnyOf((A, AllOf((B, C))))),
        ("(a OR b) c", AllOf((AnyOf((A, B)), C))),
        ("a -b", AllOf((A, Not(B)))),
        ("a NOT (b c)", AllOf((A, Not(AllOf((B, C)))))),
        ("NOT NOT a", A),
        ("a or b", AllOf((A, QueryWord("or"), B))),
        ("well-known", QueryWord("well-known")),
        ('"barn  owl"', QueryWord("barn owl", MatchMode.EXACT)),
        ('title:"barn owl"', QueryWord("barn owl", MatchMode.EXACT, "title")),
        ("Title:owl*", QueryWord("owl", MatchMode.PREFIX, "title")),
        (
            "owk~ owk~2",
            AllOf(
                (
                    QueryWord("owk", MatchMode.FUZZY, edits=1),
                    QueryWord("owk", MatchMode.FUZZY, edits=2),
                )
            ),
        ),
        ("topic:science/physics", QueryWord("science/physics", MatchMode.STEM, "topic")),
        ("12:30", QueryWord("12:30")),
        ("title:AND", QueryWord("AND", MatchMode.STEM, "title")),
        ('-"a b"', Not(QueryWord("a b", MatchMode.EXACT))),
    ],
)
def test_a_query_is_parsed_into_a_tree(text: str, tree: QueryNode) -> None:
    assert parse_query(text) == tree


def test_with_any_word_one_word_is_enough_but_excluded_words_stay_excluded() -> None:
    assert parse_query("a b AND c", any_word=True) == AnyOf((A, AllOf((B, C))))
    assert parse_query("a b -c", any_word=True) == AllOf((AnyOf((A, B)), Not(C)))
    assert parse_query("a -c", any_word=True) == AllOf((A, Not(C)))


@pytest.mark.parametrize(
    ("text", "message"),
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
        ("title:(a b)", "The field 'title' at character 1 needs a word"),
        ("a *", "The asterisk at character 3"),
        ("owl~3", "'owl~3' at character 1: a word may differ in 1 or 2 letters"),
        ("owl~99999999999999999999", "a word may differ in 1 or 2"),
        ("a" * (MAX_QUERY_CHARS + 1), "at most 4,000 characters"),
        ("a " * (MAX_QUERY_WORDS + 1), "at most 200 words"),
        ("(" * (MAX_QUERY_DEPTH + 2) + "a", "nest at most 40 deep (character 41)"),
    ],
)
def test_a_wrong_query_is_refused_with_its_position(text: str, message: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(text)
    assert message in str(caught.value)
    assert caught.value.exit_code == 2


def test_positive_words_are_not_below_a_not() -> None:
    tree = parse_query("a (b OR c) NOT (d OR e)")
    assert positive_words(tree) == [A, B, C]
    assert all_words(tree) == [A, B, C, QueryWord("d"), QueryWord("e")]


letters = st.text("abcdefghé", min_size=1, max_size=5)
fields = st.sampled_from(["", "title", "text", "url"])
modes = st.sampled_from([MatchMode.STEM, MatchMode.PREFIX, MatchMode.EXACT])
words = st.one_of(
    st.builds(QueryWord, letters, modes, fields),
    st.builds(QueryWord, letters, st.just(MatchMode.FUZZY), fields, st.integers(1, 2)),
)


def _combine(inner: st.SearchStrategy[QueryNode]) -> st.SearchStrategy[QueryNode]:
    parts = st.lists(inner, min_size=2, max_size=4).map(tuple)
    negated = inner.filter(lambda node: not isinstance(node, Not)).map(Not)
    return st.one_of(parts.map(AllOf), parts.map(AnyOf), negated)


@given(st.recursive(words, _combine, max_leaves=12))
def test_a_formatted_tree_parses_to_the_same_tree(tree: QueryNode) -> None:
    assert parse_query(format_query(tree)) == tree


any_text = st.one_of(st.text(max_size=60), st.text('ab "()-~*: ANDORNOTtitle', max_size=40))


@given(any_text, st.booleans())
def test_any_text_is_parsed_or_refused(text: str, any_word: bool) -> None:  # noqa: FBT001
    try:
        tree = parse_query(text, any_word=any_word)
    except QueryError:
        return
    assert all_words(tree)
