"""What a PDF states about itself: its document information, and XMP that lies uncompressed."""

import re
from contextlib import closing
from typing import Any
from xml.etree import ElementTree as ET

import pypdfium2  # type: ignore[import-untyped]

from motherlode.library.formats.xml_records import local_name, records_in
from motherlode.library.metadata.statements import object_of
from motherlode.records.library import LibraryObject

MAX_XMP_BYTES = 1_000_000
MAX_VALUES = 1_000
# What programs write where an author has given no title.
_NO_TITLE = re.compile(
    r"\A(?:microsoft (?:word|powerpoint) - .*|untitled.*"
    r"|\S+\.(?:docx?|dvi|tex|pdf|e?ps|indd|qxd|rtf))\Z",
    re.IGNORECASE,
)
_XMP = re.compile(rb"<(?:x:xmpmeta|rdf:RDF)[\s>]")
_DATE = re.compile(r"\A\D*(\d{4})")
_XMP_FIELDS = {
    "title": ("title",),
    "creator": ("authors",),
    "description": ("abstract",),
    "subject": ("keywords",),
    "publisher": ("publisher",),
    "publicationName": ("venue",),
    "coverDate": ("date",),
    "publicationDate": ("date",),
    "volume": ("volume",),
    "number": ("issue",),
    "startingPage": ("first_page",),
    "endingPage": ("last_page",),
    "issn": ("issn",),
    "isbn": ("isbn",),
    "doi": ("doi",),
    "identifier": ("doi",),
}


def read_pdf_information(body: bytes) -> LibraryObject:
    """Return what the information dictionary states; nothing for a PDF that cannot be read."""
    try:
        with closing(pypdfium2.PdfDocument(body)) as document:
            return _from_information(document)
    except pypdfium2.PdfiumError:
        return LibraryObject()


def _from_information(document: Any) -> LibraryObject:
    """Return the object; its date is the year in which the file was made."""
    title, author, keywords, made = (
        str(document.get_metadata_value(name))
        for name in ("Title", "Author", "Keywords", "CreationDate")
    )
    year = _DATE.match(made)
    return object_of(
        {
            "title": [] if _NO_TITLE.match(title.strip()) else [title],
            "authors": [author],
            "keywords": [keywords],
            "date": [year[1]] if year else [],
            "doi": [str(document.get_metadata_value("doi"))],
        }
    )


def read_xmp(body: bytes) -> LibraryObject:
    """Return what the first XMP packet states; a packet that is compressed is not seen."""
    match = _XMP.search(body)
    if match is None:
        return LibraryObject()
    packet = body[match.start() : match.start() + MAX_XMP_BYTES]
    name = match[0][1:-1].decode()
    text = packet.partition(f"</{name}>".encode())[0].decode("utf-8", "replace")
    statements: dict[str, list[str]] = {}
    for element in _elements(f"{text}</{name}>"):
        for field in _XMP_FIELDS.get(local_name(element), ()):
            statements.setdefault(field, []).extend(_values(element))
    titles = statements.get("title", ())
    statements["title"] = [title for title in titles if not _NO_TITLE.match(title)]
    return object_of(statements)


def _elements(packet: str) -> list[ET.Element]:
    records, _ = records_in(packet, ("Description",))
    return [child for record in records for child in record][:MAX_VALUES]


def _values(element: ET.Element) -> list[str]:
    """Return the values of a property, of which each may be an item of a list."""
    items = [item for item in element.iter() if local_name(item) == "li"][:MAX_VALUES]
    return ["".join(item.itertext()).strip() for item in items or [element]]
