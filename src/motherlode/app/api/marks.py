"""Marks, and learning from them."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from motherlode.app.api.bodies import Body, Url
from motherlode.app.api.describing import Json, answers
from motherlode.app.api.jobs import STARTED
from motherlode.app.api.portals import Name
from motherlode.app.jobs import commands
from motherlode.app.server.context import Here
from motherlode.app.services.mark_views import Words, mark, marks_at
from motherlode.app.services.marks import MarksDone
from motherlode.training.mark_changes import Listed

router = APIRouter(tags=["marks"])
Urls = Annotated[tuple[Url, ...], Field(max_length=1_000)]


class Marks(Body):
    """What is said of pages; see `lode mark`. `clear` may be `all`."""

    good: Urls = ()
    bad: Urls = ()
    drop: Urls = ()
    clear: Urls = ()
    undo: bool = False
    topic: Annotated[str, Field(max_length=2_000)] = ""
    note: Annotated[str, Field(max_length=10_000)] = ""


class Train(Body):
    """See `lode train`. `results` is about the last search on the command line or in a browser."""

    offline: bool = False
    preview: bool = False
    results: bool = False


class Judge(Body):
    """See `lode judge`: a page, or all pages again."""

    url: Url | None = None
    again: bool = False
    results: bool = False
    preview: bool = False


@router.get("/portals/{portal}/marks", summary="All marks, the last first", **answers(list[Listed]))
def marks(here: Here, portal: Name) -> Json:
    return Json(marks_at(here.shelf, portal))


@router.post("/portals/{portal}/marks", summary="Mark pages: `lode mark`", **answers(MarksDone))
def give(here: Here, portal: Name, body: Marks) -> Json:
    words = Words(**body.model_dump())
    return Json(mark(here.shelf, portal, words))


@router.post("/portals/{portal}/train", summary="Learn, or show what would change: `lode train`", **STARTED)
def train(here: Here, portal: Name, body: Train) -> Json:
    return Json(here.board.ask(portal, commands.train(**body.model_dump())), 202)


@router.post("/portals/{portal}/judge", summary="Judge a page, or all pages again: `lode judge`", **STARTED)
def judge(here: Here, portal: Name, body: Judge) -> Json:
    return Json(here.board.ask(portal, commands.judge(**body.model_dump())), 202)
