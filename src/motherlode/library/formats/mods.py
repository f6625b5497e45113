"""MODS, the XML of libraries (Library of Congress)."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from motherlode.library.dates import date_in
from motherlode.library.formats.fields import page_range, unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.xml_records import (
    attribute_of,
    children,
    records_in,
    text_at,
    texts_at,
)
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import person_of
from motherlode.records.library import LibraryObject, Person

KINDS = {
    "article": "article-journal",
    "journal article": "article-journal",
    "academic journal": "article-journal",
    "book": "book",
    "book chapter": "chapter",
    "conference publication": "paper-conference",
    "thesis": "thesis",
    "report": "report",
    "web site": "webpage",
}
_DATES = ("dateIssued", "copyrightDate", "dateCreated", "dateOther")
_EDITOR_ROLES = frozenset({"edt", "editor"})
_AUTHOR_ROLES = frozenset({"", "aut", "author", "cre", "creator"})


def read_mods(text: str) -> ReadResult:
    """Return the records of a MODS file, alone or in a collection."""
    records, problems = records_in(text, {"mods"})
    return ReadResult(tuple(map(_object_of, records)), problems)


def _object_of(record: ET.Element) -> LibraryObject:
    hosts = [item for item in children(record, "relatedItem") if _is_host(item)]
    host = hosts[0] if hosts else ET.Element("relatedItem")
    links = unique(texts_at(record, "location", "url"))
    origin = record if children(record, "originInfo") else host
    return LibraryObject(
        kind=_kind(record, has_host=bool(hosts)),
        title=_title(record),
        authors=tuple(_people(record, _AUTHOR_ROLES)),
        editors=tuple(_people(record, _EDITOR_ROLES)),
        date=_date(origin) or _date(host) or date_in(text_at(host, "part", "date")),
        abstract=text_at(record, "abstract"),
        keywords=unique(
            text for name in ("topic", "geographic") for text in texts_at(record, "subject", name)
        ),
        venue=_title(host),
        publisher=text_at(origin, "originInfo", "publisher"),
        place=_place(origin),
        volume=_detail(record, host, "volume"),
        issue=_detail(record, host, "issue") or _detail(record, host, "number"),
        pages=_pages(record) or _pages(host),
        language=text_at(record, "language", "languageTerm"),
        identifiers=tuple(identifiers_of(_identifier_fields(record, host), links)),
        links=links,
        note=text_at(record, "note"),
        key=attribute_of(record, "ID")[:200],
    )


def _is_host(item: ET.Element) -> bool:
    return attribute_of(item, "type") in ("host", "series")


def _kind(record: ET.Element, *, has_host: bool) -> str:
    genres = [text.lower() for text in texts_at(record, "genre")]
    known = (KINDS.get(genre) for genre in genres)
    return next(filter(None, known), "chapter" if has_host else "book")


def _title(record: ET.Element) -> str:
    for info in children(record, "titleInfo"):
        before, title = text_at(info, "nonSort"), text_at(info, "title")
        if title:
            after = text_at(info, "subTitle")
            return f"{before} {title}".strip() + (f": {after}" if after else "")
    return ""


def _people(record: ET.Element, roles: frozenset[str]) -> Iterator[Person]:
    for name in children(record, "name"):
        named_roles = {text.lower() for text in texts_at(name, "role", "roleTerm")} or {""}
        if named_roles & roles:
            yield from _person(name)


def _person(name: ET.Element) -> Iterator[Person]:
    parts = {attribute_of(part, "type"): part for part in children(name, "namePart")}
    family, given = (
        " ".join(
            text
            for part, text in zip(
                children(name, "namePart"), texts_at(name, "namePart"), strict=True
            )
            if attribute_of(part, "type") == kind
        )
        for kind in ("family", "given")
    )
    if family:
        yield Person(family, given)
    elif "" in parts:
        whole = "".join(parts[""].itertext()).strip()
        is_person = attribute_of(name, "type") == "personal"
        if whole:
            yield person_of(whole) if is_person else Person(whole)


def _date(record: ET.Element) -> str:
    texts = (text_at(record, "originInfo", name) for name in _DATES)
    return next(filter(None, map(date_in, texts)), "")


def _place(record: ET.Element) -> str:
    for term in children(record, "originInfo", "place", "placeTerm"):
        if attribute_of(term, "type") != "code":
            return (term.text or "").strip()
    return ""


def _detail(record: ET.Element, host: ET.Element, kind: str) -> str:
    for place in (record, host):
        for detail in children(place, "part", "detail"):
            if attribute_of(detail, "type") == kind:
                return text_at(detail, "number")
    return ""


def _pages(record: ET.Element) -> str:
    for extent in children(record, "part", "extent"):
        if attribute_of(extent, "unit") in ("", "page", "pages"):
            return page_range(text_at(extent, "start"), text_at(extent, "end")) or text_at(
                extent, "list"
            )
    return ""


def _identifier_fields(record: ET.Element, host: ET.Element) -> Iterator[tuple[str, str]]:
    for place in (record, host):
        for entry in children(place, "identifier"):
            yield attribute_of(entry, "type").lower(), (entry.text or "").strip()
