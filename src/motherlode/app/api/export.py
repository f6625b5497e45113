"""Exports: made by a job, then downloaded."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import FileResponse

from motherlode.app.api.bodies import Body
from motherlode.app.api.describing import Json
from motherlode.app.api.jobs import STARTED, Id
from motherlode.app.api.pages import BYTES
from motherlode.app.api.portals import Name
from motherlode.app.jobs.exports import export, file_of, start
from motherlode.app.server.context import Here

router = APIRouter(tags=["export"])


class Export(Body):
    """See `lode export`. What is a directory of files comes as a zip."""

    form: Annotated[str, Field(alias="format", max_length=40, examples=["jsonl", "site"])]
    topic: Annotated[str | None, Field(max_length=2_000)] = None
    text: bool = False
    most: Annotated[int | None, Field(ge=1, le=10**6)] = None


@router.post("/portals/{portal}/export", summary="Make a file of a portal: `lode export`", **STARTED)
def begin(here: Here, portal: Name, body: Export) -> Json:
    return Json(start(here.board, here.shelf, portal, export(**body.model_dump())), 202)


@router.get(
    "/portals/{portal}/export/{job}",
    summary="The file that an export made",
    response_class=FileResponse,
    responses={200: {"description": "The file.", "content": BYTES}},
)
def download(here: Here, portal: Name, job: Id) -> FileResponse:
    path, name = file_of(here.board, here.shelf, portal, job)
    return FileResponse(path, media_type="application/octet-stream", filename=name)
