"""Menus: what their options are, and those that say what another field asks for.

Many catalogues have one field for words and a menu beside it: title, author, anything.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from motherlode.records import FormField, FormOption
from motherlode.sources.wrappers.attributes import YEARS, Attribute
from motherlode.sources.wrappers.vocabulary import Vocabulary, tokens
from motherlode.sources.wrappers.vocabulary_tables import SORT_WORDS

MENU_CONTROLS = frozenset({"select", "radio"})
MAX_OPTIONS = 500
MIN_CHOICES = 2  # attributes among the options of a search menu
MIN_SHARE = 0.25  # of the options that are attributes
MIN_YEARS = 2
MIN_LANGUAGES = 3
YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
# The languages that menus have most often: code, English name, and what else they are called.
LANGUAGES: dict[str, tuple[str, ...]] = {
    "en": ("eng", "english", "englisch", "anglais", "ingles", "inglese", "engels"),
    "de": ("ger", "deu", "german", "deutsch", "allemand", "aleman", "tedesco", "duits"),
    "fr": ("fre", "fra", "french", "franzosisch", "francais", "frances", "francese", "frans"),
    "es": ("spa", "spanish", "spanisch", "espagnol", "espanol", "spagnolo", "spaans"),
    "it": ("ita", "italian", "italienisch", "italien", "italiano", "italiaans"),
    "pt": ("por", "portuguese", "portugiesisch", "portugais", "portugues", "portoghese"),
    "nl": ("dut", "nld", "dutch", "niederlandisch", "neerlandais", "nederlands"),
    "ru": ("rus", "russian", "russisch", "russe", "ruso", "russo", "русскии"),
    "zh": ("chi", "zho", "chinese", "chinesisch", "chinois", "chino", "cinese"),
    "ja": ("jpn", "japanese", "japanisch", "japonais", "japones", "giapponese"),
    "ar": ("ara", "arabic", "arabisch", "arabe"),
    "la": ("lat", "latin", "latein", "latino"),
    "pl": ("pol", "polish", "polnisch", "polonais", "polski"),
    "sv": ("swe", "swedish", "schwedisch", "suedois", "svenska"),
    "da": ("dan", "danish", "danisch", "danois", "dansk"),
    "cs": ("cze", "ces", "czech", "tschechisch", "tcheque", "cestina"),
    "tr": ("tur", "turkish", "turkisch", "turc", "turkce"),
    "ko": ("kor", "korean", "koreanisch", "coreen"),
    "el": ("gre", "ell", "greek", "griechisch", "grec"),
    "hu": ("hun", "hungarian", "ungarisch", "hongrois", "magyar"),
}
LANGUAGE_CODES = {name: code for code, names in LANGUAGES.items() for name in (code, *names)}


class SearchMenu(Struct, frozen=True):
    """A menu that says what a field asks for: the menu's value for each attribute."""

    menu: str
    query_field: str
    values: dict[Attribute, str]


def is_menu(field: FormField) -> bool:
    """Whether one of several options is chosen in a field."""
    return field.control in MENU_CONTROLS and bool(field.options)


def search_menus(fields: Sequence[FormField], vocabulary: Vocabulary) -> list[SearchMenu]:
    """Return the menus that say what a field for words asks for, with that field."""
    choices = {
        field.name: values
        for field in fields
        if is_menu(field) and (values := _choices(field, vocabulary))
    }
    pairs = _paired(
        [field for field in fields if field.name in choices or _is_for_words(field, vocabulary)]
    )
    return [
        SearchMenu(menu.name, query.name, choices[menu.name])
        for menu, query in pairs
        if menu.name in choices
    ]


def menu_attributes(field: FormField) -> dict[Attribute, float]:
    """Return the attributes that a menu's options are values of: years or languages."""
    if not is_menu(field):
        return {}
    options = [option for option in usable_options(field) if option.label or option.value]
    years = sum(bool(YEAR.search(option.label or option.value)) for option in options)
    if years >= MIN_YEARS and 2 * years > len(options):
        return {Attribute.YEAR: 1.0}
    languages = sum(bool(language_of(option)) for option in options)
    if languages >= MIN_LANGUAGES and 2 * languages > len(options):
        return {Attribute.LANGUAGE: 1.0}
    return {}


def usable_options(field: FormField) -> list[FormOption]:
    """Return the options that can be chosen."""
    return [option for option in field.options[:MAX_OPTIONS] if not option.is_disabled]


def language_of(option: FormOption) -> str:
    """Return the code of the language that an option names; empty if it names none."""
    words = tokens(option.label) or tokens(option.value)
    return LANGUAGE_CODES.get(words[0], "") if len(words) == 1 else ""


def _choices(field: FormField, vocabulary: Vocabulary) -> dict[Attribute, str]:
    """Return the attributes among a menu's options; nothing if it is no search menu."""
    if not SORT_WORDS.isdisjoint(tokens(f"{field.label} {field.name}")):
        return {}
    options = usable_options(field)
    if any(not SORT_WORDS.isdisjoint(tokens(option.label)) for option in options):
        return {}
    values: dict[Attribute, str] = {}
    for option in options:
        for attribute in vocabulary.of_label(option.label) or vocabulary.of_name(option.value):
            values.setdefault(attribute, option.value)
    named = values.keys() - {Attribute.ANY}
    is_search_menu = (
        len(values) >= MIN_CHOICES
        and named & {Attribute.TITLE, Attribute.AUTHOR}
        and len(values) >= MIN_SHARE * len(options)
    )
    return (
        {key: value for key, value in values.items() if key not in YEARS or key == Attribute.YEAR}
        if is_search_menu
        else {}
    )


def _is_for_words(field: FormField, vocabulary: Vocabulary) -> bool:
    """Whether a field takes words, and names nothing that they would be."""
    if field.control not in ("text", "search"):
        return False
    named = vocabulary.of_label(field.label) | vocabulary.of_name(field.name)
    return named.keys() <= {Attribute.ANY, Attribute.KEYWORDS}


def _paired(fields: Sequence[FormField]) -> Iterator[tuple[FormField, FormField]]:
    """Yield each menu with the field for words behind it, or else with the one before it."""
    free = [place for place, field in enumerate(fields) if not is_menu(field)]
    for place, field in enumerate(fields):
        if not is_menu(field) or not free:
            continue
        after = [text for text in free if text > place]
        before = [text for text in free if text < place]
        # In rows of words and menus, the first of all decides which comes first.
        nearest = after[0] if after and (is_menu(fields[0]) or not before) else before[-1]
        free.remove(nearest)
        yield field, fields[nearest]
