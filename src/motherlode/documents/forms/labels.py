"""The label of each field: what a person reads beside it."""

from collections import defaultdict
from itertools import islice

from motherlode.documents.elements import attribute
from motherlode.documents.forms.outline import (
    FORM,
    LINE,
    MAX_WORDS,
    ROW,
    FormControl,
    Outline,
    TextSpan,
)
from motherlode.documents.text.whitespace import tidy

_CHOICES = ("checkbox", "radio")
_PROMPTED = ("text", "search", "email", "password")
_BUTTONS = ("submit", "button", "reset", "image")
_MAX_NEARBY = 100  # characters; more are no label but a text
_MAX_IDS = 5  # of `aria-labelledby`
_MAX_LABELS = 5  # of a field
_MAX_AFTER = 2 * MAX_WORDS


class FieldLabels:
    """Finds the labels of a page's fields."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._by_id: dict[str, list[TextSpan]] = defaultdict(list)
        for label in outline.labels:
            if name := attribute(label.element, "for"):
                self._by_id[name].append(label.span)

    def label_of(self, control: FormControl) -> str:
        """Return the label of a control, or of one option; empty if nothing is said of it."""
        if control.kind in _BUTTONS:
            return self._button_words(control)
        return (
            self._own_label(control)
            or self._aria_label(control)
            or (self._nearby(control) if control.kind in _CHOICES else self._hints(control))
            or (self._hints(control) if control.kind in _CHOICES else self._nearby(control))
            or (_prompt(control) if control.kind in _PROMPTED else "")
        )

    def group_label(self, controls: list[FormControl]) -> str:
        """Return what is said of several options together: a legend, or the words before them."""
        group = controls[0].scope.group
        if group >= 0 and controls[-1].scope.group == group:
            element = self._outline.groups[group].element
            words = (
                self._outline.words(self._outline.legends.get(group))
                or clipped(attribute(element, "aria-label"))
                or self._referenced(attribute(element, "aria-labelledby"))
            )
            if words:
                return words
        return self._before(controls[0])

    def referenced(self, names: str) -> str:
        """Return the words of the elements with these ids."""
        return self._referenced(names)

    def _own_label(self, control: FormControl) -> str:
        spans = self._by_id.get(attribute(control.element, "id"), [])
        for span in islice(spans, _MAX_LABELS):
            if words := self._outline.words(span):
                return words
        label = control.scope.label
        return self._outline.words(self._outline.labels[label].span) if label >= 0 else ""

    def _aria_label(self, control: FormControl) -> str:
        element = control.element
        return self._referenced(attribute(element, "aria-labelledby")) or clipped(
            attribute(element, "aria-label")
        )

    def _referenced(self, names: str) -> str:
        ids = names[: 10 * MAX_WORDS].split()[:_MAX_IDS]
        words = (self._outline.words(self._outline.spans.get(name)) for name in ids)
        return " ".join(filter(None, words))[:MAX_WORDS]

    def _hints(self, control: FormControl) -> str:
        element = control.element
        hints = (clipped(attribute(element, name)) for name in ("placeholder", "title"))
        return next(filter(None, hints), "")

    def _button_words(self, control: FormControl) -> str:
        element = control.element
        own = self._outline.words(control.span) if element.tag == "button" else ""
        names = (
            ("aria-label", "alt", "title") if control.kind == "image" else ("aria-label", "title")
        )
        value = "" if control.kind == "image" or element.tag == "button" else "value"
        hints = (attribute(element, name) for name in (value, *names) if name)
        return own or next(filter(None, map(clipped, hints)), "")

    def _nearby(self, control: FormControl) -> str:
        if control.kind in _CHOICES:
            return self._after(control) or self._before(control)
        return self._before(control)

    def _before(self, control: FormControl) -> str:
        """Return the words of the line before a control, up to the control before it."""
        line: list[str] = []
        size = 0
        for place in range(control.place - 1, -1, -1):
            piece = self._outline.pieces[place]
            if isinstance(piece, str):
                line.append(piece)
                size += len(piece)
            elif isinstance(piece, FormControl) or piece >= FORM or line:
                break
            if size > _MAX_NEARBY:
                return ""
        return _label(" ".join(reversed(line)))

    def _after(self, control: FormControl) -> str:
        """Return the words of the line behind a control, up to the next control."""
        line: list[str] = []
        size = 0
        for place in range(control.place + 1, len(self._outline.pieces)):
            piece = self._outline.pieces[place]
            if isinstance(piece, str):
                line.append(piece)
                size += len(piece)
            elif isinstance(piece, FormControl) or piece >= ROW or (line and piece >= LINE):
                break
            if size > _MAX_AFTER:
                break
        return " ".join(line)[:MAX_WORDS]


def _prompt(control: FormControl) -> str:
    """Return the words that old pages put into a field for want of a placeholder."""
    words = clipped(attribute(control.element, "value"))
    return words if any(character.isalpha() for character in words) else ""


def clipped(text: str) -> str:
    """Return the words of an attribute, as far as a label may be long."""
    return tidy(text[: 10 * MAX_WORDS])[:MAX_WORDS]


def _label(words: str) -> str:
    """Return words without the colon or star behind them; nothing if they have no letter."""
    stripped = words.strip(" :*|»>\u00a0")
    return stripped if any(character.isalnum() for character in stripped) else ""
