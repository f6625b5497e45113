"""The views. A new one is a module with a `router`, and a line here."""

from fastapi import Depends, FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from motherlode.app.web.forms import form_checked
from motherlode.app.web.views import (
    crawl,
    export,
    feedback,
    home,
    hosts,
    jobs,
    login,
    marks,
    new,
    original,
    portals,
    search,
    topics,
)
from motherlode.app.web.views import page as page_view

_FINDING = (search, page_view, original, marks, export)
VIEWS = (login, portals, new, home, topics, crawl, hosts, feedback, *_FINDING, jobs)


class _Static(StaticFiles):
    """Our own files; a browser asks each time whether they have changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def install(app: FastAPI) -> None:
    app.mount("/static", _Static(packages=[("motherlode.app.web", "static")]), name="static")
    for view in VIEWS:
        app.include_router(view.router, dependencies=[Depends(form_checked)], include_in_schema=False)
