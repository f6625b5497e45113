"""The query language, and its parser (SPEC B20).

    barn owls            both words, with any endings
    "barn owl"           exactly these words, next to each other
    owl OR heron         either; also AND, NOT, -word and parentheses
    title:owl            in one field
    ow* owk~ owk~2       words with a prefix; words that differ by one letter, or by two

Operators are in capitals. `parse_query` turns a query into a tree, and `format_query` a tree into a
query.
"""

import re
from enum import StrEnum

from msgspec import Struct

from motherlode.records import UsageError

QUERY_FIELDS = (
    "title",
    "headings",
    "text",
    "main",
    "anchor",
    "url",
    "site",
    "topic",
    "language",
    "type",
)
MAX_QUERY_CHARS = 4_000
MAX_QUERY_DEPTH = 40  # nested parentheses
MAX_QUERY_WORDS = 200
MAX_EDITS = 2  # letters in which a fuzzy word may differ

_TOKEN = re.compile(r'\s+|[()]|-(?=[\w"(])|(?P<field>[^\W\d_]+):(?=\S)|"|[^\s()"]+')
_FUZZY = re.compile(r"(.*[^~])~(\d*)")
_OPERATORS = ("AND", "OR", "NOT")


class MatchMode(StrEnum):
    """How closely a word of a page must match the word of the query."""

    STEM = "stem"  # the same stem
    EXACT = "exact"  # these words, in this order
    PREFIX = "prefix"
    FUZZY = "fuzzy"


class QueryWord(Struct, frozen=True):
    """A word of a query, or a phrase if it is exact; `edits` applies to fuzzy words."""

    text: str
    mode: MatchMode = MatchMode.STEM
    field: str = ""
    edits: int = 0


class AllOf(Struct, frozen=True):
    parts: "tuple[QueryNode, ...]"


class AnyOf(Struct, frozen=True):
    parts: "tuple[QueryNode, ...]"


class Not(Struct, frozen=True):
    part: "QueryNode"


QueryNode = QueryWord | AllOf | AnyOf | Not


class QueryError(UsageError):
    """A query that cannot be parsed; the message says at which character."""


class _Token(Struct, frozen=True):
    kind: str  # word, phrase, field, minus, (, ), or an operator
    text: str
    at: int


def parse_query(text: str, *, any_word: bool = False) -> QueryNode:
    """Return the tree of a query; raises `QueryError`.

    Adjacent words must all match, or with `any_word` at least one of them.
    """
    if len(text) > MAX_QUERY_CHARS:
        limit = f"at most {MAX_QUERY_CHARS:,} characters"
        raise QueryError(f"A query has {limit}, this one has {len(text):,}.")
    tokens = _tokens(text.encode("utf-8", "replace").decode())
    if sum(token.kind in ("word", "phrase") for token in tokens) > MAX_QUERY_WORDS:
        raise QueryError(f"A query has at most {MAX_QUERY_WORDS} words.")
    parser = _QueryParser(tokens, any_word=any_word)
    tree = parser.parse_or(0)
    if parser.current is not None:
        raise QueryError(f"The parenthesis at {_position(parser.current)} was never opened.")
    return tree


def format_query(node: QueryNode) -> str:
    """Return a query text with this tree, provided that no word in it looks like an operator."""
    match node:
        case QueryWord():
            return _format_word(node)
        case Not(part):
            return f"NOT {_format_part(part)}"
        case AllOf(parts):
            return " AND ".join(map(_format_part, parts))
        case AnyOf(parts):
            return " OR ".join(map(_format_part, parts))


def _format_part(node: QueryNode) -> str:
    return format_query(node) if isinstance(node, QueryWord) else f"({format_query(node)})"


def _format_word(word: QueryWord) -> str:
    field = f"{word.field}:" if word.field else ""
    if word.mode is MatchMode.EXACT:
        return f'{field}"{word.text}"'
    suffixes = {MatchMode.STEM: "", MatchMode.PREFIX: "*", MatchMode.FUZZY: f"~{word.edits}"}
    return f"{field}{word.text}{suffixes[word.mode]}"


def positive_words(node: QueryNode) -> list[QueryWord]:
    """Return the words of a query in order, without words below a NOT."""
    match node:
        case QueryWord():
            return [node]
        case Not():
            return []
        case AllOf(parts) | AnyOf(parts):
            return [word for part in parts for word in positive_words(part)]


def all_words(node: QueryNode) -> list[QueryWord]:
    """Return all words of a query in order."""
    match node:
        case QueryWord():
            return [node]
        case Not(part):
            return all_words(part)
        case AllOf(parts) | AnyOf(parts):
            return [word for part in parts for word in all_words(part)]


# --- tokens ---------------------------------------------------------------------------------------


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:  # cannot happen: the pattern matches any blank, sign and word
            raise QueryError(f"The query cannot be read from character {at + 1:,} on.")
        end = match.end()
        if match[0] == '"':
            end = text.find('"', at + 1) + 1
            if not end:
                raise QueryError(f"The quotation mark at character {at + 1:,} is never closed.")
            tokens.append(_Token("phrase", text[at + 1 : end - 1], at))
        elif not match[0].isspace():
            tokens.append(_token(match, at))
        at = end
    return tokens


