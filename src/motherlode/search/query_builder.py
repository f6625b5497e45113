"""Turn the tree of a query into a tantivy query.

User input never reaches tantivy's own query parser.
"""

from collections.abc import Callable, Mapping, Sequence
from unicodedata import category

import tantivy
from msgspec import Struct
from tantivy import Occur, Query

from motherlode.search.index import word_analyser
from motherlode.search.query import (
    AllOf,
    AnyOf,
    MatchMode,
    Not,
    QueryError,
    QueryNode,
    QueryWord,
    format_query,
    positive_words,
)

# For each field of the query language, the fields of the index and their boosts.
_EXACT_FIELDS = {
    "": (
        ("title", 2.0),
        ("headings", 1.5),
        ("main", 1.0),
        ("rest", 0.5),
        ("anchor", 1.0),
        ("url", 0.5),
    ),
    "title": (("title", 1.0),),
    "headings": (("headings", 1.0),),
    "text": (("main", 1.0), ("rest", 0.5)),
    "main": (("main", 1.0),),
    "anchor": (("anchor", 1.0),),
    "url": (("url", 1.0),),
}
# Fields and boosts in stem mode. Words and stems weigh alike: a page has one or the other.
_STEM_FIELDS = {
    "": {
        "main": 1.0,
        "rest": 0.5,
        "title": 1.0,
        "headings": 0.5,
        "anchor": 0.5,
        "stems": 1.0,
        "title_stems": 1.0,
        "heading_stems": 0.5,
        "anchor_stems": 0.5,
    },
    "title": {"title": 1.0, "title_stems": 1.0},
    "headings": {"headings": 1.0, "heading_stems": 1.0},
    "text": {"main": 1.0, "rest": 0.5, "stems": 1.0},
    "main": {"main": 1.0},
    "anchor": {"anchor": 1.0, "anchor_stems": 1.0},
}
_URL_BOOST = 0.5  # of a word in stem mode that is part of the URL
# Fields of the index by the name that users see.
TEXT_FIELD_GROUPS = {
    "title": frozenset({"title", "title_stems"}),
    "headings": frozenset({"headings", "heading_stems"}),
    "text": frozenset({"main", "rest", "stems"}),
    "anchors": frozenset({"anchor", "anchor_stems"}),
    "address": frozenset({"url"}),
}
KEYWORD_FIELDS = ("site", "topic", "language", "type")


class Stem(Struct, frozen=True):
    """A stem of a query word: its number, and about how many pages have it.

    `terms` are the index terms that stand for it: field, term, and score factor. Without any, the
    word is searched as written.
    """

    word: str
    number: int
    pages: int
    terms: tuple[tuple[str, str, float], ...] = ()


class LanguageGroup(Struct, frozen=True):
    """Languages in which the words of a query have the same stems; stopwords have none."""

    languages: tuple[str, ...]
    stems: Mapping[str, tuple[Stem, ...]]


class Filters(Struct, frozen=True):
    """Conditions on pages; one of several values is enough. Times are in seconds since 1970."""

    topics: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None


