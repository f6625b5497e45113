"""Bibliographies of Microsoft Word (`b:Sources`)."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from motherlode.library.dates import date_in, date_of, month_in
from motherlode.library.formats.fields import unique
from motherlode.library.formats.kind import ReadResult
from motherlode.library.formats.xml_records import children, records_in, text_at
from motherlode.library.identifiers import identifiers_of
from motherlode.records.library import LibraryObject, Person

KINDS = {
    "ArticleInAPeriodical": "article-magazine",
    "JournalArticle": "article-journal",
    "Book": "book",
    "BookSection": "chapter",
    "ConferenceProceedings": "paper-conference",
    "Report": "report",
    "InternetSite": "webpage",
    "DocumentFromInternetSite": "webpage",
    "ElectronicSource": "webpage",
    "Patent": "patent",
    "Case": "legal_case",
}
_VENUES = ("JournalName", "BookTitle", "ConferenceName", "PeriodicalTitle", "InternetSiteTitle")
_PUBLISHERS = ("Publisher", "Institution", "ThesisType")


def read_office_xml(text: str) -> ReadResult:
    """Return the sources of a bibliography of Word."""
    records, problems = records_in(text, {"Source"})
    return ReadResult(tuple(map(_object_of, records)), problems)


def _object_of(source: ET.Element) -> LibraryObject:
    links = unique([text_at(source, "URL")])
    return LibraryObject(
        kind=KINDS.get(text_at(source, "SourceType"), "document"),
        title=text_at(source, "Title"),
        authors=tuple(_people(source, "Author")),
        editors=tuple(_people(source, "Editor")),
        date=_date(source),
        abstract=text_at(source, "BIBTEX_Abstract") or text_at(source, "AbstractSummary"),
        keywords=unique(text_at(source, "BIBTEX_KeyWords").replace(";", ",").split(",")),
        venue=_first(source, _VENUES),
        publisher=_first(source, _PUBLISHERS),
        place=text_at(source, "City"),
        volume=text_at(source, "Volume"),
        issue=text_at(source, "Issue"),
        pages=text_at(source, "Pages"),
        identifiers=tuple(identifiers_of(_identifier_fields(source), links)),
        links=links,
        note=text_at(source, "Comments"),
        key=text_at(source, "Tag")[:200],
    )


def _first(source: ET.Element, names: tuple[str, ...]) -> str:
    return next(filter(None, (text_at(source, name) for name in names)), "")


def _people(source: ET.Element, role: str) -> Iterator[Person]:
    for person in children(source, "Author", role, "NameList", "Person"):
        given = " ".join(filter(None, (text_at(person, "First"), text_at(person, "Middle"))))
        family = text_at(person, "Last")
        if family or given:
            yield Person(family or given, given if family else "")
    for name in children(source, "Author", role, "Corporate"):
        if name.text and name.text.strip():
            yield Person(name.text.strip())


def _date(source: ET.Element) -> str:
    year = date_in(text_at(source, "Year"))
    if not year:
        return ""
    day = text_at(source, "Day")
    return date_of(
        [int(year[:4]), month_in(text_at(source, "Month")), int(day[:2]) if day.isdigit() else 0]
    )


def _identifier_fields(source: ET.Element) -> Iterator[tuple[str, str]]:
    yield "doi", text_at(source, "DOI")
    number = text_at(source, "StandardNumber")
    yield "doi", number
    yield "isbn", number.partition("ISBN:")[2]
    yield "issn", number.partition("ISSN:")[2]
