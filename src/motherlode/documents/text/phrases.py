"""Phrases: words that stand together, as a page writes them, and compared by their stems.

A phrase neither begins nor ends with a function word ("birds of prey", not "of prey"), and has no
words of citations or menus. Identifiers are no words.
"""

import re
from collections.abc import Container, Iterator
from functools import lru_cache

from msgspec import Struct

from motherlode.documents.text.ideographs import has_ideographs, parted
from motherlode.documents.text.phrase_words import (
    articles,
    never_at_ends,
    never_in_phrases,
    nothing_alone,
)
from motherlode.documents.text.terms import SIGNS, stem_of, stopwords

MAX_WORDS = 5
_PART_NAMED = 0.5
_THING_NAMED = 0.25
_MAX_WORD_CHARS = 30
_MAX_NAME_CHARS = 300  # of a title, heading or anchor
_MAX_DIGITS = 2  # in a word: ggplot2, not s00265
_MIN_LETTERS = 3  # of a word alone, unless it is an acronym
_LETTER = rf"(?:[^\W\d_]|[{SIGNS}])"
_WORD = re.compile(rf"{_LETTER}(?:{_LETTER}|\d|['\u2019](?={_LETTER})|-(?=\w))*")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_ROMAN_NUMERAL = re.compile(r"x{0,3}(?:ix|iv|v?i{0,3})")
_IDENTIFIER_STARTS = ("_", "@", "\\", "$", "#")
_IDENTIFIER_ENDS = ("_", "@", "(")  # a call of a function has no blank before its arguments
_OPENING = " \"'(\u201c\u2018"
_BLANKS = (" ", "\N{NO-BREAK SPACE}")
_MAX_GAP_CHARS = 6  # between two sentences
_SENTENCE_ENDS = ".!?:;"
_COUNTED = re.compile(r"\b[^\W\d_]+\.?\s#?\d+\b")  # Week 6, Version 12, Fig. 3
_SEGMENTS = re.compile(r"\s[-\u2013\u2014]+\s|[|·•»«:/]")


class Token(Struct, frozen=True, gc=False):
    """A word of a run. `begins`: it is the first of a sentence, so its capital says nothing."""

    text: str
    stem: str
    is_function_word: bool
    ends_nothing: bool  # a function word, or an adverb: no phrase begins or ends with it
    names_alone: bool  # without another word beside it
    begins: bool


class Phrase(Struct, frozen=True, gc=False):
    """A phrase as it stands in a text; equal `key`s are the same phrase in another form.

    `is_free`: it neither begins a sentence nor ends a longer phrase, so its capitals are its own.
    """

    key: str
    text: str
    is_free: bool


class Name(Struct, frozen=True, gc=False):
    """A phrase of a title, heading or anchor; `weight` is 1 if that has no other words."""

    text: str
    weight: float


TokenRun = list[Token]


def runs_of(line: str, language: str = "en") -> Iterator[TokenRun]:
    """Yield the words of a line that stand together: without punctuation or identifiers between."""
    line = line.replace(" & ", " and ")
    run: TokenRun = []
    end = -1
    for match in _WORD.finditer(line):
        start = match.start()
        if run and line[end:start] not in _BLANKS:
            yield run
            run = []
        end = match.end()
        if _is_word(line, start, end):
            begins = not run and _begins_sentence(line, start)
            run += _tokens(match[0], language, begins=begins)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _begins_sentence(line: str, start: int) -> bool:
    before = line[max(0, start - _MAX_GAP_CHARS) : start].rstrip(_OPENING)
    return not before or before[-1] in _SENTENCE_ENDS


def segments_of(title: str) -> list[str]:
    """Return the parts of a title between its separators, such as "Barn owl" and "Birds of Kent".

    >>> segments_of("Barn owl | Birds of Kent - Home")
    ['Barn owl', 'Birds of Kent', 'Home']
    """
    segments = (segment.strip() for segment in _SEGMENTS.split(title[:_MAX_NAME_CHARS]))
    return [segment for segment in segments if segment]


def names_in(text: str, language: str = "en") -> dict[str, Name]:
    """Return what a title, heading or anchor names, by the keys of the phrases.

    It names itself, without function words at its ends. It half names the parts between its
    function words, and what these end with: in "Diet of the African barn owl" these are "diet",
    "African barn owl", "barn owl" and "owl".
    """
    names: dict[str, Name] = {}
    for segment in segments_of(_COUNTED.sub("|", text[:_MAX_NAME_CHARS])):
        for run in runs_of(segment, language):
            parts = [part for chunk in _chunks(run) for part in _name_parts(chunk)]
            for span, weight in ((_trimmed(run), 1.0), *((part, _PART_NAMED) for part in parts)):
                if 0 < len(span) <= MAX_WORDS and _is_phrase(span):
                    names.setdefault(_key(span), Name(_text(span), weight))
    return names


