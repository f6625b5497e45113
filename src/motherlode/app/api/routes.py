"""The routes of the API. A new part of it is a module with a `router`, and a line here."""

from fastapi import APIRouter, FastAPI

from motherlode.app.api import (
    clusters,
    crawl,
    export,
    feedback,
    hosts,
    jobs,
    marks,
    pages,
    portals,
    search,
    topics,
)
from motherlode.app.api.describing import describe, problems

PARTS = (portals, jobs, topics, feedback, clusters, crawl, hosts, search, pages, marks, export)


def install(app: FastAPI) -> None:
    api = APIRouter(prefix="/api/v1", responses=problems())
    for part in PARTS:
        api.include_router(part.router)
    app.include_router(api)
    app.openapi = describe(app)  # type: ignore[method-assign]  # FastAPI's own way to have it made differently
