"""Which objects are the same work: by identifier, else by title with year or authors.

A journal's ISSN names many works, so it counts for nothing here. In doubt, two objects stay two: a
duplicate is seen and removed, and what a wrong merger has mixed is not.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from motherlode.records.library import LibraryObject, Person

MIN_TITLE_LETTERS = 8  # shorter titles, such as "Preface", are those of many works
MIN_WORD_LETTERS = 4
_WORK_SCHEMES = frozenset({"doi", "arxiv", "pmid", "pmcid"})
_BOOK_KINDS = frozenset({"book", "periodical"})
_PAGE_KINDS = frozenset({"webpage", "post", "post-weblog"})
_RECORD = ("kind", "title", "authors", "editors", "date", "venue", "volume", "issue", "pages")
_ARXIV_DOI = "10.48550/arxiv."
_NO_LETTER = re.compile(r"[\W_]+")
_FIRST_PAGE = re.compile(r"\w+")
_SCHEME = re.compile(r"https?://(?:www\.)?", re.IGNORECASE)


def work_keys(entry: LibraryObject) -> Iterator[str]:
    """Yield what may name the work of an object; `same_work` decides about two with one key.

    An ISBN names a book, but not each of its chapters; an address names a page.
    """
    yield from _identifier_keys(entry)
    if entry.kind in _PAGE_KINDS:
        yield from (f"link:{_SCHEME.sub('', link).rstrip('/')}" for link in entry.links)
    if title := title_letters(entry.title):
        yield f"title:{title}"
    else:
        yield f"untitled:{','.join(sorted(_families(entry)))}:{entry.date}"


def _identifier_keys(entry: LibraryObject) -> Iterator[str]:
    for identifier in entry.identifiers:
        is_book = identifier.scheme == "isbn" and entry.kind in _BOOK_KINDS
        if identifier.scheme in _WORK_SCHEMES or is_book:
            yield f"{identifier.scheme}:{identifier.value}"
        if identifier.scheme == "doi" and identifier.value.startswith(_ARXIV_DOI):
            yield f"arxiv:{identifier.value.removeprefix(_ARXIV_DOI)}"


def same_work(first: LibraryObject, second: LibraryObject) -> bool:
    """Return whether two objects that share a key are records of one work."""
    if not same_identifiers(first, second):
        return False
    if not set(_identifier_keys(first)).isdisjoint(_identifier_keys(second)):
        return not _are_parts(first, second)
    if {first.kind, second.kind} & _PAGE_KINDS and _share_key(first, second, "link:"):
        return True
    same_title = _share_key(first, second, "title:") and _same_edition(first, second)
    return same_title or _same_record(first, second)


def _share_key(first: LibraryObject, second: LibraryObject, prefix: str) -> bool:
    keys = {key for key in work_keys(first) if key.startswith(prefix)}
    return not keys.isdisjoint(work_keys(second))


def _are_parts(first: LibraryObject, second: LibraryObject) -> bool:
    """Return whether objects with one identifier are a book and its chapter, or share nothing."""
    ours, theirs = title_letters(first.title), title_letters(second.title)
    if not ours or not theirs or ours == theirs:
        return False
    kinds = {first.kind, second.kind}
    if "chapter" in kinds and kinds & _BOOK_KINDS:
        return True
    people = _families(first), _families(second)
    return all(people) and people[0].isdisjoint(people[1]) and not _share_word(first, second)


def _same_record(first: LibraryObject, second: LibraryObject) -> bool:
    """Return whether two objects say the same, as those of a file that is imported again."""
    elsewhere = first.links and second.links and set(first.links).isdisjoint(second.links)
    if elsewhere or _differ(first.key, second.key):
        return False
    return all(getattr(first, name) == getattr(second, name) for name in _RECORD)


def _share_word(first: LibraryObject, second: LibraryObject) -> bool:
    words = [
        {word for word in map(title_letters, entry.title.split()) if len(word) >= MIN_WORD_LETTERS}
        for entry in (first, second)
    ]
    return not words[0].isdisjoint(words[1])


def _same_edition(first: LibraryObject, second: LibraryObject) -> bool:
    """Return whether year, authors and pages allow two objects of one title to be one work.

    A year or an author in common is needed; of web pages, which often have the title of their
    site, an author; and under a short title both.
    """
    ours, theirs = _families(first), _families(second)
    share_author = not ours.isdisjoint(theirs)
    if (ours and theirs and not share_author) or _differ(first.date[:4], second.date[:4]):
        return False
    pages = (
        match[0] if (match := _FIRST_PAGE.search(entry.pages)) else "" for entry in (first, second)
    )
    if _differ(*pages) or _differ(first.volume, second.volume):
        return False
    share_year = bool(first.date and second.date)
    if len(title_letters(first.title)) < MIN_TITLE_LETTERS:
        return share_author and share_year
    return share_author or (share_year and not {first.kind, second.kind} & _PAGE_KINDS)


def _differ(ours: str, theirs: str) -> bool:
    return bool(ours and theirs) and ours != theirs


def _families(entry: LibraryObject) -> set[str]:
    """Return the last words of the family names: particles are written in many ways."""
    people: tuple[Person, ...] = entry.authors or entry.editors
    return {title_letters(person.family.split()[-1]) for person in people if person.family.split()}


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
    return not any(
        _differ(first.identifier(scheme), second.identifier(scheme))
        for scheme in ("doi", "arxiv", "pmid")
        if not (scheme == "doi" and _has_arxiv_doi(first, second))
    )


def _has_arxiv_doi(*entries: LibraryObject) -> bool:
    """Return whether an object has the DOI of a preprint, beside which a journal gives its own."""
    return any(entry.identifier("doi").startswith(_ARXIV_DOI) for entry in entries)


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
