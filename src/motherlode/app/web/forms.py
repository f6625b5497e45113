"""Forms: their fields are read into requests, and each carries a token that no other site knows."""

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Depends, Request
from msgspec import NODEFAULT, Struct
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from motherlode.app.requests.fields import (
    UNREACHED,
    FieldKind,
    RequestField,
    form_fields_of,
    shared_fields_of,
)
from motherlode.app.server.context import Context
from motherlode.app.server.rules import SAFE
from motherlode.records import UsageError

TOKEN_FIELD = "form_token"  # noqa: S105 - the name of the field
OLD_FORM = "This form is from before the server was started; reload its page and send it again."
MAX_FIELD_CHARS = 40  # of a field that says nothing else
R = TypeVar("R", bound=Struct)


async def check_form(request: Request, context: Context) -> AsyncIterator[None]:
    """Raise `HTTPException` if a request would change something and is no form of ours.

    Every view depends on this. The files of a form are closed after its view.
    """
    if request.method in SAFE:
        yield
        return
    async with request.form() as form:
        token = form.get(TOKEN_FIELD, "")
        if not isinstance(token, str) or not context.keys.is_form_token(token):
            raise HTTPException(403, OLD_FORM)
        yield


async def form_texts(request: Request) -> dict[str, str]:
    """Return the text fields of a form by name, without surrounding blanks."""
    fields = (await request.form()).items()
    return {name: value.strip() for name, value in fields if isinstance(value, str)}


FormTexts = Annotated[dict[str, str], Depends(form_texts)]


class RequestForm(Struct, frozen=True):
    """The form of a request: the fields that have a label, by name, and their texts by key."""

    fields: Mapping[str, RequestField]
    texts: Mapping[str, str]


def form_of(record: type[Struct], texts: Mapping[str, str] | None = None) -> RequestForm:
    """Return the form of a request with these texts; None: as it is before a user fills it in."""
    fields = form_fields_of(record)
    if texts is None:
        texts = {field.key: field.hints.initial for field in fields if field.hints.initial}
    return RequestForm({field.name: field for field in fields}, texts)


def request_in(record: type[R], texts: Mapping[str, str], **fixed: Any) -> R:
    """Return the request of a form; `fixed` are fields that do not come from the form.

    An empty field has its default value, that of the server if there is one. Raises `UsageError`
    for a value that does not fit, and for a required field that is empty.
    """
    fields = (field for field in shared_fields_of(record) if field.name not in fixed)
    return record(
        **{field.name: _value(field, texts.get(field.key, "")) for field in fields}, **fixed
    )


def _value(field: RequestField, text: str) -> Any:
    label = field.hints.label or field.key.capitalize()
    if not text:
        if field.served_default is NODEFAULT:
            raise UsageError(f"{label}: this is missing.")
        return field.served_default
    if field.kind is FieldKind.TEXTS:
        return _texts(field, label, text)
    if len(text) > (field.max_length or MAX_FIELD_CHARS):
        raise UsageError(f"{label}: that is too long.")
    match field.kind:
        case FieldKind.FLAG:
            return msgspec.convert(text, bool, strict=False)
        case FieldKind.NUMBER:
            return _number(field, label, text)
        case FieldKind.DECIMAL:
            return _decimal(field, label, text)
        case _:
            return text


def _texts(field: RequestField, label: str, text: str) -> tuple[str, ...]:
    """Return the lines of a text area, without empty lines and comments."""
    lines = (line.strip() for line in text.splitlines())
    texts = tuple(line for line in lines if line and not line.startswith("#"))
    if len(texts) > (field.max_length or UNREACHED):
        raise UsageError(f"{label}: at most {field.max_length:,} lines can be given.")
    if any(len(line) > (field.max_item_length or UNREACHED) for line in texts):
        raise UsageError(f"{label}: one of the lines is too long.")
    return texts


def _number(field: RequestField, label: str, text: str) -> int:
    least, most = field.minimum or 0, field.maximum or 0
    if not (text.isascii() and text.isdigit()) or not least <= int(text) <= most:
        expected = "is expected" if field.served_default is NODEFAULT else "is expected, or nothing"
        raise UsageError(f"{label}: a number from {least} to {most:,} {expected}.")
    return int(text)


def _decimal(field: RequestField, label: str, text: str) -> float:
    least, most = field.minimum or 0, field.maximum or 0
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not least <= number <= most:
        raise UsageError(f"{label}: a number from {least} to {most:,} is expected, or nothing.")
    return number


def see(address: str) -> RedirectResponse:
    """Return a redirect to the page that shows the result; reloading it sends no form again."""
    return RedirectResponse(address, 303)
