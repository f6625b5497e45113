"""Forms: where they lead, and what a person could fill in."""

from collections.abc import Callable, Iterator
from typing import Any

from turbohtml import Document as Tree
from turbohtml import Element

from motherlode.documents.words import tidy
from motherlode.records import Field, Form
from motherlode.urls import Address

_CONTROLS: list[Any] = ["input", "select", "textarea", "button"]
_MAX_FORMS, _MAX_FIELDS, _MAX_OPTIONS = 50, 100, 500
_MAX_WORDS = 200  # characters of a label


def forms_in(tree: Tree, resolve: Callable[[str], Address | None]) -> Iterator[Form]:
    """Every form of a page, in order; one whose target cannot be fetched is left out."""
    forms = tree.find_all("form")[:_MAX_FORMS]
    labels = _labels(tree) if forms else {}
    for form in forms:
        target = resolve(attribute(form, "action") or "")
        if target is not None:
            method = (attribute(form, "method") or "get").lower()
            fields = (_field(control, labels) for control in form.find_all(_CONTROLS)[:_MAX_FIELDS])
            yield Form(target.url, "post" if method == "post" else "get", tuple(f for f in fields if f.name))


def attribute(element: Element, name: str) -> str:
    """An attribute's value as text; empty if there is none."""
    value = element.attrs.get(name)
    if isinstance(value, list):
        return " ".join(value)
    return value or ""


def _labels(tree: Tree) -> dict[str, str]:
    """The words of each label, by the id of the field that it is for."""
    labels = tree.find_all("label")
    return {
        attribute(label, "for"): tidy(label.text)[:_MAX_WORDS] for label in labels if attribute(label, "for")
    }


def _field(control: Element, labels: dict[str, str]) -> Field:
    kind = control.tag if control.tag != "input" else (attribute(control, "type") or "text").lower()
    return Field(
        name=attribute(control, "name"),
        kind=kind,
        label=_label(control, labels),
        value=attribute(control, "value") if control.tag != "textarea" else control.text[:_MAX_WORDS],
        options=tuple(_options(control)) if kind == "select" else (),
    )


def _label(control: Element, labels: dict[str, str]) -> str:
    """What a person reads beside a field: its label, or whatever else it says of itself."""
    own = labels.get(attribute(control, "id"), "")
    if own:
        return own
    around = control.closest("label")
    if around is not None:
        words = tidy(" ".join(text for text in around.strings if not _inside(text, control)))
        if words:
            return words[:_MAX_WORDS]
    hints = (attribute(control, name) for name in ("aria-label", "placeholder", "title"))
    return tidy(next(filter(None, hints), ""))[:_MAX_WORDS]


def _inside(text: Any, control: Element) -> bool:
    """Whether a text is the field's own, such as the words of its choices."""
    return control.tag == "select" and tidy(str(text)) in {tidy(o.text) for o in control.find_all("option")}


def _options(control: Element) -> Iterator[tuple[str, str]]:
    for option in control.find_all("option")[:_MAX_OPTIONS]:
        words = tidy(option.text)[:_MAX_WORDS]
        value = option.attrs.get("value")
        yield (value if isinstance(value, str) else words), words
