"""Forms: their fields are read into requests, and each carries a token that no other site knows."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Depends, Request
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from motherlode.app.requests.fields import FieldKind, RequestField, shared_fields_of
from motherlode.app.server.context import Context
from motherlode.app.server.rules import SAFE
from motherlode.records import UsageError

TOKEN_FIELD = "form_token"  # noqa: S105 - the name of the field
MAX_FIELD_CHARS = 40  # of a field that says nothing else
R = TypeVar("R", bound=Struct)


async def check_form(request: Request, context: Context) -> None:
    """Raise `HTTPException` if a request would change something and is no form of ours.

    Every view depends on this.
    """
    if request.method in SAFE:
        return
    token = (await request.form()).get(TOKEN_FIELD, "")
    if not isinstance(token, str) or not context.keys.is_form_token(token):
        raise HTTPException(
            403,
            "This form is from before the server was started; reload its page and send it again.",
        )


async def form_texts(request: Request) -> dict[str, str]:
    """Return the text fields of a form by name, without surrounding blanks."""
    fields = (await request.form()).items()
    return {name: value.strip() for name, value in fields if isinstance(value, str)}


FormTexts = Annotated[dict[str, str], Depends(form_texts)]


def request_in(record: type[R], texts: Mapping[str, str], **fixed: Any) -> R:
    """Return the request of a form; `fixed` are fields that do not come from the form.

    An empty field has its default value. Raises `UsageError` for a value that does not fit.
    """
    fields = {field.name: field for field in shared_fields_of(record)}
    filled = {name: texts[field.key] for name, field in fields.items() if texts.get(field.key)}
    values = {name: _value(fields[name], text) for name, text in filled.items()}
    try:
        return record(**(values | fixed))
    except TypeError as error:  # a required field is missing
        raise UsageError("A required field of the form is missing.") from error


def _value(field: RequestField, text: str) -> Any:
    label = field.hints.label or field.key
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


def _number(field: RequestField, label: str, text: str) -> int:
    least, most = field.minimum or 0, field.maximum or 0
    if not (text.isascii() and text.isdigit()) or not least <= int(text) <= most:
        raise UsageError(f"{label}: a number from {least} to {most:,} is expected, or nothing.")
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
