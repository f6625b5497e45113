"""What a browser sends when a form is submitted (HTML standard, "form submission algorithm")."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote_plus

from msgspec import Struct

from motherlode.documents.forms.charsets import encoded
from motherlode.records import BadInputError, Form, FormField

Values = Mapping[str, str | Sequence[str]]

MAX_VALUE = 100_000  # characters of a value
_CHOSEN = ("checkbox", "radio", "select")
_BUTTONS = ("submit", "image")
_LONG = ("textarea", "hidden")  # may have several lines
_CHARSET_FIELD = "_charset_"  # a hidden field that tells the encoding
_LINE_END = re.compile(r"\r\n|\r|\n")
# Bytes that application/x-www-form-urlencoded leaves as they are, besides letters and digits.
_SAFE = "*-._"
_BOUNDARY_LENGTH = 32


class Submission(Struct, frozen=True):
    """A request that submits a form. A GET has no body and no content type."""

    url: str
    method: str  # "GET" or "POST"
    body: bytes = b""
    content_type: str = ""


class FormEntry(NamedTuple):
    """A name with its value, as they are sent; of a file that nobody chose, the value is empty."""

    name: str
    value: str
    is_file: bool = False


def submission_of(form: Form, values: Values | None = None) -> Submission:
    """Return what a browser sends for a form with these values; all else keeps its default.

    The first submit button is used, unless `values` name another. Raise `BadInputError` if the form
    leads nowhere, or if it has no such field or option.
    """
    if not form.action:
        raise BadInputError(
            f"The form cannot be submitted: {form.problem or 'it leads nowhere'}. Choose another."
        )
    entries = entries_of(form, values or {})
    if form.method == "get":
        page = form.action.partition("#")[0].partition("?")[0]
        return Submission(f"{page}?{_urlencoded(entries, form.charset)}", "GET")
    body, content_type = _ENCODERS.get(form.encoding, _urlencoded_body)(entries, form.charset)
    return Submission(form.action, "POST", body, content_type)


def entries_of(form: Form, values: Values) -> list[FormEntry]:
    """Return the names and values that are sent, in the order of the form's fields."""
    chosen = _chosen_by_field(form, values)
    button = _button(form, values)
    entries: list[FormEntry] = []
    for place, field in enumerate(form.fields):
        if field.is_disabled:
            continue
        if field.control in _BUTTONS:
            entries.extend(_button_entries(field) if place == button else ())
        elif field.name:
            entries.extend(_field_entries(field, chosen.get(place), form.charset))
    return entries


def _field_entries(
    field: FormField, chosen: tuple[str, ...] | None, charset: str
) -> Iterator[FormEntry]:
    if field.control == "hidden" and field.name.lower() == _CHARSET_FIELD:
        yield FormEntry(field.name, charset.upper() if charset == "utf-8" else charset)
    elif field.control == "file":
        yield FormEntry(field.name, "", is_file=True)
    elif field.control in _CHOSEN:
        yield from (FormEntry(field.name, value) for value in _selected(field, chosen))
    else:
        value = field.value if chosen is None else chosen[0]
        yield FormEntry(field.name, value if field.control in _LONG else _LINE_END.sub("", value))


def _selected(field: FormField, chosen: tuple[str, ...] | None) -> Iterator[str]:
    """Return the values of a field's selected options, in the order of the page."""
    if chosen is not None:
        yield from chosen
        return
    for option in field.options:
        if option.is_selected and not option.is_disabled:
            yield option.value


def _button(form: Form, values: Values) -> int:
    """Return the place of the button that submits: the one that is chosen, else the first."""
    buttons = [
        place
        for place, field in enumerate(form.fields)
        if field.control in _BUTTONS and not field.is_disabled
    ]
    named = [place for place in buttons if form.fields[place].name in values]
    exact = [place for place in named if form.fields[place].value in values.values()]
    return next(iter((*exact, *named, *buttons)), -1)


def _button_entries(button: FormField) -> Iterator[FormEntry]:
    """Return what a button adds: itself if it has a name; of a picture, where it was clicked."""
    if button.control == "image":
        prefix = f"{button.name}." if button.name else ""
        yield from (FormEntry(f"{prefix}x", "0"), FormEntry(f"{prefix}y", "0"))
    elif button.name:
        yield FormEntry(button.name, button.value)


# What the caller chose