def _token(match: re.Match[str], at: int) -> _Token:
    text = match[0]
    field = match["field"]
    if field is not None:
        return _field_token(field, at)
    if text in ("(", ")"):
        return _Token(text, text, at)
    if text == "-":
        return _Token("minus", text, at)
    return _Token(text if text in _OPERATORS else "word", text, at)


def _field_token(field: str, at: int) -> _Token:
    if field.lower() not in QUERY_FIELDS:
        raise QueryError(
            f"There is no field '{field}' (character {at + 1:,}); "
            f"the fields are {', '.join(QUERY_FIELDS)}. "
            "To search for it as a word, put it in quotation marks."
        )
    return _Token("field", field.lower(), at)


def _position(token: _Token) -> str:
    return f"character {token.at + 1:,}"


# --- the tree -------------------------------------------------------------------------------------


class _QueryParser:
    """A recursive-descent parser with a method for each level of the grammar."""

    def __init__(self, tokens: list[_Token], *, any_word: bool) -> None:
        self._tokens = tokens
        self._next = 0
        self._any_word = any_word

    @property
    def current(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def parse_or(self, depth: int) -> QueryNode:
        """Parse parts with OR between them."""
        parts = [self._parse_and(depth)]
        while self._accept("OR"):
            parts.append(self._parse_and(depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _parse_and(self, depth: int) -> QueryNode:
        """Parse parts with AND or nothing between them."""
        rows: list[list[QueryNode]] = [[self._parse_not(depth)]]
        while self.current is not None and self.current.kind not in ("OR", ")"):
            if self._accept("AND") or not self._any_word:
                rows[-1].append(self._parse_not(depth))
            else:
                rows.append([self._parse_not(depth)])
        parts = [row[0] if len(row) == 1 else AllOf(tuple(row)) for row in rows]
        return parts[0] if len(parts) == 1 else _any_but_excluded(parts)

    def _parse_not(self, depth: int) -> QueryNode:
        is_negated = False
        while self._accept("NOT") or self._accept("minus"):
            is_negated = not is_negated
        atom = self._parse_atom(depth)
        return Not(atom) if is_negated else atom

    def _parse_atom(self, depth: int) -> QueryNode:
        token = self._take_operand()
        if token.kind == "(":
            return self._parse_group(token, depth)
        if token.kind == "field":
            return _query_word(self._take_field_value(token), token.text)
        return _query_word(token, "")

    def _parse_group(self, opening: _Token, depth: int) -> QueryNode:
        if depth >= MAX_QUERY_DEPTH:
            limit = f"at most {MAX_QUERY_DEPTH} deep"
            raise QueryError(f"Parentheses nest {limit} ({_position(opening)}).")
        group = self.parse_or(depth + 1)
        if not self._accept(")"):
            raise QueryError(f"The parenthesis at {_position(opening)} is never closed.")
        return group

    def _take_operand(self) -> _Token:
        """Consume the next token, which must begin an operand."""
        token = self.current
        if token is None and not self._tokens:
            raise QueryError("The query is empty; type what to look for.")
        if token is None:
            last = self._tokens[-1]
            raise QueryError(f"Nothing comes after '{last.text}' at {_position(last)}.")
        if token.kind in ("AND", "OR", ")"):
            raise QueryError(f"'{token.text}' at {_position(token)} has nothing before it to join.")
        self._next += 1
        return token

    def _take_field_value(self, field: _Token) -> _Token:
        token = self.current
        if token is None or token.kind not in ("word", "phrase", *_OPERATORS):
            raise QueryError(
                f"The field '{field.text}' at {_position(field)} needs a word or a phrase after it."
            )
        self._next += 1
        return token

    def _accept(self, kind: str) -> bool:
        """Consume the next token if it is of this kind."""
        if self.current is None or self.current.kind != kind:
            return False
        self._next += 1
        return True


def _any_but_excluded(parts: list[QueryNode]) -> QueryNode:
    """Return a tree that matches any of the parts; negated parts must not match in any case."""
    excluded = [part for part in parts if isinstance(part, Not)]
    included = [part for part in parts if not isinstance(part, Not)]
    if not excluded or not included:
        return AllOf(tuple(excluded)) if excluded else AnyOf(tuple(included))
    return AllOf((included[0] if len(included) == 1 else AnyOf(tuple(included)), *excluded))


def _query_word(token: _Token, field: str) -> QueryWord:
    if token.kind == "phrase":
        return _phrase(token, field)
    if token.text.endswith("*"):
        prefix = token.text.rstrip("*")
        if not prefix:
            raise QueryError(f"The asterisk at {_position(token)} needs letters before it.")
        return QueryWord(prefix, MatchMode.PREFIX, field)
    fuzzy = _FUZZY.fullmatch(token.text)
    if fuzzy is not None:
        edits = int(fuzzy[2][:3] or 1)
        if not 1 <= edits <= MAX_EDITS:
            where = f"'{token.text}' at {_position(token)}"
            raise QueryError(f"{where}: a word may differ in 1 or 2 letters.")
        return QueryWord(fuzzy[1], MatchMode.FUZZY, field, edits)
    return QueryWord(token.text, MatchMode.STEM, field)


def _phrase(token: _Token, field: str) -> QueryWord:
    words = " ".join(token.text.split())
    if not words:
        raise QueryError(f"There is nothing between the quotation marks at {_position(token)}.")
    return QueryWord(words, MatchMode.EXACT, field)
