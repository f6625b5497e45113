"""From controls to the fields of a form: names, labels, options, defaults."""

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec.structs import replace
from turbohtml import Element

from motherlode.documents.elements import attribute
from motherlode.documents.forms.labels import FieldLabels, clipped
from motherlode.documents.forms.outline import MAX_WORDS, FormControl
from motherlode.documents.text.whitespace import tidy
from motherlode.records import FormField, FormOption

MAX_FIELDS = 1_000  # of a form
MAX_OPTIONS = 5_000  # of a menu
MAX_CHARS = 2_000_000  # of all names, values and options of a page: view states are long
_NEVER_SENT = ("button", "reset")
_CHOICES = ("checkbox", "radio")
_MAX_NUMBER = 9  # digits


class FieldReader:
    """Reads the fields of a page's forms; `is_full` says that the page holds more than is read."""

    def __init__(self, labels: FieldLabels) -> None:
        self._labels = labels
        self._room = MAX_CHARS
        self.is_full = False

    def fields(self, controls: Iterable[FormControl]) -> tuple[FormField, ...]:
        """Return the fields of a form; buttons that send nothing are left out."""
        self.is_full = False
        groups: dict[tuple[str, str] | int, list[FormControl]] = {}
        for number, control in enumerate(controls):
            if control.kind not in _NEVER_SENT:
                groups.setdefault(_group_key(control, number), []).append(control)
        fields = (self._field(group) for group in islice(groups.values(), MAX_FIELDS))
        read = tuple(filter(self._has_room, fields))
        self.is_full = self.is_full or len(groups) > MAX_FIELDS
        return read

    def _has_room(self, field: FormField) -> bool:
        self._room -= len(field.name) + len(field.value) + sum(map(_size, field.options))
        self.is_full = self.is_full or self._room < 0
        return self._room >= 0

    def _field(self, controls: list[FormControl]) -> FormField:
        control = controls[0]
        if control.kind in _CHOICES:
            return self._choice(controls)
        if control.kind == "select":
            return self._menu(control)
        return replace(self._plain(control), value=_value(control))

    def _choice(self, controls: list[FormControl]) -> FormField:
        options = tuple(map(self._option, controls[:MAX_OPTIONS]))
        self.is_full = self.is_full or len(controls) > MAX_OPTIONS
        label = self._labels.group_label(controls) if len(options) > 1 else options[0].label
        if controls[0].kind == "radio":
            options = _only_last_selected(options)
        return replace(
            self._plain(controls[0]),
            label=label,
            value=_first_selected(options),
            options=options,
            is_multiple=len(options) > 1 and controls[0].kind == "checkbox",
            is_disabled=all(option.is_disabled for option in options),
        )

    def _option(self, control: FormControl) -> FormOption:
        element = control.element
        value = element.attr("value")
        return FormOption(
            "on" if value is None else value,
            self._labels.label_of(control),
            is_selected=element.attr("checked") is not None,
            is_disabled=_is_disabled(control),
        )

    def _menu(self, control: FormControl) -> FormField:
        element = control.element
        is_multiple = element.attr("multiple") is not None
        options = tuple(islice(_options(element), MAX_OPTIONS + 1))
        self.is_full = self.is_full or len(options) > MAX_OPTIONS
        options = options[:MAX_OPTIONS]
        if not is_multiple:
            is_list = _number(attribute(element, "size")) > 1
            options = _only_last_selected(options) if is_list else _always_one_selected(options)
        return replace(
            self._plain(control),
            value=_first_selected(options),
            options=options,
            is_multiple=is_multiple,
        )

    def _plain(self, control: FormControl) -> FormField:
        """Return a field without what it holds."""
        element = control.element
        return FormField(
            name=attribute(element, "name"),
            control=control.kind,
            label=self._labels.label_of(control) if control.kind != "hidden" else "",
            placeholder=clipped(attribute(element, "placeholder")),
            element_id=attribute(element, "id")[:MAX_WORDS],
            max_length=_number(attribute(element, "maxlength")),
            is_required=element.attr("required") is not None
            or attribute(element, "aria-required") == "true",
            is_multiple=element.attr("multiple") is not None and control.kind in ("file", "email"),
            is_disabled=_is_disabled(control),
        )


def _group_key(control: FormControl, number: int) -> tuple[str, str] | int:
    """Return what radio buttons or checkboxes of one name share; other controls stand alone."""
    name = attribute(control.element, "name")
    return (control.kind, name) if name and control.kind in _CHOICES else number


def _is_disabled(control: FormControl) -> bool:
    return control.scope.is_disabled or control.element.attr("disabled") is not None


def _value(control: FormControl) -> str:
    """Return what a control holds when the page is loaded."""
    if control.element.tag == "textarea":
        return control.element.text
    return attribute(control.element, "value")


def _options(menu: Element) -> Iterator[FormOption]:
    """Return the options of a menu, as they are selected by their own word."""
    for option in menu.find_all("option"):
        words = tidy(option.text)
        value = option.attr("value")
        yield FormOption(
            words if value is None else value,
            clipped(attribute(option, "label")) or words[:MAX_WORDS],
            is_selected=option.attr("selected") is not None,
            is_disabled=option.attr("disabled") is not None or _is_in_closed_group(option),
        )


def _is_in_closed_group(option: Element) -> bool:
    group = option.parent
    return (
        isinstance(group, Element)
        and group.tag == "optgroup"
        and group.attr("disabled") is not None
    )


def _only_last_selected(options: tuple[FormOption, ...]) -> tuple[FormOption, ...]:
    """Return options of which one at most is selected, as browsers see to it."""
    selected = [place for place, option in enumerate(options) if option.is_selected]
    if len(selected) < 2:  # noqa: PLR2004 - two cannot be selected
        return options
    return tuple(
        replace(option, is_selected=place == selected[-1]) for place, option in enumerate(options)
    )


def _always_one_selected(options: tuple[FormOption, ...]) -> tuple[FormOption, ...]:
    """Return the options of a drop-down menu: if none is selected, the first that may be."""
    options = _only_last_selected(options)
    if any(option.is_selected for option in options):
        return options
    first = next((place for place, option in enumerate(options) if not option.is_disabled), -1)
    if first < 0:
        return options
    return (*options[:first], replace(options[first], is_selected=True), *options[first + 1 :])


def _first_selected(options: tuple[FormOption, ...]) -> str:
    return next((option.value for option in options if option.is_selected), "")


def _size(option: FormOption) -> int:
    return len(option.value) + len(option.label)


def _number(text: str) -> int:
    """Return a number that an attribute names; 0 if it names none.

    >>> _number(" 12"), _number("-1"), _number("many")
    (12, 0, 0)
    """
    digits = text[: 2 * _MAX_NUMBER].strip()
    return (
        int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_NUMBER else 0
    )
