"""What has changed in a form since a wrapper was made of it; nothing is guessed around."""

import re
from collections.abc import Iterator
from enum import StrEnum
from hashlib import blake2b
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import Struct

from motherlode.records import Form, FormField

MAX_CHANGES = 20  # that are listed
MAX_SHOWN_CHARS = 60
IGNORED_CONTROLS = frozenset({"hidden", "submit", "image", "button", "reset"})
_PATH_SESSION = re.compile(r";[^/]*")  # such as `;jsessionid=...`


class FormState(StrEnum):
    """How the form of today compares with that of a wrapper."""

    SAME = "same"
    COMPATIBLE = "compatible"  # only defaults, tokens or the order of options differ
    CHANGED = "changed"
    GONE = "gone"


class FormCheck(Struct, frozen=True):
    """The state of a form, and what changed in it, one phrase each."""

    state: FormState
    changes: tuple[str, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Whether the wrapper still fits the form."""
        return self.state in (FormState.SAME, FormState.COMPATIBLE)


def fingerprint_of(form: Form) -> str:
    """Return a digest of all that a wrapper relies on: it is the same for compatible forms."""
    content = (_target(form), sorted(_outline(field) for field in _asked(form)))
    return blake2b(msgspec.msgpack.encode(content), digest_size=10).hexdigest()


def compare_forms(stored: Form, today: Form) -> FormCheck:
    """Return what changed from the form of a wrapper to that of today."""
    if stored == today:
        return FormCheck(FormState.SAME)
    if fingerprint_of(stored) != fingerprint_of(today):
        return FormCheck(FormState.CHANGED, tuple(_first(_changes(stored, today))))
    return FormCheck(FormState.COMPATIBLE, tuple(_first(_small_changes(stored, today))))


def form_of_today(stored: Form, forms: tuple[Form, ...], number: int) -> Form | None:
    """Return the form of a page that is the stored one: the same, else the most alike.

    Of forms that are equally alike, the one in its old place counts. None: no form has a field of
    it.
    """
    names = {field.name for field in _asked(stored)}
    mark = fingerprint_of(stored)

    def likeness(pair: tuple[int, Form]) -> tuple[bool, int, bool, bool]:
        place, form = pair
        shared = len(names & {field.name for field in _asked(form)})
        return (
            fingerprint_of(form) == mark,
            shared,
            _target(form) == _target(stored),
            place == number - 1,
        )

    best = max(enumerate(forms), key=likeness, default=None)
    return best[1] if best and (likeness(best)[0] or likeness(best)[1]) else None


def _changes(stored: Form, today: Form) -> Iterator[str]:
    """Yield what a wrapper would stumble over."""
    if urlsplit(stored.action)[:3] != urlsplit(today.action)[:3]:
        yield f"it is sent to {_shown(today.action)}"
    if stored.method != today.method:
        yield f"it is sent by {today.method.upper()}"
    if (stored.encoding, stored.charset) != (today.encoding, today.charset):
        yield f"it is encoded as {today.encoding}, {today.charset}"
    old = {field.name: field for field in _asked(stored)}
    new = {field.name: field for field in _asked(today)}
    yield from (f"the field {_shown(name)} is gone" for name in old.keys() - new.keys())
    yield from (f"there is a new field {_shown(name)}" for name in new.keys() - old.keys())
    for name in sorted(old.keys() & new.keys()):
        if _outline(old[name]) != _outline(new[name]):
            yield from _field_changes(old[name], new[name])


def _field_changes(old: FormField, new: FormField) -> Iterator[str]:
    name = _shown(old.name)
    if old.control != new.control:
        yield f"the field {name} is of the type {_shown(new.control)}"
    if old.label != new.label:
        yield f"the field {name} is called {_shown(new.label)!r}"
    if (old.max_length, old.is_required) != (new.max_length, new.is_required):
        yield f"the field {name} takes other values"
    gone = {option.value for option in old.options} - {option.value for option in new.options}
    added = {option.value for option in new.options} - {option.value for option in old.options}
    if gone:
        yield f"the field {name} has lost the option {_shown(min(gone))}"
    if added:
        yield f"the field {name} has the new option {_shown(min(added))}"
    if _outline(old)[-1] != _outline(new)[-1] and not gone and not added:
        yield f"options of the field {name} are called otherwise"


def _small_changes(stored: Form, today: Form) -> Iterator[str]:
    """Yield what differs and does not matter."""
    old = {field.name: field for field in stored.fields}
    new = {field.name: field for field in today.fields}
    for name in sorted(old.keys() & new.keys()):
        if old[name].defaults != new[name].defaults:
            yield f"the field {_shown(name)} has another default"
        elif old[name].options != new[name].options:
            yield f"the options of {_shown(name)} have another order"
    if old.keys() != new.keys() or len(stored.fields) != len(today.fields):
        yield "it has other hidden fields or buttons"


def _asked(form: Form) -> list[FormField]:
    """Return the fields that a person fills in."""
    return [field for field in form.fields if field.name and field.control not in IGNORED_CONTROLS]


def _target(form: Form) -> tuple[str, ...]:
    """Return where a form goes and how, without the values in its address."""
    parts = urlsplit(form.action)
    names = sorted(name for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    place = (parts.scheme, parts.netloc, _PATH_SESSION.sub("", parts.path))
    return (*place, *names, form.method, form.encoding, form.charset)


def _outline(field: FormField) -> tuple[str, str, str, int, bool, list[tuple[str, str]]]:
    """Return what of a field matters."""
    options = sorted((option.value, option.label) for option in field.options)
    return (
        field.name,
        field.control,
        field.label,
        field.max_length,
        field.is_required,
        options,
    )


def _first(changes: Iterator[str]) -> list[str]:
    return [change for change, _ in zip(changes, range(MAX_CHANGES), strict=False)]


def _shown(text: str) -> str:
    text = "".join(letter if letter.isprintable() else " " for letter in text[:MAX_SHOWN_CHARS])
    return text.strip() or "without a name"
