"""RIS, as reference managers and publishers write it, and as it should be written.

A byte order mark, a missing ER, one blank behind a tag and lines that go on are all in use.
"""

import re
from collections.abc import Iterator, Sequence

from motherlode.library.dates import date_in
from motherlode.library.formats.fields import page_range, tidy_line, unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.tagged import Record, tagged_lines, value_of, values_of
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import people_of, written_name
from motherlode.records.library import LibraryObject

KINDS = {
    "JOUR": "article-journal",
    "EJOUR": "article-journal",
    "INPR": "article-journal",
    "JFULL": "periodical",
    "MGZN": "article-magazine",
    "NEWS": "article-newspaper",
    "BOOK": "book",
    "EBOOK": "book",
    "EDBOOK": "book",
    "CONF": "book",
    "CHAP": "chapter",
    "ECHAP": "chapter",
    "CPAPER": "paper-conference",
    "THES": "thesis",
    "RPRT": "report",
    "PAMP": "pamphlet",
    "ELEC": "webpage",
    "WEB": "webpage",
    "BLOG": "post-weblog",
    "COMP": "software",
    "DATA": "dataset",
    "PAT": "patent",
    "UNPB": "manuscript",
    "MANSCPT": "manuscript",
    "GEN": "document",
}
TYPES = {kind: name for name, kind in reversed(KINDS.items())}
_ONE_TAG = re.compile(r"^[ \t]{0,3}([A-Z][A-Z0-9]) {0,2}- ?(?![-\d]{3})")
_PERSONS = ("AU", "A1")
_EDITORS = ("ED", "A2")
_VENUES = ("JF", "JO", "T2", "BT", "J2", "JA", "J1", "T3")
_LINKS = ("UR", "L1", "L2", "LK")
_ABSTRACTS = ("AB", "N2")


def read_ris(text: str) -> ReadResult:
    """Return the records of a RIS file."""
    records = [record for record in _records(text) if record]
    objects = tuple(_object_of(record) for record in records)
    return ReadResult(objects, () if objects else _nothing(text))


def _nothing(text: str) -> tuple[str, ...]:
    return ("No record of RIS begins in this file; one begins with 'TY  - '.",) if text else ()


def _records(text: str) -> Iterator[Record]:
    """Yield records: TY begins one, and ER or the next TY ends it."""
    record: Record | None = None
    for tag, value in tagged_lines(text, _ONE_TAG):
        if tag in ("TY", "ER") and record is not None:
            yield record
            record = None
        if tag == "TY":
            record = [(tag, value)]
        elif record is not None and tag:
            record.append((tag, value))
    if record is not None:
        yield record


def _object_of(record: Record) -> LibraryObject:
    title = value_of(record, "TI", "T1", "CT")
    if not title:
        title = value_of(record, "BT")
    links = unique(link for value in values_of(record, *_LINKS) for link in value.split(";"))
    return LibraryObject(
        kind=KINDS.get(value_of(record, "TY").upper(), "document"),
        title=tidy_line(title),
        authors=people_of(values_of(record, *_PERSONS)),
        editors=people_of(values_of(record, *_EDITORS)),
        date=date_in(value_of(record, "DA")) or date_in(value_of(record, "PY", "Y1")),
        abstract=value_of(record, *_ABSTRACTS),
        keywords=unique(
            part for value in values_of(record, "KW") for part in re.split(r"[;\n]", value)
        ),
        venue=tidy_line(value_of(record, *_VENUES)),
        publisher=value_of(record, "PB"),
        place=value_of(record, "CY", "PP"),
        volume=value_of(record, "VL"),
        issue=value_of(record, "IS", "M1"),
        pages=page_range(value_of(record, "SP"), value_of(record, "EP")),
        language=value_of(record, "LA"),
        identifiers=tuple(identifiers_of(_identifier_fields(record), links)),
        links=links,
        note="\n".join(values_of(record, "N1")),
        key=value_of(record, "ID")[:200],
    )


def _identifier_fields(record: Record) -> Iterator[tuple[str, str]]:
    yield "doi", value_of(record, "DO", "DI")
    for tag in ("M3", "N1"):  # some write it there
        yield "doi", value_of(record, tag)
    for value in values_of(record, "SN"):
        yield "isbn", value
        yield "issn", "" if len(value) > len("0000-0000 (electronic)") else value
    yield "pmid", value_of(record, "AN") if "pubmed" in value_of(record, "DB").lower() else ""


def write_ris(objects: Sequence[LibraryObject]) -> str:
    """Return objects as RIS."""
    return "\n".join("".join(_lines(entry)) for entry in objects)


def _lines(entry: LibraryObject) -> Iterator[str]:
    first, _, last = entry.pages.partition("-")
    is_part = entry.kind not in ("book", "periodical")
    fields: list[tuple[str, str]] = [
        ("TY", TYPES.get(entry.kind, "GEN")),
        ("TI", entry.title),
        *(("AU", written_name(person)) for person in entry.authors),
        *(("ED", written_name(person)) for person in entry.editors),
        ("T2" if is_part else "T3", entry.venue),
        ("AB", entry.abstract),
        ("PY", entry.date[:4]),
        ("DA", entry.date.replace("-", "/")),
        ("VL", entry.volume),
        ("IS", entry.issue),
        ("SP", first),
        ("EP", last),
        ("PB", entry.publisher),
        ("CY", entry.place),
        ("LA", entry.language),
        *((_TAGS[name.scheme], name.value) for name in entry.identifiers if name.scheme in _TAGS),
        *(("UR", link) for link in entry.links),
        *(("KW", keyword) for keyword in entry.keywords),
        ("N1", entry.note),
        ("ID", entry.key),
    ]
    yield from (f"{tag}  - {tidy_line(value)}\n" for tag, value in fields if value)
    yield "ER  - \n"


_TAGS = {"doi": "DO", "isbn": "SN", "issn": "SN"}
