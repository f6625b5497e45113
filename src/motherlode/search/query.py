"""What a person asks, as a tree (SPEC B20).

    barn owls            both words, whatever their endings
    "barn owl"           exactly these words, side by side
    owl OR heron         either; AND, NOT, -word and parentheses as well
    title:owl            in one field
    ow* owk~ owk~2       words that begin so; words that differ in one letter, or in two

Operators are in capitals. `parse` and `written` are each other's reverse.
"""

import re
from enum import StrEnum

from msgspec import Struct

from motherlode.records import UsageError

QUERY_FIELDS = ("title", "headings", "text", "main", "anchor", "url", "site", "topic", "language", "type")
MAX_QUERY_CHARS = 4_000
MAX_QUERY_DEPTH = 40
MAX_QUERY_WORDS = 200
MAX_EDITS = 2

_TOKEN = re.compile(r'\s+|[()]|-(?=[\w"(])|(?P<field>[^\W\d_]+):(?=\S)|"|[^\s()"]+')
_FUZZY = re.compile(r"(.*[^~])~(\d*)")
_OPERATORS = ("AND", "OR", "NOT")


class MatchMode(StrEnum):
    """How near a word of a page must come to the word of the query."""

    VAGUE = "vague"  # the same stem
    EXACT = "exact"  # these words, in this order
    PREFIX = "prefix"
    FUZZY = "fuzzy"


class QueryWord(Struct, frozen=True, tag=True):
    """A word, or, where it is exact, one or more of them side by side; `edits` is for fuzzy ones."""

    text: str
    mode: MatchMode = MatchMode.VAGUE
    field: str = ""
    edits: int = 0


class AllOf(Struct, frozen=True, tag=True):
    parts: "tuple[QueryNode, ...]"


class AnyOf(Struct, frozen=True, tag=True):
    parts: "tuple[QueryNode, ...]"


class Not(Struct, frozen=True, tag=True):
    part: "QueryNode"


QueryNode = QueryWord | AllOf | AnyOf | Not


class QueryError(UsageError):
    """A query that cannot be understood; the message says where."""


class _Token(Struct, frozen=True):
    kind: str  # word, phrase, field, minus, (, ), or an operator
    text: str
    at: int


def parse_query(text: str, *, any_word: bool = False) -> QueryNode:
    """The tree of a query. Words side by side must all be there, or, on demand, any of them.

    Raises `QueryError`.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise QueryError(f"A query has at most {MAX_QUERY_CHARS:,} characters, this one has {len(text):,}.")
    tokens = _tokens(text.encode("utf-8", "replace").decode())
    if sum(token.kind in ("word", "phrase") for token in tokens) > MAX_QUERY_WORDS:
        raise QueryError(f"A query has at most {MAX_QUERY_WORDS} words.")
    reader = _Reader(tokens, any_word=any_word)
    found = reader.either(0)
    if reader.here is not None:
        raise QueryError(f"The parenthesis at {_at(reader.here)} was never opened.")
    return found


def format_query(node: QueryNode) -> str:
    """A query that means this tree; words in it must not be made of what has a meaning of its own."""
    match node:
        case QueryWord():
            return _word_written(node)
        case Not(part):
            return f"NOT {_inner(part)}"
        case AllOf(parts):
            return " AND ".join(map(_inner, parts))
        case AnyOf(parts):
            return " OR ".join(map(_inner, parts))


def _inner(node: QueryNode) -> str:
    return format_query(node) if isinstance(node, QueryWord) else f"({format_query(node)})"


def _word_written(word: QueryWord) -> str:
    field = f"{word.field}:" if word.field else ""
    ends = {MatchMode.VAGUE: "", MatchMode.PREFIX: "*", MatchMode.FUZZY: f"~{word.edits}"}
    body = f'"{word.text}"' if word.mode is MatchMode.EXACT else word.text + ends[word.mode]
    return field + body


def positive_words(node: QueryNode) -> list[QueryWord]:
    """The words that pages are to have, those after NOT left out, in the query's order."""
    match node:
        case QueryWord():
            return [node]
        case Not():
            return []
        case AllOf(parts) | AnyOf(parts):
            return [word for part in parts for word in positive_words(part)]


def all_words(node: QueryNode) -> list[QueryWord]:
    """All words of a query, in its order."""
    match node:
        case QueryWord():
            return [node]
        case Not(part):
            return all_words(part)
        case AllOf(parts) | AnyOf(parts):
            return [word for part in parts for word in all_words(part)]


# --- words ----------------------------------------------------------------------------------------------


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:  # cannot be: everything is a blank, a sign, or part of a word
            raise QueryError(f"The query cannot be read from character {at + 1:,} on.")
        end = found.end()
        if found[0] == '"':
            end = text.find('"', at + 1) + 1
            if not end:
                raise QueryError(f"The quotation mark at character {at + 1:,} is never closed.")
            tokens.append(_Token("phrase", text[at + 1 : end - 1], at))
        elif not found[0].isspace():
            tokens.append(_token(found, at))
        at = end
    return tokens


