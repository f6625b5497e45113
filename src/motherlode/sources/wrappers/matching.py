"""Which field of a form asks for which attribute, worked out once when a portal is registered.

Label, placeholder, name and options of a field are independent hints, joined as a noisy-or:
1 - (1 - w1 s1)(1 - w2 s2)... (J. Pearl, "Probabilistic Reasoning in Intelligent Systems", 1988,
section 4.3.2), with the weights below.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from motherlode.records import Form, FormField
from motherlode.sources.wrappers.attributes import NAMES, YEARS, Attribute
from motherlode.sources.wrappers.menus import SearchMenu, is_menu, menu_attributes, search_menus
from motherlode.sources.wrappers.vocabulary import Vocabulary, tokens

LABEL_WEIGHT = 0.85
NAME_WEIGHT = 0.75
PLACEHOLDER_WEIGHT = 0.7
ID_WEIGHT = 0.4
OPTIONS_WEIGHT = 0.9
QUERY_WEIGHT = 0.6  # of a form's query field, for free words
MIN_SCORE = 0.5  # below, a field is left as it is
ONLY_FIELD_SCORE = 0.5  # of the only field for text, whatever it is called
MAX_FIELDS = 300
# Attributes whose values a menu may list, and how many options make a list.
LISTED = NAMES | {Attribute.KEYWORDS, Attribute.VENUE, Attribute.PUBLISHER}
MIN_LISTED = 5
MIN_MENU_SCORE = 0.82  # its label names the attribute
# By one of these at least, a form is asked; years and languages only narrow that down.
LEADING = frozenset(Attribute) - YEARS - {Attribute.LANGUAGE, Attribute.PUBLISHER}
TEXT_CONTROLS = frozenset({"text", "search", "textarea", "number", "date", "month", "tel", "url"})


class FieldMatch(Struct, frozen=True):
    """A field, the attribute that it asks for, and how sure that is (0 to 1)."""

    field: str
    attribute: Attribute
    score: float


class Matching(Struct, frozen=True):
    """The attributes of a form's fields, and the menus that say what a field asks for."""

    fields: tuple[FieldMatch, ...] = ()
    menus: tuple[SearchMenu, ...] = ()

    def score_of(self, attribute: Attribute) -> float:
        """Return how sure it is that the form can be asked for an attribute; 0 if it cannot."""
        scores = {match.field: match.score for match in self.fields}
        by_menu = [
            scores.get(menu.query_field, 0.0) for menu in self.menus if attribute in menu.values
        ]
        own = [match.score for match in self.fields if match.attribute == attribute]
        return max(own + by_menu, default=0.0)


def matching_of(form: Form, vocabulary: Vocabulary) -> Matching:
    """Return what the fields of a form ask for; fields that no attribute fits are left out."""
    fields = usable_fields(form)
    menus = search_menus(fields, vocabulary)
    scores = _scores(form, fields, vocabulary, {menu.menu for menu in menus})
    for menu in menus:
        scores[menu.query_field][Attribute.ANY] = max(
            LABEL_WEIGHT, scores[menu.query_field].get(Attribute.ANY, 0.0)
        )
    matches = _with_spans(list(_best(scores)))
    matches = _without_doubles(matches, {menu.query_field for menu in menus})
    matches = _with_free_words(matches, form, fields)
    if LEADING.isdisjoint(match.attribute for match in matches):
        return Matching()
    return Matching(tuple(matches), tuple(menus))


def usable_fields(form: Form) -> list[FormField]:
    """Return the fields that a person fills in, each name once."""
    usable = (
        field
        for field in form.fields[:MAX_FIELDS]
        if field.name and not field.is_disabled and (is_text(field) or is_menu(field))
    )
    by_name: dict[str, FormField] = {}
    for field in usable:
        by_name.setdefault(field.name, field)
    return list(by_name.values())


def is_text(field: FormField) -> bool:
    """Whether words can be typed into a field."""
    return field.control in TEXT_CONTROLS


