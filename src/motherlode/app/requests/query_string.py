"""Write a request as the query string of an address, and read it back."""

from collections.abc import Iterable
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from motherlode.app.requests.fields import FieldKind, fields_of

R = TypeVar("R", bound=Struct)


def query_string_of(request: Struct) -> str:
    """Return the query string of a request; fields with their default value are left out."""
    values = {
        field.key: (getattr(request, field.name), field.default)
        for field in fields_of(type(request))
    }
    given = {
        key: 1 if value is True else value
        for key, (value, default) in values.items()
        if value != default
    }
    return urlencode(given, doseq=True, errors="replace")


def request_from_query(record: type[R], pairs: Iterable[tuple[str, str]]) -> R:
    """Return the request of a query string, given as pairs of name and value.

    Names that the request does not have are skipped, and empty values count as not given. Raises
    `msgspec.ValidationError` for a value that does not fit.
    """
    fields = {field.key: field for field in fields_of(record)}
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key not in fields or not value.strip():
            continue
        if fields[key].kind is FieldKind.TEXTS:
            values[key] = (*values.get(key, ()), value.strip())
        else:
            values[key] = value.strip()
    return msgspec.convert(values, record, strict=False)
