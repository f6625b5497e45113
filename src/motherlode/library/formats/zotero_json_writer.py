"""An object as an item of Zotero's API, with only the fields that its type has.

Types and fields: https://api.zotero.org/schema. What a type has no field for goes into `extra`,
one line each, from where Zotero and `read_zotero_json` take it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from motherlode.library.formats.zotero_json import KINDS
from motherlode.records.library import LibraryObject, Person

_TYPES = {kind: name for name, kind in KINDS.items()}
# The fields of each type, beside those that all types have: Zotero's name by ours.
_COMMON = {"volume": "volume", "issue": "issue", "pages": "pages"}
_FIELDS: Mapping[str, Mapping[str, str]] = {
    "journalArticle": _COMMON | {"venue": "publicationTitle", "doi": "DOI", "issn": "ISSN"},
    "magazineArticle": _COMMON | {"venue": "publicationTitle", "issn": "ISSN"},
    "newspaperArticle": {
        "venue": "publicationTitle",
        "place": "place",
        "pages": "pages",
        "issn": "ISSN",
    },
    "book": {
        "venue": "series",
        "publisher": "publisher",
        "place": "place",
        "volume": "volume",
        "isbn": "ISBN",
    },
    "bookSection": {
        "venue": "bookTitle",
        "publisher": "publisher",
        "place": "place",
        "volume": "volume",
        "pages": "pages",
        "isbn": "ISBN",
    },
    "conferencePaper": {
        "venue": "proceedingsTitle",
        "publisher": "publisher",
        "place": "place",
        "volume": "volume",
        "pages": "pages",
        "doi": "DOI",
        "isbn": "ISBN",
    },
    "thesis": {"publisher": "university", "place": "place"},
    "report": {
        "publisher": "institution",
        "place": "place",
        "issue": "reportNumber",
        "pages": "pages",
    },
    "preprint": {"venue": "repository", "doi": "DOI"},
    "webpage": {"venue": "websiteTitle"},
    "blogPost": {"venue": "blogTitle"},
    "manuscript": {"place": "place"},
    "document": {"publisher": "publisher"},
}
_WITH_EDITORS = frozenset(
    {"journalArticle", "book", "bookSection", "conferencePaper", "preprint", "document"}
)
_EXTRA = {
    "doi": "DOI",
    "isbn": "ISBN",
    "issn": "ISSN",
    "arxiv": "arXiv",
    "pmid": "PMID",
    "pmcid": "PMCID",
}


def zotero_item(entry: LibraryObject) -> dict[str, Any]:
    """Return an object as an item of the API, without its collections."""
    name = _TYPES.get(entry.kind, "document")
    name = name if name in _FIELDS else "document"
    fields = _FIELDS[name]
    item: dict[str, Any] = {
        "itemType": name,
        "title": entry.title,
        "creators": list(_creators(entry, with_editors=name in _WITH_EDITORS)),
        "abstractNote": entry.abstract,
        "date": entry.date,
        "language": entry.language,
        "url": next(iter(entry.links), ""),
        "tags": [{"tag": word} for word in entry.keywords],
        "extra": "\n".join(_extra(entry, fields)),
    }
    return item | {theirs: _value(entry, ours) for ours, theirs in fields.items()}


def _value(entry: LibraryObject, name: str) -> str:
    return entry.identifier(name) if name in _EXTRA else str(getattr(entry, name))


def _extra(entry: LibraryObject, fields: Mapping[str, str]) -> Iterator[str]:
    for scheme, label in _EXTRA.items():
        if scheme not in fields and (value := entry.identifier(scheme)):
            yield f"{label}: {value}"
    for name in ("venue", "publisher", "place", "volume", "issue", "pages"):
        if name not in fields and (value := str(getattr(entry, name))):
            yield f"{name.title()}: {value}"
    if entry.note:
        yield entry.note


def _creators(entry: LibraryObject, *, with_editors: bool) -> Iterator[dict[str, str]]:
    for person in entry.authors:
        yield _creator(person, "author")
    for person in entry.editors if with_editors else ():
        yield _creator(person, "editor")


def _creator(person: Person, role: str) -> dict[str, str]:
    if not person.given:
        return {"creatorType": role, "name": person.family}
    given = f"{person.given}, {person.suffix}" if person.suffix else person.given
    return {"creatorType": role, "firstName": given, "lastName": person.family}