def _chosen_by_field(form: Form, values: Values) -> dict[int, tuple[str, ...]]:
    """Return the chosen values by the place of their field.

    Fields of one name, such as three boxes for keywords, take one value each, in order.
    """
    chosen: dict[int, tuple[str, ...]] = {}
    places = _places(form, values)
    for name, value in values.items():
        items = (value,) if isinstance(value, str) else tuple(value)
        _check_size(name, items)
        if not places[name]:
            raise BadInputError(f"The form has no field {name[:100]!r} that can be filled in.")
        for place in places[name]:
            field = form.fields[place]
            taken = items if field.control in _CHOSEN else items[:1]
            if field.control in _CHOSEN:
                chosen[place] = _options_meant(field, items)
            elif taken:
                chosen[place] = taken
            items = items[len(taken) :]
        if items:
            raise BadInputError(f"The field {name[:100]!r} takes fewer values than were given.")
    return {place: value for place, value in chosen.items() if form.fields[place].control != "file"}


def _places(form: Form, names: Iterable[str]) -> dict[str, list[int]]:
    """Return the places of the fields of each name that a person can fill in.

    A hidden field is meant only where no other has its name: then a script would fill it in.
    """
    visible: dict[str, list[int]] = defaultdict(list)
    hidden: dict[str, list[int]] = defaultdict(list)
    wanted = set(names)
    for place, field in enumerate(form.fields):
        if field.name in wanted and not field.is_disabled:
            (hidden if field.control == "hidden" else visible)[field.name].append(place)
    return {name: visible.get(name) or hidden.get(name, []) for name in wanted}


def _check_size(name: str, items: tuple[str, ...]) -> None:
    if any(len(item) > MAX_VALUE for item in items):
        raise BadInputError(
            f"A value of {name[:100]!r} is longer than {MAX_VALUE:,} characters; shorten it."
        )


def _options_meant(field: FormField, items: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of the options that are named by value or by label."""
    if len(items) > 1 and not field.is_multiple:
        raise BadInputError(f"The field {field.name[:100]!r} takes one value only.")
    by_value = {option.value for option in field.options if not option.is_disabled}
    by_label = {
        option.label.casefold(): option.value
        for option in reversed(field.options)
        if not option.is_disabled
    }
    meant = [item if item in by_value else by_label.get(item.casefold()) for item in items]
    if None in meant:
        unknown = items[meant.index(None)]
        raise BadInputError(f"The field {field.name[:100]!r} has no option {unknown[:100]!r}.")
    return tuple(value for value in meant if value is not None)


# How it is sent


def _lines(text: str) -> str:
    """Return a text with the line ends that forms are sent with."""
    return _LINE_END.sub("\r\n", text)


def _urlencoded(entries: list[FormEntry], charset: str) -> str:
    """Return entries as application/x-www-form-urlencoded (URL standard, section 5.2)."""
    return "&".join(f"{_quoted(e.name, charset)}={_quoted(e.value, charset)}" for e in entries)


def _quoted(text: str, charset: str) -> str:
    # `quote_plus` never quotes a tilde, which the standard does.
    return quote_plus(encoded(_lines(text), charset), safe=_SAFE).replace("~", "%7E")


def _urlencoded_body(entries: list[FormEntry], charset: str) -> tuple[bytes, str]:
    return _urlencoded(entries, charset).encode(), "application/x-www-form-urlencoded"


def _plain_body(entries: list[FormEntry], charset: str) -> tuple[bytes, str]:
    text = "".join(f"{_lines(entry.name)}={_lines(entry.value)}\r\n" for entry in entries)
    return encoded(text, charset), "text/plain"


def _multipart_body(entries: list[FormEntry], charset: str) -> tuple[bytes, str]:
    """Return entries as multipart/form-data (RFC 7578; names escaped by the HTML standard)."""
    parts = [_part(entry, charset) for entry in entries]
    boundary = _boundary(parts)
    body = b"".join(b"--%b\r\n%b\r\n" % (boundary, part) for part in parts)
    return (
        b"%b--%b--\r\n" % (body, boundary),
        f"multipart/form-data; boundary={boundary.decode()}",
    )


def _part(entry: FormEntry, charset: str) -> bytes:
    name = encoded(_lines(entry.name), charset)
    for byte, escape in ((b"\n", b"%0A"), (b"\r", b"%0D"), (b'"', b"%22")):
        name = name.replace(byte, escape)
    head = b'Content-Disposition: form-data; name="%b"' % name
    if entry.is_file:
        return head + b'; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n'
    return b"%b\r\n\r\n%b" % (head, encoded(_lines(entry.value), charset))


def _boundary(parts: list[bytes]) -> bytes:
    """Return a boundary that stands in no part, the same for the same parts."""
    content = b"\r\n".join(parts)
    digest = sha256(content).hexdigest()
    while (boundary := f"----MotherlodeForm{digest[:_BOUNDARY_LENGTH]}".encode()) in content:
        digest = sha256(digest.encode()).hexdigest()
    return boundary


_ENCODERS: dict[str, Callable[[list[FormEntry], str], tuple[bytes, str]]] = {
    "multipart": _multipart_body,
    "plain": _plain_body,
}
