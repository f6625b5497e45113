"""The routes of the API. A new part of it is a module with a `router`, and a line here."""

from fastapi import APIRouter, FastAPI

from motherlode.app.api import crawl, hosts, jobs, portals
from motherlode.app.api.describing import describe, problems

PARTS = (portals, jobs, crawl, hosts)


def install(app: FastAPI) -> None:
    api = APIRouter(prefix="/api/v1", responses=problems())
    for part in PARTS:
        api.include_router(part.router)
    app.include_router(api)
    app.openapi = describe(app)  # type: ignore[method-assign]  # FastAPI's own way to have it made differently
