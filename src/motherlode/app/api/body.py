"""JSON bodies and query parameters of API requests, read into the records of `app.requests`."""

from functools import cache
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

import msgspec
from fastapi import Request
from msgspec import NODEFAULT, Meta, Struct
from starlette.exceptions import HTTPException

from motherlode.app.requests.fields import RequestField, shared_fields_of
from motherlode.app.requests.query_string import request_from_query
from motherlode.app.server.errors import validation_sentence

R = TypeVar("R", bound=Struct)


class JsonBody(Generic[R]):
    """A FastAPI dependency that reads a request's body: `Depends(JsonBody(CrawlRequest))`."""

    def __init__(self, record: type[R]) -> None:
        self._record = record
        self._body_record = body_record(record)

    async def __call__(self, request: Request) -> R:
        """Return the record. Raises `HTTPException` 422 if the body is none of this kind."""
        if not _is_json(request.headers.get("content-type", "")):
            raise HTTPException(
                422, "The body must be JSON, with the content type application/json."
            )
        try:
            values = msgspec.json.decode(await request.body())
            body = msgspec.convert(_without_nulls(values), self._body_record, strict=False)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise HTTPException(422, validation_sentence(error)) from error
        return self._record(**{name: getattr(body, name) for name in body.__struct_fields__})


class QueryParameters(Generic[R]):
    """A FastAPI dependency that reads the query of a request's address into a record."""

    def __init__(self, record: type[R]) -> None:
        self._record = record

    def __call__(self, request: Request) -> R:
        """Return the record. Raises `HTTPException` 422 for a value that does not fit."""
        try:
            return request_from_query(self._record, request.query_params.multi_items())
        except msgspec.ValidationError as error:
            raise HTTPException(422, validation_sentence(error)) from error


@cache
def body_record(record: type[Struct]) -> type[Struct]:
    """Return the record of a body: the fields of a request that the API has, with its defaults."""
    types = get_type_hints(record, include_extras=True)
    fields = [
        (field.name, _type(field, types[field.name]), _default(field))
        for field in shared_fields_of(record)
    ]
    return msgspec.defstruct(
        record.__name__,
        fields,
        namespace={"__doc__": record.__doc__},
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )


def _without_nulls(values: Any) -> Any:
    """Return the values without null, which stands for a field that is not given."""
    if not isinstance(values, dict):
        return values
    return {key: value for key, value in values.items() if value is not None}


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )


def _type(field: RequestField, annotation: Any) -> Any:
    if not field.choices:
        return annotation
    choices = [*field.choices, None] if field.is_optional else list(field.choices)
    return Annotated[annotation, Meta(extra_json_schema={"enum": choices})]


def _default(field: RequestField) -> Any:
    if field.served_default is NODEFAULT:
        return msgspec.field(name=field.key)
    return msgspec.field(default=field.served_default, name=field.key)
