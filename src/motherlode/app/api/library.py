"""The personal library of a portal, as `lode library`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import PlainTextResponse

from motherlode.app.api.body import JsonBody
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.requests.library import (
    MAX_FOLDER_CHARS,
    AddPagesRequest,
    ImportReferencesRequest,
    MoveInLibraryRequest,
    RemoveFromLibraryRequest,
    RenameFolderRequest,
)
from motherlode.app.server.context import Context
from motherlode.app.services import library as service
from motherlode.app.services.library import ImportReport, LibraryEdit, LibraryView, ObjectView
from motherlode.app.services.library_pages import AdditionReport, add_pages

router = APIRouter(prefix="/portals/{portal}/library", tags=["library"])
ImportBody = Annotated[ImportReferencesRequest, Depends(JsonBody(ImportReferencesRequest))]
AddBody = Annotated[AddPagesRequest, Depends(JsonBody(AddPagesRequest))]
MoveBody = Annotated[MoveInLibraryRequest, Depends(JsonBody(MoveInLibraryRequest))]
RenameBody = Annotated[RenameFolderRequest, Depends(JsonBody(RenameFolderRequest))]
RemoveBody = Annotated[RemoveFromLibraryRequest, Depends(JsonBody(RemoveFromLibraryRequest))]
TEXT = {"text/plain": {"schema": {"type": "string"}}}
InFolder = Annotated[
    str, Query(max_length=MAX_FOLDER_CHARS, description="A folder; empty: the whole library.")
]
WrittenFormat = Annotated[
    str, Query(alias="format", description="The format, such as bibtex, ris or csl-json.")
]


@router.get("", summary="The folders of the library: `lode library`", **answers(LibraryView))
def folders(context: Context, portal: Name) -> Json:
    return Json(service.library_in(context.registry.path(portal)))


@router.get("/objects", summary="Objects: `lode library show`", **answers(list[ObjectView]))
def objects(context: Context, portal: Name, folder: InFolder = "") -> Json:
    return Json(service.objects_in(context.registry.path(portal), folder))


@router.get(
    "/export",
    summary="A reference file: `lode library export`",
    response_class=PlainTextResponse,
    responses={200: {"description": "The file.", "content": TEXT}},
)
def export(
    context: Context, portal: Name, folder: InFolder = "", kind: WrittenFormat = "bibtex"
) -> PlainTextResponse:
    return PlainTextResponse(service.export_library(context.registry.path(portal), folder, kind))


@router.post(
    "/import",
    summary="Import a reference file: `lode library import`",
    **answers(ImportReport),
    **accepts(ImportReferencesRequest),
)
def import_references(context: Context, portal: Name, body: ImportBody) -> Json:
    path = context.registry.path(portal)
    return Json(service.import_text(path, body.text, body.file, body.folder, body.format))


@router.post(
    "/add",
    summary="Add pages with their metadata: `lode library add`",
    **answers(AdditionReport),
    **accepts(AddPagesRequest),
)
def add(context: Context, portal: Name, body: AddBody) -> Json:
    return Json(add_pages(context.registry.path(portal), body))


@router.post(
    "/move",
    summary="Move a folder or objects: `lode library move`",
    **answers(LibraryEdit),
    **accepts(MoveInLibraryRequest),
)
def move(context: Context, portal: Name, body: MoveBody) -> Json:
    return Json(service.move(context.registry.path(portal), body))


@router.post(
    "/rename",
    summary="Rename a folder: `lode library rename`",
    **answers(LibraryEdit),
    **accepts(RenameFolderRequest),
)
def rename(context: Context, portal: Name, body: RenameBody) -> Json:
    return Json(service.rename(context.registry.path(portal), body))


@router.post(
    "/remove",
    summary="Remove a folder or objects: `lode library remove`",
    **answers(LibraryEdit),
    **accepts(RemoveFromLibraryRequest),
)
def remove(context: Context, portal: Name, body: RemoveBody) -> Json:
    return Json(service.remove(context.registry.path(portal), body))


@router.post("/undo", summary="Take back the latest change", **answers(LibraryEdit))
def undo(context: Context, portal: Name) -> Json:
    return Json(service.undo(context.registry.path(portal)))
