"""Portals: which there are, what they are now, new ones."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from fastapi import Path as InPath

from motherlode.app.api.bodies import NewPortal
from motherlode.app.api.describing import Json, answers
from motherlode.app.server.context import Here
from motherlode.app.services.overview import Card, cards, status_at
from motherlode.app.services.portal_views import put_on
from motherlode.app.services.portals import Wanted, grouped
from motherlode.app.services.status import Status
from motherlode.sources.bookmarks import parse_bookmarks

router = APIRouter(prefix="/portals", tags=["portals"])
Name = Annotated[str, InPath(description="The portal's name.", max_length=255)]


@router.get("", summary="All portals", **answers(list[Card]))
def portals(here: Here) -> Json:
    return Json(cards(here.shelf))


@router.post("", summary="A new portal: `lode new`", **answers(Status, 201, "It is made."))
def new(here: Here, body: NewPortal) -> Json:
    put_on(here.shelf, body.name, _wanted(body), body.settings)
    return Json(status_at(here.shelf, body.name), 201)


@router.get("/{portal}/status", summary="What a portal is now: `lode status`", **answers(Status))
def status(here: Here, portal: Name) -> Json:
    return Json(status_at(here.shelf, portal))


def _wanted(body: NewPortal) -> Wanted:
    topics = grouped((one.topic, one.seeds) for one in body.topics)
    if body.bookmarks is None:
        return Wanted(topics=topics, query=body.query)
    file = Path("bookmarks")
    return Wanted(parse_bookmarks(file, body.bookmarks.encode(errors="replace")), file, topics, body.query)
