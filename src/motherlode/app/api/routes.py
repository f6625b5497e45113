"""The registry of API routes. A new part is a module with a `router`, and a line here."""

from fastapi import APIRouter, FastAPI

from motherlode.app.api import (
    clusters,
    collections,
    crawl,
    export,
    feedback,
    hosts,
    jobs,
    library,
    marks,
    oai,
    pages,
    portals,
    search,
    sites,
    source_services,
    sources,
    topics,
)
from motherlode.app.api.schema import describe, problems

PARTS = (
    portals,
    jobs,
    topics,
    feedback,
    clusters,
    crawl,
    hosts,
    search,
    pages,
    marks,
    collections,
    sites,
    export,
    sources,
    library,
    source_services,
)


def install(app: FastAPI) -> None:
    api = APIRouter(prefix="/api/v1", responses=problems())
    for part in PARTS:
        api.include_router(part.router)
    app.include_router(api)
    app.include_router(oai.router)  # its path is for harvesters, who know no versions
    app.openapi = describe(app, source_services.service_operations(app.state.context))  # type: ignore[method-assign]  # as FastAPI documents it
