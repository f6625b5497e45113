"""EndNote's XML, which other programs write, too."""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from motherlode.library.dates import date_in
from motherlode.library.formats.fields import unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.xml_records import (
    attribute_of,
    children,
    records_in,
    text_at,
    texts_at,
)
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import people_of, written_name
from motherlode.records.library import LibraryObject

KINDS = {
    "Journal Article": "article-journal",
    "Electronic Article": "article-journal",
    "Magazine Article": "article-magazine",
    "Newspaper Article": "article-newspaper",
    "Book": "book",
    "Edited Book": "book",
    "Electronic Book": "book",
    "Book Section": "chapter",
    "Conference Paper": "paper-conference",
    "Conference Proceedings": "paper-conference",
    "Thesis": "thesis",
    "Report": "report",
    "Web Page": "webpage",
    "Blog": "post-weblog",
    "Computer Program": "software",
    "Dataset": "dataset",
    "Patent": "patent",
    "Manuscript": "manuscript",
    "Unpublished Work": "manuscript",
    "Generic": "document",
}
TYPES = {kind: name for name, kind in reversed(KINDS.items())}
_LINKS = ("web-urls", "related-urls", "pdf-urls", "text-urls")


def read_endnote_xml(text: str) -> ReadResult:
    """Return the records of an XML file of EndNote."""
    records, problems = records_in(text, {"record"})
    return ReadResult(tuple(map(_object_of, records)), problems)


def _object_of(record: ET.Element) -> LibraryObject:
    links = unique(link for name in _LINKS for link in texts_at(record, "urls", name, "url"))
    return LibraryObject(
        kind=_kind(record),
        title=text_at(record, "titles", "title"),
        authors=people_of(texts_at(record, "contributors", "authors", "author")),
        editors=people_of(texts_at(record, "contributors", "secondary-authors", "author")),
        date=_date(record),
        abstract=text_at(record, "abstract"),
        keywords=unique(texts_at(record, "keywords", "keyword")),
        venue=text_at(record, "titles", "secondary-title")
        or text_at(record, "periodical", "full-title"),
        publisher=text_at(record, "publisher"),
        place=text_at(record, "pub-location"),
        volume=text_at(record, "volume"),
        issue=text_at(record, "number") or text_at(record, "issue"),
        pages=text_at(record, "pages"),
        language=text_at(record, "language"),
        identifiers=tuple(identifiers_of(_identifier_fields(record), links)),
        links=tuple(link for link in links if not link.startswith("internal-pdf:")),
        note=text_at(record, "notes"),
        key=text_at(record, "label")[:200],
    )


def _kind(record: ET.Element) -> str:
    types = children(record, "ref-type")
    return KINDS.get(attribute_of(types[0], "name"), "document") if types else "document"


def _date(record: ET.Element) -> str:
    year = date_in(text_at(record, "dates", "year"))
    exact = date_in(f"{text_at(record, 'dates', 'pub-dates', 'date')} {year}") if year else ""
    return exact if exact.startswith(year) else year


def _identifier_fields(record: ET.Element) -> Iterator[tuple[str, str]]:
    yield "doi", text_at(record, "electronic-resource-num")
    number = text_at(record, "isbn")
    yield "isbn", number
    yield "issn", number
    yield "pmid", _pubmed_number(record)
    yield "pmcid", text_at(record, "custom2")


def _pubmed_number(record: ET.Element) -> str:
    provider = text_at(record, "remote-database-name").lower()
    return text_at(record, "accession-num") if provider in ("medline", "pubmed") else ""


def write_endnote_xml(objects: Sequence[LibraryObject]) -> str:
    """Return objects as XML that EndNote reads."""
    root = ET.Element("xml")
    records = ET.SubElement(root, "records")
    for number, entry in enumerate(objects, start=1):
        _add_record(records, entry, number)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _add_record(records: ET.Element, entry: LibraryObject, number: int) -> None:
    record = ET.SubElement(records, "record")
    _add(record, str(number), "rec-number")
    kind = ET.SubElement(record, "ref-type", name=TYPES.get(entry.kind, "Generic"))
    kind.text = "0"
    for person in entry.authors:
        _add(record, written_name(person), "contributors", "authors", "author")
    for person in entry.editors:
        _add(record, written_name(person), "contributors", "secondary-authors", "author")
    _add(record, entry.title, "titles", "title")
    _add(record, entry.venue, "titles", "secondary-title")
    for keyword in entry.keywords:
        _add(record, keyword, "keywords", "keyword")
    _add(record, entry.date[:4], "dates", "year")
    _add(record, entry.date, "dates", "pub-dates", "date")
    for name, value in _plain_fields(entry):
        _add(record, value, name)
    for link in entry.links:
        _add(record, link, "urls", "related-urls", "url")


def _plain_fields(entry: LibraryObject) -> tuple[tuple[str, str], ...]:
    return (
        ("abstract", entry.abstract),
        ("publisher", entry.publisher),
        ("pub-location", entry.place),
        ("volume", entry.volume),
        ("number", entry.issue),
        ("pages", entry.pages),
        ("language", entry.language),
        ("isbn", entry.identifier("isbn") or entry.identifier("issn")),
        ("electronic-resource-num", entry.identifier("doi")),
        ("notes", entry.note),
        ("label", entry.key),
    )


def _add(record: ET.Element, text: str, *path: str) -> None:
    """Add an element at the end of a path, whose other elements are shared."""
    if not text:
        return
    for name in path[:-1]:
        inner = record.find(name)
        record = ET.SubElement(record, name) if inner is None else inner
    ET.SubElement(record, path[-1]).text = _printable(text)


def _printable(text: str) -> str:
    """Return text without the control characters that XML cannot hold."""
    return "".join(character for character in text if character >= " " or character in "\t\n\r")
