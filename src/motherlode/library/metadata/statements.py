"""What one vocabulary of a document states: texts by field, bounded before they are used."""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from motherlode.documents.text.whitespace import tidy
from motherlode.library.dates import date_in
from motherlode.library.formats.fields import page_range
from motherlode.library.formats.json_items import plain_markup
from motherlode.library.identifiers import identifiers_of
from motherlode.library.names import people_of
from motherlode.records.library import LibraryObject, Person

MAX_CHARS = 1_000
MAX_ABSTRACT_CHARS = 20_000
MAX_NAME_CHARS = 200
MAX_VALUES = 1_000
MAX_KEYWORDS = 100
UNKNOWN_KIND = LibraryObject().kind
# Beside the fields of an object: identifiers by their schemes, and the ends of a range of pages.
SCHEMES = ("doi", "isbn", "issn", "arxiv", "pmid", "pmcid")

_AND = re.compile(r",? and | & ")
_OF_AN_ORGANISATION = re.compile(r" of | for ")

Statements = Mapping[str, Sequence[str]]


def object_of(statements: Statements, kind: str = UNKNOWN_KIND) -> LibraryObject:
    """Return the object that texts by field describe, in bounds; an unusable text counts as none.

    >>> object_of({"title": [" On  owls "], "first_page": ["3"], "last_page": ["7"]}).pages
    '3-7'
    """
    return LibraryObject(
        kind=kind,
        title=_line(_first(statements, "title")),
        authors=_people(statements.get("authors", ())),
        editors=_people(statements.get("editors", ())),
        date=next(filter(None, map(date_in, statements.get("date", ()))), ""),
        abstract=_text(_first(statements, "abstract"), MAX_ABSTRACT_CHARS),
        keywords=keywords_of(statements.get("keywords", ())),
        pages=_pages(statements),
        language=_line(_first(statements, "language"))[:MAX_NAME_CHARS],
        identifiers=tuple(
            identifiers_of(
                ((name, text) for name in SCHEMES for text in statements.get(name, ())), ()
            )
        )[:MAX_KEYWORDS],
        venue=_line(_first(statements, "venue")),
        publisher=_line(_first(statements, "publisher")),
        place=_line(_first(statements, "place")),
        volume=_line(_first(statements, "volume")),
        issue=_line(_first(statements, "issue")),
    )


def keywords_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return keywords, of which one text may hold several.

    >>> keywords_of(["owls; mice, field", "night"]), keywords_of(["owls, mice"])
    (('owls', 'mice, field', 'night'), ('owls', 'mice'))
    """
    separator = ";" if any(";" in text for text in texts) or len(texts) > 1 else ","
    parts = (part for text in texts for part in text[:MAX_ABSTRACT_CHARS].split(separator))
    words = (_text(part, MAX_NAME_CHARS) for part in parts)
    return tuple(dict.fromkeys(filter(None, words)))[:MAX_KEYWORDS]


def _pages(statements: Statements) -> str:
    pages = _line(_first(statements, "pages"))[:MAX_NAME_CHARS].replace("\u2013", "-")
    ends = (_line(_first(statements, name)) for name in ("first_page", "last_page"))
    first, last = (end[:MAX_NAME_CHARS] for end in ends)
    return pages or page_range(first, last)


def _first(statements: Statements, name: str) -> str:
    return next((text for text in statements.get(name, ()) if text.strip()), "")


def _line(text: str) -> str:
    return _text(text, MAX_CHARS)


def _text(text: str, length: int) -> str:
    """Return the words of a text, without markup and half characters, of at most this length."""
    whole = text[: 2 * length].encode("utf-8", "replace").decode()
    return plain_markup(tidy(whole))[:length].strip()


def whole_name(name: str) -> str:
    """Return the name of an organisation so that it is not taken apart."""
    return f"{{{name}}}"


def _people(texts: Iterable[str]) -> tuple[Person, ...]:
    people = people_of(_names(texts))
    return tuple(replace(person, family=person.family.strip("{}")) for person in people)


def _names(texts: Iterable[str]) -> list[str]:
    """Return the names in texts; an address, such as of a profile, is no name."""
    names = (name for text in texts for name in _split_names(_text(text, MAX_ABSTRACT_CHARS)))
    return [name[:MAX_NAME_CHARS] for name in names if "://" not in name and "@" not in name]


def _split_names(text: str) -> list[str]:
    """Return the names that one text holds.

    >>> _split_names("Ada Lovelace, Alan Turing"), _split_names("Lovelace, Ada; Turing, Alan")
    (['Ada Lovelace', 'Alan Turing'], ['Lovelace, Ada', 'Turing, Alan'])
    """
    if text.startswith("{"):
        return [text]
    if ";" in text:
        return [name for name in map(str.strip, text.split(";")) if name][:MAX_VALUES]
    pieces = [text] if _OF_AN_ORGANISATION.search(text) else _AND.split(text)
    if not all(" " in piece for piece in pieces):  # "Barnes and Noble" is one name
        pieces = [text]
    return [name for piece in pieces for name in _comma_list(piece)][:MAX_VALUES]


def _comma_list(text: str) -> list[str]:
    """Return the names between commas, unless a comma stands between the parts of one name."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return parts if len(parts) > 1 and all(" " in part for part in parts) else [text]
