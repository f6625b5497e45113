"""Forms: where they lead, and what a person could fill in."""

from collections.abc import Callable, Iterator

from turbohtml import Document as Tree
from turbohtml import Element

from motherlode.documents.text.whitespace import tidy
from motherlode.records import Field, Form
from motherlode.urls import Address

_WORDY = "select,textarea,button"
_CONTROLS = f"input,{_WORDY}"
_MAX_FORMS, _MAX_FIELDS, _MAX_OPTIONS = 50, 100, 500
_MAX_WORDS = 200  # characters of a label


def forms_in(tree: Tree, resolve: Callable[[str], Address | None]) -> Iterator[Form]:
    """Every form of a page, in order; one whose target cannot be fetched is left out."""
    forms = tree.find_all("form")[:_MAX_FORMS]
    if not forms:
        return
    labels = _Labels(tree)
    for form in forms:
        target = resolve(attribute(form, "action") or "")
        if target is not None:
            method = (attribute(form, "method") or "get").lower()
            fields = (_field(control, labels) for control in form.select(_CONTROLS)[:_MAX_FIELDS])
            yield Form(
                target.url,
                "post" if method == "post" else "get",
                tuple(f for f in fields if f.name),
            )


def attribute(element: Element, name: str) -> str:
    """An attribute's value as text; empty if there is none."""
    return element.attr(name) or ""


class _Labels:
    """What the labels of a page say. Each is read once: hundreds of fields may stand in
    the same.
    """

    def __init__(self, tree: Tree) -> None:
        self._for = {attribute(label, "for"): label for label in tree.find_all("label")}
        self._words: dict[Element, str] = {}

    def of(self, control: Element) -> str:
        """What a person reads beside a field: its label, or whatever else it says of itself."""
        own = attribute(control, "id")
        labels = (
            (self._for.get(own) if own else None, control.closest("label")) if self._for else ()
        )
        for label in labels:
            if label is not None and (words := self._said(label)):
                return words
        hints = (attribute(control, name) for name in ("aria-label", "placeholder", "title"))
        return tidy(next(filter(None, hints), ""))[:_MAX_WORDS]

    def _said(self, label: Element) -> str:
        """The words of a label, without those of the fields in it."""
        if label not in self._words:
            words = label.text
            for field in label.select(_WORDY)[:_MAX_FIELDS]:
                words = words.replace(field.text, " ", 1)
            self._words[label] = tidy(words)[:_MAX_WORDS]
        return self._words[label]


def _field(control: Element, labels: _Labels) -> Field:
    kind = control.tag if control.tag != "input" else (attribute(control, "type") or "text").lower()
    return Field(
        name=attribute(control, "name"),
        kind=kind,
        label=labels.of(control),
        value=_value(control),
        options=tuple(_options(control)) if kind == "select" else (),
    )


def _value(control: Element) -> str:
    """What a field holds as it comes; of choices, the one that is made."""
    if control.tag == "textarea":
        return control.text[:_MAX_WORDS]
    if control.tag != "select":
        return attribute(control, "value")
    made = (
        option for option in control.find_all("option")[:_MAX_OPTIONS] if "selected" in option.attrs
    )
    return next((_choice(option)[0] for option in made), "")


def _choice(option: Element) -> tuple[str, str]:
    """The value of a choice, and its words."""
    words = tidy(option.text)[:_MAX_WORDS]
    value = option.attrs.get("value")
    return (value if isinstance(value, str) else words), words


def _options(control: Element) -> Iterator[tuple[str, str]]:
    return map(_choice, control.find_all("option")[:_MAX_OPTIONS])
