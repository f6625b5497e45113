"""Exports: every format by a button, and the files to download."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from motherlode.app.serving.exports import FORMS, clear_away, export, made_by
from motherlode.app.serving.jobs import Job
from motherlode.app.serving.services import Here, Services
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree, show_path

router = APIRouter()
_SHOWN = 12
GONE = "There is no file of that export; it is made again by asking for it again."


class Row(Struct, frozen=True):
    """An export that was asked for, and its file, if there is one."""

    job: Job
    size: int | None
    suffix: str


@router.get("/portals/{portal}/export")
def choose(request: Request, here: Here, portal: str) -> Response:
    with here.shelf.reading(portal) as opened, opened.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        topics = [show_path(tree.path(topic.id)) for topic in tree if not topic.is_others]
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
    command = export(form=format, topic=topic.strip() or None, text=text)
    clear_away(here.shelf.path(portal))
    here.board.ask(portal, command)
    return see(portal_address(portal, "/export"))


@router.get("/portals/{portal}/export/{job}")
def download(here: Here, portal: str, job: str) -> Response:
    return download_of(here, portal, job)


def download_of(here: Services, portal: str, job: str) -> FileResponse:
    """The file that an export made. Raises `HTTPException` where there is none."""
    path = made_by(here.board.job(portal, job), here.shelf.path(portal))
    if path is None:
        raise HTTPException(404, GONE)
    suffix = path.name.partition(".")[2]
    return FileResponse(path, media_type="application/octet-stream", filename=f"{portal}.{suffix}")


def _rows(here: Services, portal: str) -> list[Row]:
    path = here.shelf.path(portal)
    jobs = [job for job in here.board.jobs(portal) if job.command == "export"][:_SHOWN]
    found = [(job, made_by(job, path)) for job in jobs]
    return [
        Row(
            job,
            None if file is None else file.stat().st_size,
            "" if file is None else file.name.partition(".")[2],
        )
        for job, file in found
    ]
