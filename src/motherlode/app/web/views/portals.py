"""All portals."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from motherlode.app.server.context import Here
from motherlode.app.services.overview import cards
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page

router = APIRouter()


@router.get("/")
def portals(request: Request, here: Here) -> Response:
    if here.shelf.single:
        return see(portal_address(here.shelf.names()[0]))
    return page(request, "portals.html", cards=cards(here.shelf))
