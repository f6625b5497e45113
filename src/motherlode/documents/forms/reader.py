"""The forms of a page."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import turbohtml
from turbohtml import Document as Tree
from turbohtml import Element

from motherlode.documents.elements import attribute
from motherlode.documents.forms.charsets import charset_of_form
from motherlode.documents.forms.features import FormSurroundings
from motherlode.documents.forms.fields import FieldReader
from motherlode.documents.forms.labels import FieldLabels, clipped
from motherlode.documents.forms.outline import (
    MAX_FORMS,
    MAX_WORDS,
    FormControl,
    Outline,
    outline_of,
)
from motherlode.documents.forms.ownership import controls_by_form
from motherlode.documents.forms.purposes import with_purpose
from motherlode.documents.forms.targets import Addresses, FormTarget, needs_script
from motherlode.records import Form, FormField

_NOWHERE = -1  # the number of the form that a control without a form belongs to
_FILLABLE = frozenset({"text", "search", "textarea", "email", "password", "tel", "url", "number"})
_ORPHANS = "its fields stand outside of any form"
_TOO_LARGE = "it has more fields, options or text than are read"
_FILE = "it asks for a file"
_MAX_BUTTONS = 5
_MAX_TITLE_DISTANCE = 5  # pieces of text between a form and the heading before it


def read_forms(html: str, url: str, *, charset: str = "") -> tuple[Form, ...]:
    """Return the forms of the page that came from `url`, in order; 50 at most.

    `charset` is the encoding that the page was decoded from; without one, the page's own
    declaration counts, else UTF-8. Fields outside of all forms are one form more, the last, with a
    `problem`.
    """
    forms = unjudged_forms(html, url, charset=charset)
    return tuple(with_purpose(form, surroundings) for form, surroundings in forms)


def unjudged_forms(
    html: str, url: str, *, charset: str = ""
) -> Iterator[tuple[Form, FormSurroundings]]:
    """Yield the forms of a page before anything is concluded about their purpose."""
    tree = turbohtml.parse(html)
    if tree.select_one("form,input,textarea,select") is None:
        return
    outline = outline_of(tree)
    page = _FormPage(
        outline, FieldLabels(outline), Addresses(tree, url), charset or _declared(tree)
    )
    yield from page.forms(controls_by_form(html, outline))


@dataclass(slots=True)
class _FormPage:
    """A page while its forms are read."""

    outline: Outline
    labels: FieldLabels
    addresses: Addresses
    charset: str

    def forms(
        self, controls: dict[int, list[FormControl]]
    ) -> Iterator[tuple[Form, FormSurroundings]]:
        reader = FieldReader(self.labels)
        for number, part in enumerate(self.outline.forms[:MAX_FORMS]):
            own = controls.get(number, [])
            yield self._form(number, own, reader), self._surroundings(part.element, own)
        orphans = controls.get(_NOWHERE, [])
        if any(control.kind in _FILLABLE for control in orphans):
            yield self._orphans(orphans, reader), FormSurroundings()

    def _surroundings(self, element: Element, controls: list[FormControl]) -> FormSurroundings:
        scripted = (control for control in controls if control.kind in ("button", "reset"))
        return FormSurroundings(
            names=_names(element),
            buttons=tuple(map(self.labels.label_of, islice(scripted, _MAX_BUTTONS))),
        )

    def _form(self, number: int, controls: list[FormControl], reader: FieldReader) -> Form:
        element = self.outline.forms[number].element
        button = next((c.element for c in controls if c.kind in ("submit", "image")), None)
        target = self.addresses.target(element, button)
        fields = reader.fields(controls)
        return Form(
            action=target.action,
            method=target.method,
            encoding=target.encoding,
            charset=charset_of_form(attribute(element, "accept-charset"), self.charset),
            fields=fields,
            title=self._title(number, controls),
            name=(attribute(element, "id") or attribute(element, "name"))[:MAX_WORDS],
            needs_script=needs_script(element, target, fields),
            problem=_problem(target, fields, is_full=reader.is_full or self.outline.is_cut),
        )

    def _orphans(self, controls: list[FormControl], reader: FieldReader) -> Form:
        target = self.addresses.target(controls[0].element, None)
        return Form(
            action="",
            charset=charset_of_form("", self.charset),
            fields=reader.fields(controls),
            needs_script=True,
            problem=target.problem or _ORPHANS,
        )

    def _title(self, number: int, controls: list[FormControl]) -> str:
        """Return what a form is called: by its own word, its legend, or the nearest heading."""
        part = self.outline.forms[number]
        legend = self.outline.legends.get(controls[0].scope.group) if controls else None
        return (
            self.labels.referenced(attribute(part.element, "aria-labelledby"))
            or clipped(attribute(part.element, "aria-label"))
            or self.outline.words(legend)
            or clipped(attribute(part.element, "title"))
            or self._heading(number)
        )

    def _heading(self, number: int) -> str:
        """Return the first heading in a form, else the last one shortly before it."""
        part, headings = self.outline.forms[number], self.outline.headings
        inside = headings[part.headings] if part.headings < len(headings) else None
        if inside is not None and inside.end <= part.span.end:
            return self.outline.words(inside)
        before = headings[part.headings - 1] if part.headings else None
        if before is None or part.span.start - before.end > _MAX_TITLE_DISTANCE:
            return ""
        return self.outline.words(before)


def _names(element: Element) -> str:
    """Return what the markup calls an element."""
    values = (attribute(element, name)[:MAX_WORDS] for name in ("id", "class", "name", "role"))
    return " ".join(filter(None, values))


def _problem(target: FormTarget, fields: tuple[FormField, ...], *, is_full: bool) -> str:
    if target.problem:
        return target.problem
    if is_full:
        return _TOO_LARGE
    return _FILE if any(field.control == "file" for field in fields) else ""


def _declared(tree: Tree) -> str:
    """Return the encoding that a page declares for itself; empty if it declares none."""
    meta = tree.select_one("meta[charset]")
    if meta is not None:
        return attribute(meta, "charset").strip().lower()
    meta = tree.select_one("meta[http-equiv=content-type i]")
    content = attribute(meta, "content")[:500].lower() if meta is not None else ""
    return content.partition("charset=")[2].strip(" \"';")
