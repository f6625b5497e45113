"""The prose of a page: its sentences, without citations, tables and menus."""

import re
from collections.abc import Collection, Iterator

from motherlode.documents.text.ideographs import has_ideographs
from motherlode.documents.text.phrase_words import reference_headings
from motherlode.documents.text.terms import stopwords

_MIN_SIGNS = 2
_MAX_CHARS_PER_SIGN = 120  # prose has fewer signs for its length
_SIGN = re.compile(
    r"""\bet\ al\b
    | \b(?:pp?|vol|no|eds?|ed)\.\s?\d*
    | \b(?:isbn|issn|doi|pmid|pmc|oclc|arxiv|bibcode)\b
    | \b(?:retrieved|accessed|archived\ from)\b
    | \(\d{4}[a-z]?\)
    | \b(?:19|20)\d\d[a-z]?[.;:]
    | \b\d+\s?\(\d+\)\s?[:,]
    | [:,]\s?\d+\s?[\u2013-]\s?\d+
    | (?-i:\b[A-Z]\w+,?\s(?:[A-Z]\.\s?)+)   # Jarvis, E. D.
    | (?-i:\b[A-Z]\w+\s[A-Z]{1,3}(?=[,;.]))  # Jarvis ED,
    | https?://
    | ^\s*(?:\^|↑|\[\d+\])
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MIN_PROSE_CHARS = 80  # of a line that does not end like a sentence
_SENTENCE_ENDS = (".", "!", "?", "\u3002")
_MIN_FUNCTION_SHARE = 0.15  # of the words in a sentence; a table has hardly any
_CHARS_LOOKED_AT = 400
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"[^\W\d_]+(?:[ '\u2019-][^\W\d_]+)*")


def is_citation(line: str) -> bool:
    """Return whether a line is an entry of a list of references, or several of them.

    >>> is_citation("Jarvis, E. D. et al. (2014). Whole genomes. Science 346: 1320-31.")
    True
    >>> is_citation("The hearing of owls was studied by Payne (1971), who kept barn owls.")
    False
    """
    signs = len(_SIGN.findall(line))
    return signs >= _MIN_SIGNS and signs * _MAX_CHARS_PER_SIGN >= len(line)


def prose_of(text: str, headings: Collection[str], language: str = "en") -> list[str]:
    """Return the lines of a text that are sentences of its own.

    Left out are citations, sections of references and links, cells of tables and entries of menus.
    A text without sentences is a list: then all lines but references are returned.
    """
    lines = list(_own_lines(text, headings))
    return [line for line in lines if is_prose(line, language)] or lines


def _own_lines(text: str, headings: Collection[str]) -> Iterator[str]:
    is_reference_section = False
    for line in text.split("\n"):
        if line in headings:
            is_reference_section = is_reference_heading(line)
        elif line and not is_reference_section and not is_citation(line):
            yield line


def is_prose(line: str, language: str = "en") -> bool:
    """Return whether a line consists of sentences, judged by its end and its function words.

    >>> is_prose("Owls are birds of prey."), is_prose("Kingdom: Animalia Phylum: Chordata")
    (True, False)
    """
    if len(line) < _MIN_PROSE_CHARS and not line.rstrip().endswith(_SENTENCE_ENDS):
        return False
    function_words = stopwords(language)
    words = _WORD.findall(line[:_CHARS_LOOKED_AT].casefold())
    if not function_words or has_ideographs(line):
        return True
    return sum(word in function_words for word in words) >= _MIN_FUNCTION_SHARE * len(words)


def is_reference_heading(heading: str) -> bool:
    """Return whether a heading stands above references or links, such as "3. See also [edit]".

    >>> is_reference_heading("3. See also [edit]"), is_reference_heading("References in art")
    (True, False)
    """
    words = _LETTERS.search(heading)
    return words is not None and words[0].casefold() in reference_headings()