def field_scores(field: FormField, vocabulary: Vocabulary) -> dict[Attribute, float]:
    """Return the attributes that a field may ask for, by all that it says of itself."""
    hints = [
        (LABEL_WEIGHT, vocabulary.of_label(field.label)),
        (NAME_WEIGHT, vocabulary.of_name(field.name)),
        (PLACEHOLDER_WEIGHT, vocabulary.of_label(field.placeholder)),
        (OPTIONS_WEIGHT, menu_attributes(field)),
    ]
    if field.element_id != field.name:
        hints.append((ID_WEIGHT, vocabulary.of_name(field.element_id)))
    doubts: defaultdict[Attribute, float] = defaultdict(lambda: 1.0)
    for weight, attributes in hints:
        for attribute, score in attributes.items():
            doubts[attribute] *= 1 - weight * score
    for end in (Attribute.YEAR_FROM, Attribute.YEAR_TO):
        if end in doubts and Attribute.YEAR in doubts:
            doubts[end] *= doubts[Attribute.YEAR]
    return {
        attribute: 1 - doubt
        for attribute, doubt in doubts.items()
        if _can_take(field, attribute, 1 - doubt)
    }


def _can_take(field: FormField, attribute: Attribute, score: float) -> bool:
    """Whether a field can hold a value of an attribute: of menus, few can."""
    if not is_menu(field):
        return True
    if attribute in YEARS:
        return Attribute.YEAR in menu_attributes(field)
    if attribute == Attribute.LANGUAGE:
        return attribute in menu_attributes(field)
    return attribute in LISTED and len(field.options) >= MIN_LISTED and score >= MIN_MENU_SCORE


def _scores(
    form: Form, fields: Sequence[FormField], vocabulary: Vocabulary, taken: set[str]
) -> dict[str, dict[Attribute, float]]:
    scores = {
        field.name: field_scores(field, vocabulary) for field in fields if field.name not in taken
    }
    if form.query_field in scores:
        own = scores[form.query_field]
        own[Attribute.ANY] = 1 - (1 - own.get(Attribute.ANY, 0.0)) * (1 - QUERY_WEIGHT)
    return scores


def _best(scores: Mapping[str, Mapping[Attribute, float]]) -> Iterator[FieldMatch]:
    """Yield the best attribute of each field, if it is sure enough."""
    for name, attributes in scores.items():
        attribute = max(attributes, key=lambda key: attributes[key], default=None)
        if attribute is not None and attributes[attribute] >= MIN_SCORE:
            yield FieldMatch(name, attribute, round(attributes[attribute], 3))


def _with_spans(matches: list[FieldMatch]) -> list[FieldMatch]:
    """Return the matches with two neighbouring years as the two ends of a span."""
    for place, (first, second) in enumerate(pairwise(matches)):
        ends = (first.attribute, second.attribute)
        if ends in (
            (Attribute.YEAR, Attribute.YEAR),
            (Attribute.YEAR, Attribute.YEAR_TO),
            (Attribute.YEAR_FROM, Attribute.YEAR),
        ):
            matches[place] = FieldMatch(first.field, Attribute.YEAR_FROM, first.score)
            matches[place + 1] = FieldMatch(second.field, Attribute.YEAR_TO, second.score)
    return matches


def _without_doubles(matches: Sequence[FieldMatch], paired: set[str]) -> list[FieldMatch]:
    """Return the surest match of each attribute, and those that are numbered like it."""
    surest: dict[Attribute, FieldMatch] = {}
    for match in matches:
        best = surest.get(match.attribute)
        if best is None or match.score > best.score:
            surest[match.attribute] = match
    return [
        match
        for match in matches
        if match.field in paired
        or (
            tokens(match.field) == tokens(surest[match.attribute].field)
            and (match.attribute not in YEARS or match == surest[match.attribute])
        )
    ]


def _with_free_words(
    matches: list[FieldMatch], form: Form, fields: Sequence[FormField]
) -> list[FieldMatch]:
    """Return the matches with a field for free words, if there is one that can be."""
    attributes = {match.attribute for match in matches}
    if Attribute.ANY in attributes:
        return matches
    texts = [field.name for field in fields if is_text(field)]
    if Attribute.TITLE not in attributes:
        keywords = [
            match
            for match in matches
            if match.attribute == Attribute.KEYWORDS and match.field in texts
        ]
        if keywords:
            place = matches.index(keywords[0])
            free = FieldMatch(keywords[0].field, Attribute.ANY, keywords[0].score)
            return [*matches[:place], free, *matches[place + 1 :]]
    taken = {match.field for match in matches}
    if form.query_field in texts and form.query_field not in taken:
        return [*matches, FieldMatch(form.query_field, Attribute.ANY, QUERY_WEIGHT)]
    if len(texts) == 1 and texts[0] not in taken:
        return [*matches, FieldMatch(texts[0], Attribute.ANY, ONLY_FIELD_SCORE)]
    return matches
