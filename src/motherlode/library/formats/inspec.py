"""INSPEC's text format: `TI ~ value`, and a line with INSPEC in it begins each record."""

import re
from collections.abc import Iterator

from motherlode.library.dates import date_in
from motherlode.library.formats.fields import tidy_line, unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.tagged import Record, tagged_lines, value_of
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import people_of
from motherlode.records.library import LibraryObject

_TAG = re.compile(r"^([A-Z]{2}) ~ ?")
_BEGIN = re.compile(r"^Record.*INSPEC", re.MULTILINE)
_SOURCE = re.compile(r"(?P<volume>\d+)?\s*;?\s*\(?(?P<issue>\d+)?\)?\s*:\s*(?P<pages>[\d-]+)")
KINDS = {
    "journal": "article-journal",
    "conference": "paper-conference",
    "book": "book",
    "report": "report",
    "dissertation": "thesis",
}


def read_inspec(text: str) -> ReadResult:
    """Return the records of an INSPEC file."""
    objects = tuple(_object_of(record) for record in _records(text) if record)
    problem = "No record of INSPEC begins in this file."
    return ReadResult(objects, () if objects or not text.strip() else (problem,))


def _records(text: str) -> Iterator[Record]:
    for part in _BEGIN.split(text)[1:]:
        yield [(tag, value) for tag, value in tagged_lines(part, _TAG) if tag]


def _object_of(record: Record) -> LibraryObject:
    kind = value_of(record, "RT").lower()
    source = value_of(record, "SO")
    match = _SOURCE.search(source)
    return LibraryObject(
        kind=next((KINDS[word] for word in KINDS if word in kind), "document"),
        title=tidy_line(value_of(record, "TI")),
        authors=people_of(value_of(record, "AU").split(";")),
        date=date_in(value_of(record, "PY")) or date_in(source),
        abstract=value_of(record, "AB"),
        keywords=unique(value_of(record, "ID", "DE").split(";")),
        venue=source.partition(".")[0].strip(),
        publisher=value_of(record, "PU"),
        volume=(match["volume"] or "") if match else "",
        issue=(match["issue"] or "") if match else "",
        pages=match["pages"] if match else "",
        identifiers=tuple(
            identifiers_of([("doi", value_of(record, "DO")), ("issn", value_of(record, "SN"))], ())
        ),
    )
