"""Exports: a button for every format, and the files to download."""

from pathlib import Path

from fastapi import APIRouter, Request
from msgspec import Struct
from starlette.responses import FileResponse, Response

from motherlode.app.jobs.exports import (
    export_command,
    file_made_by,
    file_of,
    start_export,
    suffix_of,
)
from motherlode.app.jobs.records import Job
from motherlode.app.requests.export import ExportRequest, formats_with_texts
from motherlode.app.server.context import Context, ServerContext
from motherlode.app.services.topics.views import topic_names_at
from motherlode.app.web.forms import FormTexts, form_of, request_in, see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.export.formats.registry import FORMATS

router = APIRouter()
MAX_JOBS_SHOWN = 12


class ExportRow(Struct, frozen=True):
    """An export job, and its file, if there is one."""

    job: Job
    size: int | None
    suffix: str


@router.get("/portals/{portal}/export")
def choose(request: Request, context: Context, portal: str) -> Response:
    topics = topic_names_at(context.registry, portal)
    return page(
        request,
        "export.html",
        portal=portal,
        formats=FORMATS,
        texts=form_of(ExportRequest).fields["text"],
        topic=form_of(ExportRequest).fields["topic"],
        topics=topics,
        rows=_rows(context, portal),
    )


@router.get("/portals/{portal}/export/now")
def now(request: Request, context: Context, portal: str) -> Response:
    """Return the part of the page that changes while exports are made."""
    return page(request, "export_now.html", portal=portal, rows=_rows(context, portal))


@router.post("/portals/{portal}/export")
def start(context: Context, portal: str, texts: FormTexts) -> Response:
    if (
        texts.get("format") not in formats_with_texts()
    ):  # the other formats ignore the box of the form
        texts = {name: text for name, text in texts.items() if name != "text"}
    command = export_command(request_in(ExportRequest, texts))
    start_export(context.queue, context.registry, portal, command)
    return see(portal_address(portal, "/export"))


@router.get("/portals/{portal}/export/{job}")
def download(context: Context, portal: str, job: str) -> Response:
    path, name = file_of(context.queue, context.registry, portal, job)
    return FileResponse(path, media_type="application/octet-stream", filename=name)


def _rows(context: ServerContext, portal: str) -> list[ExportRow]:
    path = context.registry.path(portal)
    jobs = [job for job in context.queue.jobs(portal) if job.command == "export"][:MAX_JOBS_SHOWN]
    return [_row(job, file_made_by(job, path)) for job in jobs]


def _row(job: Job, file: Path | None) -> ExportRow:
    return (
        ExportRow(job, None, "")
        if file is None
        else ExportRow(job, file.stat().st_size, suffix_of(file))
    )
