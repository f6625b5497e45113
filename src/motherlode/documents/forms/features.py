"""Features of a form, from which its purpose is classified; each is present or absent."""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from motherlode.documents.forms.query_field import query_field_of
from motherlode.documents.forms.words import meanings, tokens
from motherlode.records import Form, FormField

_BUTTONS = frozenset({"submit", "image", "button", "reset"})
_TYPED = frozenset({"text", "search", "tel", "url", "number", "date"})
_COUNTED = ("password", "email", "textarea", "select", "checkbox", "radio", "file", "hidden")
_MANY = 3
_MAX_FIELDS = 60  # that are looked at
_MAX_OPTIONS = 5  # of a menu


class FormSurroundings(Struct, frozen=True):
    """What the markup says of a form besides its fields: names and classes, and script buttons."""

    names: str = ""  # of the form: id, class, name, role
    buttons: tuple[str, ...] = ()  # words of buttons that scripts wait for


def features_of(form: Form, surroundings: FormSurroundings) -> frozenset[str]:
    """Return the features of a form."""
    fields = [field for field in form.fields if field.control != "hidden"][:_MAX_FIELDS]
    return frozenset(
        (
            *_counts(form, fields),
            *_shape(form, fields),
            *_words(form, fields, surroundings),
        )
    )


def _counts(form: Form, fields: list[FormField]) -> Iterator[str]:
    """How many controls of each kind there are: 0, 1, 2 or many."""
    counts = Counter("typed" if field.control in _TYPED else field.control for field in fields)
    counts["hidden"] = len(form.fields) - len(fields)
    for kind in ("typed", *_COUNTED):
        yield f"{kind}={'many' if counts[kind] >= _MANY else counts[kind]}"


def _shape(form: Form, fields: list[FormField]) -> Iterator[str]:
    kinds = [field.control for field in fields if field.control not in _BUTTONS]
    yield f"method={form.method}"
    yield f"encoding={form.encoding}"
    if len(kinds) == 1:
        yield f"only={'text' if kinds[0] in _TYPED else kinds[0]}"
        yield f"only={'text' if kinds[0] in _TYPED else kinds[0]} {form.method}"
    if "search" in kinds:
        yield "type=search"
    if not any(field.control in _BUTTONS for field in form.fields):
        yield "no button"
    if query_field_of(form.fields):
        yield "query field"
    if any(field.is_required for field in fields):
        yield "required"


def _words(form: Form, fields: list[FormField], surroundings: FormSurroundings) -> Iterator[str]:
    """The words of each place, as they stand and by what they mean."""
    buttons = [field for field in fields if field.control in _BUTTONS]
    others = [field for field in fields if field.control not in _BUTTONS]
    typed = [field for field in others if field.control in _TYPED]
    places: dict[str, Iterable[str]] = {
        "name": (f"{field.name} {field.element_id}" for field in others),
        "label": (text for field in others for text in (field.label, field.placeholder)),
        "typed": (text for field in typed for text in (field.name, field.label, field.placeholder)),
        "value": (field.value for field in typed),
        "option": (o.label for field in others for o in field.options[:_MAX_OPTIONS]),
        "button": (*(f"{b.label} {b.name}" for b in buttons), *surroundings.buttons),
        "hidden": (f.name for f in form.fields[:_MAX_FIELDS] if f.control == "hidden"),
        "form": (surroundings.names,),
        "action": (form.action.partition("//")[2].partition("/")[2],),
        "title": (form.title,),
    }
    for place, texts in places.items():
        for text in texts:
            yield from (f"{place}~{meaning}" for meaning in meanings(text))
            if place != "typed":  # the words of all fields are there as they stand already
                yield from (f"{place}:{token}" for token in tokens(text))
