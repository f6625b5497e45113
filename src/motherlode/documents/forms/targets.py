"""Where a form leads and how it is sent, and what stands against sending it."""

import re

from msgspec import Struct
from turbohtml import Document as Tree
from turbohtml import Element

from motherlode.documents.elements import attribute
from motherlode.records import FormField
from motherlode.urls import UrlError, UrlRules, address

# A form's address is the site's own business: nothing in it counts as tracking or as a session.
_RULES = UrlRules(tracking_parameters=(), session_parameters=(), max_url=8_000)
_MAX_REFERENCE = 10_000
_ENCODINGS = {"multipart/form-data": "multipart", "text/plain": "plain"}
_SCRIPT = re.compile(r"[\0-\x20]*javascript\s*:", re.IGNORECASE)
_SCHEME = re.compile(r"[\0-\x20]*([a-z][a-z0-9+.-]{0,19}):", re.IGNORECASE)
_RETURNS_FALSE = re.compile(r"(?:\A|[;\s])return\s+false\s*;?\s*\Z|preventDefault\s*\(")
_CONDITION = re.compile(r"\bif\b|\?")
_BUTTONS = ("submit", "image")
# Fields in which the Enter key submits a form (HTML standard, "implicit submission").
_TYPED = frozenset(
    {"text", "search", "tel", "url", "email", "password", "date", "month", "week", "time"}
    | {"datetime-local", "number"}
)


class FormTarget(Struct, frozen=True):
    """Where a form leads; `action` is empty if that cannot be fetched, and `problem` says why."""

    action: str
    method: str
    encoding: str
    problem: str = ""
    is_script: bool = False


class Addresses:
    """The addresses that references of a page mean."""

    def __init__(self, tree: Tree, url: str) -> None:
        self._url = url
        base = tree.find("base")
        self._base = _resolved(attribute(base, "href"), url) if base is not None else ""

    def target(self, form: Element, button: Element | None) -> FormTarget:
        """Return where a form leads when its first submit button is used, or Enter pressed."""
        reference = _overridden(form, button, "action").strip(" \t\r\n\f")
        method = _overridden(form, button, "method").strip().lower()
        encoding = _overridden(form, button, "enctype").strip().lower()
        action = self._resolve(reference)
        return FormTarget(
            action,
            "post" if method == "post" else "get",
            _ENCODINGS.get(encoding, "urlencoded"),
            _problem(reference, action, method),
            _SCRIPT.match(reference) is not None,
        )

    def _resolve(self, reference: str) -> str:
        if not reference:  # the page itself, whatever its base
            return _resolved(self._url, self._url)
        return _resolved(reference, self._base or self._url)


def _resolved(reference: str, base: str) -> str:
    if len(reference) > _MAX_REFERENCE:
        return ""
    try:
        return address(reference, base, _RULES).url
    except UrlError:
        return ""


def _overridden(form: Element, button: Element | None, name: str) -> str:
    """Return an attribute of the form, unless the button has one of its own, as `formaction`."""
    own = button.attr(f"form{name}") if button is not None else None
    return attribute(form, name) if own is None else own


def _problem(reference: str, action: str, method: str) -> str:
    scheme = _SCHEME.match(reference)
    if method == "dialog":
        return "it closes a dialog and sends nothing"
    if action:
        return ""
    if scheme is not None and scheme[1].lower() not in ("http", "https"):
        return f"it leads to a {scheme[1].lower()}: address"
    return "its address cannot be read"


def needs_script(form: Element, target: FormTarget, fields: tuple[FormField, ...]) -> bool:
    """Return whether a form most likely does nothing in a browser without scripts.

    Signs: its action is a script; its `onsubmit` always says no; nothing in it has a name; it has
    no button, and Enter does not submit it either; it names no target but has an `onsubmit`.
    """
    script = attribute(form, "onsubmit")[:1_000]
    stops = bool(_RETURNS_FALSE.search(script)) and not _CONDITION.search(script)
    has_buttons = any(field.control in _BUTTONS for field in fields)
    typed = sum(field.control in _TYPED for field in fields)
    is_named = any(field.name and field.control not in _BUTTONS for field in fields)
    leads_nowhere = attribute(form, "action").strip() in ("", "#")
    return (
        target.is_script
        or stops
        or not is_named
        or (not has_buttons and typed != 1)
        or (leads_nowhere and bool(script))
    )
