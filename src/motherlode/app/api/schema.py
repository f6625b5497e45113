"""JSON responses, and the OpenAPI description of our records.

Responses are the records that the command line shows as JSON. FastAPI describes only pydantic's
models, so the schemas that msgspec makes of our records are added.
"""

from collections.abc import Callable
from typing import Any, get_type_hints

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from msgspec import Struct
from starlette.responses import JSONResponse

from motherlode.app.api.body import body_record
from motherlode.app.requests.fields import fields_of

_REFERENCE = "#/components/schemas/{name}"
Completion = Callable[[dict[str, Any]], dict[str, Any]]
_described: dict[Any, None] = {}  # in the order of the routes


class Problem(Struct, frozen=True):
    """An error, in one sentence."""

    error: str


class Json(JSONResponse):
    """A record, or a list of them, as JSON."""

    def render(self, content: Any) -> bytes:
        return msgspec.json.encode(content)


def answers(record: Any, status: int = 200, description: str = "Done.") -> dict[str, Any]:
    """Return the declaration of a route that answers with a record: `**answers(Status)`.

    The route returns `Json(...)`.
    """
    _described[record] = None
    content = {"application/json": {"schema": _reference(record)}}
    return {
        "status_code": status,
        "response_model": None,
        "response_class": Json,
        "responses": {status: {"description": description, "content": content}},
    }


def accepts(record: type[Struct]) -> dict[str, Any]:
    """Return the declaration of a route whose body is a record.

    It goes into the decorator: `@router.post("/x", **accepts(New))`.

    The route reads it by `Depends(JsonBody(record))`.
    """
    body = body_record(record)
    _described[body] = None
    content = {"application/json": {"schema": _reference(body)}}
    return {"openapi_extra": {"requestBody": {"required": True, "content": content}}}


def takes(record: type[Struct]) -> dict[str, Any]:
    """Return the declaration of a route whose query parameters are a record.

    The route reads them by `Depends(QueryParameters(record))`.
    """
    types = get_type_hints(record, include_extras=True)
    parameters = [
        {
            "name": field.key,
            "in": "query",
            "required": False,
            "description": field.help,
            "schema": _reference(types[field.name]) | {"default": field.default},
        }
        for field in fields_of(record)
    ]
    return {"openapi_extra": {"parameters": parameters}}


def problems() -> dict[int | str, dict[str, Any]]:
    """Return the declaration of the error response of every route."""
    _described[Problem] = None
    content = {"application/json": {"schema": _reference(Problem)}}
    return {"default": {"description": "What went wrong, in one sentence.", "content": content}}


def describe(app: FastAPI, completed: Completion) -> Callable[[], dict[str, Any]]:
    """Return a function that makes the OpenAPI description.

    The description of the routes is made once; `completed` adds what may change while they serve.
    """

    def description() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _description(app)
        return completed(app.openapi_schema)

    return description


def _description(app: FastAPI) -> dict[str, Any]:
    description = get_openapi(
        title=app.title, version=app.version, summary=app.summary, routes=app.routes
    )
    components = description.setdefault("components", {})
    _, schemas = msgspec.json.schema_components(_described, ref_template=_REFERENCE)
    components.setdefault("schemas", {}).update(schemas)
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    description["security"] = [{}, {"token": []}]  # without a token, nobody has to log in
    for path in description["paths"].values():
        for route in path.values():
            route["responses"].pop("422", None)  # a Problem like any other
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    return description


def _reference(record: Any) -> Any:
    (schema,), _ = msgspec.json.schema_components([record], ref_template=_REFERENCE)
    return schema
