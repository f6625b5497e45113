"""The application, put together."""

from fastapi import FastAPI

from motherlode import __version__
from motherlode.app.api import routes as api
from motherlode.app.server import errors
from motherlode.app.server.context import Services
from motherlode.app.server.guard import Guard
from motherlode.app.web import routes as web
from motherlode.app.web.pages import error_page


def make_app(services: Services) -> FastAPI:
    """The web application and its API."""
    app = FastAPI(
        title="Motherlode",
        version=__version__,
        summary="Focused crawling: portals, their topics, crawls and searches.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # both load their scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.services = services
    app.add_middleware(Guard, settings=services.settings, keys=services.keys, limits=services.limits)
    errors.install(app, error_page)
    api.install(app)
    web.install(app)
    return app
