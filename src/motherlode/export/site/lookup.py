"""The index of the search page: words with the pages that have them, in files that are loaded as
scripts.

A page opened from a file system may fetch nothing, but it may load scripts. So each part of the
index is a script that hands its data over. Words are sorted and divided into parts of about one
size; `about` says with which word each part begins, so that a search loads the few that it needs.
`assets/search.js` reads all this, and takes words apart as `words_of` does.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby, islice, pairwise
from typing import Any
from unicodedata import category, normalize

from msgspec import Struct

from motherlode.documents.text.terms import stopwords
from motherlode.export.site.rows import SiteRow
from motherlode.training.topic_profile import PageCard

PAGES = 50  # in a part
_PART = 60_000  # bytes of a part of the words; a word in many pages makes it longer
_LONG = 40  # characters of a word
# What a word counts by where it stands, and where the sum ends.
_TITLE, _PLACE, _HEADING, _SAID, _TEXT, _MOST = 6, 3, 2, 2, 1, 9
_FREQUENT = 40  # words of a text, the most frequent
_LOOKED_AT = 10_000  # characters of it

_ACCENTS = re.compile("[\u0300-\u036f]")
_MARKS = "".join(chr(code) for code in range(0x300, 0x10000) if category(chr(code))[0] == "M")
_WORD = re.compile(rf"[^\W_]+(?:[{re.escape(_MARKS)}]+[^\W_]*)*")
# Scripts that put no blanks between words: two characters are taken for one.
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_IS_DENSE = re.compile(f"[{_IDEOGRAPHS}]")
_RUN = re.compile(f"[{_IDEOGRAPHS}]+|[^{_IDEOGRAPHS}]+")


class Span(Struct, frozen=True):
    """A topic to search in: the pages from one number to another are on it or below."""

    path: str
    file: str
    first: int
    end: int


def words_of(text: str) -> list[str]:
    """The words of a text without case and accents, as they are looked up.

    >>> words_of("The Café, 2nd: 東京都")
    ['the', 'cafe', '2nd', '東京', '京都']
    """
    found = _WORD.findall(fold(text))
    if _IS_DENSE.search(text):
        found = [part for word in found for run in _RUN.findall(word) for part in _divided(run)]
    return [word[:_LONG] for word in found]


def _divided(run: str) -> Iterable[str]:
    """A word as it is, or its pairs of characters where words are not told apart by blanks."""
    return map("".join, pairwise(run)) if len(run) > 1 and _IS_DENSE.match(run) else (run,)


def fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    return normalize("NFKC", _ACCENTS.sub("", normalize("NFKD", text)).lower())


def postings(number: int, row: SiteRow, card: PageCard, places: Sequence[str]) -> Iterator[bytes]:
    """A line for each word of a page: the word, the page's number, and what it counts."""
    counted: Counter[str] = Counter()
    silent = _silent(row.language)
    labels = [step for step in row.host.split(".")[:-1] if step != "www"]
    where = " ".join([*places, *labels])
    for said, worth in (
        (row.title, _TITLE),
        (where, _PLACE),
        (card.headings, _HEADING),
        (row.excerpt, _SAID),
    ):
        counted.update(dict.fromkeys(words_of(said), worth))
    frequent = Counter(words_of(card.text[:_LOOKED_AT]))
    for word in silent & frequent.keys():
        del frequent[word]
    counted.update(dict.fromkeys((word for word, _ in frequent.most_common(_FREQUENT)), _TEXT))
    for word, worth in counted.items():
        if word not in silent:
            yield f"{word}\t{number:09}\t{min(worth, _MOST)}\n".encode("utf-8", "replace")


def word_parts(lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """The sorted lines as parts of the index, each with its first word."""
    part: list[tuple[str, str]] = []
    size = number = 0
    split = (line.rstrip(b"\n").split(b"\t") for line in lines)
    for word, found in groupby(split, key=lambda line: line[0]):
        pages = _packed((int(page), worth.decode()) for _, page, worth in found)
        part.append((word.decode(), pages))
        size += len(word) + len(pages)
        if size >= _PART:
            yield part[0][0], script("words", number, part)
            part, size, number = [], 0, number + 1
    if part:
        yield part[0][0], script("words", number, part)


def page_parts(rows: Iterator[SiteRow], files: dict[str, str]) -> Iterator[bytes]:
    """What is shown of pages, some in a part, in the order of their numbers."""
    number = 0
    while part := list(islice(rows, PAGES)):
        yield script("pages", number, [_shown(row, files) for row in part])
        number += 1


def about(
    pages: int, firsts: Sequence[str], topics: Sequence[Span], languages: Iterable[str]
) -> bytes:
    """What a search must know before it begins."""
    silent = sorted(set().union(*map(_silent, languages)))
    told = {
        "pages": pages,
        "part": PAGES,
        "firsts": firsts,
        "silent": silent,
        "topics": [[one.path, one.file, one.first, one.end] for one in topics],
    }
    return script("about", 0, told)


@cache
def _silent(language: str) -> frozenset[str]:
    """The words of a language that are not looked up, since nearly every page has them."""
    return frozenset(map(fold, stopwords(language)))


def script(kind: str, number: int, data: Any) -> bytes:
    """A part as a script. It is ASCII throughout: whatever words hold, they are data."""
    return f'lode.part("{kind}",{number},{json.dumps(data, separators=(",", ":"))});\n'.encode(
        "ascii"
    )


def _packed(found: Iterable[tuple[int, str]]) -> str:
    """Pages by their distance from the one before, in hexadecimal; the last digit is what the word
    counts.
    """
    before, parts = 0, []
    for page, worth in found:
        parts.append(f"{page - before:x}{worth}")
        before = page
    return " ".join(parts)


def _shown(row: SiteRow, files: dict[str, str]) -> list[object]:
    return [
        row.title,
        row.url,
        row.excerpt,
        row.host,
        files[row.host],
        row.language,
        round(row.fetched_at),
        None if row.margin is None else round(row.margin, 3),
        row.topic,
        row.probability,
        row.certainty,
    ]
