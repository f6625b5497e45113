"""Exports: a job makes the file, which can then be downloaded."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import FileResponse

from motherlode.app.api.body import JsonBody
from motherlode.app.api.jobs import STARTED, Id
from motherlode.app.api.pages import BYTES
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts
from motherlode.app.jobs.exports import export_command, file_of, start_export
from motherlode.app.requests.export import ExportRequest
from motherlode.app.server.context import Context

router = APIRouter(tags=["export"])


Body = Annotated[ExportRequest, Depends(JsonBody(ExportRequest))]


@router.post(
    "/portals/{portal}/export",
    summary="Write a portal to a file: `lode export`",
    **STARTED,
    **accepts(ExportRequest),
)
def begin(context: Context, portal: Name, body: Body) -> Json:
    return Json(start_export(context.queue, context.registry, portal, export_command(body)), 202)


@router.get(
    "/portals/{portal}/export/{job}",
    summary="The file of an export",
    response_class=FileResponse,
    responses={200: {"description": "The file.", "content": BYTES}},
)
def download(context: Context, portal: Name, job: Id) -> FileResponse:
    path, name = file_of(context.queue, context.registry, portal, job)
    return FileResponse(path, media_type="application/octet-stream", filename=name)
