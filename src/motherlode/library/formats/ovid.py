"""Ovid: a field name in a line of its own, its value below it, a number in brackets begins each."""

import re
from collections.abc import Iterator

from motherlode.library.dates import date_in
from motherlode.library.formats.fields import unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.tagged import Record, value_of
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import people_of
from motherlode.records.library import LibraryObject

_BEGIN = re.compile(r"^<\d+>\s*$")
_BRACKETS = re.compile(r"\s*(?:\[[^\]]*\]\s*)+\.?$")
_AFFILIATION = re.compile(r"\s+\d+(?:,\d+)*$")
_VOLUME = re.compile(r"\b(\d+)\s*\(([^()]{1,40})\)")
_PAGES = re.compile(r"\b[pP]+\.\s*([A-Za-z]?\d+(?:-[A-Za-z]?\d+)?)|:\s?([A-Za-z]?\d+-\d+)")
KINDS = {
    "book": "book",
    "chapter": "chapter",
    "dissertation": "thesis",
    "article": "article-journal",
}


def read_ovid(text: str) -> ReadResult:
    """Return the records of a file of Ovid."""
    objects = tuple(_object_of(record) for record in _records(text) if record)
    problem = "No record of Ovid begins in this file; one begins with '<1>'."
    return ReadResult(objects, () if objects or not text.strip() else (problem,))


def _records(text: str) -> Iterator[Record]:
    """Yield records; a line that begins with a blank belongs to the field above it."""
    record: Record | None = None
    for line in text.splitlines():
        if _BEGIN.match(line):
            if record is not None:
                yield record
            record = []
        elif record is None or not line.strip():
            continue
        elif line[0] in " \t" and record:
            name, value = record[-1]
            record[-1] = (name, f"{value} {line.strip()}".strip())
        elif line[0] not in " \t":
            record.append((line.strip().lower(), ""))
    if record is not None:
        yield record


def _object_of(record: Record) -> LibraryObject:
    source = value_of(record, "source")
    volume, pages = _VOLUME.search(source), _PAGES.search(source)
    links = unique(
        value for name, value in record if name.startswith("link to") and value.startswith("http")
    )
    kind = value_of(record, "document type", "publication type").lower()
    return LibraryObject(
        kind=next((KINDS[word] for word in KINDS if word in kind), "article-journal"),
        title=_BRACKETS.sub("", value_of(record, "title")).rstrip("."),
        authors=people_of(_names(value_of(record, "author", "authors"))),
        date=date_in(value_of(record, "publication date", "year of publication"))
        or date_in(source)
        or date_in(value_of(record, "status")),
        abstract=value_of(record, "abstract"),
        keywords=unique(value_of(record, "author keywords", "keywords").rstrip(".").split(";")),
        venue=source.partition(".")[0].strip(),
        publisher=value_of(record, "publisher"),
        volume=volume[1] if volume else "",
        issue=volume[2] if volume else "",
        pages=(pages[1] or pages[2]) if pages else "",
        language=value_of(record, "language").rstrip("."),
        identifiers=tuple(
            identifiers_of(
                [
                    ("doi", value_of(record, "doi number", "digital object identifier")),
                    ("issn", value_of(record, "issn")),
                    ("isbn", value_of(record, "isbn")),
                ],
                links,
            )
        ),
        links=links,
    )


def _names(field: str) -> list[str]:
    """Return the names of a field, without the numbers of their affiliations."""
    names = (part.strip().rstrip(".") for part in field.split(";"))
    return [_AFFILIATION.sub("", _BRACKETS.sub("", name)) for name in names if name]
