"""Portals: the list, the status of one, and new ones."""

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi import Path as InPath

from motherlode.app.api.body import JsonBody
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.requests.portals import NewPortalRequest
from motherlode.app.server.context import Context
from motherlode.app.services.portals.creation import create_served_portal
from motherlode.app.services.portals.overview import PortalCard, cards, status_at
from motherlode.app.services.portals.status import Status

router = APIRouter(prefix="/portals", tags=["portals"])
Name = Annotated[str, InPath(description="The portal's name.", max_length=255)]


@router.get("", summary="All portals", **answers(list[PortalCard]))
def portals(context: Context) -> Json:
    return Json(cards(context.registry))


@router.post(
    "",
    summary="A new portal: `lode new`",
    **answers(Status, 201, "The portal was made."),
    **accepts(NewPortalRequest),
)
def create(
    context: Context, body: Annotated[NewPortalRequest, Depends(JsonBody(NewPortalRequest))]
) -> Json:
    create_served_portal(context.registry, body)
    return Json(status_at(context.registry, body.name), 201)


@router.get("/{portal}/status", summary="The status of a portal: `lode status`", **answers(Status))
def status(context: Context, portal: Name) -> Json:
    return Json(status_at(context.registry, portal))
