"""The form that each control of a page belongs to (HTML standard, "form owner").

A control may name its form, or lie in it. In broken pages, it may also stand behind the place where
the tree had to end the form: there the parser's form pointer counts, which lives from a start tag
`<form>` to the next end tag `</form>`. The tree does not show it, so the tags are read again.
"""

from collections import defaultdict

from turbohtml import TokenType, tokenize

from motherlode.documents.elements import attribute
from motherlode.documents.forms.outline import FormControl, Outline

_CONTROLS = frozenset({"input", "select", "textarea", "button"})
Place = tuple[int, int]  # line and column of a start tag


def controls_by_form(html: str, outline: Outline) -> dict[int, list[FormControl]]:
    """Return the controls of each form, by the form's number; those of none under -1."""
    named: dict[str, int] = {}
    for number, form in enumerate(outline.forms):
        if name := attribute(form.element, "id"):
            named.setdefault(name, number)
    owners = [_owner(control, named) for control in outline.controls]
    if outline.forms and -1 in owners:
        owners = _with_pointers(html, outline, owners)
    controls: dict[int, list[FormControl]] = defaultdict(list)
    for owner, control in zip(owners, outline.controls, strict=True):
        controls[owner].append(control)
    return controls


def _owner(control: FormControl, named: dict[str, int]) -> int:
    name = control.element.attr("form")
    return control.scope.form if name is None else named.get(name, -1)


def _with_pointers(html: str, outline: Outline, owners: list[int]) -> list[int]:
    """Return the owners, with those of controls that a form pointer gives to a form."""
    forms = {form.element.position: number for number, form in enumerate(outline.forms)}
    pointers = _form_pointers(html)
    return [
        forms.get(pointers.get(control.element.position), -1)
        if owner < 0 and control.element.attr("form") is None
        else owner
        for owner, control in zip(owners, outline.controls, strict=True)
    ]


def _form_pointers(html: str) -> dict[Place | None, Place | None]:
    """Return where the form starts that is open at each control, by the place of the control."""
    pointers: dict[Place | None, Place | None] = {}
    pointer: Place | None = None
    for token in tokenize(html):
        if token.tag == "form" and token.type == TokenType.START_TAG:
            pointer = pointer or (token.line, token.col)
        elif token.tag == "form":
            pointer = None
        elif pointer and token.tag in _CONTROLS and token.type == TokenType.START_TAG:
            pointers[token.line, token.col] = pointer
    return pointers
