"""Jobs: start, follow and cancel them; crawl and index are started here."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query
from fastapi import Path as InPath
from msgspec import Struct
from starlette.responses import StreamingResponse

from motherlode.app.api.body import JsonBody
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.jobs.commands import crawl_command, index_command
from motherlode.app.jobs.records import Job
from motherlode.app.requests.crawl import CrawlRequest
from motherlode.app.requests.training import IndexRequest
from motherlode.app.server.context import Context
from motherlode.app.server.events import job_events, lines_in

router = APIRouter(tags=["jobs"])
Id = Annotated[str, InPath(description="The job's id.", max_length=40)]
Offset = Annotated[
    int, Query(ge=0, le=2**40, description="The offset to start at, as an earlier answer gave it.")
]
STARTED = answers(Job, 202, "The job, running or waiting.")


class JobLines(Struct, frozen=True):
    """Lines of a job's output, and the offset behind them."""

    lines: list[str]
    next: int


@router.post(
    "/portals/{portal}/crawl",
    summary="Start a crawl: `lode crawl`",
    **STARTED,
    **accepts(CrawlRequest),
)
def crawl(
    context: Context, portal: Name, body: Annotated[CrawlRequest, Depends(JsonBody(CrawlRequest))]
) -> Json:
    return Json(context.queue.submit(portal, crawl_command(body)), 202)


@router.post(
    "/portals/{portal}/index",
    summary="Bring the index up to date: `lode index`",
    **STARTED,
    **accepts(IndexRequest),
)
def index(
    context: Context, portal: Name, body: Annotated[IndexRequest, Depends(JsonBody(IndexRequest))]
) -> Json:
    return Json(context.queue.submit(portal, index_command(body)), 202)


@router.get("/jobs", summary="The jobs of all portals", **answers(list[Job]))
def all_jobs(context: Context) -> Json:
    return Json(context.queue.all_jobs())


@router.get("/portals/{portal}/jobs", summary="The jobs of a portal", **answers(list[Job]))
def jobs(context: Context, portal: Name) -> Json:
    return Json(context.queue.jobs(portal))


@router.get("/portals/{portal}/jobs/{job}", summary="A job as it is now", **answers(Job))
def job(context: Context, portal: Name, job: Id) -> Json:
    return Json(context.queue.job(portal, job))


@router.get(
    "/portals/{portal}/jobs/{job}/lines", summary="The output of a job", **answers(JobLines)
)
def lines(context: Context, portal: Name, job: Id, start: Offset = 0) -> Json:
    output, end = context.queue.folder(portal, job).output(start)
    return Json(JobLines(lines_in(output), end))


@router.post(
    "/portals/{portal}/jobs/{job}/cancel",
    summary="Stop a job: in good order first, at once the second time, by force the third",
    **answers(Job),
)
def cancel(context: Context, portal: Name, job: Id) -> Json:
    return Json(context.queue.cancel(portal, job))


@router.get(
    "/portals/{portal}/jobs/{job}/events",
    summary="Follow a job: events `lines` (a list) and `job`, until it is over",
    response_class=StreamingResponse,
    responses={200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}}},
)
def events(
    context: Context,
    portal: Name,
    job: Id,
    last_event_id: Annotated[str, Header(max_length=20)] = "0",
) -> StreamingResponse:
    context.queue.job(portal, job)
    start = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else 0
    stream = job_events(context.queue, portal, job, start, context.stopping)
    return StreamingResponse(context.streams.count(stream), media_type="text/event-stream")
