"""Zotero's RDF: items, their attachments, and collections that list them by reference."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree as ET

from motherlode.library.dates import date_in
from motherlode.library.formats.fields import unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.xml_records import (
    attribute_of,
    children,
    local_name,
    records_in,
    text_at,
    texts_at,
)
from motherlode.library.formats.zotero_json import KINDS, MAX_DEPTH, NO_OBJECTS
from motherlode.library.identifiers import identifiers_of
from motherlode.records.library import LibraryObject, Person

_ROOT = "RDF"
_COLLECTION = "Collection"
Path = tuple[str, ...]


def read_zotero_rdf(text: str) -> ReadResult:
    """Return the items of an RDF file of Zotero, in its collections."""
    roots, problems = records_in(text, {_ROOT})
    elements = [element for root in roots for element in root]
    by_name = {attribute_of(element, "about"): element for element in elements}
    folders = _folders_of(elements)
    items = [element for element in elements if _is_item(element)]
    return ReadResult(tuple(_object_of(item, by_name, folders) for item in items), problems)


def _is_item(element: ET.Element) -> bool:
    kind = text_at(element, "itemType")
    return bool(kind) and kind not in NO_OBJECTS


def _object_of(
    item: ET.Element, by_name: Mapping[str, ET.Element], folders: Mapping[str, list[Path]]
) -> LibraryObject:
    host = _host_of(item, by_name)
    attached = (
        by_name[name]
        for link in children(item, "link")
        if (name := attribute_of(link, "resource")) in by_name
    )
    links = unique([*_addresses(item), *(url for file in attached for url in _addresses(file))])
    kind = text_at(item, "itemType")
    return LibraryObject(
        kind=KINDS.get(kind, "document"),
        title=text_at(item, "title"),
        authors=tuple(_people(item, "authors")),
        editors=tuple(_people(item, "editors")),
        date=date_in(text_at(item, "date")),
        abstract=text_at(item, "abstract"),
        keywords=_subjects(item),
        venue=text_at(host, "title"),
        publisher=text_at(item, "publisher", "Organization", "name"),
        place=text_at(item, "publisher", "Organization", "address", "Address", "locality"),
        volume=text_at(host, "volume") or text_at(item, "volume"),
        issue=text_at(host, "number") or text_at(item, "number"),
        pages=text_at(item, "pages"),
        language=text_at(item, "language"),
        identifiers=tuple(identifiers_of(_identifier_fields(item, host), links)),
        links=links,
        note=text_at(item, "description"),
        folders=tuple(dict.fromkeys(folders.get(attribute_of(item, "about"), ()))),
    )


def _host_of(item: ET.Element, by_name: Mapping[str, ET.Element]) -> ET.Element:
    """Return the journal or book that an item is part of, which is inside it or referred to."""
    for part in children(item, "isPartOf"):
        if len(part):
            return part[0]
        if (name := attribute_of(part, "resource")) in by_name:
            return by_name[name]
    return ET.Element("nothing")


def _people(item: ET.Element, role: str) -> Iterator[Person]:
    for person in children(item, role, "Seq", "li", "Person"):
        family = text_at(person, "surname") or text_at(person, "name")
        given = text_at(person, "givenName") or text_at(person, "givenname")
        if family or given:
            yield Person(family or given, given if family else "")


def _subjects(item: ET.Element) -> tuple[str, ...]:
    automatic = texts_at(item, "subject", "AutomaticTag", "value")
    own = [
        text
        for element, text in zip(children(item, "subject"), texts_at(item, "subject"), strict=True)
        if not len(element)
    ]
    return unique([*own, *automatic])


def _addresses(element: ET.Element) -> list[str]:
    return texts_at(element, "identifier", "URI", "value")


def _identifier_fields(item: ET.Element, host: ET.Element) -> Iterator[tuple[str, str]]:
    """Yield identifiers, which are written with their scheme before them: `DOI 10.1000/1`."""
    names = [*texts_at(item, "identifier"), *texts_at(host, "identifier")]
    hosts = (attribute_of(part, "resource") for part in children(item, "isPartOf"))
    names.extend(name.replace("urn:", "").replace(":", " ") for name in hosts)
    for name in names:
        scheme, _, value = name.partition(" ")
        yield scheme.lower(), value


def _folders_of(elements: list[ET.Element]) -> dict[str, list[Path]]:
    """Return the paths of the collections that list each item."""
    collections = {
        attribute_of(element, "about"): element
        for element in elements
        if local_name(element) == _COLLECTION
    }
    parents = {
        part: name
        for name, element in collections.items()
        for part in _parts(element)
        if part in collections
    }
    folders: dict[str, list[Path]] = defaultdict(list)
    for name, element in collections.items():
        path = _path_of(name, parents, collections)
        for part in _parts(element):
            folders[part].append(path)
    return folders


def _parts(collection: ET.Element) -> list[str]:
    return [attribute_of(part, "resource") for part in children(collection, "hasPart")]


def _path_of(name: str, parents: Mapping[str, str], collections: Mapping[str, ET.Element]) -> Path:
    names: list[str] = []
    here: str | None = name
    while here is not None and len(names) < MAX_DEPTH:
        names.append(text_at(collections[here], "title") or "Untitled")
        here = parents.get(here)
    return tuple(reversed(names))
