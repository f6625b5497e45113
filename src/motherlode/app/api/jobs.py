"""Jobs: started under the names of their commands, looked at, followed, cancelled."""

from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi import Path as InPath
from msgspec import Struct
from starlette.responses import StreamingResponse

from motherlode.app.api.bodies import Crawl, Index
from motherlode.app.api.describing import Json, answers
from motherlode.app.api.portals import Name
from motherlode.app.jobs import commands
from motherlode.app.jobs.records import Job
from motherlode.app.server.context import Here
from motherlode.app.server.events import job_events, lines_in

router = APIRouter(tags=["jobs"])
Id = Annotated[str, InPath(description="The job's id.", max_length=40)]
Place = Annotated[int, Query(ge=0, le=2**40, description="From which place on, as an earlier answer said.")]
STARTED = answers(Job, 202, "The job, under way or waiting.")


class Lines(Struct, frozen=True):
    """What a job said, and the place behind it."""

    lines: list[str]
    next: int


@router.post("/portals/{portal}/crawl", summary="Start a crawl: `lode crawl`", **STARTED)
def crawl(here: Here, portal: Name, body: Crawl) -> Json:
    return Json(here.board.ask(portal, commands.crawl(**body.model_dump())), 202)


@router.post("/portals/{portal}/index", summary="Bring the index up to date: `lode index`", **STARTED)
def index(here: Here, portal: Name, body: Index) -> Json:
    return Json(here.board.ask(portal, commands.index(**body.model_dump())), 202)


@router.get("/jobs", summary="The jobs of all portals", **answers(list[Job]))
def all_jobs(here: Here) -> Json:
    return Json(here.board.all_jobs())


@router.get("/portals/{portal}/jobs", summary="The jobs of a portal", **answers(list[Job]))
def jobs(here: Here, portal: Name) -> Json:
    return Json(here.board.jobs(portal))


@router.get("/portals/{portal}/jobs/{job}", summary="A job as it is now", **answers(Job))
def job(here: Here, portal: Name, job: Id) -> Json:
    return Json(here.board.job(portal, job))


@router.get("/portals/{portal}/jobs/{job}/lines", summary="What a job said", **answers(Lines))
def lines(here: Here, portal: Name, job: Id, start: Place = 0) -> Json:
    said, behind = here.board.folder(portal, job).lines(start)
    return Json(Lines(lines_in(said), behind))


@router.post(
    "/portals/{portal}/jobs/{job}/cancel",
    summary="Stop a job: in good order first, at once the second time, by force the third",
    **answers(Job),
)
def cancel(here: Here, portal: Name, job: Id) -> Json:
    return Json(here.board.cancel(portal, job))


@router.get(
    "/portals/{portal}/jobs/{job}/events",
    summary="Follow a job: events `lines` (a list) and `job`, until it is over",
    response_class=StreamingResponse,
    responses={200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}}},
)
def events(
    here: Here, portal: Name, job: Id, last_event_id: Annotated[str, Header(max_length=20)] = "0"
) -> StreamingResponse:
    here.board.job(portal, job)
    start = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else 0
    stream = job_events(here.board, portal, job, start, here.stopping)
    return StreamingResponse(here.streams.counted(stream), media_type="text/event-stream")
