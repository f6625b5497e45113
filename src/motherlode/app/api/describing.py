"""Answers as records, and their description.

What is answered is the record that the command line shows as JSON, so both say the same. FastAPI describes
pydantic's models by itself; what msgspec knows of our records is put beside them.
"""

from collections.abc import Callable
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from msgspec import Struct
from starlette.responses import JSONResponse

_REFERENCE = "#/components/schemas/{name}"
_described: dict[Any, None] = {}  # in the order in which routes named them


class Problem(Struct, frozen=True):
    """What went wrong, in one sentence."""

    error: str


class Json(JSONResponse):
    """A record, or a list of them, as JSON."""

    def render(self, content: Any) -> bytes:
        return msgspec.json.encode(content)


def answers(what: Any, status: int = 200, says: str = "Done.") -> dict[str, Any]:
    """What a route is declared with, if it answers with this: `@router.get("/x", **answers(Status))`.

    The route returns `Json(...)`.
    """
    _described[what] = None
    content = {"application/json": {"schema": _reference(what)}}
    return {
        "status_code": status,
        "response_model": None,
        "response_class": Json,
        "responses": {status: {"description": says, "content": content}},
    }


def problems() -> dict[int | str, dict[str, Any]]:
    """How every route says that something is wrong."""
    _described[Problem] = None
    content = {"application/json": {"schema": _reference(Problem)}}
    return {"default": {"description": "What went wrong, in one sentence.", "content": content}}


def describe(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """The application's OpenAPI description, made when it is first asked for."""

    def description() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _description(app)
        return app.openapi_schema

    return description


def _description(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    components = made.setdefault("components", {})
    _, schemas = msgspec.json.schema_components(_described, ref_template=_REFERENCE)
    components.setdefault("schemas", {}).update(schemas)
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    made["security"] = [{}, {"token": []}]  # on loopback nobody has to log in
    for path in made["paths"].values():
        for route in path.values():
            route["responses"].pop("422", None)  # a Problem like any other
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    return made


def _reference(what: Any) -> Any:
    (schema,), _ = msgspec.json.schema_components([what], ref_template=_REFERENCE)
    return schema
