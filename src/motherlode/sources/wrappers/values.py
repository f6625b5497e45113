"""Values of an object fitted to fields: names, years, languages, menus, bounded texts."""

import re

from msgspec import Struct

from motherlode.records import FormField
from motherlode.sources.wrappers.attributes import (
    NAMES,
    YEARS,
    Attribute,
    PersonName,
    PortalQuery,
)
from motherlode.sources.wrappers.menus import (
    LANGUAGE_CODES,
    MENU_CONTROLS,
    YEAR,
    language_of,
    usable_options,
)
from motherlode.sources.wrappers.vocabulary import tokens
from motherlode.sources.wrappers.vocabulary_tables import FROM_WORDS, TO_WORDS

MAX_VALUE_CHARS = 500  # no field is sent more, whatever it takes
MAX_HINT_CHARS = 200
FIRST_YEAR, LAST_YEAR = 1000, 2999
YEAR_DIGITS = 4
_DECADE = re.compile(r"(?<!\d)((?:1[4-9]|20)\d0)\s?['\u2019]?(?:s|er)\b", re.IGNORECASE)
_OPEN_END = re.compile(
    r"\d{4}\s?(?:\+|[-\u2013\u2014]\s*(?:$|today|now|present|heute))", re.IGNORECASE
)
_OPEN_BEGIN = re.compile(r"^\s*(?:[-\u2013\u2014<\u2264]|\.\.)")
_INVERTED = re.compile(r"(?:e\.\s?g\.|ex\.?|z\.\s?B\.)?:?\s*[^\W\d]+,\s*[^\W\d]+\.?", re.IGNORECASE)
_LAST_FIRST = re.compile(r"\b(?:last|family|sur)\W?(?:name)?\W+(?:first|given|fore)", re.IGNORECASE)
_DAY_PATTERN = re.compile(r"(?:dd|tt|jj)([./-])mm\1(?:yyyy|jjjj|aaaa)", re.IGNORECASE)
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


class YearSpan(Struct, frozen=True):
    """The years that an option of a menu stands for."""

    first: int
    last: int

    def distance(self, year: int) -> int:
        """Return how many years lie between a year and the span; 0 within."""
        return max(self.first - year, year - self.last, 0)


def fitted_value(
    field: FormField, attribute: Attribute, subject: PortalQuery, number: int = 0
) -> str:
    """Return an object's value for an attribute as a field takes it; empty if it takes none.

    `number` counts the fields of this attribute from 0: the second one gets the second author.
    """
    if attribute in YEARS:
        return _year_value(field, attribute, subject.year)
    if attribute == Attribute.LANGUAGE and field.control in MENU_CONTROLS:
        return _language_option(field, subject.language)
    texts = _texts(field, attribute, subject)[number:]
    if field.control in MENU_CONTROLS:
        return next(filter(None, (option_value(field, text) for text in texts)), "")
    return next((cut(text, field.max_length) for text in texts[:1]), "")


def option_value(field: FormField, text: str) -> str:
    """Return the value of the option that a text names, with all or some of its words.

    An option counts if its words are among those of the text, or the other way round.
    """
    wanted = set(tokens(text))
    if not wanted:
        return ""
    best, best_share = "", 0.0
    for option in usable_options(field):
        words = set(tokens(option.label or option.value))
        if words and (words <= wanted or wanted <= words):
            share = len(words & wanted) / len(words | wanted)
            if share > best_share:
                best, best_share = option.value, share
    return best


def year_option(field: FormField, attribute: Attribute, year: int) -> str:
    """Return the value of the option nearest to a year.

    Of several options that contain it, the narrowest counts. Where a span begins, it is the latest
    option not after the year, and where it ends, the earliest not before it.
    """
    spans = [
        (span, option.value)
        for option in usable_options(field)
        if (span := year_span(option.label)) or (span := year_span(option.value))
    ]

    def order(pair: tuple[YearSpan, str]) -> tuple[bool, int, int]:
        span = pair[0]
        if attribute == Attribute.YEAR_FROM:
            return span.first > year, abs(span.first - year), 0
        if attribute == Attribute.YEAR_TO:
            return span.last < year, abs(span.last - year), 0
        return False, span.distance(year), span.last - span.first

    return min(spans, key=order)[1] if spans else ""