def _token(found: re.Match[str], at: int) -> _Token:
    text = found[0]
    field = found["field"]
    if field is not None:
        if field.lower() not in QUERY_FIELDS:
            known = ", ".join(QUERY_FIELDS)
            raise QueryError(
                f"There is no field '{field}' (character {at + 1:,}); there are {known}. "
                "In quotation marks, it is a word like others."
            )
        return _Token("field", field.lower(), at)
    if text in ("(", ")"):
        return _Token(text, text, at)
    if text == "-":
        return _Token("minus", text, at)
    return _Token(text if text in _OPERATORS else "word", text, at)


def _at(token: _Token) -> str:
    return f"character {token.at + 1:,}"


# --- the tree -------------------------------------------------------------------------------------------


class _Reader:
    """Reads tokens from left to right; a method for each level of the grammar."""

    def __init__(self, tokens: list[_Token], *, any_word: bool) -> None:
        self._tokens = tokens
        self._next = 0
        self._any_word = any_word

    @property
    def here(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def either(self, depth: int) -> QueryNode:
        """Parts with OR between them."""
        parts = [self._both(depth)]
        while self._takes("OR"):
            parts.append(self._both(depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _both(self, depth: int) -> QueryNode:
        """Parts with AND between them, or with nothing."""
        rows: list[list[QueryNode]] = [[self._single(depth)]]
        while self.here is not None and self.here.kind not in ("OR", ")"):
            if self._takes("AND") or not self._any_word:
                rows[-1].append(self._single(depth))
            else:
                rows.append([self._single(depth)])
        parts = [row[0] if len(row) == 1 else AllOf(tuple(row)) for row in rows]
        return parts[0] if len(parts) == 1 else _loosely(parts)

    def _single(self, depth: int) -> QueryNode:
        denied = False
        while self._takes("NOT") or self._takes("minus"):
            denied = not denied
        found = self._atom(depth)
        return Not(found) if denied else found

    def _atom(self, depth: int) -> QueryNode:
        token = self._taken()
        if token.kind == "(":
            return self._group(token, depth)
        if token.kind == "field":
            return _worded(self._worth(token), token.text)
        return _worded(token, "")

    def _group(self, opened: _Token, depth: int) -> QueryNode:
        if depth >= MAX_QUERY_DEPTH:
            raise QueryError(f"Parentheses nest at most {MAX_QUERY_DEPTH} deep ({_at(opened)}).")
        found = self.either(depth + 1)
        if not self._takes(")"):
            raise QueryError(f"The parenthesis at {_at(opened)} is never closed.")
        return found

    def _taken(self) -> _Token:
        """The next token, which must begin something."""
        token = self.here
        if token is None and not self._tokens:
            raise QueryError("The query is empty; say what to look for.")
        if token is None:
            last = self._tokens[-1]
            raise QueryError(f"Nothing comes after '{last.text}' at {_at(last)}.")
        if token.kind in ("AND", "OR", ")"):
            raise QueryError(f"'{token.text}' at {_at(token)} has nothing before it to join.")
        self._next += 1
        return token

    def _worth(self, field: _Token) -> _Token:
        token = self.here
        if token is None or token.kind not in ("word", "phrase", *_OPERATORS):
            raise QueryError(f"The field '{field.text}' at {_at(field)} wants a word or a phrase after it.")
        self._next += 1
        return token

    def _takes(self, kind: str) -> bool:
        if self.here is None or self.here.kind != kind:
            return False
        self._next += 1
        return True


def _loosely(parts: list[QueryNode]) -> QueryNode:
    """Any of these; but what must not be there must not be there."""
    denied = [part for part in parts if isinstance(part, Not)]
    wanted = [part for part in parts if not isinstance(part, Not)]
    if not denied or not wanted:
        return AllOf(tuple(denied)) if denied else AnyOf(tuple(wanted))
    return AllOf((wanted[0] if len(wanted) == 1 else AnyOf(tuple(wanted)), *denied))


def _worded(token: _Token, field: str) -> QueryWord:
    if token.kind == "phrase":
        words = " ".join(token.text.split())
        if not words:
            raise QueryError(f"There is nothing between the quotation marks at {_at(token)}.")
        return QueryWord(words, MatchMode.EXACT, field)
    if token.text.endswith("*"):
        stem = token.text.rstrip("*")
        if not stem:
            raise QueryError(f"The asterisk at {_at(token)} wants the beginning of a word before it.")
        return QueryWord(stem, MatchMode.PREFIX, field)
    fuzzy = _FUZZY.fullmatch(token.text)
    if fuzzy is not None:
        edits = int(fuzzy[2][:3] or 1)
        if not 1 <= edits <= MAX_EDITS:
            raise QueryError(f"'{token.text}' at {_at(token)}: a word may differ in 1 or 2 letters.")
        return QueryWord(fuzzy[1], MatchMode.FUZZY, field, edits)
    return QueryWord(token.text, MatchMode.VAGUE, field)
