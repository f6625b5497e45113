"""The list of all portals."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from motherlode.app.server.context import Context
from motherlode.app.services.portals.overview import cards
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page

router = APIRouter()


@router.get("/")
def portals(request: Request, context: Context) -> Response:
    if context.registry.single:
        return see(portal_address(context.registry.names()[0]))
    return page(request, "portals.html", cards=cards(context.registry))