def year_span(text: str) -> YearSpan | None:
    """Return the years that an option's text names: one, a span, a decade, or an open end.

    >>> year_span("1990-1999"), year_span("since 2010")
    (YearSpan(first=1990, last=1999), YearSpan(first=2010, last=2999))
    """
    text = text[:MAX_HINT_CHARS]
    if decade := _DECADE.search(text):
        return YearSpan(int(decade[1]), int(decade[1]) + 9)
    years = [int(found) for found in YEAR.findall(text)]
    if not years:
        return None
    if len(years) > 1:
        return YearSpan(min(years), max(years))
    words = set(tokens(text))
    if words & FROM_WORDS or _OPEN_END.search(text):
        return YearSpan(years[0], LAST_YEAR)
    if words & TO_WORDS or _OPEN_BEGIN.search(text):
        return YearSpan(FIRST_YEAR, years[0])
    return YearSpan(years[0], years[0])


def cut(text: str, limit: int) -> str:
    """Return a text on one line with at most `limit` characters, whole words if it can be.

    >>> cut("a study of owls", 10), cut("owls", 2)
    ('a study of', 'ow')
    """
    limit = min(limit or MAX_VALUE_CHARS, MAX_VALUE_CHARS)
    text = " ".join(text[: 4 * MAX_VALUE_CHARS].split())
    if len(text) <= limit:
        return text
    whole = text[: limit + 1].rpartition(" ")[0].rstrip()
    return whole or text[:limit]


def _texts(field: FormField, attribute: Attribute, subject: PortalQuery) -> list[str]:
    """Return the texts of an attribute, of which a field takes the first that it can."""
    if attribute in NAMES:
        return [_name(author, attribute, field) for author in subject.authors]
    if attribute == Attribute.KEYWORDS:
        return (
            list(subject.keywords)
            if field.control in MENU_CONTROLS
            else _known(" ".join(subject.keywords))
        )
    if attribute == Attribute.IDENTIFIER:
        return _known(_doi(subject.doi), subject.isbn, subject.issn)
    if attribute == Attribute.DOI:
        return _known(_doi(subject.doi))
    if attribute == Attribute.ISBN:
        return _known(_isbn(subject.isbn, field))
    return _known(
        {
            Attribute.ANY: subject.query,
            Attribute.TITLE: subject.title,
            Attribute.ABSTRACT: subject.abstract,
            Attribute.VENUE: subject.venue,
            Attribute.PUBLISHER: subject.publisher,
            Attribute.ISSN: subject.issn,
            Attribute.LANGUAGE: subject.language,
        }.get(attribute, "")
    )


def _known(*texts: str) -> list[str]:
    return [text for text in texts if text.strip()]


def _name(author: PersonName, attribute: Attribute, field: FormField) -> str:
    """Return a name, with the last name first where the field asks for that."""
    if attribute == Attribute.FIRST_NAME:
        return author.first
    if attribute == Attribute.LAST_NAME:
        return author.last
    placeholder, label = field.placeholder[:MAX_HINT_CHARS], field.label[:MAX_HINT_CHARS]
    is_inverted = _INVERTED.fullmatch(placeholder.strip()) or _LAST_FIRST.search(
        f"{label} {placeholder}"
    )
    return author.inverted if is_inverted else author.full


def _year_value(field: FormField, attribute: Attribute, year: int) -> str:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return ""
    if field.control in MENU_CONTROLS:
        return year_option(field, attribute, year)
    is_end = attribute == Attribute.YEAR_TO
    month, day = ("12", "31") if is_end else ("01", "01")
    if field.control in ("date", "month"):
        if attribute == Attribute.YEAR:
            return ""  # one day or month of it would leave out the others
        return f"{year}-{month}-{day}" if field.control == "date" else f"{year}-{month}"
    pattern = _DAY_PATTERN.search(field.placeholder[:MAX_HINT_CHARS])
    if pattern and attribute != Attribute.YEAR:
        return f"{day}{pattern[1]}{month}{pattern[1]}{year}"
    is_short = 0 < field.max_length < YEAR_DIGITS
    return str(year)[-field.max_length :] if is_short else str(year)


def _language_option(field: FormField, language: str) -> str:
    code = language_code(language)
    if code:
        options = usable_options(field)
        return next((option.value for option in options if language_of(option) == code), "")
    return option_value(field, language)


def language_code(language: str) -> str:
    """Return the code of a language, by its name or code; empty if it is not known.

    >>> language_code("Englisch"), language_code("de-CH")
    ('en', 'de')
    """
    words = tokens(language)
    return LANGUAGE_CODES.get(words[0], "") if words else ""


def _doi(text: str) -> str:
    return _DOI_PREFIX.sub("", text.strip())


def _isbn(text: str, field: FormField) -> str:
    """Return an ISBN, without its hyphens where the field is too short for them."""
    is_short = 0 < field.max_length < len(text)
    return text.replace("-", "").replace(" ", "") if is_short else text
