"""The attributes of library objects, by which portals are asked, and the values of an object."""

import re
from enum import StrEnum

from msgspec import Struct

MAX_AUTHORS = 100
_SPACES = re.compile(r"\s+")
# Parts of a last name that are written in lower case, such as "van" in "Guido van Rossum".
PARTICLES = "af al bin da de del den der des di dos du el ibn la le van von zu zum zur"


class Attribute(StrEnum):
    """What a field of a form may ask for."""

    ANY = "any"  # free words
    TITLE = "title"
    AUTHOR = "author"
    FIRST_NAME = "first-name"
    LAST_NAME = "last-name"
    YEAR = "year"
    YEAR_FROM = "year-from"
    YEAR_TO = "year-to"
    KEYWORDS = "keywords"
    ABSTRACT = "abstract"
    VENUE = "venue"
    PUBLISHER = "publisher"
    DOI = "doi"
    ISBN = "isbn"
    ISSN = "issn"
    IDENTIFIER = "identifier"  # any of the three above
    LANGUAGE = "language"


NAMES = frozenset({Attribute.AUTHOR, Attribute.FIRST_NAME, Attribute.LAST_NAME})
YEARS = frozenset({Attribute.YEAR, Attribute.YEAR_FROM, Attribute.YEAR_TO})
IDENTIFIERS = frozenset({Attribute.DOI, Attribute.ISBN, Attribute.ISSN, Attribute.IDENTIFIER})


class PersonName(Struct, frozen=True):
    """The name of an author; `first` is empty where it is not known."""

    last: str
    first: str = ""

    @property
    def full(self) -> str:
        """The name as it is spoken: `John Doe`."""
        return f"{self.first} {self.last}".strip()

    @property
    def inverted(self) -> str:
        """The name as catalogues sort it: `Doe, John`."""
        return f"{self.last}, {self.first}" if self.first else self.last


def person_name(text: str) -> PersonName:
    """Return a name that is written as `John Doe` or `Doe, John`.

    >>> person_name("Doe, John"), person_name("Guido van Rossum")
    (PersonName(last='Doe', first='John'), PersonName(last='van Rossum', first='Guido'))
    """
    text = _SPACES.sub(" ", text).strip(" ,")
    last, comma, first = text.partition(",")
    if comma:
        return PersonName(last.strip(), first.strip())
    words = text.split(" ")
    begin = len(words) - 1
    while begin > 1 and words[begin - 1] in PARTICLES.split():
        begin -= 1
    return PersonName(" ".join(words[begin:]), " ".join(words[:begin]))


class PortalQuery(Struct, frozen=True, kw_only=True):
    """The values by which a portal is asked. `query` are free words, for the attribute `any`."""

    title: str = ""
    authors: tuple[PersonName, ...] = ()
    year: int = 0
    keywords: tuple[str, ...] = ()
    abstract: str = ""
    venue: str = ""
    publisher: str = ""
    doi: str = ""
    isbn: str = ""
    issn: str = ""
    language: str = ""
    query: str = ""

    @property
    def attributes(self) -> frozenset[Attribute]:
        """The attributes for which this object has a value; an author has all names."""
        present = {
            Attribute.ANY: self.query,
            Attribute.TITLE: self.title,
            Attribute.AUTHOR: self.authors,
            Attribute.FIRST_NAME: any(author.first for author in self.authors),
            Attribute.LAST_NAME: self.authors,
            Attribute.YEAR: self.year,
            Attribute.YEAR_FROM: self.year,
            Attribute.YEAR_TO: self.year,
            Attribute.KEYWORDS: self.keywords,
            Attribute.ABSTRACT: self.abstract,
            Attribute.VENUE: self.venue,
            Attribute.PUBLISHER: self.publisher,
            Attribute.DOI: self.doi,
            Attribute.ISBN: self.isbn,
            Attribute.ISSN: self.issn,
            Attribute.IDENTIFIER: self.doi or self.isbn or self.issn,
            Attribute.LANGUAGE: self.language,
        }
        return frozenset(attribute for attribute, value in present.items() if value)
