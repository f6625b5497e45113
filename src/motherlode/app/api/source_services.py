"""Search forms as described services: `POST /api/v1/sources/NAME` asks one by attributes."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi import Path as InPath

from motherlode.app.api.body import JsonBody
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.requests.sources import AskSourceRequest
from motherlode.app.server.context import Context, ServerContext
from motherlode.app.services.described_sources import (
    SourceService,
    ask_service,
    source_services,
)
from motherlode.sources.search.options import MAX_NAME_CHARS
from motherlode.sources.wrappers.form_source import PortalAnswer

router = APIRouter(prefix="/sources", tags=["sources"])
Body = Annotated[AskSourceRequest, Depends(JsonBody(AskSourceRequest))]
SourceInPath = Annotated[str, InPath(max_length=MAX_NAME_CHARS, description="The source.")]
PortalName = Annotated[
    str,
    Query(max_length=200, description="Whose source, where several portals have one so named."),
]
ROUTE = "/api/v1/sources/{name}"


@router.get(
    "",
    summary="All search forms that can be asked, with their parameters",
    **answers(list[SourceService]),
)
def services(context: Context) -> Json:
    return Json(source_services(context.registry))


@router.post(
    "/{name}",
    summary="What a portal behind a search form has: `lode sources DIR try NAME`",
    **answers(PortalAnswer),
    **accepts(AskSourceRequest),
)
def ask(context: Context, name: SourceInPath, body: Body, portal: PortalName = "") -> Json:
    return Json(ask_service(context.registry, name, body, portal))


def service_operations(context: ServerContext) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a function that adds an operation for each wrapper to an OpenAPI description."""

    def with_services(description: dict[str, Any]) -> dict[str, Any]:
        general = description["paths"][ROUTE]["post"]
        paths = dict(description["paths"])
        for service in source_services(context.registry):
            paths[service.operation] = {"post": _operation(service, general)}
        return description | {"paths": paths}

    return with_services


def _operation(service: SourceService, general: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": service.parameters}}
    return {
        "tags": general["tags"],
        "operationId": f"ask_{service.portal}_{service.name}",
        "summary": f"Ask {service.name}, a source of {service.portal}",
        "description": f"The search form at {service.page}",
        "requestBody": {"required": True, "content": content},
        "responses": general["responses"],
    }
