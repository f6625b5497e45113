"""The registry of views. A new view is a module with a `router`, and a line here."""

from fastapi import Depends, FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from motherlode.app.web.forms import check_form
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

VIEWS = (
    login,
    portals,
    new,
    home,
    topics,
    crawl,
    hosts,
    feedback,
    search,
    page_view,
    original,
    marks,
    export,
    jobs,
)


class _Static(StaticFiles):
    """Static files, which a browser revalidates each time."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def install(app: FastAPI) -> None:
    app.mount("/static", _Static(packages=[("motherlode.app.web", "static")]), name="static")
    for view in VIEWS:
        app.include_router(view.router, dependencies=[Depends(check_form)], include_in_schema=False)
