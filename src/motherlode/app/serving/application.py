"""The application, put together."""

from fastapi import FastAPI

from motherlode import __version__
from motherlode.app.api import routes as api
from motherlode.app.serving import errors
from motherlode.app.serving.guard import Guard
from motherlode.app.serving.services import services_of
from motherlode.app.serving.settings import Settings
from motherlode.app.web import routes as web
from motherlode.app.web.pages import error_page


def make_app(settings: Settings) -> FastAPI:
    """The web application and its API over the portals of a place. Raises `NoPortalError` if there is no such place."""
    services = services_of(settings)
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
    app.add_middleware(Guard, settings=settings, keys=services.keys, limits=services.limits)
    errors.install(app, error_page)
    api.install(app)
    web.install(app)
    return app
