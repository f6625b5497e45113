"""Which values a form is filled with for an object, by its matching."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from motherlode.records import Form, FormField
from motherlode.sources.wrappers.attributes import Attribute, PortalQuery
from motherlode.sources.wrappers.matching import FieldMatch, Matching
from motherlode.sources.wrappers.values import cut, fitted_value

# Attributes that tell an object from others, in the order in which menus are set to them.
TELLING = (
    Attribute.DOI,
    Attribute.ISBN,
    Attribute.ISSN,
    Attribute.IDENTIFIER,
    Attribute.TITLE,
    Attribute.AUTHOR,
    Attribute.LAST_NAME,
    Attribute.FIRST_NAME,
    Attribute.KEYWORDS,
    Attribute.ABSTRACT,
    Attribute.VENUE,
)
# Where free words have no field of their own, those for titles come first.
FREE_WORDS = (Attribute.ANY, Attribute.TITLE, Attribute.KEYWORDS, Attribute.ABSTRACT)


def assigned_values(form: Form, matching: Matching, subject: PortalQuery) -> dict[str, str]:
    """Return the values by which a form is asked for an object, by the names of its fields.

    A menu that says what a field asks for is set along with that field. Without a field for
    anything that tells the object from others, its title or else other words go into the field for
    free words. The result is empty if the form cannot be asked for the object.
    """
    fields = {field.name: field for field in reversed(form.fields)}
    paired = {menu.query_field for menu in matching.menus}
    own = [match for match in matching.fields if match.field not in paired]
    values = dict(_own_values(own, fields, subject))
    placed = {match.attribute for match in own if match.field in values}
    by_menu = dict(_menu_values(matching, fields, subject, placed))
    values |= by_menu
    is_told = bool(by_menu) or not placed.isdisjoint((*TELLING, Attribute.ANY))
    has_words = bool(by_menu) or Attribute.ANY in placed or not subject.query
    if is_told and has_words:
        return values
    free = _words_anywhere(matching, fields, subject.query or _words(subject), values)
    return values | free if free or is_told else {}


def _own_values(
    matches: Sequence[FieldMatch], fields: Mapping[str, FormField], subject: PortalQuery
) -> Iterator[tuple[str, str]]:
    """Yield the values of fields that ask for one attribute each.

    An abstract is left out beside a title: hardly a record has all of its words.
    """
    attributes = {match.attribute for match in matches}
    skips_abstract = Attribute.TITLE in attributes and bool(subject.title)
    seen: Counter[Attribute] = Counter()
    for match in matches:
        number = seen[match.attribute]
        seen[match.attribute] += 1
        if match.field not in fields or (match.attribute == Attribute.ABSTRACT and skips_abstract):
            continue
        if value := fitted_value(fields[match.field], match.attribute, subject, number):
            yield match.field, value


def _menu_values(
    matching: Matching,
    fields: Mapping[str, FormField],
    subject: PortalQuery,
    placed: set[Attribute],
) -> Iterator[tuple[str, str]]:
    """Yield menus with their fields, one attribute each: free words first, then the telling."""
    waiting = [
        attribute
        for attribute in (Attribute.ANY, *TELLING)
        if attribute in subject.attributes and attribute not in placed
    ]
    for menu in matching.menus:
        attribute = next((key for key in waiting if key in menu.values), None)
        if attribute is None or menu.query_field not in fields:
            continue
        waiting.remove(attribute)
        if value := fitted_value(fields[menu.query_field], attribute, subject):
            yield menu.query_field, value
            yield menu.menu, menu.values[attribute]


def _words_anywhere(
    matching: Matching, fields: Mapping[str, FormField], words: str, taken: Mapping[str, str]
) -> dict[str, str]:
    """Return free words in the best field for them that is not taken; nothing if there is none."""
    for attribute in FREE_WORDS:
        for match in matching.fields:
            is_free = match.field in fields and match.field not in taken
            if match.attribute == attribute and is_free:
                value = cut(words, fields[match.field].max_length)
                return {match.field: value} if value else {}
    return {}


def _words(subject: PortalQuery) -> str:
    """Return the words by which an object is most likely found anywhere."""
    author = subject.authors[0].full if subject.authors else ""
    choices = (subject.title, " ".join(subject.keywords), author, subject.abstract, subject.venue)
    return next(filter(None, (*choices, subject.doi, subject.isbn, subject.issn)), "")