class QueryBuilder:
    """Builds queries for one index.

    `topic_term_of` turns a topic path into its term in the index. `normalise` treats words like
    indexed text, for example puts blanks between ideographs. With `only_fields`, words are searched
    in these fields of the index alone.
    """

    def __init__(
        self,
        schema: tantivy.Schema,
        topic_term_of: Callable[[str], str],
        normalise: Callable[[str], str] = str,
        only_fields: frozenset[str] | None = None,
    ) -> None:
        self._schema = schema
        self._topic_term_of = topic_term_of
        self._normalise = normalise
        self._only_fields = only_fields
        self._analyser = word_analyser()

    def build(self, node: QueryNode, groups: Sequence[LanguageGroup], filters: Filters) -> Query:
        """Return the query for a tree; raises `QueryError` if no word is left to search for."""
        translated = [(group.languages, self._in_group(node, group)) for group in groups]
        branches = [(languages, query) for languages, query in translated if query is not None]
        if not branches:
            text = format_query(node)[:100]
            raise QueryError(f"'{text}' has no letters or digits to look for.")
        if len(groups) == 1:
            return self._apply_filters(branches[0][1], filters)
        conditions = [self._condition("language", languages) for languages, _ in branches]
        queries = [query for _, query in branches]
        by_language = [_all(pair) for pair in zip(queries, conditions, strict=True)]
        return self._apply_filters(_any(by_language), filters)

    def build_like(
        self,
        stems: Sequence[tuple[Stem, float]],
        filters: Filters,
        excluded_page: int,
    ) -> Query:
        """Return a query for pages with any of these stems in their text, by the stems' weights."""
        parts = [Query.boost_query(self._stem(stem, "text"), weight) for stem, weight in stems]
        excluded = Query.term_query(self._schema, "page", excluded_page)
        similar = Query.boolean_query([(Occur.Must, _any(parts)), (Occur.MustNot, excluded)])
        return self._apply_filters(similar, filters)

    def build_all(self, filters: Filters) -> Query:
        """Return a query for all pages that pass the filters."""
        return self._apply_filters(Query.all_query(), filters)

    def restrict(self, query: Query, pages: Sequence[int]) -> Query:
        """Return a query that finds only these pages, with unchanged scores."""
        included = _any([Query.term_query(self._schema, "page", page) for page in pages])
        return _all([query, Query.const_score_query(included, 0.0)])

    def _apply_filters(self, query: Query, filters: Filters) -> Query:
        values_by_field = (
            ("topic", filters.topics),
            ("site", filters.sites),
            ("type", filters.types),
            ("language", filters.languages),
        )
        conditions = [self._condition(field, values) for field, values in values_by_field if values]
        if filters.since is not None or filters.until is not None:
            conditions.append(self._between(filters.since, filters.until))
        return _all([query, *conditions])

    # --- trees ---

    def _in_group(self, node: QueryNode, group: LanguageGroup) -> Query | None:
        """Ignore stopwords of the languages, unless the query has no other words."""
        query = self._translate(node, group, stopwords=False)
        return self._translate(node, group, stopwords=True) if query is None else query

    def _translate(self, node: QueryNode, group: LanguageGroup, *, stopwords: bool) -> Query | None:
        match node:
            case QueryWord():
                return self._word(node, group, stopwords=stopwords)
            case Not():
                return self._all_of([node], group, stopwords=stopwords)
            case AnyOf(parts):
                queries = [self._translate(part, group, stopwords=stopwords) for part in parts]
                remaining = [query for query in queries if query is not None]
                return _any(remaining) if remaining else None
            case AllOf(parts):
                return self._all_of(parts, group, stopwords=stopwords)

    def _all_of(
        self,
        parts: Sequence[QueryNode],
        group: LanguageGroup,
        *,
        stopwords: bool,
    ) -> Query | None:
        included: list[Query] = []
        excluded: list[Query] = []
        for part in parts:
            inner = part.part if isinstance(part, Not) else part
            query = self._translate(inner, group, stopwords=stopwords)
            if query is not None:
                (excluded if isinstance(part, Not) else included).append(query)
        return _all(included, excluded) if included or excluded else None

    # --- words ---

    def _word(self, word: QueryWord, group: LanguageGroup, *, stopwords: bool) -> Query | None:
        if word.field in KEYWORD_FIELDS:
            is_topic = word.field == "topic"
            value = self._topic_term_of(word.text) if is_topic else word.text.casefold()
            return self._condition(word.field, (value,))
        if self._has_stems(word):
            stems = group.stems.get(word.text, ())
            if stems:
                return self._stems(word, stems)
            if not stopwords:
                return None
        return self._as_written(word)

    def _as_written(self, word: QueryWord) -> Query | None:
        tokens = self._tokens(word.text)
        if not tokens:
            return None
        queries = [
            _boost(self._field_query(word, field, tokens), boost)
            for field, boost in _EXACT_FIELDS[word.field]
            if self._is_searched(field)
        ]
        return _any(queries) if queries else Query.empty_query()

    def _tokens(self, text: str) -> list[str]:
        return self._analyser.analyze(self._normalise(text))

    def _has_stems(self, word: QueryWord) -> bool:
        """Whether a word in stem mode has letters only, and is not a single ideograph."""
        text = word.text
        if word.mode is not MatchMode.STEM or word.field not in _STEM_FIELDS:
            return False
        return is_alphabetic(text) and (len(text) > 1 or self._normalise(text) == text)

    def _stems(self, word: QueryWord, stems: Sequence[Stem]) -> Query:
        query = _all([self._stem(stem, word.field) for stem in stems])
        tokens = self._tokens(word.text)
        if word.field or len(tokens) != 1 or not self._is_searched("url"):
            return query
        return _any([query, Query.boost_query(self._term("url", tokens[0]), _URL_BOOST)])

    def _stem(self, stem: Stem, query_field: str) -> Query:
        boosts = _STEM_FIELDS[query_field]
        queries = [
            Query.boost_query(self._term(field, term), boosts[field] * factor)
            for field, term, factor in stem.terms
            if field in boosts and self._is_searched(field)
        ]
        if queries:
            return _any(queries)
        if stem.terms and self._only_fields:
            return Query.empty_query()
        query = self._as_written(QueryWord(stem.word, MatchMode.EXACT, query_field))
        return Query.empty_query() if query is None else query

    def _field_query(self, word: QueryWord, field: str, tokens: list[str]) -> Query:
        if len(tokens) > 1:
            words: list[str | tuple[int, str]] = list(tokens)
            if word.mode is MatchMode.PREFIX:
                return Query.phrase_prefix_query(self._schema, field, words)
            return Query.phrase_query(self._schema, field, words)
        if word.mode is MatchMode.PREFIX:
            # A token has only letters and digits, so it cannot contain a pattern.
            return Query.regex_query(self._schema, field, f"{tokens[0]}.*")
        if word.mode is MatchMode.FUZZY:
            return Query.fuzzy_term_query(self._schema, field, tokens[0], word.edits)
        return self._term(field, tokens[0])

    def _is_searched(self, field: str) -> bool:
        return self._only_fields is None or field in self._only_fields

    def _term(self, field: str, value: str) -> Query:
        return Query.term_query(self._schema, field, value)

    def _condition(self, field: str, values: Sequence[str]) -> Query:
        """Return a condition on a keyword field, which adds nothing to scores."""
        return Query.const_score_query(_any([self._term(field, value) for value in values]), 0.0)

    def _between(self, since: int | None, until: int | None) -> Query:
        last = None if until is None else until - 1
        integer = tantivy.FieldType.Integer
        interval = Query.range_query(self._schema, "date", integer, since, last)
        return Query.const_score_query(interval, 0.0)


def text_words_of(node: QueryNode) -> QueryNode | None:
    """Return a query for any of the words searched in text, or None if there are only keywords."""
    words = tuple(word for word in positive_words(node) if word.field not in KEYWORD_FIELDS)
    return AnyOf(words) if words else None


def is_alphabetic(word: str) -> bool:
    """Whether a word has only letters and combining marks, so that it can have a stem."""
    return all(category(character)[0] in "LM" for character in word)


def _boost(query: Query, boost: float) -> Query:
    return query if boost == 1 else Query.boost_query(query, boost)


def _any(queries: Sequence[Query]) -> Query:
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _all(included: Sequence[Query], excluded: Sequence[Query] = ()) -> Query:
    if len(included) == 1 and not excluded:
        return included[0]
    required = included or [Query.const_score_query(Query.all_query(), 0.0)]
    must = [(Occur.Must, query) for query in required]
    return Query.boolean_query([*must, *((Occur.MustNot, query) for query in excluded)])
