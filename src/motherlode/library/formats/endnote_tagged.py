"""EndNote's tagged format, also called refer: a percent sign and a letter begin each line."""

import re
from collections.abc import Iterator, Sequence

from motherlode.library.dates import date_in
from motherlode.library.formats.endnote_xml import KINDS, TYPES
from motherlode.library.formats.fields import tidy_line, unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.tagged import Record, tagged_lines, value_of, values_of
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import people_of, written_name
from motherlode.records.library import LibraryObject

_TAG = re.compile(r"^(%[0-9A-Za-z@!#$&(){}*+^>\]\[~?])(?:\s|$)")


def read_endnote(text: str) -> ReadResult:
    """Return the records of a tagged file of EndNote."""
    objects = tuple(map(_object_of, _records(text)))
    problem = "No record of EndNote begins in this file; one begins with '%0 '."
    return ReadResult(objects, () if objects or not text.strip() else (problem,))


def _records(text: str) -> Iterator[Record]:
    """Yield records: an empty line ends one, and so does %0 where the record has its title."""
    record: Record = []
    for tag, value in tagged_lines(text, _TAG):
        if record and (not tag or (tag == "%0" and value_of(record, "%T"))):
            yield record
            record = []
        if tag:
            record.append((tag, value))
    if record:
        yield record


def _object_of(record: Record) -> LibraryObject:
    links = unique(values_of(record, "%U", "%>"))
    kinds = (KINDS.get(kind) for kind in values_of(record, "%0"))
    return LibraryObject(
        kind=next(filter(None, kinds), "document"),
        title=tidy_line(value_of(record, "%T")),
        authors=people_of(values_of(record, "%A")),
        editors=people_of(values_of(record, "%E")),
        date=date_in(value_of(record, "%8")) or date_in(value_of(record, "%D")),
        abstract=value_of(record, "%X"),
        keywords=unique(
            part for value in values_of(record, "%K") for part in re.split(r"[;,\n]", value)
        ),
        venue=value_of(record, "%J", "%B"),
        publisher=value_of(record, "%I"),
        place=value_of(record, "%C"),
        volume=value_of(record, "%V"),
        issue=value_of(record, "%N"),
        pages=value_of(record, "%P"),
        language=value_of(record, "%G"),
        identifiers=tuple(identifiers_of(_identifier_fields(record), links)),
        links=links,
        note="\n".join(values_of(record, "%Z", "%O")),
        key=value_of(record, "%F")[:200],
    )


def _identifier_fields(record: Record) -> Iterator[tuple[str, str]]:
    yield "doi", value_of(record, "%R")
    for value in values_of(record, "%@"):
        yield "isbn", value
        yield "issn", value


def write_endnote(objects: Sequence[LibraryObject]) -> str:
    """Return objects in EndNote's tagged format."""
    return "\n".join("".join(_lines(entry)) for entry in objects)


def _lines(entry: LibraryObject) -> Iterator[str]:
    is_article = entry.kind.startswith("article")
    fields = [
        ("%0", TYPES.get(entry.kind, "Generic")),
        ("%T", entry.title),
        *(("%A", written_name(person)) for person in entry.authors),
        *(("%E", written_name(person)) for person in entry.editors),
        ("%J" if is_article else "%B", entry.venue),
        ("%D", entry.date[:4]),
        ("%8", entry.date),
        ("%V", entry.volume),
        ("%N", entry.issue),
        ("%P", entry.pages),
        ("%I", entry.publisher),
        ("%C", entry.place),
        ("%G", entry.language),
        ("%@", entry.identifier("isbn") or entry.identifier("issn")),
        ("%R", entry.identifier("doi")),
        *(("%U", link) for link in entry.links),
        *(("%K", keyword) for keyword in entry.keywords),
        ("%X", entry.abstract),
        ("%Z", entry.note),
        ("%F", entry.key),
    ]
    yield from (f"{tag} {tidy_line(value)}\n" for tag, value in fields if value)
