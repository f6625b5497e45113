"""CSL-JSON, the exchange format of citation processors."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from motherlode.library.dates import date_in, date_of
from motherlode.library.formats.fields import text_of, unique
from motherlode.library.formats.json_items import items_in, plain_markup, shape_problems
from motherlode.library.formats.kind import ReadResult
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import MAX_PEOPLE
from motherlode.records.library import LibraryObject, Person

SCHEMES = {"DOI": "doi", "ISBN": "isbn", "ISSN": "issn", "PMID": "pmid", "PMCID": "pmcid"}
_DATES = ("issued", "published", "event-date", "submitted")


def read_csl_json(text: str) -> ReadResult:
    """Return the items of a CSL-JSON file."""
    items, problems = items_in(text)
    usable = [item for item in items if isinstance(item, dict)]
    return ReadResult(tuple(map(_object_of, usable)), (*problems, *shape_problems(items)))


def _object_of(item: Mapping[str, Any]) -> LibraryObject:
    links = unique([text_of(item.get("URL"))])
    return LibraryObject(
        kind=text_of(item.get("type")) or "document",
        title=plain_markup(text_of(item.get("title"))),
        authors=tuple(_people(item.get("author"))),
        editors=tuple(_people(item.get("editor"))),
        date=next(filter(None, (_date(item.get(name)) for name in _DATES)), ""),
        abstract=plain_markup(text_of(item.get("abstract"))),
        keywords=_keywords(item.get("keyword")),
        venue=plain_markup(text_of(item.get("container-title") or item.get("event-title"))),
        publisher=text_of(item.get("publisher")),
        place=text_of(item.get("publisher-place")),
        volume=text_of(item.get("volume")),
        issue=text_of(item.get("issue") or item.get("number")),
        pages=text_of(item.get("page")),
        language=text_of(item.get("language")),
        identifiers=tuple(identifiers_of(_identifier_fields(item), links)),
        links=links,
        note=text_of(item.get("note")),
        key=text_of(item.get("citation-key") or item.get("id"))[:200],
    )


def _people(names: object) -> Iterator[Person]:
    for name in names[:MAX_PEOPLE] if isinstance(names, list) else ():
        if not isinstance(name, dict):
            continue
        parts = {key: text_of(value) for key, value in name.items()}
        particles = (parts.get("dropping-particle", ""), parts.get("non-dropping-particle", ""))
        family = " ".join(filter(None, (*particles, parts.get("family", ""))))
        family = family or parts.get("literal", "")
        given = parts.get("given", "")
        if family or given:
            yield Person(family or given, given if family else "", parts.get("suffix", ""))


def _date(value: object) -> str:
    if not isinstance(value, dict):
        return date_in(text_of(value))
    spans = value.get("date-parts")
    first = spans[0] if isinstance(spans, list) and spans else None
    if isinstance(first, list):
        parts = [text_of(part) for part in first[:3]]
        return date_of([int(part) if part.isdigit() else 0 for part in parts])
    return date_in(text_of(value.get("literal") or value.get("raw")))


def _keywords(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else text_of(value).replace(";", ",").split(",")
    return unique(map(text_of, values))


def _identifier_fields(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, scheme in SCHEMES.items():
        yield scheme, text_of(item.get(name))
    if "arxiv" in text_of(item.get("archive")).lower():
        yield "arxiv", text_of(item.get("archive_location"))


def write_csl_json(objects: Sequence[LibraryObject]) -> str:
    """Return objects as CSL-JSON."""
    items = [_item(entry, number) for number, entry in enumerate(objects, start=1)]
    return msgspec.json.format(msgspec.json.encode(items), indent=2).decode() + "\n"


def _item(entry: LibraryObject, number: int) -> dict[str, Any]:
    item: dict[str, Any] = {
        "id": entry.key or f"item-{number}",
        "type": entry.kind,
        "title": entry.title,
        "author": [_name(person) for person in entry.authors],
        "editor": [_name(person) for person in entry.editors],
        "issued": _issued(entry.date),
        "abstract": entry.abstract,
        "keyword": ", ".join(entry.keywords),
        "container-title": entry.venue,
        "publisher": entry.publisher,
        "publisher-place": entry.place,
        "volume": entry.volume,
        "issue": entry.issue,
        "page": entry.pages,
        "language": entry.language,
        "URL": entry.links[0] if entry.links else "",
        "note": entry.note,
    }
    item |= {name: entry.identifier(scheme) for name, scheme in SCHEMES.items()}
    if arxiv := entry.identifier("arxiv"):
        item |= {"archive": "arXiv", "archive_location": arxiv}
    return {key: value for key, value in item.items() if value}


def _name(person: Person) -> dict[str, str]:
    if not person.given and not person.suffix:
        return {"literal": person.family}
    name = {"family": person.family, "given": person.given, "suffix": person.suffix}
    return {key: value for key, value in name.items() if value}


def _issued(date: str) -> dict[str, list[list[int]]]:
    return {"date-parts": [[int(part) for part in date.split("-")]]} if date else {}
