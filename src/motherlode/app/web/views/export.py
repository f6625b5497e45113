"""Exports: every format by a button, and the files to download."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request
from msgspec import Struct
from starlette.responses import FileResponse, Response

from motherlode.app.jobs.exports import FORMS, export, file_of, made_by, suffix_of
from motherlode.app.jobs.exports import start as start_export
from motherlode.app.jobs.records import Job
from motherlode.app.server.context import Here, Services
from motherlode.app.services.topic_views import names_in
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page

router = APIRouter()
_SHOWN = 12
TEXTS = frozenset(form.name for form in FORMS if form.texts)  # to the others the form's box says nothing


class Row(Struct, frozen=True):
    """An export that was asked for, and its file, if there is one."""

    job: Job
    size: int | None
    suffix: str


@router.get("/portals/{portal}/export")
def choose(request: Request, here: Here, portal: str) -> Response:
    with here.shelf.reading(portal) as opened:
        topics = names_in(opened.tree())
    return page(request, "export.html", portal=portal, forms=FORMS, topics=topics, rows=_rows(here, portal))


@router.get("/portals/{portal}/export/now")
def now(request: Request, here: Here, portal: str) -> Response:
    """The part of the page that changes while exports are made."""
    return page(request, "export_now.html", portal=portal, rows=_rows(here, portal))


@router.post("/portals/{portal}/export")
def start(
    here: Here,
    portal: str,
    format: Annotated[str, Form(max_length=40)],  # noqa: A002 - as on the command line
    topic: Annotated[str, Form(max_length=2_000)] = "",
    *,
    text: Annotated[bool, Form()] = False,
) -> Response:
    command = export(form=format, topic=topic.strip() or None, text=text and format in TEXTS)
    start_export(here.board, here.shelf, portal, command)
    return see(portal_address(portal, "/export"))


@router.get("/portals/{portal}/export/{job}")
def download(here: Here, portal: str, job: str) -> Response:
    path, name = file_of(here.board, here.shelf, portal, job)
    return FileResponse(path, media_type="application/octet-stream", filename=name)


def _rows(here: Services, portal: str) -> list[Row]:
    path = here.shelf.path(portal)
    jobs = [job for job in here.board.jobs(portal) if job.command == "export"][:_SHOWN]
    return [_row(job, made_by(job, path)) for job in jobs]


def _row(job: Job, file: Path | None) -> Row:
    return Row(job, None, "") if file is None else Row(job, file.stat().st_size, suffix_of(file))
