"""The outline of a page: controls, words and breaks in order, from one walk over its tree.

All that is said of fields and forms is read off the outline, which grows with the page and is
walked a fixed number of times. Nested elements therefore cost no more than others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from turbohtml import Document as Tree
from turbohtml import Element, Text

from motherlode.documents.elements import attribute

MAX_CONTROLS = 10_000  # in a page
MAX_FORMS = 50
MAX_WORDS = 200  # characters of a label or a title
# How strongly a break separates words from a control.
LINE, ROW, FORM = 1, 2, 3

_CONTROLS = frozenset({"input", "select", "textarea", "button"})
_SKIPPED = frozenset(
    {"head", "script", "style", "template", "svg", "math", "iframe", "datalist", "object"}
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend"})
_ROWS = frozenset({"tr", "li", "dt", "hr", "h1", "h2", "h3", "h4", "h5", "h6"})
_FORMS = frozenset({"form", "fieldset", "table"})
_INLINE = frozenset(
    {"a", "abbr", "b", "big", "bdi", "bdo", "cite", "code", "dfn", "em", "font", "i", "img"}
    | {"kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong"}
    | {"sub", "sup", "time", "tt", "u", "var"}
)
_GROUPS = frozenset({"group", "radiogroup"})  # roles


@dataclass(slots=True)
class TextSpan:
    """The words of an element, as a range of `Outline.texts`."""

    start: int
    end: int


@dataclass(slots=True)
class FormControl:
    """A control with what stands around it. `form` is the number of the form that it lies in."""

    element: Element
    kind: str  # tag, or type of an input
    scope: "ControlScope"
    span: TextSpan  # of its own words, as a button has them
    place: int = 0  # in `Outline.pieces`; hidden controls have none


@dataclass(slots=True)
class OutlinePart:
    """A form, a label, or a group of controls, with its words and how many headings precede it."""

    element: Element
    span: TextSpan
    headings: int = 0
    place: int = 0


class ControlScope(Struct, frozen=True):
    """The numbers of the parts that a control lies in; -1: in none."""

    form: int = -1
    label: int = -1
    group: int = -1
    is_disabled: bool = False
    is_silent: bool = False  # its words are not those of the page: a button, something hidden


@dataclass(slots=True)
class Outline:
    """What a walk over a page found, in document order."""

    controls: list[FormControl] = field(default_factory=list)
    forms: list[OutlinePart] = field(default_factory=list)
    labels: list[OutlinePart] = field(default_factory=list)
    groups: list[OutlinePart] = field(default_factory=list)
    legends: dict[int, TextSpan] = field(default_factory=dict)  # by group
    headings: list[TextSpan] = field(default_factory=list)
    spans: dict[str, TextSpan] = field(default_factory=dict)  # by an element's `id`
    texts: list[str] = field(default_factory=list)
    pieces: list[str | int | FormControl] = field(default_factory=list)  # words, breaks, controls
    is_cut: bool = False  # the page has more controls than are read

    def words(self, span: TextSpan | None) -> str:
        """Return the words of an element, as far as a label may be long."""
        if span is None:
            return ""
        parts: list[str] = []
        size = 0
        for text in self.texts[span.start : min(span.end, span.start + MAX_WORDS)]:
            parts.append(text[:MAX_WORDS])
            size += len(text) + 1
            if size > MAX_WORDS:
                break
        return " ".join(parts)[:MAX_WORDS].strip()


def outline_of(tree: Tree) -> Outline:
    """Return the outline of a page."""
    walk = _OutlineWalk(Outline())
    walk.over(tree)
    return walk.outline


class _OutlineWalk:
    """A walk over a tree, without recursion: pages may be nested as deeply as they like."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline

    def over(self, tree: Tree) -> None:
        # Behind the children of an element comes its end: the level of its break and its span.
        waiting: list[tuple[object, ControlScope]] = [
            (node, ControlScope()) for node in reversed(tree.children)
        ]
        while waiting:
            node, scope = waiting.pop()
            if isinstance(node, Text):
                self._hear(node.data, scope)
            elif isinstance(node, _End):
                self._end(node)
            elif isinstance(node, Element) and node.tag not in _SKIPPED:
                inner, end = self._enter(node, scope)
                waiting.append((end, scope))
                waiting.extend((child, inner) for child in reversed(_children(node)))

    def _hear(self, data: str, scope: ControlScope) -> None:
        words = " ".join(data.split())
        if words:
            self.outline.texts.append(words)
            if not scope.is_silent:
                self.outline.pieces.append(words)

    def _enter(self, element: Element, scope: ControlScope) -> tuple[ControlScope, "_End"]:
        tag = element.tag
        level = 0 if tag in _INLINE or tag in _CONTROLS else _level(tag)
        self._break(level)
        here = len(self.outline.texts)
        span = TextSpan(here, here)
        if name := attribute(element, "id"):
            self.outline.spans.setdefault(name, span)
        if tag in _CONTROLS:
            self._add_control(element, scope, span)
        elif tag in _HEADINGS:
            self._add_heading(tag, scope, span)
        return self._inner(element, scope, span), _End(level, span)

    def _end(self, end: "_End") -> None:
        end.span.end = len(self.outline.texts)
        self._break(end.level)

    def _break(self, level: int) -> None:
        """Add a break; of several in a row, the strongest counts."""
        pieces = self.outline.pieces
        if level and pieces and isinstance(pieces[-1], int):
            pieces[-1] = max(pieces[-1], level)
        elif level:
            pieces.append(level)

    def _add_control(self, element: Element, scope: ControlScope, span: TextSpan) -> None:
        if len(self.outline.controls) >= MAX_CONTROLS:
            self.outline.is_cut = True
            return
        control = FormControl(element, kind_of_control(element), scope, span)
        self.outline.controls.append(control)
        if control.kind != "hidden":
            control.place = len(self.outline.pieces)
            self.outline.pieces.append(control)

    def _add_heading(self, tag: str, scope: ControlScope, span: TextSpan) -> None:
        if tag == "legend" and scope.group >= 0:
            self.outline.legends.setdefault(scope.group, span)
        elif not scope.is_silent:
            self.outline.headings.append(span)

    def _inner(self, element: Element, scope: ControlScope, span: TextSpan) -> ControlScope:
        """Return the scope of an element's children."""
        tag, outline = element.tag, self.outline
        form, label, group, is_disabled, is_silent = (
            scope.form,
            scope.label,
            scope.group,
            scope.is_disabled,
            scope.is_silent or tag in _CONTROLS or is_hidden(element),
        )
        if tag == "form":
            form = len(outline.forms)
            outline.forms.append(
                OutlinePart(element, span, len(outline.headings), len(outline.pieces))
            )
        elif tag == "label":
            label = len(outline.labels)
            outline.labels.append(OutlinePart(element, span))
        elif tag == "fieldset" or attribute(element, "role") in _GROUPS:
            group = len(outline.groups)
            outline.groups.append(OutlinePart(element, span))
            is_disabled = is_disabled or (
                tag == "fieldset" and element.attr("disabled") is not None
            )
        return ControlScope(form, label, group, is_disabled, is_silent)


class _End(Struct, frozen=True):
    """The end of an element."""

    level: int
    span: TextSpan


def kind_of_control(element: Element) -> str:
    """Return the kind of a control: the type of an input, else its tag; a button is `submit`
    unless it does something else.
    """
    kind = attribute(element, "type")[:20].strip().lower()
    if element.tag == "button":
        return kind if kind in ("button", "reset") else "submit"
    if element.tag != "input":
        return element.tag
    return kind if kind in INPUT_TYPES else "text"


INPUT_TYPES = frozenset(
    {"button", "checkbox", "color", "date", "datetime-local", "email", "file", "hidden", "image"}
    | {"month", "number", "password", "radio", "range", "reset", "search", "submit", "tel"}
    | {"text", "time", "url", "week"}
)


def is_hidden(element: Element) -> bool:
    """Return whether an element says itself that it is not shown."""
    if element.attr("hidden") is not None:
        return True
    style = attribute(element, "style")[:1000].replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style


def _level(tag: str) -> int:
    if tag in _FORMS:
        return FORM
    return ROW if tag in _ROWS else LINE


def _children(element: Element) -> Sequence[object]:
    return () if element.tag in ("select", "textarea") else element.children
