"""From the tree of a query to one of the index. Nothing that a person typed goes to tantivy's parser."""

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
# Words and stems alike: a page has either.
_VAGUE_FIELDS = {
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
# What a person calls the fields in which words are found.
TEXT_FIELD_GROUPS = {
    "title": frozenset({"title", "title_stems"}),
    "headings": frozenset({"headings", "heading_stems"}),
    "text": frozenset({"main", "rest", "stems"}),
    "anchors": frozenset({"anchor", "anchor_stems"}),
    "address": frozenset({"url"}),
}
KEYWORD_FIELDS = ("site", "topic", "language", "type")
_MANY = 2


class Stem(Struct, frozen=True):
    """A stem of a word of a query, its number, and how many pages have it, about.

    `terms` of the index stand for it: each with its field, and by what its score is to be multiplied. Without
    any, the word is sought as it is written.
    """

    word: str
    number: int
    pages: int
    terms: tuple[tuple[str, str, float], ...] = ()


class LanguageGroup(Struct, frozen=True):
    """Languages in which the words of a query have the same stems. A word without any says nothing there."""

    languages: tuple[str, ...]
    stems: Mapping[str, tuple[Stem, ...]]


class Filters(Struct, frozen=True):
    """What pages must be besides; of several values, one is enough. Moments are in seconds."""

    topics: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None


class QueryBuilder:
    """Makes queries for one index; `named` turns what a person calls a topic into its name in the index.

    With `only`, words are sought in these fields of the index alone. `spaced` puts blanks between signs that
    are words of their own, as was done to what is in the index.
    """

    def __init__(
        self,
        schema: tantivy.Schema,
        named: Callable[[str], str],
        spaced: Callable[[str], str] = str,
        only: frozenset[str] | None = None,
    ) -> None:
        self._schema = schema
        self._named = named
        self._spaced = spaced
        self._only = only
        self._analyser = word_analyser()

    def query(self, node: QueryNode, tongues: Sequence[LanguageGroup], filters: Filters) -> Query:
        """Raises `QueryError` where no word is left to look for."""
        found = [(one.languages, self._in_tongue(node, one)) for one in tongues]
        branches = [(names, query) for names, query in found if query is not None]
        if not branches:
            raise QueryError(f"'{format_query(node)[:100]}' has no letters or digits to look for.")
        if len(tongues) == 1:
            return self.filtered(branches[0][1], filters)
        spoken = [
            Query.boolean_query([(Occur.Must, query), (Occur.Must, self._one_of("language", names))])
            for names, query in branches
        ]
        return self.filtered(_any(spoken), filters)

    def like(self, stems: Sequence[tuple[Stem, float]], filters: Filters, but: int) -> Query:
        """Pages that have any of these stems in their texts, by their weights, one page left out."""
        parts = [Query.boost_query(self._stem(stem, "text"), weight) for stem, weight in stems]
        this = Query.term_query(self._schema, "page", but)
        found = Query.boolean_query([(Occur.Must, _any(parts)), (Occur.MustNot, this)])
        return self.filtered(found, filters)

    def among(self, query: Query, pages: Sequence[int]) -> Query:
        """The same, of some pages."""
        these = _any([Query.term_query(self._schema, "page", page) for page in pages])
        return Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(these, 0.0))])

    def filtered(self, query: Query, filters: Filters) -> Query:
        wanted = (
            ("topic", filters.topics),
            ("site", filters.sites),
            ("type", filters.types),
            ("language", filters.languages),
        )
        conditions = [self._one_of(field, values) for field, values in wanted if values]
        if filters.since is not None or filters.until is not None:
            conditions.append(self._between(filters.since, filters.until))
        if not conditions:
            return query
        return Query.boolean_query([(Occur.Must, query), *((Occur.Must, one) for one in conditions)])

    def everything(self, filters: Filters) -> Query:
        return self.filtered(Query.all_query(), filters)

    def words_of(self, text: str) -> list[str]:
        return self._analyser.analyze(self._spaced(text))

    # --- trees ---

    def _in_tongue(self, node: QueryNode, tongue: LanguageGroup) -> Query | None:
        """Words that say nothing in a language are passed over, unless there are no others."""
        return self._tree(node, tongue, loud=False) or self._tree(node, tongue, loud=True)

    def _tree(self, node: QueryNode, tongue: LanguageGroup, *, loud: bool) -> Query | None:
        match node:
            case QueryWord():
                return self._word(node, tongue, loud=loud)
            case Not(part):
                denied = self._tree(part, tongue, loud=loud)
                return None if denied is None else _all([], [denied])
            case AnyOf(parts):
                found = [self._tree(part, tongue, loud=loud) for part in parts]
                left = [query for query in found if query is not None]
                return _any(left) if left else None
            case AllOf(parts):
                return self._all_of(parts, tongue, loud=loud)

    def _all_of(self, parts: Sequence[QueryNode], tongue: LanguageGroup, *, loud: bool) -> Query | None:
        wanted: list[Query] = []
        denied: list[Query] = []
        for part in parts:
            inner = part.part if isinstance(part, Not) else part
            found = self._tree(inner, tongue, loud=loud)
            if found is not None:
                (denied if isinstance(part, Not) else wanted).append(found)
        return _all(wanted, denied) if wanted or denied else None

    # --- words ---

    def _word(self, word: QueryWord, tongue: LanguageGroup, *, loud: bool) -> Query | None:
        if word.field in KEYWORD_FIELDS:
            value = self._named(word.text) if word.field == "topic" else word.text.casefold()
            return self._one_of(word.field, (value,))
        if word.mode is MatchMode.VAGUE and word.field in _VAGUE_FIELDS and self._has_stems(word.text):
            stems = tongue.stems.get(word.text, ())
            if stems or not loud:
                return self._vague(word, stems) if stems else None
        return self._as_written(word)

    def _as_written(self, word: QueryWord) -> Query | None:
        tokens = self.words_of(word.text)
        if not tokens:
            return None
        return self._spread(_EXACT_FIELDS[word.field], lambda field: self._worded(word, field, tokens))

    def _has_stems(self, text: str) -> bool:
        """A word of letters has; a single sign that is a word of its own has not."""
        return is_alphabetic(text) and (len(text) > 1 or self._spaced(text) == text)

    def _vague(self, word: QueryWord, stems: Sequence[Stem]) -> Query:
        parts = [self._stem(stem, word.field) for stem in stems]
        found = parts[0] if len(parts) == 1 else _all(parts, [])
        tokens = self.words_of(word.text)
        if word.field or len(tokens) != 1 or not self._takes("url"):
            return found
        return _any([found, Query.boost_query(self._term("url", tokens[0]), 0.5)])

    def _stem(self, stem: Stem, place: str) -> Query:
        weights = _VAGUE_FIELDS[place]
        found = [
            Query.boost_query(self._term(field, term), weights[field] * factor)
            for field, term, factor in stem.terms
            if field in weights and self._takes(field)
        ]
        if found:
            return _any(found)
        exact = (
            None
            if stem.terms and self._only
            else self._as_written(QueryWord(stem.word, MatchMode.EXACT, place))
        )
        return Query.empty_query() if exact is None else exact

    def _worded(self, word: QueryWord, field: str, tokens: list[str]) -> Query:
        if len(tokens) >= _MANY:
            words: list[str | tuple[int, str]] = list(tokens)
            if word.mode is MatchMode.PREFIX:
                return Query.phrase_prefix_query(self._schema, field, words)
            return Query.phrase_query(self._schema, field, words)
        if (
            word.mode is MatchMode.PREFIX
        ):  # a token has nothing but letters and digits: no pattern can be hidden in it
            return Query.regex_query(self._schema, field, f"{tokens[0]}.*")
        if word.mode is MatchMode.FUZZY:
            return Query.fuzzy_term_query(self._schema, field, tokens[0], word.edits)
        return self._term(field, tokens[0])

    def _spread(self, fields: Sequence[tuple[str, float]], make: Callable[[str], Query]) -> Query:
        found = [
            Query.boost_query(make(field), boost) if boost != 1 else make(field)
            for field, boost in fields
            if self._takes(field)
        ]
        return _any(found) if found else Query.empty_query()

    def _takes(self, field: str) -> bool:
        return self._only is None or field in self._only

    def _term(self, field: str, value: str) -> Query:
        return Query.term_query(self._schema, field, value)

    def _one_of(self, field: str, values: Sequence[str]) -> Query:
        """A condition: it adds nothing to a score."""
        return Query.const_score_query(_any([self._term(field, value) for value in values]), 0.0)

    def _between(self, since: int | None, until: int | None) -> Query:
        kind = tantivy.FieldType.Integer
        last = None if until is None else until - 1
        found = Query.range_query(self._schema, "date", kind, since, last)
        return Query.const_score_query(found, 0.0)


def text_words_of(node: QueryNode) -> QueryNode | None:
    """Any of the words that are wanted in texts; None: there are none, only names such as those of sites."""
    words = tuple(word for word in positive_words(node) if word.field not in KEYWORD_FIELDS)
    return AnyOf(words) if words else None


def is_alphabetic(word: str) -> bool:
    """Whether a word is made of letters alone, so that it has a stem."""
    return all(category(one)[0] in "LM" for one in word)


def _any(queries: Sequence[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.boolean_query([(Occur.Should, one) for one in queries])


def _all(wanted: Sequence[Query], denied: Sequence[Query]) -> Query:
    if len(wanted) == 1 and not denied:
        return wanted[0]
    base = wanted or [Query.const_score_query(Query.all_query(), 0.0)]
    must = [(Occur.Must, one) for one in base]
    return Query.boolean_query([*must, *((Occur.MustNot, one) for one in denied)])
