"""MEDLINE, as PubMed writes it (also called nbib)."""

import re
from collections.abc import Iterator

from motherlode.library.dates import date_in
from motherlode.library.formats.fields import tidy_line, unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.tagged import Record, tagged_lines, value_of, values_of
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import people_of
from motherlode.records.library import LibraryObject, Person

_TAG = re.compile(r"^([A-Z]{2,4}) {0,2}- ?")
_FIRST = frozenset({"PMID", "PMCR"})
_HEADING = re.compile(r"[/*]")


def read_medline(text: str) -> ReadResult:
    """Return the records of a MEDLINE file."""
    objects = tuple(_object_of(record) for record in _records(text))
    problem = "No record of MEDLINE begins in this file; one begins with 'PMID- '."
    return ReadResult(objects, () if objects or not text.strip() else (problem,))


def _records(text: str) -> Iterator[Record]:
    """Yield records, each of which begins with its number in PubMed or PubMed Central."""
    record: Record = []
    for tag, value in tagged_lines(text, _TAG):
        if tag in _FIRST and record:
            yield record
            record = []
        if tag:
            record.append((tag, value))
    if record:
        yield record


def _object_of(record: Record) -> LibraryObject:
    return LibraryObject(
        kind=_kind(values_of(record, "PT")),
        title=tidy_line(" ".join(values_of(record, "TI"))),
        authors=_authors(record),
        editors=people_of(values_of(record, "FED") or values_of(record, "ED")),
        date=date_in(value_of(record, "DP", "DEP")),
        abstract=value_of(record, "AB", "OAB"),
        keywords=unique(
            [*values_of(record, "OT"), *(_HEADING.split(h)[0] for h in values_of(record, "MH"))]
        ),
        venue=value_of(record, "JT", "TA", "BTI"),
        publisher=value_of(record, "PB"),
        place=value_of(record, "PL"),
        volume=value_of(record, "VI"),
        issue=value_of(record, "IP"),
        pages=value_of(record, "PG"),
        language=value_of(record, "LA"),
        identifiers=tuple(identifiers_of(_identifier_fields(record), ())),
        note=value_of(record, "GN"),
    )


def _kind(types: list[str]) -> str:
    names = {name.lower() for name in types}
    if "book" in names or "books" in names:
        return "book"
    return "article-journal"


def _authors(record: Record) -> tuple[Person, ...]:
    """Return the authors: full names where there are some, else names with initials behind."""
    full = values_of(record, "FAU")
    if full:
        return people_of(full)
    initials = (name.rpartition(" ") for name in values_of(record, "AU"))
    people = tuple(
        Person(family, given) if family else Person(given) for family, _, given in initials
    )
    return (*people, *(Person(name) for name in values_of(record, "CN")))


def _identifier_fields(record: Record) -> Iterator[tuple[str, str]]:
    yield "pmid", value_of(record, "PMID")
    yield "pmcid", value_of(record, "PMC")
    for value in values_of(record, "LID", "AID"):
        yield "doi", value if "[doi]" in value else ""
    for value in values_of(record, "IS"):
        yield "issn", value
    for value in values_of(record, "ISBN"):
        yield "isbn", value
