"""Which objects are the same work: by identifier, else by title and year.

A journal's ISSN names many works, so it counts for nothing here.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from motherlode.records.library import LibraryObject

MIN_TITLE_LETTERS = 8  # shorter titles, such as "Preface", are those of many works
_WORK_SCHEMES = frozenset({"doi", "arxiv", "pmid", "pmcid"})
_BOOK_KINDS = frozenset({"book", "periodical"})
_NO_LETTER = re.compile(r"[\W_]+")


def work_keys(entry: LibraryObject) -> Iterator[str]:
    """Yield what names the work of an object; two objects with the same key are one work.

    An ISBN names a book, but not each of its chapters.
    """
    for identifier in entry.identifiers:
        is_book = identifier.scheme == "isbn" and entry.kind in _BOOK_KINDS
        if identifier.scheme in _WORK_SCHEMES or is_book:
            yield f"{identifier.scheme}:{identifier.value}"
    title = title_letters(entry.title)
    if len(title) >= MIN_TITLE_LETTERS:
        yield f"title:{title}:{entry.date[:4]}"


def title_letters(title: str) -> str:
    """Return the letters and digits of a title, without accents and case.

    >>> title_letters("Émile: or, On Education")
    'emileoroneducation'
    """
    plain = unicodedata.normalize("NFKD", title)
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return _NO_LETTER.sub("", letters).casefold()


def same_identifiers(first: LibraryObject, second: LibraryObject) -> bool:
    """Return whether no identifier of a work contradicts that two objects are the same."""
    return all(
        not theirs or not ours or theirs == ours
        for scheme in ("doi", "arxiv", "pmid")
        for ours, theirs in [(first.identifier(scheme), second.identifier(scheme))]
    )


def merged(kept: LibraryObject, other: LibraryObject) -> LibraryObject:
    """Return an object with what another record of the same work adds: fields, links, keywords."""
    values: dict[str, Any] = {}
    for name in LibraryObject.__struct_fields__:
        ours, theirs = getattr(kept, name), getattr(other, name)
        if isinstance(ours, tuple) and name not in _PEOPLE:
            values[name] = tuple(dict.fromkeys((*ours, *theirs)))
        else:
            values[name] = ours or theirs
    if kept.kind == LibraryObject().kind:
        values["kind"] = other.kind
    if len(other.date) > len(kept.date) and other.date.startswith(kept.date):
        values["date"] = other.date
    return LibraryObject(**values)


_PEOPLE = frozenset({"authors", "editors"})