def things_in(line: str, language: str = "en") -> dict[str, Name]:
    """Return what a sentence has after articles, by the keys of the phrases.

    In "Borage is an annual herb" these are "annual herb" and "herb".
    """
    names: dict[str, Name] = {}
    for run in runs_of(line, language):
        for article, chunk in _chunks_behind(run):
            if article in articles():
                for span in _name_parts(chunk):
                    if len(span) <= MAX_WORDS and _is_phrase(span):
                        names.setdefault(_key(span), Name(_text(span), _THING_NAMED))
    return names


def _name_parts(chunk: TokenRun) -> list[TokenRun]:
    """Return what a part of a name ends with, or all pairs of signs where words are not parted."""
    if any(has_ideographs(token.text) for token in chunk):
        return [[token] for token in chunk]
    chunk = _trimmed(chunk)
    return [chunk[first:] for first in range(len(chunk))]


def known_phrases(run: TokenRun, known: Container[str]) -> Iterator[Phrase]:
    """Yield the longest known phrases of a run, and the known phrases that these end with.

    "War" is no phrase of "World War II" if that is known, but "owl" is one of "barn owl".
    """
    start = 0
    while start < len(run):
        end = _longest(run, start, known)
        for first in range(start, end):
            span = run[first:end]
            if _is_phrase(span) and _key(span) in known:
                is_free = first == start and not span[0].begins
                yield Phrase(_key(span), _text(span), is_free)
        start = max(end, start + 1)


def _longest(run: TokenRun, start: int, known: Container[str]) -> int:
    for end in range(min(start + MAX_WORDS, len(run)), start, -1):
        if _key(run[start:end]) in known and _is_phrase(run[start:end]):
            return end
    return start


def _is_phrase(span: TokenRun) -> bool:
    """Return whether words name something together."""
    if span[0].ends_nothing or span[-1].ends_nothing or len(span[0].text) == 1:
        return False
    if len(span) == 1:
        return span[0].names_alone
    if any(has_ideographs(token.text) for token in span):
        return False  # nobody says where a word ends
    return any(token.names_alone for token in span)


def _is_word(line: str, start: int, end: int) -> bool:
    """Return whether the characters at a place are a word, and not a part of an identifier."""
    if end - start > _MAX_WORD_CHARS:
        return False
    text = line[start:end]
    before, after = line[start - 1 : start], line[end : end + 1]
    if before in _IDENTIFIER_STARTS or after in _IDENTIFIER_ENDS:
        return False
    is_dotted = after == "." and line[end + 1 : end + 2].isalnum()
    is_after_dot = before == "." and start > 1 and line[start - 2].isalnum()
    digits = sum(character.isdigit() for character in text)
    is_identifier = is_dotted or is_after_dot or before.isdigit() or digits > _MAX_DIGITS
    is_excluded = _POSSESSIVE.sub("", text).casefold() in never_in_phrases()
    return not is_identifier and not is_excluded


def _tokens(text: str, language: str, *, begins: bool) -> TokenRun:
    """Return the word, or its parts where nobody writes blanks between words."""
    if not has_ideographs(text):
        return [_token(text, language, begins)]
    return [_token(text[start:end], language, begins) for start, end in parted(text)]


@lru_cache(maxsize=100_000)
def _token(text: str, language: str, begins: bool) -> Token:  # noqa: FBT001 - cached by all three
    bare = _POSSESSIVE.sub("", text)
    folded = bare.casefold()
    function_words = stopwords(language) | stopwords("en")
    is_function_word = folded in function_words or (len(bare) == 1 and not bare.isupper())
    return Token(
        text=text,
        stem=stem_of(bare, language) or folded,
        is_function_word=is_function_word,
        ends_nothing=is_function_word or folded in never_at_ends(),
        names_alone=_names_alone(bare, folded),
        begins=begins,
    )


def _names_alone(text: str, folded: str) -> bool:
    """Return whether a word says enough: not too short unless an acronym, and no numeral."""
    is_long = len(folded) >= _MIN_LETTERS or text.isupper() or has_ideographs(text)
    is_numeral = _ROMAN_NUMERAL.fullmatch(folded) is not None
    return is_long and not is_numeral and folded not in nothing_alone()


def _chunks(run: TokenRun) -> Iterator[TokenRun]:
    """Yield the parts of a run between function words."""
    return (chunk for _, chunk in _chunks_behind(run))


def _chunks_behind(run: TokenRun) -> Iterator[tuple[str, TokenRun]]:
    """Yield the parts of a run between function words, each with the function word before it."""
    before, chunk = "", list[Token]()
    for token in run:
        if not token.is_function_word:
            chunk.append(token)
            continue
        if chunk:
            yield before, chunk
        before, chunk = token.text.casefold(), []
    if chunk:
        yield before, chunk


def _trimmed(run: TokenRun) -> TokenRun:
    """Return the run without function words and adverbs at its ends."""
    named = [place for place, token in enumerate(run) if not token.ends_nothing]
    return run[named[0] : named[-1] + 1] if named else []


def _key(span: TokenRun) -> str:
    return " ".join(token.stem for token in span)


def _text(span: TokenRun) -> str:
    return _POSSESSIVE.sub("", " ".join(token.text for token in span))
